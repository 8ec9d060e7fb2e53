// One thread block in execution, and how its threads take turns.
#pragma once

#include "common/executor/qualifiers.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

// The threads of a block run one after the other, in a plain loop on one fiber, and a kernel that
// never waits never leaves that loop. The first thread that has to wait, at a barrier or in a warp
// operation, keeps the fiber that it is on; the next thread then starts on a fiber of its own.
// When what a thread waits for has happened it is queued, and goes on when its turn comes. A block
// is always on one worker thread.

namespace tutorial::cpu {

class Block;
class Fiber;
class Worker;

/// A place in a source file: that of the call which waits.
struct Where {
  const char* file;
  int line;
};

/// Threads that lie side by side in x, from `x` on and up to `end`, which is not among them: one after the other,
/// until one has had to wait.
struct Row {
  unsigned x, end;
  unsigned step;  ///< 1, or -1 in reverse order
  const bool& has_waited;
};

/// A kernel and its arguments, with the types hidden: `run(data, row)` runs the threads of the row.
struct KernelThreads {
  void (*run)(const void* data, const Row& row);
  const void* data;
};

/// What the votes of a barrier come to: __syncthreads_count, _and, _or; plain __syncthreads is the
/// count of nothing, and so is the barrier of a cluster, which waits for its other blocks too, in one or in two parts.
enum class Vote { none, count, all, any, cluster, cluster_in_parts };

/// Whether all blocks of the cluster meet there.
inline bool is_of_cluster(Vote vote) {
  return vote == Vote::cluster || vote == Vote::cluster_in_parts;
}

/// The 32 lanes that take part in one warp operation, as seen when the last of them has arrived.
/// `value` and `source` are what each lane brought; `result` is what it takes home.
struct Lanes {
  std::uint32_t arrived = 0;
  std::array<std::uint64_t, 32> value{};
  std::array<int, 32> source{};
  std::array<std::uint64_t, 32> result{};
};

/// A kind of warp operation. One object for each: operations match by address.
struct WarpOperation {
  const char* name;
  /// Fills `result` for every lane in `arrived`.
  void (*complete)(Lanes& lanes);
  /// Lanes read each other's values by number: a lane that is named and takes no part is a fault.
  bool reads_lanes;
  /// Whether what a lane wrote before it is seen by the others after it.
  bool orders_memory = false;
};

/// A call that a thread waits in: a barrier, or a warp operation and the mask of its lanes.
struct WaitingCall {
  Where where;
  Vote vote;
  const WarpOperation* operation = nullptr;
  std::uint32_t mask = 0;
};

struct Waiting;  // block_texts.h

class Block {
 public:
  explicit Block(Worker& worker) : worker_(worker) {}

  /// Makes this object the block at `index` of the grid: nothing of the block before is left.
  void begin(const KernelThreads& kernel, dim3 shape, uint3 index, bool reverse);

  /// Waits until every thread of the block that has not returned waits here as well. The value is
  /// the outcome of the vote. Throws Abandoned after a fault.
  int barrier(Vote vote, bool predicate, Where where);

  /// The barrier of the cluster in two parts. All of it takes place in the first; but until the second the thread may rely
  /// on nothing that others did before it, nor may they on what it does between the two.
  void arrive_at_cluster(Where where);
  void wait_for_cluster(Where where);

  /// Whether the running thread has to assume that other blocks of the cluster have not begun, though they have.
  bool waits_for_first_cluster_barrier() const;

  /// Waits until every lane of `mask` that has not returned executes `operation` with the same
  /// mask; the value is this lane's result. With mask 0: until no thread of the block can go on; who
  /// waits at this place then is the group, as converged as it can be. Throws Abandoned after a fault.
  std::uint64_t warp_operation(const WarpOperation& operation, std::uint32_t mask,
                               std::uint64_t value, int source, Where where);

  /// Ends the block with `text` as its failure, and leaves the running thread. Throws Abandoned.
  [[noreturn]] void fault(const std::string& text, cudaError_t error = cudaErrorLaunchFailure);

  /// The same without leaving it: the caller does.
  void record_signal(const std::string& what, cudaError_t error);

  /// Ends the running thread alone; the block has failed when its other threads have returned.
  /// Throws ThreadEnds.
  [[noreturn]] void end_thread_with(const std::string& text, cudaError_t error);

  /// The running thread has left its kernel by ThreadEnds; whether the fiber is to take another one.
  bool end_thread();

  /// Runs one thread after the other on the calling fiber, until every thread has started or the fiber is
  /// to take no further one, because another has waited long enough.
  void run_threads();

  /// Ends the block because the kernel let an exception out.
  void end_with_exception(const char* what);

  /// The fiber that goes on now: that of the thread which was made ready last; else a free one, if
  /// threads have yet to start; else nullptr, and the block is done.
  Fiber* next_fiber();

  /// Whether a thread has had to wait.
  bool has_waited() const { return engaged_; }

