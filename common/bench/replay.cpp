// The clock: captured graphs on a GPU, the wall clock on the CPU executor.

#include "common/bench/replay.h"

#include "common/proof/device.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tutorial::bench {

using test::require_success;

#if defined(TUTORIAL_BACKEND_CUDA)

namespace {

constexpr std::size_t kLeastLaunches = 10;
constexpr double kLeastSeconds = 1e-3;
constexpr double kWakeSeconds = 0.3;

std::size_t whole_rounds(std::size_t launches, std::size_t sets) {
  return (launches + sets - 1) / sets * sets;
}

class Event {
 public:
  Event() { require_success(cudaEventCreate(&event_), "cudaEventCreate"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }

  void record(cudaStream_t stream) {
    require_success(cudaEventRecord(event_, stream), "cudaEventRecord");
  }
  void synchronize() { require_success(cudaEventSynchronize(event_), "kernel"); }
  double seconds_since(const Event& start) const {
    float milliseconds = 0;
    require_success(cudaEventElapsedTime(&milliseconds, start.event_, event_),
                    "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// The launches of one replay, captured from the stream.
class Graph {
 public:
  Graph(const LaunchOnSet& launch, std::size_t sets, cudaStream_t stream, std::size_t launches)
      : stream_(stream), launches_(launches) {
    cudaGraph_t graph = capture(launch, sets);
    const cudaError_t error = cudaGraphInstantiate(&replay_, graph, 0);
    cudaGraphDestroy(graph);
    require_success(error, "cudaGraphInstantiate");
    require_success(cudaGraphUpload(replay_, stream_), "cudaGraphUpload");
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() { cudaGraphExecDestroy(replay_); }

  void replay() { require_success(cudaGraphLaunch(replay_, stream_), "cudaGraphLaunch"); }

  /// The events mark the ends of the replays. All replays are enqueued before the first has ended,
  /// so the GPU never waits for the host, except before the first replay, which is not
  /// measured.
  std::vector<double> seconds_per_launch(std::size_t count) {
    std::vector<Event> ends(count + 1);
    for (Event& end : ends) {
      replay();
      end.record(stream_);
    }
    ends.back().synchronize();
    std::vector<double> seconds;
    for (std::size_t i = 1; i < ends.size(); ++i) {
      seconds.push_back(ends[i].seconds_since(ends[i - 1]) / static_cast<double>(launches_));
    }
    return seconds;
  }

 private:
  // Relaxed: a library's launcher may query the runtime while it is captured, as CUB does.
  cudaGraph_t capture(const LaunchOnSet& launch, std::size_t sets) const {
    require_success(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed),
                    "cudaStreamBeginCapture");
    cudaError_t launched = cudaSuccess;
    for (std::size_t i = 0; i < launches_ && launched == cudaSuccess; ++i) {
      launched = launch(i % sets, stream_);
    }
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);  // also after a failed launch
    if (launched != cudaSuccess && graph != nullptr) cudaGraphDestroy(graph);
    require_success(launched, "launch while capturing");
    require_success(ended, "cudaStreamEndCapture");
    return graph;
  }

  cudaStream_t stream_;
  std::size_t launches_;
  cudaGraphExec_t replay_ = nullptr;
};

/// An idle GPU runs at a low clock; this raises it before the first measurement of the process.
void wake_up_once(Graph& graph, cudaStream_t stream) {
  using Clock = std::chrono::steady_clock;
  static bool awake = false;
  const auto start = Clock::now();
  while (!awake) {
    graph.replay();
    require_success(cudaStreamSynchronize(stream), "kernel");
    awake = std::chrono::duration<double>(Clock::now() - start).count() > kWakeSeconds;
  }
}

/// The number of launches that fill kLeastSeconds.
std::size_t launches_worth_timing(double seconds_each, std::size_t sets) {
  const double wanted = std::ceil(kLeastSeconds / std::max(seconds_each, 1e-7));
  return whole_rounds(std::max(kLeastLaunches, static_cast<std::size_t>(wanted)), sets);
}

}  // namespace

std::vector<double> seconds_per_launch(const LaunchOnSet& launch, std::size_t sets,
                                       cudaStream_t stream, std::size_t count) {
  Graph trial(launch, sets, stream, whole_rounds(kLeastLaunches, sets));
  wake_up_once(trial, stream);
  const double estimate = trial.seconds_per_launch(1).front();
  Graph graph(launch, sets, stream, launches_worth_timing(estimate, sets));
  return graph.seconds_per_launch(count);
}

void run_once(const LaunchOnSet& launch, cudaStream_t stream) {
  Graph graph(launch, 1, stream, 1);
  graph.replay();
  require_success(cudaStreamSynchronize(stream), "kernel");
}

#else

std::vector<double> seconds_per_launch(const LaunchOnSet& launch, std::size_t sets,
                                       cudaStream_t stream, std::size_t count) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  for (std::size_t i = 0; i < count; ++i) {
    const auto start = Clock::now();
    require_success(launch(i % sets, stream), "launch");
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  return seconds;
}

void run_once(const LaunchOnSet& launch, cudaStream_t stream) {
  require_success(launch(0, stream), "launch");
}

#endif

}  // namespace tutorial::bench
