// For the worked answers that are programs: how long their launch takes on a GPU, beside a copy.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

#include "common/elementwise.cuh"
#include "common/proof/answer.h"

namespace tutorial::test {

#if defined(TUTORIAL_BACKEND_CUDA)
/// Elements of the arrays that are timed: more than any L2 holds. None on the CPU executor, whose
/// times say nothing about a GPU.
inline constexpr std::int64_t kTimedElements = std::int64_t{1} << 27;
#else
inline constexpr std::int64_t kTimedElements = 0;
#endif

struct CopyOfPairs {
  template <class Pair>
  __device__ __forceinline__ Pair operator()(Pair x) const {
    return x;
  }
};

/// Microseconds of a launch among others: the median of nine times ten.
template <class Launch>
double microseconds(Launch launch) {
  constexpr int kTimes = 9, kLaunches = 10;
  std::array<cudaEvent_t, kTimes + 1> ends{};
  for (cudaEvent_t& end : ends) {
    cudaEventCreate(&end);
    for (int i = 0; i < kLaunches; ++i) launch();
    cudaEventRecord(end, nullptr);
  }
  cudaEventSynchronize(ends.back());
  std::array<float, kTimes> milliseconds{};
  for (std::size_t i = 0; i < kTimes; ++i) {
    cudaEventElapsedTime(&milliseconds[i], ends[i], ends[i + 1]);
  }
  for (const cudaEvent_t end : ends) cudaEventDestroy(end);
  std::sort(milliseconds.begin(), milliseconds.end());
  return static_cast<double>(milliseconds[kTimes / 2]) * 1000.0 / kLaunches;
}

/// "; 91.20 us, 99.1 % of a copy of as many bytes", for verdict(); empty on the CPU executor, and where
/// the GPU has no room for the arrays. `launch` is on the default stream; `bytes`: what it must read and
/// write.
template <class Launch>
std::string speed(std::int64_t bytes, Launch launch) {
  // A DeviceArray that found no room left its error.
  if (kTimedElements == 0 || cudaGetLastError() != cudaSuccess) return "";
  launch();
  if (cudaGetLastError() != cudaSuccess) return "";
  const std::int64_t n = bytes / 2 / static_cast<std::int64_t>(sizeof(float));
  const DeviceArray<float> from(static_cast<std::size_t>(n)), to(static_cast<std::size_t>(n));
  if (cudaGetLastError() != cudaSuccess) return "";
  const double copy = microseconds(
      [&] { return launch_elementwise(from.data(), to.data(), n, CopyOfPairs{}, nullptr, {}); });
  const double own = microseconds(launch);
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "; %.2f us, %.1f %% of a copy of as many bytes", own,
                100.0 * copy / own);
  return text.data();
}

}  // namespace tutorial::test
