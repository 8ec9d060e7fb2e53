// Which threads have waited for the grid before, in a launch that may begin before that one has ended.
#pragma once

#include "common/check/order.h"
#include "common/check/sentences.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tutorial::check {

/// What is asked and told is of the running thread, but for what its block or warp has waited for together.
class Waits {
 public:
  explicit Waits(const Running& running) : running_(running) {}

  void launch_begins() {
    threads_.resize(running_.cluster_size);
    is_any_ = false;
  }
  void block_begins(unsigned threads) { of_block().assign(threads, Waited::no); }

  void waits() {
    is_any_ = true;
    mine() = Waited::fully;
  }
  void waits_to_read() { mine() = std::max(mine(), Waited::to_read); }

  /// What one of those who meet has waited for, all have.
  void block_meets() {
    const Waited most = *std::max_element(of_block().begin(), of_block().end());
    std::fill(of_block().begin(), of_block().end(), most);
  }
  void warp_meets(unsigned warp, std::uint32_t lanes) {
    Waited most = Waited::no;
    const auto for_threads = [&](auto visit) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if ((lanes >> lane & 1U) != 0) visit(of_block()[warp * kLanes + lane]);
      }
    };
    for_threads([&](Waited of_thread) { most = std::max(most, of_thread); });
    for_threads([&](Waited& of_thread) { of_thread = most; });
  }

  bool has_any_waited() const { return is_any_; }
  bool has_waited() { return mine() == Waited::fully; }
  /// Whether it is a read before the wait, which is right of what the kernel before only reads.
  bool may_read_early(const trace::Seen& seen) {
    return mine() == Waited::to_read && seen.operation == trace::Operation::load;
  }
  /// Whether the kernel before may still write there, or read what is written now.
  bool is_too_early(const Region& region, const trace::Seen& seen) {
    if (has_waited()) return false;
    const trace::Extent& stored = region.stored_before;
    return !may_read_early(seen) ||
           (seen.address < stored.end && seen.address + seen.bytes > stored.begin);
  }

 private:
  /// For nothing; as long as it takes to read what the kernel before only reads; until that has ended.
  enum class Waited : std::uint8_t { no, to_read, fully };

  std::vector<Waited>& of_block() { return threads_[running_.rank]; }
  Waited& mine() { return of_block()[running_.thread()]; }

  const Running& running_;
  std::vector<std::vector<Waited>> threads_;  // of each block of the cluster
  bool is_any_ = false;
};

}  // namespace tutorial::check
