// Judges every access that the kernels of this program make, as the CPU executor runs them.
#pragma once

#include "common/check/problems.h"
#include "common/executor/executor.h"
#include "common/executor/watcher.h"
#include "common/trace/hooks.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

// The kernels are compiled as for tracing (common/cmake/see.cmake): a function is called before
// each access. What is judged, and what is not, stands in common/notes/executor.md.
//
// An access is looked up in the regions that a kernel may touch: the buffers of the device and the
// shared arrays. For each byte of a region the last write and the reads since are remembered, as
// stamps; two accesses by different threads are a race if neither comes before the other.

namespace tutorial::check {

/// Who accessed a byte, when, and in which line.
struct Stamp {
  std::uint32_t serial = 0;  ///< the phase, between two barriers, that it was in
  std::uint32_t clock = 0;   ///< of the lane: how often it has met others in __syncwarp
  std::uint32_t block = 0;
  std::uint16_t thread = 0;
  std::uint16_t place : 15;
  std::uint16_t atomic : 1;

  Stamp() : place(0), atomic(0) {}
};

/// What is remembered of a byte. Of two reads by different threads one is another thread's than a
/// write that follows.
struct Cell {
  Stamp write;
  std::array<Stamp, 2> reads;
};

/// Memory that a kernel may access.
struct Region {
  enum class Kind { buffer, shared_array, dynamic_shared };

  Kind kind;
  std::uintptr_t begin;
  std::size_t bytes;
  std::string name, name_to_store;  ///< of the parameters that point to it; empty: not known
  std::uintptr_t base = 0;          ///< element 0
  std::size_t element = 0;          ///< bytes; 0: not known
  bool is_declared = false;         ///< what its declaration says is known
  std::vector<Cell> cells = {};     ///< empty until the first access
  std::unordered_map<std::size_t, Cell> far_cells =
      {};  ///< in their place where there are too many

  bool is_shared() const { return kind != Kind::buffer; }
};

class Checker : public cpu::Watcher {
 public:
  static Checker& instance();

  /// From now on everything is checked, by one worker, and buffers lie far from each other.
  void start();

  /// Follows what is found from now on: "n = 1027".
  void set_context(const std::string& context) { problems_.set_context(context); }

  /// For launches of more elements than 32 bits count, on buffers of which little is touched: of each launch the
  /// first blocks run and the last. Where an index is computed in 32 bits, these meet, or are far away.
  void look_far();
  bool found_nothing() const { return problems_.empty(); }

  /// Prints what was found, or in how many launches nothing was. 0: nothing; 1: something.
  int finish() const;

  void access(const trace::Seen& seen);
  void fence() { fenced_ = true; }
  void launch_begins(const cpu::Launch& launch);
  void launch_ends();
  /// The time for a block is over: ends the program where a thread next accesses memory or waits,
  /// or at once if it does neither.
  void time_is_over(std::uintptr_t pc);
  /// A signal ends the program.
  [[noreturn]] void crash(const char* signal);

  void block_begins() override;
  void block_fails(const std::string& report) override;
  void barrier_completes(unsigned returned) override;
  void warp_meets(unsigned warp, std::uint32_t lanes, bool orders_memory) override;
  void thread_waits(cpu::Where where) override;
  void waits_for_previous_grid() override;
  void lets_next_grid_begin(std::uintptr_t pc) override;

 private:
  Checker() = default;

  void find_regions();
  void name_regions(const cpu::Launch& launch);
  static void look_up(Region& region, const Place& where);
  void add_region(Region::Kind kind, const void* begin, std::size_t bytes, const std::string& name);
  Region* region_at(std::uintptr_t address);
  Region* nearest_region(std::uintptr_t address);
  bool is_our_own(const trace::Seen& seen);

  void outside(const trace::Seen& seen);
  void remember(Region& region, const trace::Seen& seen);
  bool comes_before(const Region& region, const Stamp& earlier) const;
  void report_race(Region& region, const trace::Seen& seen, std::size_t offset,
                   const Stamp& earlier, bool earlier_writes);
  void report_unwritten();
  [[noreturn]] void report_endless(const Place& place);
  [[noreturn]] void stop(int code) const;

  unsigned running_thread() const;
  std::string thread_name() const { return name_of(running_thread(), block_); }
  std::string name_of(unsigned thread, std::uint32_t block) const;
  std::string element_name(const Region& region, const trace::Seen& seen) const;
  std::uint16_t place_number(std::uintptr_t pc);

  Problems problems_;
  std::map<std::uintptr_t, std::unique_ptr<Region>> regions_;  // by begin
  Region* last_region_ = nullptr;
  std::uintptr_t dynamic_shared_ = 0;
  std::set<std::uintptr_t> our_own_;  // places of the executor's

  std::size_t reach_ = std::size_t{1} << 30;  // addresses around a buffer that belong to nobody
  bool is_far_ = false;
  bool in_launch_ = false;
  int launches_ = 0;
  const cpu::Launch* launch_ = nullptr;
  std::uint32_t block_ = 0;
  std::uint32_t serial_ = 0, launch_serial_ = 0, block_serial_ = 0;
  bool any_waited_ = false, accessed_too_early_ = false, failed_ = false;
  std::vector<std::uint8_t> waited_;  // of each thread of the block

  // How often each lane of each warp has met others, as far as each thread knows.
  std::vector<std::array<std::uint32_t, 32>> clocks_;
  bool clocks_moved_ = true;

  // Blocks that have passed an atomic on to this one; what each atomic's address has been passed.
  std::set<std::uint32_t> known_blocks_;
  std::map<std::uintptr_t, std::set<std::uint32_t>> passed_on_;
  bool fenced_ = false;

  // Reads of shared memory that the block had not written: a race if it does so later.
  struct Unwritten {
    Place place;
    std::string sentence;
  };
  std::map<std::uint16_t, Unwritten> unwritten_;  // by place

  std::vector<std::uintptr_t> places_;
  std::map<std::uintptr_t, std::uint16_t> place_numbers_;

  std::uintptr_t last_pc_ = 0;
  cpu::Where last_wait_{};
  volatile bool is_over_ = false;
};

}  // namespace tutorial::check
