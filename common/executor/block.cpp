// How the threads of a block take turns.

#include "common/executor/block.h"

#include "common/executor/block_texts.h"
#include "common/executor/watcher.h"
#include "common/executor/worker.h"

#include <cstddef>
#include <cstring>
#include <utility>

namespace tutorial::cpu {
namespace {

constexpr unsigned kLanes = 32;

bool same_place(Where a, Where b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

int outcome(Vote vote, unsigned votes, unsigned voters) {
  switch (vote) {
    case Vote::count:
      return static_cast<int>(votes);
    case Vote::all:
      return votes == voters ? 1 : 0;
    case Vote::any:
      return votes != 0 ? 1 : 0;
    case Vote::none:
    case Vote::cluster:
    case Vote::cluster_in_parts:
      break;
  }
  return 0;
}

/// The lanes of a warp that a block of `count` threads does not have.
std::uint32_t missing_lanes(unsigned warp_index, unsigned count) {
  const unsigned present = count - warp_index * kLanes;
  return present >= kLanes ? 0 : ~0U << present;
}

unsigned lowest_lane(std::uint32_t mask) { return static_cast<unsigned>(__builtin_ctz(mask)); }

}  // namespace

void Block::begin(const KernelThreads& kernel, dim3 shape, uint3 index, bool reverse) {
  kernel_ = kernel;
  shape_ = shape;
  index_ = index;
  reverse_ = reverse;
  count_ = shape.x * shape.y * shape.z;
  rows_ = shape.y * shape.z;
  rows_started_ = 0;
  step_ = reverse ? ~0U : 1U;
  row_end_ = reverse ? ~0U : shape.x;
  next_x_ = row_end_;
  engaged_ = false;
  failed_ = false;
  failure_.clear();
  error_ = cudaSuccess;
}

// ---- Threads that start -------------------------------------------------------------------------

/// Goes on to the next row of threads; false if the last one has begun.
bool Block::start_row() {
  if (rows_started_ == rows_) return false;
  const unsigned row = reverse_ ? rows_ - 1 - rows_started_ : rows_started_;
  ++rows_started_;
  row_.y = row % shape_.y;
  row_.z = row / shape_.y;
  threadIdx.y = row_.y;
  threadIdx.z = row_.z;
  next_x_ = reverse_ ? shape_.x - 1 : 0;
  return true;
}

/// Threads that have started.
unsigned Block::started() const {
  const unsigned left_in_row = reverse_ ? next_x_ + 1 : row_end_ - next_x_;
  return rows_started_ * shape_.x - left_in_row;
}

void Block::start_no_more() {
  rows_started_ = rows_;
  next_x_ = row_end_;
}

/// As long as no thread has had to wait, nobody asks where in its row the block is: only run_row() knows.
void Block::run_threads() {
  while (next_x_ != row_end_ || start_row()) {
    if (engaged_) {
      begin_engaged_thread();
      kernel_.run(kernel_.data, {threadIdx.x, next_x_, step_, engaged_});
    } else {
      kernel_.run(kernel_.data, {next_x_, row_end_, step_, engaged_});
      if (!engaged_) {
        next_x_ = row_end_;
        continue;
      }
    }
    if (!finish_engaged_thread()) return;
  }
}

// ---- Threads that have to wait ------------------------------------------------------------------

/// Starts the books that only waiting threads need, when the first of them has to wait. All that
/// started before it have returned.
void Block::engage() {
  engaged_ = true;
  next_x_ = threadIdx.x + step_;
  exited_ = started() - 1;
  threads_.assign(count_, Thread{});
  ready_.clear();
  at_barrier_ = 0;
  cluster_barriers_ = 0;
  warps_.resize((count_ + kLanes - 1) / kLanes);
  for (unsigned i = 0; i < warps_.size(); ++i) {
    warps_[i].absent = missing_lanes(i, count_);
    warps_[i].gatherings.clear();
  }
  for (unsigned position = 0; position < exited_; ++position) {
    const unsigned thread = thread_at(position);
    warps_[thread / kLanes].absent |= 1U << thread % kLanes;
  }
}

unsigned Block::running_thread() const {
  return threadIdx.x + shape_.x * (threadIdx.y + shape_.y * threadIdx.z);
}

/// From now on the running thread counts as waiting; wait() is what suspends it.
void Block::enlist(unsigned thread, State state) {
  threads_[thread].state = state;
  threads_[thread].fiber = worker_.running_fiber();
}

/// Suspends the running thread, which has enlisted, until it has been made ready and its turn
/// comes.
void Block::wait() {
  const uint3 index = threadIdx;
  worker_.hand_over();
  threadIdx = index;
  if (failed_) throw Abandoned{};
}

void Block::make_ready(unsigned thread) {
  threads_[thread].state = State::ready;
  ready_.push_back(thread);
}

Fiber* Block::next_fiber() {
  if (!engaged_) return nullptr;
  const bool all_waiting = ready_.empty() && all_started() && exited_ != count_;
  if (all_waiting && !failed_) complete_open_gatherings();
  if (all_waiting && !failed_ && ready_.empty()) report_deadlock();
  if (ready_.empty()) return all_started() ? nullptr : worker_.free_fiber();
  Thread& record = threads_[ready_.back()];
  ready_.pop_back();
  record.state = State::not_waiting;
  return record.fiber;
}

void Block::begin_engaged_thread() {
  threadIdx.x = next_x_;
  next_x_ += step_;
  threadIdx.y = row_.y;  // a thread that went on after a wait has left its own row here
  threadIdx.z = row_.z;
}

bool Block::finish_engaged_thread() {
  const unsigned thread = running_thread();
  ++exited_;
  if (barrier_is_complete()) release_barrier();
  leave_warp(thread);
  return ready_.empty();
}

// ---- Barriers -----------------------------------------------------------------------------------

int Block::barrier(Vote vote, bool predicate, Where where) {
  if (failed_) return 0;
  if (watcher != nullptr) watcher->thread_waits(where);
  if (!engaged_) engage();
  const unsigned thread = running_thread();
  threads_[thread].call = {where, vote};
  if (is_of_cluster(vote) && threads_[thread].has_arrived) {
    fault(arrived_twice(waiting(thread)));
  }
  if (at_barrier_ == 0) {
    first_at_barrier_ = thread;
    vote_ = vote;
    votes_ = 0;
  } else {
    check_same_barrier(thread);
  }
  enlist(thread, State::at_barrier);
  votes_ += predicate ? 1 : 0;
  ++at_barrier_;
  if (barrier_is_complete()) release_barrier();
  wait();
  return vote_result_;
}

/// What is made ready last goes on first. So the threads are made ready from the end of their
/// order, and a warp whose operation is complete goes on, as far as it can, before the next one
/// does.
void Block::release_barrier() {
  vote_result_ = outcome(vote_, votes_, at_barrier_);
  if (is_of_cluster(vote_)) {
    ++cluster_barriers_;
    if (!worker_.source().meet()) record_fault("another block of the cluster has failed");
  }
  if (watcher != nullptr) watcher->barrier_completes(exited_, is_of_cluster(vote_));
  at_barrier_ = 0;
  for (unsigned position = count_; position-- > 0;) {
    const unsigned thread = thread_at(position);
    if (threads_[thread].state == State::at_barrier) make_ready(thread);
  }
}

void Block::arrive_at_cluster(Where where) {
  barrier(Vote::cluster_in_parts, false, where);
  threads_[running_thread()].has_arrived = true;
  if (watcher != nullptr) watcher->arrives_at_cluster();
}

void Block::wait_for_cluster(Where where) {
  if (failed_) return;
  if (!has_arrived()) {
    fault(never_arrived(text_of(threadIdx), where));
  }
  threads_[running_thread()].has_arrived = false;
  if (watcher != nullptr) watcher->has_waited_for_cluster();
}

bool Block::waits_for_first_cluster_barrier() const {
  return has_arrived() && cluster_barriers_ == 1;
}

void Block::check_same_barrier(unsigned thread) {
  const WaitingCall &first = threads_[first_at_barrier_].call, &other = threads_[thread].call;
  if (other.vote == first.vote && same_place(other.where, first.where)) return;
  fault(divergent_barrier(waiting(first_at_barrier_), waiting(thread)));
}

// ---- Warp operations ----------------------------------------------------------------------------

std::uint64_t Block::warp_operation(const WarpOperation& operation, std::uint32_t mask,
                                    std::uint64_t value, int source, Where where) {
  if (failed_) return 0;
  if (watcher != nullptr) watcher->thread_waits(where);
  if (!engaged_) engage();
  const unsigned thread = running_thread();
  const unsigned lane = thread % kLanes;
  Warp& warp = warps_[thread / kLanes];
  WaitingCall& call = threads_[thread].call;  // by parts: a copy of the whole would wait for them
  call.where = where;
  call.vote = Vote::none;
  call.operation = &operation;
  call.mask = mask;
  check_mask(thread);
  warp.lanes.value[lane] = value;
  warp.lanes.source[lane] = source;
  enlist(thread, State::in_warp_operation);
  const std::size_t joined = join(warp, call, lane);
  if (is_complete(warp, warp.gatherings[joined])) complete(thread / kLanes, joined);
  wait();
  return warp.lanes.result[lane];
}

void Block::check_mask(unsigned thread) {
  const WaitingCall& call = threads_[thread].call;
  if (call.mask != 0 && (call.mask >> thread % kLanes & 1U) == 0) {
    fault(outside_own_mask(waiting(thread)));
  }
  const std::uint32_t absent = call.mask & warps_[thread / kLanes].absent;
  if (call.operation->reads_lanes && absent != 0) fault(absent_lane(call, lowest_lane(absent)));
}

/// Adds the lane to the gathering that it belongs to; the value is its index.
std::size_t Block::join(Warp& warp, const WaitingCall& call, unsigned lane) {
  for (Gathering& gathering : warp.gatherings) {
    if (gathering.operation != call.operation || gathering.mask != call.mask) continue;
    if (call.mask == 0 && !same_place(gathering.where, call.where)) continue;
    gathering.arrived |= 1U << lane;
    return static_cast<std::size_t>(&gathering - warp.gatherings.data());
  }
  warp.gatherings.push_back({call.operation, call.mask, 1U << lane, call.where});
  return warp.gatherings.size() - 1;
}

/// Whether the gathering waits for no further lane.
bool Block::is_complete(const Warp& warp, const Gathering& gathering) {
  return gathering.mask != 0 && (gathering.arrived | warp.absent) == (gathering.mask | warp.absent);
}

/// Completes every gathering of the warp that waits for no further lane.
void Block::complete_gatherings(unsigned warp_index) {
  const Warp& warp = warps_[warp_index];
  for (std::size_t i = 0; i < warp.gatherings.size();) {
    if (is_complete(warp, warp.gatherings[i])) {
      complete(warp_index, i);
    } else {
      ++i;
    }
  }
}

void Block::complete(unsigned warp_index, std::size_t index) {
  std::vector<Gathering>& all = warps_[warp_index].gatherings;
  const Gathering gathering = all[index];
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(index));
  complete(warp_index, gathering);
}

/// Nobody comes any more: those who wait for whoever comes are complete.
void Block::complete_open_gatherings() {
  for (unsigned i = 0; i < warps_.size(); ++i) {
    const std::vector<Gathering> gatherings = std::move(warps_[i].gatherings);
    warps_[i].gatherings.clear();
    for (const Gathering& gathering : gatherings) {
      if (gathering.mask != 0) warps_[i].gatherings.push_back(gathering);
    }
    for (const Gathering& gathering : gatherings) {
      if (gathering.mask == 0) complete(i, gathering);
    }
  }
}

void Block::complete(unsigned warp_index, const Gathering& gathering) {
  Warp& warp = warps_[warp_index];
  if (gathering.operation->reads_lanes && !check_sources(warp_index, gathering)) return;
  warp.lanes.arrived = gathering.arrived;
  gathering.operation->complete(warp.lanes);
  if (watcher != nullptr) {
    watcher->warp_meets(warp_index, gathering.arrived, gathering.operation->orders_memory);
  }
  for (unsigned i = 0; i < kLanes; ++i) {
    const unsigned lane = reverse_ ? i : kLanes - 1 - i;
    if ((gathering.arrived >> lane & 1U) != 0) make_ready(warp_index * kLanes + lane);
  }
}

/// Whether each lane reads from a lane that takes part.
bool Block::check_sources(unsigned warp_index, const Gathering& gathering) {
  const Lanes& lanes = warps_[warp_index].lanes;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((gathering.arrived >> lane & 1U) == 0) continue;
    const int source = lanes.source[lane];
    if ((gathering.arrived >> source & 1U) != 0) continue;
    const unsigned thread = warp_index * kLanes + lane;
    record_fault(foreign_lane(waiting(thread), source));
    return false;
  }
  return true;
}

