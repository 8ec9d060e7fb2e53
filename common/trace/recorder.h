// Watches the memory accesses of kernels that run on the CPU executor, and counts them as a GPU's
// warps make them.
#pragma once

#include "common/executor/device_memory.h"
#include "common/executor/executor.h"
#include "common/trace/hooks.h"
#include "common/trace/joined.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

// g++ calls a function before every access of a source that it compiled for tracing (hooks.cpp,
// common/cmake/see.cmake). The recorder keeps those that go to device memory or to shared memory;
// all others are the compiler's own: what a GPU keeps in registers or in the constant bank.
//
// The lanes of a warp run one after another here. The k-th access that each lane makes in one
// statement is one request of the warp; a lane that does not make it is inactive.

namespace tutorial::trace {

/// All requests of one place.
struct PlaceTotals {
  Operation operation = Operation::load;
  Space space = Space::global;
  std::uint16_t least_bytes = 0, most_bytes = 0;  ///< of a lane's access
  Cost cost;
};

/// A warp in detail: its requests in program order.
struct Warp {
  uint3 block{};
  std::uint64_t block_number = 0;
  unsigned number = 0;  ///< in its block
  std::vector<Request> requests;
};

/// One launch of a kernel.
struct LaunchRecord {
  const void* kernel = nullptr;
  std::string name;  ///< as a program's launch spells it; or empty
  dim3 grid, block;
  std::size_t dynamic_shared = 0;
  std::uint64_t busy_blocks = 0, busy_threads = 0;  ///< that touched global memory
  /// Sectors that a block loads, and those that it stores, each once a block; of all blocks. And
  /// the pieces of memory that hold the loaded ones.
  std::uint64_t loaded_sectors = 0, stored_sectors = 0, loaded_pieces = 0;
  std::map<std::uint32_t, PlaceTotals> places;
  Warp middle, last;  ///< that make requests; without: there is none
};

class Recorder {
 public:
  static Recorder& instance();

  /// From now on every access is recorded. `warp`: which warp of each launch is kept in detail,
  /// counted through the grid; below 0, one in the middle.
  void start(std::vector<Buffer> buffers, std::int64_t warp);
  void stop();

  const std::vector<LaunchRecord>& launches() const { return launches_; }
  const std::vector<Buffer>& buffers() const { return meaning_.buffers; }
  /// Bytes accessed in device memory that is no buffer of the operation: workspace.
  std::uint64_t elsewhere() const { return elsewhere_; }
  std::uintptr_t pc_of(std::uint32_t place) const { return meaning_.places[place].pc; }
  /// What the running thread accesses, in words, for a kernel that ends the program; or nothing.
  std::string last_access() const;

  /// The hooks' way in.
  void access(const Seen& access);
  /// The executor's; the answer: all blocks.
  static std::uint64_t observe(const cpu::Launch& launch, bool begins);
  /// From now on one worker takes the blocks in order, so that a warp's accesses follow each other, and
  /// the observer is told of each launch.
  static void watch(cpu::LaunchObserver observer = observe);

 private:
  Recorder() = default;
  void launch_begins(const cpu::Launch& launch);
  void launch_ends();
  bool is_shared(std::uintptr_t address) const;
  bool is_global(std::uintptr_t address) const;
  std::uint32_t place_of(std::uintptr_t pc);
  std::uint32_t statement_of(const Access& access);
  void enter_block();
  void leave_block();
  void leave_cluster();
  void gather(unsigned warp);
  void count_touches(const Access& access);
  std::vector<std::uint32_t> program_order() const;
  void keep(Warp& warp, unsigned number) const;

  Seen last_, before_;
  bool in_launch_ = false;
  std::int64_t wanted_warp_ = -1;

  /// What the threads of a block have done so far. Those of a cluster, which may be a block alone, take turns.
  struct OfBlock {
    bool has_begun = false;
    uint3 index{};
    std::vector<std::vector<Access>> threads = std::vector<std::vector<Access>>(1024);
  };
  std::vector<OfBlock> blocks_ = std::vector<OfBlock>(1);
  OfBlock* block_ = blocks_.data();
  unsigned cluster_size_ = 1;
  std::uint64_t cluster_ = ~std::uint64_t{0};  ///< its number; none

  std::vector<LaunchRecord> launches_;
  std::uint64_t elsewhere_ = 0;

  Meaning meaning_;
  std::vector<std::uint8_t> homes_;  ///< of each place: the buffer of its first access
  std::unordered_map<std::uintptr_t, std::uint32_t> place_numbers_;
  std::unordered_map<std::string, std::uint32_t> line_numbers_;
  std::unordered_map<std::uint64_t, std::uint32_t> statement_numbers_;

  // The warp at hand: its requests, those that each lane makes, and for each statement those of its
  // first, second, ... access.
  std::vector<Request> requests_;
  LaneRequests lanes_;
  std::vector<std::vector<std::uint32_t>> by_statement_;

  Footprint footprint_;  ///< of the block at hand
  std::vector<cpu::MemoryRange> device_memory_;
};

}  // namespace tutorial::trace
