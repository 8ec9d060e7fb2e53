// Which accesses of a launch come before which.
#pragma once

#include "common/check/region.h"

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

namespace tutorial::check {

constexpr unsigned kLanes = 32;

/// Within a block barriers put accesses in order, within a warp __syncwarp does, and among the blocks of a cluster
/// its barrier. Among other blocks, and among threads that have met nowhere, only an atomic on one address, if the
/// first came to it after a fence. A cluster, which may be a block alone, runs from its beginning to its end before
/// the next one does; its blocks take turns.
///
/// A grid that a kernel launches runs when that kernel has ended, and could have begun with its launch: it comes after
/// what the launching thread knew then. After another one of the same kernel it comes if the same block has launched
/// both into one stream; and after all, if it is a tail launch. Grids have numbers; 0 is that of the host's launch.
class Order {
 public:
  void launch_begins(unsigned blocks_of_cluster);
  /// The thread launches a grid for later; the value is its number.
  unsigned launches(unsigned thread, cudaStream_t stream);
  void child_begins(unsigned grid) { running_.push_back(grid); }
  void child_ends() { running_.pop_back(); }
  bool is_child() const { return !running_.empty(); }
  unsigned running_grid() const { return running_.empty() ? 0 : running_.back(); }
  unsigned grid_of(const Stamp& stamp) const;
  bool is_around(unsigned grid) const;
  void cluster_begins();
  /// Block `rank` of the cluster begins, and what is asked from now on is asked of it; or it goes on.
  void block_begins(unsigned rank, std::uint32_t block, unsigned threads);
  void goes_on(unsigned rank) { of_ = &blocks_[rank]; }
  void barrier_completes(bool of_cluster);
  /// The thread is between the two parts of the cluster's barrier that has completed last; or behind both. What it does
  /// in between comes after the barrier for all others, and the barrier after it for the thread itself.
  void arrives_at_cluster(unsigned thread);
  void has_waited_for_cluster(unsigned thread);
  void warp_meets(unsigned warp, std::uint32_t lanes);
  void fence() { of_->fenced = true; }
  /// The thread passes on what was done before the fence, and learns what was passed on to it.
  void atomic(std::uintptr_t address, bool is_shared, unsigned thread);

  /// Of an access that the thread makes now; its place is left open.
  Stamp now(unsigned thread) const;
  /// Whether the thread can rely on what was done then.
  bool comes_before(const Stamp& earlier, bool is_shared, unsigned thread) const;
  bool is_of_cluster(const Stamp& stamp) const { return stamp.serial >= cluster_serial_; }
  /// Whether the block has come to a barrier of the cluster, and whether block `rank` has to one since then.
  bool has_met(unsigned thread) const { return of_->barriers > (is_between(thread) ? 1 : 0); }
  bool has_met_since(unsigned rank, std::uint32_t serial) const {
    return serial < blocks_[rank].kept;
  }

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

  /// What the launching thread knew; serials as of its block.
  struct Child {
    unsigned parent;
    cudaStream_t stream;
    std::uint32_t block, thread, phase, cluster, met;
    std::array<std::uint32_t, kLanes> clocks;
    Clocks known;
    Blocks known_blocks;
  };

  bool is_between(unsigned thread) const { return of_->between.count(thread) != 0; }
  static bool is_known(const Stamp& earlier, unsigned thread,
                       const std::array<std::uint32_t, kLanes>& clocks, const Clocks& known);
  bool comes_before_child(const Stamp& earlier) const;
  static bool knew(const Child& child, const Stamp& earlier);

  /// What an atomic's address has been passed.
  struct Passed {
    unsigned grid = 0;              // of `blocks`
    std::set<unsigned> grids = {};  // others
    Blocks blocks;
    std::uint32_t block_serial = 0;  // of the block that `threads` are of
    Clocks threads;
  };

  /// One block of the cluster.
  struct OfBlock {
    std::uint32_t block = 0;
    std::uint32_t begin = 0, phase = 0;  // serials: of its beginning, and since its last barrier
    std::uint32_t met = 0;               // and of the cluster's last barrier, or beginning
    std::uint32_t kept = 0;              // the same, if a thread has waited for it
    std::uint32_t phase_before = 0,
                  met_before = 0;  // for threads that have arrived there and not waited
    std::set<unsigned> between;    // these
    bool has_waited = false;       // one of them
    std::size_t barriers = 0;      // of the cluster, that it has passed
    bool fenced = false;

    // How often each lane of each warp has met others, as far as each thread knows; and what each knows of
    // threads of other warps.
    std::vector<std::array<std::uint32_t, kLanes>> clocks;
    std::vector<Clocks> known;
    bool clocks_moved = true;

    Blocks known_blocks;             // that have passed an atomic on to this one
    std::set<unsigned> known_grids;  // likewise
  };

  std::vector<Child> children_;              // grid 1 is the first
  std::map<std::uint32_t, unsigned> began_;  // the grid that began with a serial
  std::vector<unsigned> running_;            // that grid, and before it those that have launched it

  std::uint32_t serial_ = 0, launch_serial_ = 0, cluster_serial_ = 0;
  std::vector<std::uint32_t> barriers_;  // of the cluster: their serials
  std::vector<OfBlock> blocks_ = std::vector<OfBlock>(1);
  OfBlock* of_ = blocks_.data();
  std::unordered_map<std::uintptr_t, Passed> passed_on_;
};

}  // namespace tutorial::check
