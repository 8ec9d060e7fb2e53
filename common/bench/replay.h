// The clock: how long a launch takes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace tutorial::bench {

/// One launch on the set of buffers with that index, enqueued on the stream.
using LaunchOnSet = std::function<cudaError_t(std::size_t set, cudaStream_t stream)>;

/// Where launches run, and the clock that is read between them. There are three: a GPU's captured
/// graphs and events, the executor with the wall clock, and one that a test makes up. A call that
/// fails throws std::runtime_error.
class Replayer {
 public:
  virtual ~Replayer() = default;

  /// From now on a replay is what `enqueue` launches on the stream that it is given.
  virtual void record(const std::function<cudaError_t(cudaStream_t)>& enqueue) = 0;
  /// Before the first measurement: replays until the device runs at its full clock.
  virtual void warm_up() = 0;
  virtual void replay() = 0;
  /// Reads the clock when all replays so far have ended; does not wait for that.
  virtual void mark() = 0;
  /// Waits; the milliseconds from each mark since the last call to the next.
  virtual std::vector<float> milliseconds() = 0;
};

/// How much is measured.
struct ReplayRules {
  std::size_t least_launches;  ///< in a replay
  double least_seconds;        ///< of work in a replay; 0: a replay has least_launches
  std::size_t unmeasured;      ///< replays before those that count
};
inline constexpr ReplayRules kGpuRules{10, 1e-3, 1};
inline constexpr ReplayRules kExecutorRules{1, 0.0, 0};

/// Times `count` replays of many launches, which take turns on `sets` sets of buffers, and returns
/// the seconds per launch of each replay. A replay is a whole number of rounds over the sets; how
/// many launches fill `least_seconds` is found by a trial.
std::vector<double> seconds_per_launch(Replayer& replayer, const ReplayRules& rules,
                                       const LaunchOnSet& launch, std::size_t sets,
                                       std::size_t count);

/// The same on the stream of this backend. On a GPU the replays follow each other without a pause: all
/// are enqueued before the first has ended, and CUDA events stand between them. In the executor a
/// replay is one launch a set.
std::vector<double> seconds_per_launch(const LaunchOnSet& launch, std::size_t sets,
                                       cudaStream_t stream, std::size_t count);

/// Launches without a pause until so many seconds have passed.
void keep_busy(const LaunchOnSet& launch, std::size_t sets, cudaStream_t stream, double seconds);

/// Launches once on the first set and waits. On a GPU this also uses a graph: after a few direct
/// launches in a process, each launch of a later graph takes about 0.3 us longer (measured on an H200;
/// of a launch of 2 us that is a seventh).
///
/// Throws std::runtime_error if the launch fails.
void run_once(const LaunchOnSet& launch, cudaStream_t stream);

}  // namespace tutorial::bench
