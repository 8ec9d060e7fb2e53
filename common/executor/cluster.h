// Clusters: blocks that run at the same time and read each other's shared memory.
#pragma once

#include "common/executor/block.h"
#include "common/executor/shared_variables.h"
#include "common/executor/worker.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>

// Each block of a cluster has a worker thread of its own, and so its own `__shared__` variables; but
// only one of them runs at a time. A block goes on until all its threads wait at the cluster's barrier,
// or have returned; then it is the next one's turn, in the order of the launch. So a run is the same
// every time, and a block that reads too soon, or from one that has ended, is caught.

namespace tutorial::cpu {

/// The blocks of one launch in clusters, for as many workers as a cluster has blocks.
class ClusterQueue {
 public:
  using Fail = std::function<void(const std::string&, cudaError_t)>;

  /// The first `clusters` of the launch, or, in reverse order, these from the last on.
  ClusterQueue(const Launch& launch, bool reverse, std::uint64_t clusters, Fail fail);

  /// What each worker does, with a block of every cluster.
  void work() noexcept;

 private:
  enum class State : std::uint8_t { yet_to_begin, running, waiting, released, ended };

  /// One worker's.
  class Rank : public BlockSource {
   public:
    Rank(ClusterQueue& queue, unsigned rank) : queue_(queue), rank_(rank) {}
    bool take(uint3& index) override;
    void fail(const std::string& failure, cudaError_t error) override;
    bool meet() override;
    void* of_block(void* shared, unsigned rank, Where where) override;
    unsigned cluster_size() const override { return queue_.size_; }

    Worker* worker = nullptr;
    SharedOfThread* variables = nullptr;
    State state = State::yet_to_begin;
    std::condition_variable turn_has_come;

   private:
    ClusterQueue& queue_;
    const unsigned rank_;
  };

  void pass_turn();
  bool give_turn_to(State state);
  void wake_all();

  const Launch& launch_;
  const bool reverse_;
  const unsigned size_;
  const std::uint64_t clusters_;
  const Fail fail_;

  std::mutex mutex_;
  std::deque<Rank> ranks_;
  unsigned joined_ = 0;
  unsigned turn_ = 0;
  std::uint64_t cluster_ = 0;
  bool failed_ = false;
};

}  // namespace tutorial::cpu