/// A thread has returned: no gathering waits for it any longer, and none may read from it.
void Block::leave_warp(unsigned thread) {
  const unsigned warp_index = thread / kLanes;
  const unsigned lane = thread % kLanes;
  Warp& warp = warps_[warp_index];
  warp.absent |= 1U << lane;
  for (const Gathering& gathering : warp.gatherings) {
    if (!gathering.operation->reads_lanes || (gathering.mask >> lane & 1U) == 0) continue;
    const unsigned waiting = warp_index * kLanes + lowest_lane(gathering.arrived);
    record_fault(absent_lane(threads_[waiting].call, lane));
    return;
  }
  complete_gatherings(warp_index);
}

// ---- Faults -------------------------------------------------------------------------------------

void Block::fault(const std::string& text, cudaError_t error) {
  record_fault(text, error);
  throw Abandoned{};
}

void Block::record_signal(const std::string& what, cudaError_t error) {
  record_fault("thread " + text_of(threadIdx) + " " + what, error);
}

void Block::end_thread_with(const std::string& text, cudaError_t error) {
  if (failure_.empty()) {
    failure_ = text;
    error_ = error;
  }
  throw ThreadEnds{};
}

bool Block::end_thread() {
  if (engaged_) return finish_engaged_thread();
  next_x_ = threadIdx.x + step_;
  return true;
}

