// The clock: how long a launch takes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace tutorial::bench {

/// One launch on the set of buffers with that index, enqueued on the stream.
using LaunchOnSet = std::function<cudaError_t(std::size_t set, cudaStream_t stream)>;

/// Times `count` replays of many launches, which take turns on `sets` sets of buffers, and returns
/// the seconds per launch of each replay.
///
/// On a GPU a replay is that of a captured graph with at least 10 launches and at least about 1 ms
/// of work, a whole number of rounds over the sets. The replays follow each other without a pause,
/// the first one unmeasured; CUDA events stand between them. In the CPU executor a replay is one
/// launch, timed by the wall clock.
///
/// Throws std::runtime_error if a launch, the capture or the replay fails.
std::vector<double> seconds_per_launch(const LaunchOnSet& launch, std::size_t sets,
                                       cudaStream_t stream, std::size_t count);

/// Launches once on the first set and waits. On a GPU this also uses a graph: after a few direct
/// launches in a process, each launch of a later graph takes about 0.3 us longer (measured on an H200;
/// of a launch of 2 us that is a seventh).
///
/// Throws std::runtime_error if the launch fails.
void run_once(const LaunchOnSet& launch, cudaStream_t stream);

}  // namespace tutorial::bench
