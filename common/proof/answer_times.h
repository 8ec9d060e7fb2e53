// For answers.py: the launch of a worked answer, timed on a GPU beside a copy; on the CPU executor made once.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace tutorial::test {

inline void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

/// Numbers from -8 to 8; of bytes a quarter is 0.
template <class T>
__global__ void fill_kernel(T* x, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  std::uint32_t state = static_cast<std::uint32_t>(i) * 2654435761U + 12345U;
  state = (state ^ state >> 15) * 2246822519U;
  state ^= state >> 13;
  if constexpr (sizeof(T) == 1) {
    x[i] = static_cast<T>((state & 3U) == 0 ? 0U : state >> 24);
  } else {
    x[i] = T((static_cast<float>(state >> 8) / 16777216.0f - 0.5f) * 16.0f);
  }
}

template <class T>
T* filled(std::int64_t n) {
  T* x = nullptr;
  require(cudaMalloc(reinterpret_cast<void**>(&x), n * sizeof(T)), "cudaMalloc");
  fill_kernel<<<(n + 255) / 256, 256>>>(x, n);
  require(cudaDeviceSynchronize(), "fill_kernel");
  return x;
}

inline __global__ void copy_kernel(const float4* x, float4* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

#if defined(TUTORIAL_BACKEND_CUDA)
/// Microseconds of a launch, by 15 replays of a graph of five; sorted.
template <class Launch>
std::vector<double> replays(Launch launch) {
  constexpr int kLaunches = 5, kReplays = 15;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaEvent_t begin, end;
  require(cudaStreamCreate(&stream), "cudaStreamCreate");
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < kLaunches; ++i) launch(stream);
  require(cudaStreamEndCapture(stream, &graph), "the launch");
  require(cudaGraphInstantiate(&ready, graph, 0), "cudaGraphInstantiate");
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaGraphLaunch(ready, stream);
  std::vector<double> times;
  for (int i = 0; i < kReplays; ++i) {
    cudaEventRecord(begin, stream);
    cudaGraphLaunch(ready, stream);
    cudaEventRecord(end, stream);
    require(cudaEventSynchronize(end), "a replay");
    float milliseconds = 0.0f;
    cudaEventElapsedTime(&milliseconds, begin, end);
    times.push_back(milliseconds * 1000.0 / kLaunches);
  }
  std::sort(times.begin(), times.end());
  return times;
}
#endif

/// Prints a line of JSON. bytes: that it must move.
template <class Launch>
void time_answer(const char* name, std::int64_t elements, std::int64_t bytes, Launch launch) {
#if defined(TUTORIAL_BACKEND_CUDA)
  const std::int64_t n = bytes / 32;
  auto* const x = reinterpret_cast<float4*>(filled<float>(n * 4));
  auto* const y = reinterpret_cast<float4*>(filled<float>(n * 4));
  const std::vector<double> copy = replays(
      [&](cudaStream_t stream) { copy_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n); });
  const std::vector<double> own = replays(launch);
  std::printf(
      "{\"answer\": \"%s\", \"elements\": %lld, \"bytes\": %lld, \"median_us\": %.2f, \"copy_us\": "
      "%.2f, \"copy_pct\": %.1f, \"spread_pct\": %.1f}\n",
      name, static_cast<long long>(elements), static_cast<long long>(bytes), own[7], copy[7],
      100.0 * copy[7] / own[7], 100.0 * (own[13] - own[1]) / own[7]);
#else
  launch(nullptr);
  std::printf("{\"answer\": \"%s\", \"elements\": %lld, \"bytes\": %lld}\n", name,
              static_cast<long long>(elements), static_cast<long long>(bytes));
#endif
}

}  // namespace tutorial::test
