// What barriers, fences and atomics put in order.

#include "common/check/order.h"

#include <algorithm>

namespace tutorial::check {

namespace {

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

void Order::launch_begins() {
  launch_serial_ = ++serial_;
  passed_on_.clear();
}

void Order::block_begins(std::uint32_t block, unsigned threads) {
  block_ = block;
  block_serial_ = ++serial_;
  known_blocks_.clear();
  fenced_ = false;
  if (!clocks_moved_ && clocks_.size() >= threads) return;
  clocks_.assign(std::max<std::size_t>(threads, clocks_.size()), {});
  known_.assign(clocks_.size(), {});
  for (unsigned i = 0; i < clocks_.size(); ++i) clocks_[i][i % kLanes] = 1;
  clocks_moved_ = false;
}

void Order::warp_meets(unsigned warp, std::uint32_t lanes) {
  clocks_moved_ = true;
  std::array<std::uint32_t, kLanes> joined{};
  Clocks known;
  const auto for_lanes = [&](auto visit) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if ((lanes >> lane & 1U) != 0) visit(lane, warp * kLanes + lane);
    }
  };
  for_lanes([&](unsigned, unsigned thread) {
    for (unsigned i = 0; i < kLanes; ++i) joined[i] = std::max(joined[i], clocks_[thread][i]);
    learn(known, known_[thread]);
  });
  for_lanes([&](unsigned lane, unsigned thread) {
    clocks_[thread] = joined;
    ++clocks_[thread][lane];
    known_[thread] = known;
  });
}

void Order::atomic(std::uintptr_t address, bool is_shared, unsigned thread) {
  if (!fenced_ && passed_on_.count(address) == 0) return;
  Passed& passed = passed_on_[address];
  if (passed.block_serial != block_serial_) {
    passed.block_serial = block_serial_;
    passed.threads.clear();
  }
  if (!is_shared) known_blocks_.add(passed.blocks);
  if (!passed.threads.empty()) clocks_moved_ = true;
  learn(known_[thread], passed.threads);
  if (!fenced_) return;
  clocks_moved_ = true;
  const unsigned lane = thread % kLanes;
  for (unsigned i = 0; i < kLanes; ++i) {
    if (clocks_[thread][i] == 0) continue;
    std::uint32_t& known = known_[thread][static_cast<std::uint16_t>(thread - lane + i)];
    known = std::max(known, clocks_[thread][i]);
  }
  learn(passed.threads, known_[thread]);
  ++clocks_[thread][lane];
  if (is_shared) return;
  passed.blocks.add(known_blocks_);
  passed.blocks.add(block_);
}

Stamp Order::now(unsigned thread) const {
  Stamp stamp;
  stamp.serial = serial_;
  stamp.clock = clocks_[thread][thread % kLanes];
  stamp.block = block_;
  stamp.thread = static_cast<std::uint16_t>(thread);
  return stamp;
}

bool Order::comes_before(const Stamp& earlier, bool is_shared, unsigned thread) const {
  if (earlier.serial < launch_serial_) return true;
  if (!is_of_block(earlier)) return is_shared || known_blocks_.has(earlier.block);
  if (earlier.thread == thread || earlier.serial < serial_) return true;
  const bool is_same_warp = earlier.thread / kLanes == thread / kLanes;
  if (is_same_warp && clocks_[thread][earlier.thread % kLanes] >= earlier.clock) return true;
  const auto known = known_[thread].find(earlier.thread);
  return known != known_[thread].end() && known->second >= earlier.clock;
}

}  // namespace tutorial::check
