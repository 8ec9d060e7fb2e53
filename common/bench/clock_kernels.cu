// The clock of the multiprocessors, from cycles counted over a time on the global timer: after a row's launches, and
// while they run.

#include "common/bench/clocks.h"
#include "common/bench/replay.h"
#include "common/bench/statistics.h"
#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/proof/device.h"

#include <algorithm>
#include <cmath>

namespace tutorial::bench {

#if defined(TUTORIAL_BACKEND_CUDA)

namespace {

using test::require_success;

/// What the two kernels share: cycles and nanoseconds, and whether the launches have ended.
struct Watched {
  long long cycles, nanoseconds;
  int ended;
};

__device__ __forceinline__ long long nanoseconds() {
  long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)::"memory");
  return now;
}

/// The global timer ticks once a microsecond or less: both ends begin with a tick.
__device__ __forceinline__ long long next_tick() {
  const long long now = nanoseconds();
  long long then = now;
  while (then == now) then = nanoseconds();
  return then;
}

__global__ void clock_probe_kernel(long long* counted) {
  constexpr long long kNanoseconds = 200000;
  const long long begin = next_tick(), cycles = clock64();
  long long end = begin;
  while (end - begin < kNanoseconds) end = next_tick();
  counted[0] = clock64() - cycles;
  counted[1] = end - begin;
}

/// One thread beside the launches, until the kernel behind them says that they have ended.
__global__ void clock_watch_kernel(volatile Watched* watched) {
  constexpr long long kMostNanoseconds = 2000000000;
  const long long begin = next_tick(), cycles = clock64();
  while (watched->ended == 0 && nanoseconds() - begin < kMostNanoseconds) __nanosleep(2000);
  watched->nanoseconds = next_tick() - begin;
  watched->cycles = clock64() - cycles;
}

__global__ void clock_ended_kernel(volatile Watched* watched, int ended) { watched->ended = ended; }

class WatchedGraph {
 public:
  WatchedGraph(const LaunchOnSet& launch, std::size_t sets, std::size_t launches,
               cudaStream_t stream)
      : stream_(stream) {
    // The watcher's block goes before those of the launches as soon as one of them leaves.
    int least = 0, greatest = 0;
    require_success(cudaDeviceGetStreamPriorityRange(&least, &greatest), "stream priorities");
    require_success(cudaStreamCreateWithPriority(&beside_, cudaStreamNonBlocking, greatest),
                    "cudaStreamCreateWithPriority");
    require_success(cudaEventCreateWithFlags(&forked_, cudaEventDisableTiming), "cudaEventCreate");
    require_success(cudaEventCreateWithFlags(&joined_, cudaEventDisableTiming), "cudaEventCreate");
    require_success(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "capture");
    const cudaError_t captured = capture(launch, sets, launches);
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
    require_success(captured, "launch while capturing");
    require_success(ended, "cudaStreamEndCapture");
    require_success(cudaGraphInstantiate(&replay_, graph, 0), "cudaGraphInstantiate");
    cudaGraphDestroy(graph);
  }
  WatchedGraph(const WatchedGraph&) = delete;
  WatchedGraph& operator=(const WatchedGraph&) = delete;
  ~WatchedGraph() {
    cudaGraphExecDestroy(replay_);
    cudaEventDestroy(forked_);
    cudaEventDestroy(joined_);
    cudaStreamDestroy(beside_);
  }

  /// The clock during one replay.
  double sm_mhz() {
    require_success(cudaGraphLaunch(replay_, stream_), "cudaGraphLaunch");
    require_success(cudaStreamSynchronize(stream_), "kernel");
    Watched seen{};
    require_success(cudaMemcpy(&seen, watched_, sizeof(seen), cudaMemcpyDeviceToHost), "memcpy");
    return static_cast<double>(seen.cycles) / static_cast<double>(seen.nanoseconds) * 1e3;
  }

 private:
  cudaError_t capture(const LaunchOnSet& launch, std::size_t sets, std::size_t launches) {
    const LaunchShape one{dim3(1), dim3(1)};
    cudaError_t error = tutorial::launch(clock_ended_kernel, one, stream_, watched_, 0);
    if (error == cudaSuccess) error = cudaEventRecord(forked_, stream_);
    if (error == cudaSuccess) error = cudaStreamWaitEvent(beside_, forked_, 0);
    if (error == cudaSuccess) {
      error = tutorial::launch(clock_watch_kernel, one, beside_, watched_);
    }
    for (std::size_t i = 0; i < launches && error == cudaSuccess; ++i) {
      error = launch(i % sets, stream_);
    }
    if (error == cudaSuccess)
      error = tutorial::launch(clock_ended_kernel, one, stream_, watched_, 1);
    if (error == cudaSuccess) error = cudaEventRecord(joined_, beside_);
    return error == cudaSuccess ? cudaStreamWaitEvent(stream_, joined_, 0) : error;
  }

  cudaStream_t stream_, beside_ = nullptr;
  cudaEvent_t forked_ = nullptr, joined_ = nullptr;
  cudaGraphExec_t replay_ = nullptr;
  test::DeviceBytes memory_{sizeof(Watched)};
  Watched* watched_ = reinterpret_cast<Watched*>(memory_.data());
};

}  // namespace

double probe_sm_mhz(cudaStream_t stream) {
  static test::DeviceBytes& counted = *new test::DeviceBytes(2 * sizeof(long long));
  auto* const there = reinterpret_cast<long long*>(counted.data());
  run_once(
      [there](std::size_t, cudaStream_t on) {
        return launch(clock_probe_kernel, {dim3(1), dim3(1)}, on, there);
      },
      stream);
  long long here[2] = {};
  require_success(cudaMemcpy(here, there, sizeof(here), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return static_cast<double>(here[0]) / static_cast<double>(here[1]) * 1e3;
}

double inside_sm_mhz(const LaunchOnSet& launch, std::size_t sets, double seconds_each,
                     cudaStream_t stream) {
  constexpr double kSeconds = 10e-3;  // of one replay
  constexpr std::size_t kRounds = 15, kSettling = 5;
  const auto wanted = static_cast<std::size_t>(std::ceil(kSeconds / std::max(seconds_each, 1e-7)));
  WatchedGraph graph(launch, sets, (wanted + sets - 1) / sets * sets, stream);
  std::vector<double> mhz;
  for (std::size_t k = 0; k < kRounds; ++k) {
    const double seen = graph.sm_mhz();
    if (k >= kSettling) mhz.push_back(seen);
  }
  return median(mhz);
}

#else

double probe_sm_mhz(cudaStream_t) { return 0; }
double inside_sm_mhz(const LaunchOnSet&, std::size_t, double, cudaStream_t) { return 0; }

#endif

}  // namespace tutorial::bench
