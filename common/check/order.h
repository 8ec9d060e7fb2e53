// Which accesses of a launch come before which.
#pragma once

#include "common/check/region.h"

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace tutorial::check {

constexpr unsigned kLanes = 32;

/// Within a block barriers put accesses in order, within a warp __syncwarp does. Among blocks, and among
/// threads that have met nowhere, only an atomic on one address, if the first came to it after a fence.
/// A block runs from its beginning to its end before the next one does.
class Order {
 public:
  void launch_begins();
  void block_begins(std::uint32_t block, unsigned threads);
  void barrier_completes() { ++serial_; }
  void warp_meets(unsigned warp, std::uint32_t lanes);
  void fence() { fenced_ = true; }
  /// The thread passes on what was done before the fence, and learns what was passed on to it.
  void atomic(std::uintptr_t address, bool is_shared, unsigned thread);

  /// Of an access that the thread makes now; its place is left open.
  Stamp now(unsigned thread) const;
  /// Whether the thread can rely on what was done then.
  bool comes_before(const Stamp& earlier, bool is_shared, unsigned thread) const;
  bool is_of_block(const Stamp& stamp) const { return stamp.serial >= block_serial_; }

 private:
  using Clocks = std::map<std::uint16_t, std::uint32_t>;  // by thread

  class Blocks {
   public:
    void add(std::uint32_t block);
    void add(const Blocks& others);
    bool has(std::uint32_t block) const;
    void clear() { bits_.clear(); }

   private:
    std::vector<std::uint64_t> bits_;
  };

  /// What an atomic's address has been passed.
  struct Passed {
    Blocks blocks;
    std::uint32_t block_serial = 0;  // of the block that `threads` are of
    Clocks threads;
  };

  std::uint32_t block_ = 0;
  std::uint32_t serial_ = 0, launch_serial_ = 0, block_serial_ = 0;
  bool fenced_ = false;

  // How often each lane of each warp has met others, as far as each thread knows; and what each knows of
  // threads of other warps.
  std::vector<std::array<std::uint32_t, kLanes>> clocks_;
  std::vector<Clocks> known_;
  bool clocks_moved_ = true;

  Blocks known_blocks_;  // that have passed an atomic on to this one
  std::unordered_map<std::uintptr_t, Passed> passed_on_;
};

}  // namespace tutorial::check
