// The clock: captured graphs on a GPU, the wall clock on the CPU executor, and the loop over either.

#include "common/bench/replay.h"

#include "common/proof/device.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace tutorial::bench {

using test::require_success;

namespace {

using WallClock = std::chrono::steady_clock;

// ---- The loop -----------------------------------------------------------------------------------

std::size_t whole_rounds(std::size_t launches, std::size_t sets) {
  return (launches + sets - 1) / sets * sets;
}

/// Makes a replay of so many launches, on the sets in turn. `launch` must outlive it.
void record(Replayer& replayer, const LaunchOnSet& launch, std::size_t sets, std::size_t launches) {
  replayer.record([&launch, sets, launches](cudaStream_t stream) {
    cudaError_t error = cudaSuccess;
    for (std::size_t i = 0; i < launches && error == cudaSuccess; ++i) {
      error = launch(i % sets, stream);
    }
    return error;
  });
}

/// The seconds per launch of each of `count` replays, which have so many launches.
std::vector<double> timed(Replayer& replayer, std::size_t unmeasured, std::size_t launches,
                          std::size_t count) {
  for (std::size_t i = 0; i < unmeasured; ++i) replayer.replay();
  replayer.mark();
  for (std::size_t i = 0; i < count; ++i) {
    replayer.replay();
    replayer.mark();
  }
  std::vector<double> seconds;
  for (const float milliseconds : replayer.milliseconds()) {
    seconds.push_back(milliseconds * 1e-3 / static_cast<double>(launches));
  }
  return seconds;
}

// ---- The clock of each backend ------------------------------------------------------------------

#if defined(TUTORIAL_BACKEND_CUDA)

class Event {
 public:
  explicit Event(cudaStream_t stream) {
    require_success(cudaEventCreate(&event_), "cudaEventCreate");
    require_success(cudaEventRecord(event_, stream), "cudaEventRecord");
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }

  void synchronize() const { require_success(cudaEventSynchronize(event_), "kernel"); }
  float milliseconds_since(const Event& start) const {
    float milliseconds = 0;
    require_success(cudaEventElapsedTime(&milliseconds, start.event_, event_),
                    "cudaEventElapsedTime");
    return milliseconds;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// A captured graph is what is replayed.
class GpuReplayer : public Replayer {
 public:
  explicit GpuReplayer(cudaStream_t stream) : stream_(stream) {}
  GpuReplayer(const GpuReplayer&) = delete;
  GpuReplayer& operator=(const GpuReplayer&) = delete;
  ~GpuReplayer() override { forget(); }

  void record(const std::function<cudaError_t(cudaStream_t)>& enqueue) override {
    cudaGraph_t graph = capture(enqueue);
    forget();
    const cudaError_t error = cudaGraphInstantiate(&replay_, graph, 0);
    cudaGraphDestroy(graph);
    require_success(error, "cudaGraphInstantiate");
    require_success(cudaGraphUpload(replay_, stream_), "cudaGraphUpload");
  }

  /// An idle GPU runs at a low clock. Once in a process.
  void warm_up() override {
    constexpr double kWakeSeconds = 0.3;
    static bool awake = false;
    const auto start = WallClock::now();
    while (!awake) {
      replay();
      require_success(cudaStreamSynchronize(stream_), "kernel");
      awake = std::chrono::duration<double>(WallClock::now() - start).count() > kWakeSeconds;
    }
  }

  void replay() override { require_success(cudaGraphLaunch(replay_, stream_), "cudaGraphLaunch"); }
  void mark() override { marks_.emplace_back(stream_); }

  std::vector<float> milliseconds() override {
    marks_.back().synchronize();
    std::vector<float> milliseconds;
    for (std::size_t i = 1; i < marks_.size(); ++i) {
      milliseconds.push_back(marks_[i].milliseconds_since(marks_[i - 1]));
    }
    marks_.clear();
    return milliseconds;
  }

 private:
  // Relaxed: a library's launcher may query the runtime while it is captured, as CUB does.
  cudaGraph_t capture(const std::function<cudaError_t(cudaStream_t)>& enqueue) const {
    require_success(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed),
                    "cudaStreamBeginCapture");
    const cudaError_t launched = enqueue(stream_);
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);  // also after a failed launch
    if (launched != cudaSuccess && graph != nullptr) cudaGraphDestroy(graph);
    require_success(launched, "launch while capturing");
    require_success(ended, "cudaStreamEndCapture");
    return graph;
  }
  void forget() {
    if (replay_ != nullptr) cudaGraphExecDestroy(std::exchange(replay_, nullptr));
  }

  cudaStream_t stream_;
  cudaGraphExec_t replay_ = nullptr;
  std::vector<Event> marks_;
};

using BackendReplayer = GpuReplayer;
constexpr ReplayRules kRules = kGpuRules;

#else

/// A launch has ended when its call returns.
class ExecutorReplayer : public Replayer {
 public:
  explicit ExecutorReplayer(cudaStream_t stream) : stream_(stream) {}

  void record(const std::function<cudaError_t(cudaStream_t)>& enqueue) override {
    enqueue_ = enqueue;
  }
  void warm_up() override {}
  void replay() override { require_success(enqueue_(stream_), "launch"); }
  void mark() override { marks_.push_back(WallClock::now()); }

  std::vector<float> milliseconds() override {
    std::vector<float> milliseconds;
    for (std::size_t i = 1; i < marks_.size(); ++i) {
      milliseconds.push_back(
          std::chrono::duration<float, std::milli>(marks_[i] - marks_[i - 1]).count());
    }
    marks_.clear();
    return milliseconds;
  }

 private:
  cudaStream_t stream_;
  std::function<cudaError_t(cudaStream_t)> enqueue_;
  std::vector<WallClock::time_point> marks_;
};

using BackendReplayer = ExecutorReplayer;
constexpr ReplayRules kRules = kExecutorRules;

#endif

}  // namespace

std::vector<double> seconds_per_launch(Replayer& replayer, const ReplayRules& rules,
                                       const LaunchOnSet& launch, std::size_t sets,
                                       std::size_t count) {
  std::size_t launches = whole_rounds(rules.least_launches, sets);
  record(replayer, launch, sets, launches);
  replayer.warm_up();
  if (rules.least_seconds > 0) {
    const double estimate = timed(replayer, rules.unmeasured, launches, 1).front();
    const double wanted = std::ceil(rules.least_seconds / std::max(estimate, 1e-7));
    launches = whole_rounds(std::max(rules.least_launches, static_cast<std::size_t>(wanted)), sets);
    record(replayer, launch, sets, launches);
  }
  return timed(replayer, rules.unmeasured, launches, count);
}

std::vector<double> seconds_per_launch(const LaunchOnSet& launch, std::size_t sets,
                                       cudaStream_t stream, std::size_t count) {
  BackendReplayer replayer(stream);
  return seconds_per_launch(replayer, kRules, launch, sets, count);
}

void keep_busy(const LaunchOnSet& launch, std::size_t sets, cudaStream_t stream, double seconds) {
  BackendReplayer replayer(stream);
  record(replayer, launch, sets, whole_rounds(100, sets));
  const auto start = WallClock::now();
  while (std::chrono::duration<double>(WallClock::now() - start).count() < seconds) {
    replayer.replay();
    require_success(cudaStreamSynchronize(stream), "kernel");
  }
}

void run_once(const LaunchOnSet& launch, cudaStream_t stream) {
  BackendReplayer replayer(stream);
  record(replayer, launch, 1, 1);
  replayer.replay();
  require_success(cudaStreamSynchronize(stream), "kernel");
}

}  // namespace tutorial::bench
