// What an instrumented program calls, and the executor that runs it: hands each access to the parts that judge it.
#pragma once

#include "common/check/bounds.h"
#include "common/check/copies.h"
#include "common/check/deadline.h"
#include "common/check/memory.h"
#include "common/check/order.h"
#include "common/check/problems.h"
#include "common/check/races.h"
#include "common/check/sentences.h"
#include "common/check/waits.h"
#include "common/executor/executor.h"
#include "common/executor/watcher.h"
#include "common/trace/hooks.h"

#include <cstdint>
#include <functional>
#include <string>

// The kernels are compiled as for tracing (common/cmake/see.cmake): a function is called before
// each access. What is judged, and what is not, stands in common/notes/executor.md.
//
//   memory.h     whose memory an address is: of which region, or of the executor
//   bounds.h     an access that lies outside
//   races.h      an access that another one meets, by the order of order.h
//   copies.h     an access before an asynchronous copy has ended
//   waits.h      an access before the kernel before has ended
//   deadline.h   a loop without end, a signal
//   problems.h   what was found; sentences.h: of what the sentences are made

namespace tutorial::check {

/// While it lives, what the checks access themselves is not judged.
class Busy {
 public:
  Busy() { ++count; }
  /// A store that came before is judged a second time first.
  explicit Busy(Races& races) : Busy() { races.settle(); }
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

  /// For launches of more elements than 32 bits count, on buffers of which little is touched: of each the first blocks
  /// run and the last. Where an index is computed in 32 bits, these meet, or are far away.
  void look_far();

  /// Prints what was found, or in how many launches nothing was, to stderr. Whether nothing was.
  bool finish();
  /// Does that and ends the program where something was found, with 3 if a program of its own is checked.
  [[noreturn]] void stop(int code);
  [[noreturn]] static void leave(int code);

  Problems& problems() { return problems_; }
  Memory& memory() { return memory_; }
  void kernel_frees(const trace::Extent& bytes, std::uintptr_t pc);

  /// Is told of each launch that has ended, and of the regions that it has written.
  std::function<void(const cpu::Launch&)> launch_ended;

  void access(const trace::Seen& seen);
  void launch_begins(const cpu::Launch& launch);
  void launch_ends();
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
  void copies_late(const void* to, std::size_t bytes, std::uintptr_t pc) override;
  void has_waited_for_copy(const void* to) override;
  unsigned launches(cudaStream_t stream) override;
  void child_begins(unsigned child) override;
  void child_ends() override;

 private:
  Checker() = default;

  Region* watched_region(const trace::Seen& seen);
  void judge(Region& region, const trace::Seen& seen);
  void take_turn();
  [[noreturn]] void report_endless(const Place& place);

  Problems problems_;
  Running running_;
  Order order_;
  Memory memory_{running_};
  Races races_{problems_, running_, order_};
  Copies copies_{problems_, running_, order_};
  Waits waits_{running_};
  Deadline deadline_;

  bool is_program_ = false, is_far_ = false;
  void (*host_)(const trace::Seen& seen) = nullptr;

  bool in_launch_ = false;
  std::uint32_t cluster_ = 0;  // whose block has begun last
  /// Of the launch: the executor has stopped it; it has launched another; it accessed what the kernel before may write.
  bool failed_ = false, launches_more_ = false, accessed_too_early_ = false;
  std::uint64_t launches_ = 0, blocks_ = 0, accesses_ = 0, accesses_before_ = 0;

  std::uintptr_t last_pc_ = 0;  // of an access
  cpu::Where last_wait_{};
};

}  // namespace tutorial::check
