// Judges every access that the kernels of this program make, as the CPU executor runs them.
#pragma once

#include "common/check/order.h"
#include "common/check/problems.h"
#include "common/check/region.h"
#include "common/executor/executor.h"
#include "common/executor/watcher.h"
#include "common/trace/hooks.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

// The kernels are compiled as for tracing (common/cmake/see.cmake): a function is called before
// each access. What is judged, and what is not, stands in common/notes/executor.md.
//
// An access is looked up in the regions that a kernel may touch: the buffers of the device, its
// variables and the shared arrays. For each byte of a region the last write and the reads since are
// remembered, as stamps; two accesses by different threads are a race if neither comes before the other.

namespace tutorial::check {

std::string plural(std::uint64_t count, const std::string& one, const std::string& many = "");
/// "x[5]", or "x[8] to x[15]", of an access to the region.
std::string element_name(const Region& region, const trace::Seen& seen);
const char* verb(trace::Operation operation);
/// The names of a kernel's parameters, as the source has them; fewer, or none, if they are not known.
std::vector<std::string> parameters_of(const cpu::Launch& launch);

/// While it lives, what the checks access themselves is not judged.
class Busy {
 public:
  Busy() { ++count; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() { --count; }

  static inline thread_local int count = 0;
};

class Checker : public cpu::Watcher {
 public:
  static Checker& instance();

  /// From now on everything is checked, by one worker, and buffers lie far from each other.
  void start();
  /// The same of a program of its own: what nobody has written is found too, and `host` is told of what
  /// its host code accesses.
  void start_program(void (*host)(const trace::Seen& seen));

  /// Follows what is found from now on: "n = 1027".
  void set_context(const std::string& context) { problems_.set_context(context); }

  /// For launches of more elements than 32 bits count, on buffers of which little is touched: of each the first blocks
  /// run and the last. Where an index is computed in 32 bits, these meet, or are far away.
  void look_far();

  /// Prints what was found, or in how many launches nothing was, to stderr. Whether nothing was.
  bool finish();
  /// Does that and ends the program where something was found, with 3 if a program of its own is checked.
  [[noreturn]] void stop(int code);
  [[noreturn]] static void leave(int code);

  Problems& problems() { return problems_; }
  Regions& regions() { return regions_; }
  /// The buffers that there are now. `is_new` is told of each that was not there before.
  void find_regions(const std::function<void(Region&)>& is_new = nullptr);
  /// Whether the call that returns there is the program's own.
  bool is_programs(std::uintptr_t pc);

  /// A kernel has allocated memory, or freed what a kernel had allocated.
  void kernel_allocates(void* pointer, std::size_t bytes, std::uintptr_t pc);
  void kernel_frees(const trace::Extent& bytes, std::uintptr_t pc);

  /// Is told of each launch that has ended, and of the regions that it has written.
  std::function<void(const cpu::Launch&)> launch_ended;

  void access(const trace::Seen& seen);
  void fence() { order_.fence(); }
  void launch_begins(const cpu::Launch& launch);
  void launch_ends();
  /// The time for a block is over: ends the program where a thread next accesses memory or waits,
  /// or at once if it does neither.
  void time_is_over(std::uintptr_t pc);
  /// A signal ends the program.
  void crash(int signal);

  void launch_is_refused(const cpu::Launch& launch, cudaError_t error) override;
  void block_begins() override;
  void block_fails(const std::string& report) override;
  void barrier_completes(unsigned returned, bool of_cluster) override;
  void arrives_at_cluster() override;
  void has_waited_for_cluster() override;
  void warp_meets(unsigned warp, std::uint32_t lanes, bool orders_memory) override;
  void thread_waits(cpu::Where where) override;
  void waits_for_previous_grid() override;
  void reads_what_previous_grid_reads() override;
  void lets_next_grid_begin(std::uintptr_t pc) override;
  unsigned launches(cudaStream_t stream) override;
  void child_begins(unsigned child) override;
  void child_ends() override;

 private:
  Checker() = default;

