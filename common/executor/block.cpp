// How the threads of a block take turns, and what a block reports.

#include "common/executor/block.h"

#include "common/executor/watcher.h"
#include "common/executor/worker.h"

#include <cstddef>
#include <cstring>
#include <map>
#include <sstream>
#include <utility>

namespace tutorial::cpu {
namespace {

constexpr unsigned kLanes = 32;

bool same_place(Where a, Where b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

std::string text_of(Where where) {
  return std::string(where.file) + ":" + std::to_string(where.line);
}

std::string text_of(uint3 index) {
  std::ostringstream text;
  text << "(" << index.x << "," << index.y << "," << index.z << ")";
  return text.str();
}

std::string hexadecimal(std::uint32_t mask) {
  std::ostringstream text;
  text << "0x" << std::hex << mask;
  return text.str();
}

const char* name_of(Vote vote) {
  switch (vote) {
    case Vote::count:
      return "__syncthreads_count()";
    case Vote::all:
      return "__syncthreads_and()";
    case Vote::any:
      return "__syncthreads_or()";
    case Vote::cluster:
      return "the barrier of the cluster";
    case Vote::cluster_in_parts:
      return "barrier_arrive()";
    case Vote::none:
      break;
  }
  return "__syncthreads()";
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

std::string absent_lane_fault(const WarpOperation& operation, std::uint32_t mask, unsigned lane,
                              Where where) {
  return std::string(operation.name) + " in " + text_of(where) + ": the mask " + hexadecimal(mask) +
         " names lane " + std::to_string(lane) +
         ", which takes no part: it has returned, or the block has no such thread";
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

/// Notes what the running thread waits for; wait() is what suspends it.
Block::Thread& Block::enlist(unsigned thread, State state, Where where) {
  Thread& record = threads_[thread];
  record.state = state;
  record.fiber = worker_.running_fiber();
  record.where = where;
  return record;
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
  if (is_of_cluster(vote) && threads_[thread].has_arrived) {
    fault(std::string(cpu::name_of(vote)) + " in " + text_of(where) + ": thread " +
          name_of(thread) + " has arrived at the one before, and called no barrier_wait() since");
  }
  if (at_barrier_ == 0) {
    first_at_barrier_ = thread;
    vote_ = vote;
    votes_ = 0;
  } else {
    check_same_barrier(thread, vote, where);
  }
  enlist(thread, State::at_barrier, where);
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
    fault("barrier_wait() in " + text_of(where) + ": thread " + name_of(running_thread()) +
          " has called no barrier_arrive() before");
  }
  threads_[running_thread()].has_arrived = false;
  if (watcher != nullptr) watcher->has_waited_for_cluster();
}

bool Block::waits_for_first_cluster_barrier() const {
  return has_arrived() && cluster_barriers_ == 1;
}

void Block::check_same_barrier(unsigned thread, Vote vote, Where where) {
  const Where first = threads_[first_at_barrier_].where;
  if (vote == vote_ && same_place(where, first)) return;
  fault("divergent barrier: thread " + name_of(first_at_barrier_) + " waits at " +
        cpu::name_of(vote_) + " in " + text_of(first) + ", thread " + name_of(thread) + " at " +
        cpu::name_of(vote) + " in " + text_of(where) +
        "; every thread of a block that has not returned must come to the same barrier");
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
  check_mask(thread, operation, mask, where);
  warp.lanes.value[lane] = value;
  warp.lanes.source[lane] = source;
  Thread& record = enlist(thread, State::in_warp_operation, where);
  record.operation = &operation;
  record.mask = mask;
  join(warp, operation, mask, lane, where);
  complete_gatherings(thread / kLanes);
  wait();
  return warp.lanes.result[lane];
}

void Block::check_mask(unsigned thread, const WarpOperation& operation, std::uint32_t mask,
                       Where where) {
  const unsigned lane = thread % kLanes;
  if (mask != 0 && (mask >> lane & 1U) == 0) {
    fault(std::string(operation.name) + " in " + text_of(where) + ": the calling thread " +
          name_of(thread) + " is lane " + std::to_string(lane) + ", which is not in its own mask " +
          hexadecimal(mask));
  }
  const std::uint32_t absent = mask & warps_[thread / kLanes].absent;
  if (operation.reads_lanes && absent != 0) {
    fault(absent_lane_fault(operation, mask, lowest_lane(absent), where));
  }
}

/// Adds the lane to the gathering that it belongs to.
void Block::join(Warp& warp, const WarpOperation& operation, std::uint32_t mask, unsigned lane,
                 Where where) {
  for (Gathering& gathering : warp.gatherings) {
    if (gathering.operation != &operation || gathering.mask != mask) continue;
    if (mask == 0 && !same_place(gathering.where, where)) continue;
    gathering.arrived |= 1U << lane;
    return;
  }
  warp.gatherings.push_back({&operation, mask, 1U << lane, where});
}

/// Completes every gathering of the warp that waits for no further lane.
void Block::complete_gatherings(unsigned warp_index) {
  Warp& warp = warps_[warp_index];
  for (std::size_t i = 0; i < warp.gatherings.size();) {
    const Gathering gathering = warp.gatherings[i];
    const bool waits = (gathering.arrived | warp.absent) != (gathering.mask | warp.absent);
    if (gathering.mask == 0 || waits) {
      ++i;
      continue;
    }
    warp.gatherings.erase(warp.gatherings.begin() + static_cast<std::ptrdiff_t>(i));
    complete(warp_index, gathering);
  }
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
    record_fault(std::string(gathering.operation->name) + " in " + text_of(threads_[thread].where) +
                 ": thread " + name_of(thread) + " (lane " + std::to_string(lane) +
                 ") reads from lane " + std::to_string(source) + ", which is not in the mask " +
                 hexadecimal(gathering.mask));
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
    record_fault(
        absent_lane_fault(*gathering.operation, gathering.mask, lane, threads_[waiting].where));
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

/// Every thread that has not returned waits, and none for something that can still happen. The
/// report names each kind of wait once, with the number of threads in it.
void Block::report_deadlock() {
  std::map<std::string, std::pair<unsigned, unsigned>> waits;  // what -> (threads, the first)
  for (unsigned thread = 0; thread < count_; ++thread) {
    if (is_waiting(thread)) ++waits.try_emplace(wait_of(thread), 0U, thread).first->second.first;
  }
  std::string text = "deadlock:";
  const char* separator = " ";
  for (const auto& [wait, threads] : waits) {
    text += separator + std::to_string(threads.first) + " thread(s), the first " +
            name_of(threads.second) + ", wait at " + wait;
    separator = "; ";
  }
  record_fault(text + "; no thread is left that could release them");
}

std::string Block::wait_of(unsigned thread) const {
  const Thread& record = threads_[thread];
  const std::string what =
      record.state == State::at_barrier
          ? std::string(cpu::name_of(vote_))
          : std::string(record.operation->name) + " with mask " + hexadecimal(record.mask);
  return what + " in " + text_of(record.where);
}

std::string Block::name_of(unsigned thread) const {
  return text_of(
      uint3{thread % shape_.x, thread / shape_.x % shape_.y, thread / (shape_.x * shape_.y)});
}

}  // namespace tutorial::cpu