void Block::end_with_exception(const char* what) {
  record_fault(std::string("the kernel let an exception out: ") + what);
}

/// Ends the block: no thread starts any more, and those that wait go on only to leave.
void Block::record_fault(const std::string& text, cudaError_t error) {
  if (failed_) return;
  failed_ = true;
  if (failure_.empty()) {
    failure_ = "block " + text_of(index_) + ": " + text;
    error_ = error;
  }
  start_no_more();
  if (!engaged_) return;
  for (unsigned thread = 0; thread < count_; ++thread) {
    if (is_waiting(thread)) make_ready(thread);
  }
}

bool Block::is_waiting(unsigned thread) const {
  const State state = threads_[thread].state;
  return state == State::at_barrier || state == State::in_warp_operation;
}

/// Every thread that has not returned waits, and none for something that can still happen.
void Block::report_deadlock() {
  std::vector<Waiting> all;
  for (unsigned thread = 0; thread < count_; ++thread) {
    if (is_waiting(thread)) all.push_back(waiting(thread));
  }
  record_fault(deadlock(all));
}

Waiting Block::waiting(unsigned thread) const {
  const dim3 index(thread % shape_.x, thread / shape_.x % shape_.y, thread / (shape_.x * shape_.y));
  return {text_of(index), thread % kLanes, threads_[thread].call};
}

}  // namespace tutorial::cpu
