#include "common/bench/stream_peaks.h"

#include "common/launch.cuh"
#include "common/macros.cuh"

namespace tutorial::bench {

namespace {

constexpr int kStreamThreads = 256;
constexpr int kLoads = 4;
constexpr std::int64_t kVectorBytes = 16;

__device__ int4 exclusive_or(int4 a, int4 b) {
  return {a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w};
}

__global__ void read_128bit_kernel(const unsigned char* from, int4* sink, std::int64_t bytes) {
  wait_for_previous_grid();
  constexpr std::int64_t kRound = kStreamThreads * kVectorBytes;
  const std::int64_t begin = blockIdx.x * kRound * kLoads + threadIdx.x * kVectorBytes;
  int4 all{};
  if (begin + (kLoads - 1) * kRound + kVectorBytes <= bytes) {
    int4 pack[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) pack[k] = INT4(from[begin + k * kRound]);
#pragma unroll
    for (int k = 0; k < kLoads; ++k) all = exclusive_or(all, pack[k]);
  } else {
    for (int k = 0; k < kLoads; ++k) {
      const std::int64_t first = begin + k * kRound;
      for (std::int64_t i = first; i < bytes && i < first + kVectorBytes; ++i) all.x ^= from[i];
    }
  }
  if (all.x == 0x5eed5eed && all.y == 0x1234567 && all.z == ~all.x && all.w == ~all.y) *sink = all;
}

__global__ void write_128bit_kernel(unsigned char* to, std::int64_t bytes) {
  wait_for_previous_grid();
  const std::int64_t begin = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kVectorBytes;
  if (begin + kVectorBytes <= bytes) {
    INT4(to[begin]) = int4{0x01010101, 0x01010101, 0x01010101, 0x01010101};
  } else {
    for (std::int64_t i = begin; i < bytes; ++i) to[i] = 1;
  }
}

}  // namespace

cudaError_t read_128bit(const void* from, void* sink, std::size_t bytes, cudaStream_t stream) {
  const auto n = static_cast<std::int64_t>(bytes);
  const cudaError_t error = check_arguments(n, {{from, kVectorBytes}, {sink, kVectorBytes}});
  if (error != cudaSuccess || n == 0) return error;
  const LaunchShape shape{grid_1d(n, kStreamThreads * kVectorBytes * kLoads), dim3(kStreamThreads),
                          0, Overlap::previous_kernel};
  return launch(read_128bit_kernel, shape, stream, static_cast<const unsigned char*>(from),
                static_cast<int4*>(sink), n);
}

cudaError_t write_128bit(void* to, std::size_t bytes, cudaStream_t stream) {
  const auto n = static_cast<std::int64_t>(bytes);
  const cudaError_t error = check_arguments(n, {{to, kVectorBytes}});
  if (error != cudaSuccess || n == 0) return error;
  const LaunchShape shape{grid_1d(n, kStreamThreads * kVectorBytes), dim3(kStreamThreads), 0,
                          Overlap::previous_kernel};
  return launch(write_128bit_kernel, shape, stream, static_cast<unsigned char*>(to), n);
}

}  // namespace tutorial::bench
