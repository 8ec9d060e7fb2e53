// A launch: its checks, its blocks on the cores, its report.

#include "common/executor/executor.h"

#include "common/executor/aligned_memory.h"
#include "common/executor/block_texts.h"
#include "common/executor/cluster.h"
#include "common/executor/kernel_limits.h"
#include "common/executor/last_error.h"
#include "common/executor/later.h"
#include "common/executor/watcher.h"
#include "common/executor/worker.h"
#include "common/executor/worker_pool.h"
#include "common/launch_limits.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tutorial::cpu {
namespace {

/// Stops the program for a setting in the environment that makes no sense.
[[noreturn]] void refuse_setting(const char* name, const char* value, const char* expected) {
  std::fprintf(stderr, "%s=%s: expected %s\n", name, value, expected);
  std::exit(2);
}

/// Whether the environment sets `second`, and not `first`, which is what holds without a setting.
bool is_set(const char* name, const std::string& first, const std::string& second) {
  const char* const value = std::getenv(name);
  if (value == nullptr || value == first) return false;
  if (value == second) return true;
  refuse_setting(name, value, (first + " or " + second).c_str());
}

int workers_from_environment() {
  const char* const value = std::getenv("TUTORIAL_CPU_WORKERS");
  if (value == nullptr) return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  char* end = nullptr;
  const long count = std::strtol(value, &end, 10);
  const bool is_count = end != value && *end == '\0' && count >= 1 && count <= 1024;
  if (!is_count) refuse_setting("TUTORIAL_CPU_WORKERS", value, "a number from 1 to 1024");
  return static_cast<int>(count);
}

std::atomic<Order>& order_setting() {
  static std::atomic<Order> order{
      is_set("TUTORIAL_CPU_ORDER", "forward", "reverse") ? Order::reverse : Order::forward};
  return order;
}

std::atomic<int>& workers_setting() {
  static std::atomic<int> workers{workers_from_environment()};
  return workers;
}

/// The report of the last failed launch. Printed, too, unless the environment says
/// TUTORIAL_CPU_REPORT=none: a fuzzer makes launches fail by the thousand.
class Report {
 public:
  void set(const std::string& text, bool prints = true) {
    if (prints_ && prints) std::fprintf(stderr, "CPU executor: %s\n", text.c_str());
    const std::lock_guard<std::mutex> lock(mutex_);
    text_ = text;
  }

  std::string get() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return text_;
  }

 private:
  const bool prints_ = !is_set("TUTORIAL_CPU_REPORT", "stderr", "none");
  std::mutex mutex_;
  std::string text_;
};

Report& report() {
  static Report instance;
  return instance;
}