  /// Why the block failed; empty if it did not.
  const std::string& failure() const { return failure_; }
  cudaError_t error() const { return error_; }

 private:
  enum class State : std::uint8_t { not_waiting, at_barrier, in_warp_operation, ready };

  struct Thread {
    State state = State::not_waiting;
    Fiber* fiber = nullptr;
    WaitingCall call{};
    bool has_arrived = false;  // at a barrier of the cluster, for which it has not waited
  };

  /// Lanes of one warp that have gathered for one operation, and not yet all of them.
  struct Gathering {
    const WarpOperation* operation;
    std::uint32_t mask;
    std::uint32_t arrived;
    Where where;  // of mask 0
  };

  struct Warp {
    std::uint32_t absent = 0;  // lanes that have returned, or that the block never had
    Lanes lanes;
    std::vector<Gathering> gatherings;
  };

  bool start_row();
  unsigned started() const;
  bool all_started() const { return next_x_ == row_end_ && rows_started_ == rows_; }
  void start_no_more();
  void begin_engaged_thread();
  bool finish_engaged_thread();
  void engage();
  unsigned running_thread() const;
  unsigned thread_at(unsigned position) const {
    return reverse_ ? count_ - 1 - position : position;
  }
  void enlist(unsigned thread, State state);
  void wait();
  void make_ready(unsigned thread);

  bool has_arrived() const { return engaged_ && threads_[running_thread()].has_arrived; }
  bool barrier_is_complete() const { return at_barrier_ != 0 && at_barrier_ == count_ - exited_; }
  void release_barrier();
  void check_same_barrier(unsigned thread);

  static std::size_t join(Warp& warp, const WaitingCall& call, unsigned lane);
  static bool is_complete(const Warp& warp, const Gathering& gathering);
  void check_mask(unsigned thread);
  void complete_gatherings(unsigned warp_index);
  void complete(unsigned warp_index, std::size_t index);
  void complete(unsigned warp_index, const Gathering& gathering);
  void complete_open_gatherings();
  bool check_sources(unsigned warp_index, const Gathering& gathering);
  void leave_warp(unsigned thread);

  void record_fault(const std::string& text, cudaError_t error = cudaErrorLaunchFailure);
  void report_deadlock();
  bool is_waiting(unsigned thread) const;
  Waiting waiting(unsigned thread) const;

  Worker& worker_;
  KernelThreads kernel_{};
  dim3 shape_;
  uint3 index_{};
  bool reverse_ = false;

  // The thread that starts next (until a thread has had to wait: a thread of this row), and the end
  // of its row: x runs from one end of the row to the other.
  unsigned next_x_ = 0;
  unsigned row_end_ = 0;
  unsigned step_ = 1;  // 1, or -1 in reverse order
  uint3 row_{};        // y and z of the threads in this row
  unsigned rows_started_ = 0;
  unsigned rows_ = 0;
  unsigned count_ = 0;  // threads of the block

  // From here on: in use once a thread of this block has had to wait.
  bool engaged_ = false;
  unsigned exited_ = 0;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::vector<unsigned> ready_;  // a stack

  unsigned at_barrier_ = 0;
  unsigned first_at_barrier_ = 0;
  Vote vote_ = Vote::none;
  unsigned votes_ = 0;
  int vote_result_ = 0;
  unsigned cluster_barriers_ = 0;

  bool failed_ = false;  // no thread starts any more
  std::string failure_;
  cudaError_t error_ = cudaSuccess;
};

/// The loop that every kernel runs in; what `data` points to calls it with its arguments. A kernel that the
/// compiler sees there, as that of a program of its own (common/run), becomes a part of the loop with all
/// that it calls: that halves what a thread of a small one costs. launch() in common/launch.cuh has a pointer.
template <class Call>
__attribute__((flatten)) void run_row(const void* data, const Row& row) {
  // A small one in registers, which no kernel's store can change.
  using Kept = std::conditional_t<sizeof(Call) <= 128, const Call, const Call&>;
  Kept call = *static_cast<const Call*>(data);
  const unsigned end = row.end, step = row.step;
  unsigned x = row.x;
  do {
    threadIdx.x = x;
    call();
    x += step;
  } while (x != end && !row.has_waited);
}

/// The block that runs on this thread; nullptr outside of a kernel.
inline thread_local TUTORIAL_CPU_FAST_TLS Block* running_block = nullptr;

/// Throws std::logic_error: host code has called the device function `function`.
[[noreturn]] void refuse_host_call(const char* function);

/// The block that calls the device function `function`.
inline Block& calling_block(const char* function) {
  if (running_block == nullptr) refuse_host_call(function);
  return *running_block;
}

/// This block's dynamic shared memory: 128-byte aligned, exactly LaunchShape::shared_bytes long,
/// every byte 0xFF when the block starts (NaN in every floating type). nullptr if the launch asked
/// for none.
void* dynamic_shared();

}  // namespace tutorial::cpu