  void name_regions(const cpu::Launch& launch);
  static void look_up(Region& region, const Place& where);
  Region* region_of(const trace::Seen& seen);
  bool is_our_own(const trace::Seen& seen);
  bool is_of_launch(const trace::Seen& seen) const;
  bool may_read_early(const trace::Seen& seen) const;
  bool is_too_early(const Region& region, const trace::Seen& seen) const;

  void outside(const trace::Seen& seen);
  [[nodiscard]] bool is_hosts(const trace::Seen& seen);
  void past_the_end(Region& region, const trace::Seen& seen);
  void remember(Region& region, const trace::Seen& seen);
  void read_unwritten(Region& region, const trace::Seen& seen);
  void report_race(Region& region, const trace::Seen& seen, std::size_t offset,
                   const Stamp& earlier, bool earlier_writes);
  void settle();
  void report_unwritten();
  bool in_clusters() const { return cluster_size_ > 1; }
  void take_turn();
  void find_shared_memory();
  void cluster_ends();
  void reach_into(Region& region, const trace::Seen& seen, const Stamp& now);
  bool is_of_other_block(const Region& region) const;
  std::string element_of(const Region& region, const trace::Seen& seen) const;
  [[noreturn]] void report_endless(const Place& place);

  unsigned running_thread() const;
  std::string thread_name() const { return name_of(running_thread(), block_); }
  std::string name_of(unsigned thread, std::uint32_t block) const;
  std::string name_of(const Stamp& stamp) const;
  std::uint16_t place_number(std::uintptr_t pc);

  Problems problems_;
  Regions regions_;
  Order order_;
  trace::Extent host_stack_;
  std::set<std::uintptr_t> our_own_;  // places of the executor's
  std::map<std::uintptr_t, bool> programs_;
  std::set<std::pair<std::uintptr_t, const Region*>>
      meant_;  // places that name a variable, and find it

  bool is_program_ = false;
  void (*host_)(const trace::Seen& seen) = nullptr;
  bool is_far_ = false;
  bool in_launch_ = false;
  std::uint64_t launches_ = 0, blocks_ = 0, accesses_ = 0, accesses_before_ = 0;
  const cpu::Launch* launch_ = nullptr;
  std::uint32_t block_ = 0, cluster_ = 0;
  unsigned rank_ = 0, cluster_size_ = 1;  // of the block in its cluster
  bool any_waited_ = false, accessed_too_early_ = false, failed_ = false, launches_more_ = false;
  /// What is said of a grid that a kernel launches, and of the one around it.
  struct Grid {
    std::string kernel;
    dim3 threads, blocks;
  };
  std::map<unsigned, Grid> grids_;  // by number
  /// For nothing; as long as it takes to read what the kernel before only reads; until that has ended.
  enum class Waited : std::uint8_t { no, to_read, fully };
  std::vector<Waited>& waited() { return waited_[rank_]; }
  Waited waited(unsigned thread) const { return waited_[rank_][thread]; }
  std::vector<std::vector<Waited>> waited_;  // of each thread of each block of the cluster

  // Reads of shared memory that the block had not written: a race if it does so later.
  struct Unwritten {
    Place place;
    std::string sentence;
  };
  std::map<std::uint16_t, Unwritten> unwritten_;  // by place

  /// The last access to a shared array by another block of the cluster.
  struct Reach {
    std::uint32_t serial = 0;
    Place place;
    std::string sentence;
  };
  std::map<const Region*, Reach> reached_;

  /// A race whose second access is a store: it is harmless if the store changes nothing.
  struct Pending {
    std::string key;
    Place place;
    std::string sentence;
    Region* region = nullptr;
    std::size_t offset = 0;
    std::vector<unsigned char> before;
    std::vector<Stamp> stamps;
  };
  Pending pending_;

  std::vector<std::uintptr_t> places_;
  std::map<std::uintptr_t, std::uint16_t> place_numbers_;

  std::uintptr_t last_pc_ = 0;
  cpu::Where last_wait_{};
  volatile bool is_over_ = false;
  std::uint64_t cells_made_ = 0;
};

}  // namespace tutorial::check