cudaError_t check_shape(const Launch& launch) {
  if (!is_launchable(launch.grid, launch.block)) {
    report().set("invalid launch configuration: grid " + text_of(launch.grid) + ", block " +
                 text_of(launch.block) +
                 "; a grid has at most 2147483647 x 65535 x 65535 blocks, a block at most " +
                 "1024 x 1024 x 64 and 1024 threads in all, and neither may be empty");
    return cudaErrorInvalidConfiguration;
  }
  if (launch.cluster > 1 &&
      (launch.cluster > cluster_limit(launch.kernel) || launch.grid.x % launch.cluster != 0)) {
    report().set(
        "invalid launch configuration: clusters of " + std::to_string(launch.cluster) +
        " blocks in a grid of " + text_of(launch.grid) + "; a cluster of this kernel has at most " +
        std::to_string(cluster_limit(launch.kernel)) + ", and grid.x is a multiple of them");
    return cudaErrorInvalidClusterSize;
  }
  const std::size_t limit = dynamic_shared_limit(launch.kernel);
  if (launch.shared_bytes > limit) {
    report().set("invalid launch: " + std::to_string(launch.shared_bytes) +
                 " bytes of dynamic shared memory, this kernel may use " + std::to_string(limit));
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

void set_report(const std::string& failure, cudaError_t error) {
  report().set(failure, error != cudaErrorAssert);  // that has been printed
}

/// The blocks of one launch, for several workers, until none is left or one has failed.
class BlockQueue {
 public:
  BlockQueue(const Launch& launch, Order order, std::uint64_t total)
      : launch_(launch), reverse_(order == Order::reverse), total_(total) {}

  /// Leaves out the blocks that are neither among the first `count` nor among the last.
  void run_ends(std::uint64_t count) {
    if (count == 0 || total_ <= 2 * count) return;
    left_out_from_ = count;
    left_out_ = total_ - 2 * count;
    total_ = 2 * count;
  }

  /// What each of `workers` does. Without memory for stacks the process ends.
  void work(int workers) noexcept {
    Share share(*this, total_ / (static_cast<std::uint64_t>(workers) * 16));
    Worker::of_this_thread().run_blocks(launch_, share, reverse_);
  }

  /// cudaSuccess if no block has failed.
  cudaError_t error() const { return error_; }

 private:
  /// What one worker takes: a few blocks at a time.
  class Share : public BlockSource {
   public:
    Share(BlockQueue& queue, std::uint64_t count)
        : queue_(queue), count_(std::clamp<std::uint64_t>(count, 1, 32)) {}

    bool take(uint3& index) override {
      if (next_ == end_) {
        next_ = queue_.next_.fetch_add(count_);
        end_ = next_ + count_;
      }
      if (next_ >= queue_.total_ || queue_.error_ != cudaSuccess) return false;
      index = queue_.index_of(next_++);
      return true;
    }

    void fail(const std::string& failure, cudaError_t error) override {
      cudaError_t none = cudaSuccess;
      if (queue_.error_.compare_exchange_strong(none, error)) set_report(failure, error);
    }

   private:
    BlockQueue& queue_;
    std::uint64_t count_;
    std::uint64_t next_ = 0;
    std::uint64_t end_ = 0;
  };

  uint3 index_of(std::uint64_t number) const {
    std::uint64_t block = reverse_ ? total_ - 1 - number : number;
    if (block >= left_out_from_) block += left_out_;
    if (block < launch_.grid.x) return {static_cast<unsigned>(block), 0, 0};
    const std::uint64_t row = block / launch_.grid.x;
    return {static_cast<unsigned>(block % launch_.grid.x),
            static_cast<unsigned>(row % launch_.grid.y),
            static_cast<unsigned>(row / launch_.grid.y)};
  }

  const Launch& launch_;
  const bool reverse_;
  std::uint64_t total_, left_out_from_ = 0, left_out_ = 0;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<cudaError_t> error_{cudaSuccess};
};

std::atomic<LaunchObserver> launch_observer{nullptr};
std::atomic<std::uint64_t> ends{0};

/// How many workers are worth it. What a program prints from its first small kernels stands in the
/// order of the blocks.
int workers_for(const Launch& launch, std::uint64_t blocks) {
  constexpr std::uint64_t kFewThreads = 1024;
  const std::uint64_t threads = blocks * launch.block.x * launch.block.y * launch.block.z;
  if (when_kernel_errors() == KernelErrors::pending && threads <= kFewThreads) return 1;
  return static_cast<int>(std::min(blocks, static_cast<std::uint64_t>(worker_count())));
}

/// Runs the first `blocks` of a launch in clusters.
cudaError_t run_clusters(const Launch& launch, std::uint64_t blocks) {
  cudaError_t error = cudaSuccess;
  ClusterQueue clusters(launch, thread_order() == Order::reverse, blocks / launch.cluster,
                        [&error](const std::string& failure, cudaError_t of_block) {
                          error = of_block;
                          set_report(failure, of_block);
                        });
  WorkerPool::instance().run(static_cast<int>(launch.cluster), [&clusters] { clusters.work(); });
  return error;
}

/// What the blocks of one grid have launched. No thread of theirs can wait for it, so it runs when they have ended.
class Children {
 public:
  void add(cudaStream_t stream, Work work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::uint64_t row = blockIdx.y + std::uint64_t{gridDim.y} * blockIdx.z;
    const unsigned number = watcher == nullptr ? 0 : watcher->launches(stream);
    all_.push_back({stream == kTailLaunch, blockIdx.x + gridDim.x * row, number, std::move(work)});
  }

  /// Runs them in the order of the blocks, each with its own children; the tail launches last.
  void run(cudaStream_t stream) {
    const auto place = [](const Child& one) { return std::pair(one.is_tail, one.block); };
    std::stable_sort(all_.begin(), all_.end(), [&](const Child& one, const Child& other) {
      return place(one) < place(other);
    });
    ++depth;
    for (const Child& child : all_) {
      if (watcher != nullptr) watcher->child_begins(child.number);
      child.work(stream);
      if (watcher != nullptr) watcher->child_ends();
    }
    --depth;
  }

  /// Grids around the one that runs.
  static inline thread_local int depth = 0;

 private:
  // NOLINTNEXTLINE(performance-no-int-to-ptr): cudaStreamTailLaunch, which the headers keep from a host compiler
  static inline const cudaStream_t kTailLaunch = reinterpret_cast<cudaStream_t>(3);

  struct Child {
    bool is_tail;
    std::uint64_t block;
    unsigned number;
    Work work;
  };

  std::mutex mutex_;
  std::vector<Child> all_;
};

Children* children_of_running = nullptr;  // of the one launch

/// Runs the blocks; the value is what a kernel's fault is called.
cudaError_t run_blocks(const Launch& launch, Children& children) {
  static std::mutex one_launch_at_a_time;
  const std::lock_guard<std::mutex> lock(one_launch_at_a_time);
  children_of_running = &children;
  std::uint64_t total = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  const int workers = workers_for(launch, total);
  const LaunchObserver observe = launch_observer;
  if (observe != nullptr) total = std::min(total, observe(launch, true));
  cudaError_t error = cudaSuccess;
  if (launch.cluster > 1) {
    error = run_clusters(launch, total);
  } else {
    BlockQueue blocks(launch, thread_order(), total);
    blocks.run_ends(ends);
    WorkerPool::instance().run(workers, [&blocks, workers] { blocks.work(workers); });
    error = blocks.error();
  }
  if (observe != nullptr) observe(launch, false);
  return error;
}

/// Runs the launch with all that its kernel launches.
cudaError_t run(const Launch& launch) {
  constexpr int kDeepest = 24;  // as on a GPU
  if (Children::depth > kDeepest) {
    report().set("a kernel launches another, and that again, more than " +
                 std::to_string(kDeepest) + " deep: the last one is not launched");
    if (watcher != nullptr) watcher->launch_is_refused(launch, cudaErrorLaunchMaxDepthExceeded);
    return record_error(cudaErrorLaunchMaxDepthExceeded);
  }
  Children children;
  const cudaError_t error = record_kernel_error(run_blocks(launch, children));
  children.run(launch.stream);
  return error;
}

std::shared_ptr<void> copy_of(const void* from, std::size_t bytes) {
  constexpr std::size_t kAlignment = 256;  // a kernel's parameter has no larger one
  std::shared_ptr<void> copy = allocate_poisoned(bytes, kAlignment);
  std::memcpy(copy.get(), from, bytes);
  return copy;
}

/// For a capture: what the launch points to is gone when it runs. As on a GPU, bytes are copied.
Work recorded(const Launch& launch) {
  std::vector<std::shared_ptr<void>> values;
  std::vector<Argument> arguments(launch.arguments, launch.arguments + launch.argument_count);
  for (Argument& one : arguments) {
    values.push_back(copy_of(one.value, one.bytes));
    one.value = values.back().get();
  }
  values.push_back(copy_of(launch.threads.data, launch.threads_bytes));
  return [=](cudaStream_t stream) {
    Launch again = launch;
    again.arguments = arguments.data();
    again.threads.data = values.back().get();
    again.stream = stream;
    return execute(again);
  };
}

}  // namespace

void set_thread_order(Order order) { order_setting() = order; }

Order thread_order() { return order_setting(); }

void set_worker_count(int count) { workers_setting() = std::max(1, count); }

int worker_count() { return workers_setting(); }

void set_launch_observer(LaunchObserver observer) { launch_observer = observer; }

void run_ends(std::uint64_t count) { ends = count; }

std::string last_report() { return report().get(); }

cudaError_t keep_for_end_of_grid(cudaStream_t stream, Work work) {
  children_of_running->add(stream, std::move(work));
  return cudaSuccess;
}

cudaError_t execute(const Launch& launch) {
  if (running_block != nullptr) return record_error(cudaErrorNotSupported);
  const cudaError_t error = check_shape(launch);
  if (error != cudaSuccess) {
    if (watcher != nullptr) watcher->launch_is_refused(launch, error);
    return record_error(error);
  }
  if (captures != 0 && is_captured(launch.stream)) return keep(launch.stream, recorded(launch));
  return has_kernel_fault() ? cudaSuccess : run(launch);
}

cudaError_t execute(Launch launch, KernelThreads threads, std::size_t threads_bytes,
                    const Argument* arguments, std::size_t argument_count) {
  launch.threads = threads;
  launch.threads_bytes = threads_bytes;
  launch.arguments = arguments;
  launch.argument_count = argument_count;
  return execute(launch);
}

}  // namespace tutorial::cpu
