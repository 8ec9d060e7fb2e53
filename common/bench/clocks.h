// The GPU's clock and what holds it back, watched while a row is timed.
#pragma once

#include "common/bench/replay.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tutorial::bench {

/// What was seen of the clock while a row's replays ran.
struct ClocksSeen {
  double probe_mhz = 0;  ///< by a kernel right after the last replay (probe_sm_mhz()), which is not
  ///< the clock of the replays (common/notes/controls.md, "Which clock is right?"); or 0
  double inside_mhz = 0;  ///< while launches ran (inside_sm_mhz()); 0 unless it was asked for
  int samples = 0;        ///< NVML's answers; without any, what follows is 0
  double sm_mhz = 0;      ///< their median; NVML looks a few times a second, so this comes late
  /// The reasons that NVML gave for a clock below the highest, all samples' bits together
  /// (nvmlClocksEventReasons: 4 software power cap, 8 hardware slowdown, 32 software thermal, 64
  /// hardware thermal, 128 power brake; 1 is an idle GPU).
  std::uint64_t reasons = 0;
};

/// Asks NVML again and again, on a thread of its own, from its construction until seen(). Sees
/// nothing (samples == 0) on the CPU executor, without libnvidia-ml.so.1, and where
/// TUTORIAL_CLOCKS=0 stands in the environment.
class ClockWatch {
 public:
  ClockWatch();
  ~ClockWatch();
  ClockWatch(const ClockWatch&) = delete;
  ClockWatch& operator=(const ClockWatch&) = delete;

  /// Ends the watch.
  ClocksSeen seen();

 private:
  class Watcher;
  std::unique_ptr<Watcher> watcher_;
};

/// The multiprocessors' clock at this place of the stream, in MHz: one thread counts cycles and
/// nanoseconds for about 200 us. Waits for it. 0 on the CPU executor.
double probe_sm_mhz(cudaStream_t stream);

/// The same while launches run that take turns on `sets` sets of buffers: one thread beside them, in
/// replays of some 10 ms of their graph. It takes a warp's place on one multiprocessor, so no time is
/// read from these replays. 0 on the CPU executor.
double inside_sm_mhz(const LaunchOnSet& launch, std::size_t sets, double seconds_each,
                     cudaStream_t stream);

/// For the context of a run: gpu_power_limit_w. Empty where NVML does not answer.
std::vector<std::pair<std::string, std::string>> clocks_context();

}  // namespace tutorial::bench
