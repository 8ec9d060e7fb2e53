// What barriers, fences and atomics put in order.

#include "common/check/order.h"

#include <algorithm>
#include <iterator>

namespace tutorial::check {

namespace {

// NVIDIA's header keeps cudaStreamTailLaunch and cudaStreamFireAndForget from a host compiler.
// NOLINTBEGIN(performance-no-int-to-ptr)
const cudaStream_t kTailLaunch = reinterpret_cast<cudaStream_t>(3);
const cudaStream_t kFireAndForget = reinterpret_cast<cudaStream_t>(4);
// NOLINTEND(performance-no-int-to-ptr)

void learn(std::map<std::uint16_t, std::uint32_t>& mine,
           const std::map<std::uint16_t, std::uint32_t>& more) {
  for (const auto& [thread, clock] : more) {
    std::uint32_t& known = mine[thread];
    known = std::max(known, clock);
  }
}

}  // namespace

void Order::Blocks::add(std::uint32_t block) {
  if (block / 64 >= bits_.size()) bits_.resize(block / 64 + 1);
  bits_[block / 64] |= std::uint64_t{1} << block % 64;
}

void Order::Blocks::add(const Blocks& others) {
  if (bits_.size() < others.bits_.size()) bits_.resize(others.bits_.size());
  for (std::size_t i = 0; i < others.bits_.size(); ++i) bits_[i] |= others.bits_[i];
}

bool Order::Blocks::has(std::uint32_t block) const {
  return block / 64 < bits_.size() && (bits_[block / 64] >> block % 64 & 1U) != 0;
}

void Order::launch_begins(unsigned blocks_of_cluster) {
  launch_serial_ = ++serial_;
  if (!is_child()) {
    passed_on_.clear();
    children_.clear();
    began_.clear();
  }
  began_[serial_] = running_grid();
  blocks_.resize(blocks_of_cluster);
  goes_on(0);
}

unsigned Order::launches(unsigned thread, cudaStream_t stream) {
  auto& clocks = of_->clocks[thread];
  children_.push_back({running_grid(), stream, of_->block, thread, of_->phase, cluster_serial_,
                       of_->met, clocks, of_->known[thread], of_->known_blocks});
  ++clocks[thread % kLanes];  // what it does from now on is not known
  of_->clocks_moved = true;
  return static_cast<unsigned>(children_.size());
}

unsigned Order::grid_of(const Stamp& stamp) const {
  return std::prev(began_.upper_bound(stamp.serial))->second;
}

bool Order::is_around(unsigned grid) const {
  for (unsigned of = running_grid(); of != 0; of = children_[of - 1].parent) {
    if (children_[of - 1].parent == grid) return true;
  }
  return false;
}

void Order::cluster_begins() {
  cluster_serial_ = ++serial_;
  barriers_.clear();
}

void Order::block_begins(unsigned rank, std::uint32_t block, unsigned threads) {
  goes_on(rank);
  of_->block = block;
  of_->begin = of_->phase = ++serial_;
  of_->met = of_->kept = cluster_serial_;
  of_->barriers = 0;
  of_->between.clear();
  of_->known_blocks.clear();
  of_->known_grids.clear();
  of_->fenced = false;
  auto& clocks = of_->clocks;
  if (!of_->clocks_moved && clocks.size() >= threads) return;
  clocks.assign(std::max<std::size_t>(threads, clocks.size()), {});
  of_->known.assign(clocks.size(), {});
  for (unsigned i = 0; i < clocks.size(); ++i) clocks[i][i % kLanes] = 1;
  of_->clocks_moved = false;
}

/// The first block that goes on behind a barrier of the cluster gives it its serial, which all its blocks know it by.
void Order::barrier_completes(bool of_cluster) {
  if (!of_cluster) {
    of_->phase = of_->phase_before = ++serial_;
    return;
  }
  if (of_->barriers == barriers_.size()) barriers_.push_back(++serial_);
  of_->phase_before = of_->phase;
  of_->met_before = of_->met;
  of_->phase = of_->met = barriers_[of_->barriers++];
  of_->kept = of_->met;
  of_->has_waited = false;
}

void Order::arrives_at_cluster(unsigned thread) {
  if (!of_->has_waited) of_->kept = of_->met_before;
  of_->between.insert(thread);
}

void Order::has_waited_for_cluster(unsigned thread) {
  of_->between.erase(thread);
  of_->has_waited = true;
  of_->kept = of_->met;
}

void Order::warp_meets(unsigned warp, std::uint32_t lanes) {
  of_->clocks_moved = true;
  std::array<std::uint32_t, kLanes> joined{};
  Clocks known;
  const auto for_lanes = [&](auto visit) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if ((lanes >> lane & 1U) != 0) visit(lane, warp * kLanes + lane);
    }
  };
  for_lanes([&](unsigned, unsigned thread) {
    for (unsigned i = 0; i < kLanes; ++i) joined[i] = std::max(joined[i], of_->clocks[thread][i]);
    learn(known, of_->known[thread]);
  });
  for_lanes([&](unsigned lane, unsigned thread) {
    of_->clocks[thread] = joined;
    ++of_->clocks[thread][lane];
    of_->known[thread] = known;
  });
}

