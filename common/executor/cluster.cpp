// How the blocks of a cluster take turns.

#include "common/executor/cluster.h"

#include "common/executor/block_texts.h"
#include "common/executor/cluster_functions.h"

#include <utility>

namespace tutorial::cpu {

ClusterQueue::ClusterQueue(const Launch& launch, bool reverse, std::uint64_t clusters, Fail fail)
    : launch_(launch),
      reverse_(reverse),
      size_(launch.cluster),
      clusters_(clusters),
      fail_(std::move(fail)) {
  for (unsigned rank = 0; rank < size_; ++rank) ranks_.emplace_back(*this, rank);
  turn_ = reverse_ ? size_ - 1 : 0;
}

void ClusterQueue::work() noexcept {
  unsigned rank = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    rank = joined_++;
  }
  ranks_[rank].worker = &Worker::of_this_thread();
  ranks_[rank].variables = &shared_of_this_thread();
  Worker::of_this_thread().run_blocks(launch_, ranks_[rank], reverse_);
}

void ClusterQueue::wake_all() {
  for (Rank& rank : ranks_) rank.turn_has_come.notify_one();
}

/// Whether there was a block in that state; the first of them is next.
bool ClusterQueue::give_turn_to(State state) {
  for (unsigned i = 0; i < size_; ++i) {
    const unsigned rank = reverse_ ? size_ - 1 - i : i;
    if (ranks_[rank].state != state) continue;
    turn_ = rank;
    ranks_[rank].turn_has_come.notify_one();
    return true;
  }
  return false;
}

/// Blocks that have yet to begin, or have been released, come first; then the barrier is complete; then the
/// cluster is. After a failure those that have begun end, one by one.
void ClusterQueue::pass_turn() {
  if (failed_) {
    if (!give_turn_to(State::released)) give_turn_to(State::waiting);
    return;
  }
  if (give_turn_to(State::yet_to_begin) || give_turn_to(State::released)) return;
  const auto all = [&](State from, State to) {
    for (Rank& rank : ranks_) {
      if (rank.state == from) rank.state = to;
    }
  };
  all(State::waiting, State::released);
  if (give_turn_to(State::released)) return;
  ++cluster_;
  all(State::ended, State::yet_to_begin);
  if (cluster_ == clusters_) {
    wake_all();
  } else {
    give_turn_to(State::yet_to_begin);
  }
}

bool ClusterQueue::Rank::take(uint3& index) {
  std::unique_lock<std::mutex> lock(queue_.mutex_);
  if (state == State::running) {
    state = State::ended;
    queue_.pass_turn();
  }
  const auto ends = [&] { return queue_.failed_ || queue_.cluster_ == queue_.clusters_; };
  turn_has_come.wait(lock, [&] { return ends() || queue_.turn_ == rank_; });
  if (ends()) return false;
  state = State::running;
  const unsigned in_row = queue_.launch_.grid.x / queue_.size_;
  const std::uint64_t total = std::uint64_t{in_row} * queue_.launch_.grid.y * queue_.launch_.grid.z;
  const std::uint64_t cluster = queue_.reverse_ ? total - 1 - queue_.cluster_ : queue_.cluster_;
  const std::uint64_t row = cluster / in_row;
  index = {static_cast<unsigned>(cluster % in_row) * queue_.size_ + rank_,
           static_cast<unsigned>(row % queue_.launch_.grid.y),
           static_cast<unsigned>(row / queue_.launch_.grid.y)};
  return true;
}

void ClusterQueue::Rank::fail(const std::string& failure, cudaError_t error) {
  const std::lock_guard<std::mutex> lock(queue_.mutex_);
  if (!std::exchange(queue_.failed_, true)) queue_.fail_(failure, error);
  queue_.wake_all();
}

bool ClusterQueue::Rank::meet() {
  std::unique_lock<std::mutex> lock(queue_.mutex_);
  state = State::waiting;
  queue_.pass_turn();
  turn_has_come.wait(lock, [&] { return queue_.turn_ == rank_; });
  state = State::running;
  return !queue_.failed_;
}

void* ClusterQueue::Rank::of_block(void* shared, unsigned rank, Where where) {
  const auto refuse = [&](const std::string& why) {
    running_block->fault("shared memory of another block in " + text_of(where) + ": " + why);
  };
  const std::string name = "block " + std::to_string(rank) + " of the cluster";
  if (rank >= queue_.size_) refuse("there is no " + name);
  const Rank& other = queue_.ranks_[rank];
  if (running_block->waits_for_first_cluster_barrier()) {
    refuse(name + " may not have begun; barrier_wait() must come before");
  }
  if (other.state == State::yet_to_begin) {
    refuse(name + " has not begun; all blocks must have met at a cluster barrier before");
  }
  if (other.state == State::ended) {
    refuse(name + " has ended, and its shared memory with it; a cluster barrier must keep it");
  }
  char* const address = static_cast<char*>(shared);
  char* const dynamic = static_cast<char*>(worker->dynamic_shared());
  if (address >= dynamic && address < dynamic + queue_.launch_.shared_bytes) {
    return static_cast<char*>(other.worker->dynamic_shared()) + (address - dynamic);
  }
  char* const place = place_on(*other.variables, address);
  if (place == nullptr) refuse("the address is not one of this block's shared memory");
  return place;
}

// ---- What kernels call ----------------------------------------------------------------------------

unsigned cluster_size() { return Worker::of_this_thread().source().cluster_size(); }

void cluster_barrier(Where where) {
  calling_block("cluster_barrier").barrier(Vote::cluster, false, where);
}

void cluster_arrive(Where where) { calling_block("cluster_arrive").arrive_at_cluster(where); }

void cluster_wait(Where where) { calling_block("cluster_wait").wait_for_cluster(where); }

void exchange_begins(std::uint64_t* mark, Where where) {
  constexpr std::uint64_t kBegun = 1;
  Block& block = calling_block("Exchange::begin");
  if (*mark == kBegun) {
    block.fault("Exchange::begin() in " + text_of(where) +
                ": it has begun before; it is for one use");
  }
  *mark = kBegun;
}

void* in_block(void* shared, unsigned rank, Where where) {
  calling_block("in_block");
  return Worker::of_this_thread().source().of_block(shared, rank, where);
}

}  // namespace tutorial::cpu