void Order::atomic(std::uintptr_t address, bool is_shared, unsigned thread) {
  if (!of_->fenced && passed_on_.count(address) == 0) return;
  Passed& passed = passed_on_[address];
  if (passed.grid != running_grid()) {
    passed.grids.insert(passed.grid);
    passed.grid = running_grid();
    passed.blocks.clear();
  }
  of_->known_grids.insert(passed.grids.begin(), passed.grids.end());
  if (passed.block_serial != of_->begin) {
    passed.block_serial = of_->begin;
    passed.threads.clear();
  }
  if (!is_shared) of_->known_blocks.add(passed.blocks);
  if (!passed.threads.empty()) of_->clocks_moved = true;
  learn(of_->known[thread], passed.threads);
  if (!of_->fenced) return;
  of_->clocks_moved = true;
  const unsigned lane = thread % kLanes;
  for (unsigned i = 0; i < kLanes; ++i) {
    if (of_->clocks[thread][i] == 0) continue;
    std::uint32_t& known = of_->known[thread][static_cast<std::uint16_t>(thread - lane + i)];
    known = std::max(known, of_->clocks[thread][i]);
  }
  learn(passed.threads, of_->known[thread]);
  ++of_->clocks[thread][lane];
  if (is_shared) return;
  passed.grids.insert(of_->known_grids.begin(), of_->known_grids.end());
  passed.blocks.add(of_->known_blocks);
  passed.blocks.add(of_->block);
}

Stamp Order::now(unsigned thread) const {
  Stamp stamp;
  stamp.serial = of_->phase;
  stamp.clock = of_->clocks[thread][thread % kLanes];
  stamp.block = of_->block;
  stamp.thread = static_cast<std::uint16_t>(thread);
  return stamp;
}

bool Order::comes_before(const Stamp& earlier, bool is_shared, unsigned thread) const {
  if (earlier.serial < launch_serial_)
    return is_shared || !is_child() || comes_before_child(earlier);
  const bool between = is_between(thread);
  if (earlier.block != of_->block || !is_of_cluster(earlier)) {
    const bool is_before = is_of_cluster(earlier)
                               ? earlier.serial < (between ? of_->met_before : of_->met)
                               : is_shared;
    return is_before || of_->known_blocks.has(earlier.block);
  }
  if (earlier.thread == thread || earlier.serial < (between ? of_->phase_before : of_->phase))
    return true;
  return is_known(earlier, thread, of_->clocks[thread], of_->known[thread]);
}

bool Order::is_known(const Stamp& earlier, unsigned thread,
                     const std::array<std::uint32_t, kLanes>& clocks, const Clocks& known) {
  const bool is_same_warp = earlier.thread / kLanes == thread / kLanes;
  if (is_same_warp && clocks[earlier.thread % kLanes] >= earlier.clock) return true;
  const auto found = known.find(earlier.thread);
  return found != known.end() && found->second >= earlier.clock;
}

// ---- Grids that kernels launch ------------------------------------------------------------------

/// An access of a grid around the running one, or of one that these have launched.
bool Order::comes_before_child(const Stamp& earlier) const {
  if (earlier.serial == 0) return true;
  const unsigned grid = grid_of(earlier);
  if (of_->known_grids.count(grid) != 0) return true;
  for (unsigned mine = running_grid(); mine != 0; mine = children_[mine - 1].parent) {
    const Child& child = children_[mine - 1];
    for (unsigned of = grid;; of = children_[of - 1].parent) {
      if (of == child.parent) return knew(child, earlier);
      if (of == 0) break;
      const Child& other = children_[of - 1];
      if (other.parent != child.parent) continue;
      const bool is_free = child.stream == kFireAndForget || other.stream == kFireAndForget;
      return child.stream == kTailLaunch ||
             (!is_free && other.block == child.block && other.stream == child.stream);
    }
  }
  return true;
}

/// Whether the thread that launched the child could rely on what its own grid did then.
bool Order::knew(const Child& child, const Stamp& earlier) {
  if (child.stream == kTailLaunch) return true;
  if (earlier.block != child.block) {
    const bool has_met = earlier.serial >= child.cluster && earlier.serial < child.met;
    return has_met || child.known_blocks.has(earlier.block);
  }
  if (earlier.serial != child.phase) return earlier.serial < child.phase;
  return is_known(earlier, child.thread, child.clocks, child.known);
}

}  // namespace tutorial::check
