// The kernels that move bytes and compute next to nothing, and their launchers.

#include "common/bench/yardsticks.h"

#include "common/launch.cuh"
#include "common/macros.cuh"

#if defined(TUTORIAL_BACKEND_CUDA)
#include <cub/version.cuh>
#endif

namespace tutorial::bench {

namespace {

constexpr std::int64_t kVectorBytes = 16;
constexpr int kLoads = 4;  // of a thread that only reads

// The block size at which the plain copy is fastest on an H200, cold and warm.
constexpr LaunchOptions kCopyLaunch{256};
constexpr LaunchOptions kPeakLaunch{256, Overlap::previous_kernel};

__global__ void copy_128bit_kernel(const unsigned char* from, unsigned char* to,
                                   std::int64_t bytes) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t begin = thread * kVectorBytes;
  if (begin + kVectorBytes <= bytes) {
    LDST128BITS(to[begin]) = LDST128BITS(from[begin]);
  } else {
    for (std::int64_t i = begin; i < bytes; ++i) to[i] = from[i];
  }
}

__global__ void xor_128bit_kernel(const unsigned char* a, const unsigned char* b, unsigned char* to,
                                  std::int64_t bytes) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t begin = thread * kVectorBytes;
  if (begin + kVectorBytes <= bytes) {
    const int4 left = INT4(a[begin]), right = INT4(b[begin]);
    INT4(to[begin]) = int4{left.x ^ right.x, left.y ^ right.y, left.z ^ right.z, left.w ^ right.w};
  } else {
    for (std::int64_t i = begin; i < bytes; ++i) {
      to[i] = static_cast<unsigned char>(a[i] ^ b[i]);
    }
  }
}

/// The exclusive or of all parts of a vector, so that no part of the load can be left out.
__device__ __forceinline__ void fold(int4 v, int2* to) { *to = {v.x ^ v.z, v.y ^ v.w}; }
__device__ __forceinline__ void fold(int4 v, int* to) { *to = v.x ^ v.y ^ v.z ^ v.w; }
__device__ __forceinline__ void fold(int4 v, short* to) {
  const int word = v.x ^ v.y ^ v.z ^ v.w;
  *to = static_cast<short>(word ^ word >> 16);
}

template <class Narrow>
__global__ void narrow_128bit_kernel(const int4* a, const int4* b, Narrow* to,
                                     std::int64_t vectors) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= vectors) return;
  const int4 left = a[i], right = b[i];
  fold(int4{left.x ^ right.x, left.y ^ right.y, left.z ^ right.z, left.w ^ right.w}, &to[i]);
}

__device__ int4 exclusive_or(int4 a, int4 b) {
  return {a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w};
}

__global__ void read_128bit_kernel(const unsigned char* from, int4* sink, std::int64_t bytes) {
  wait_for_previous_grid();
  constexpr std::int64_t kRound = kPeakLaunch.threads * kVectorBytes;
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

using Bytes = unsigned char*;
using ConstBytes = const unsigned char*;

template <class Narrow>
cudaError_t launch_narrow(const void* a, const void* b, void* to, std::size_t vectors,
                          cudaStream_t stream) {
  const auto n = static_cast<std::int64_t>(vectors);
  return launch_elements(narrow_128bit_kernel<Narrow>, n, 1,
                         {{a, kVectorBytes}, {b, kVectorBytes}, {to, sizeof(Narrow)}}, stream,
                         kCopyLaunch, static_cast<const int4*>(a), static_cast<const int4*>(b),
                         static_cast<Narrow*>(to), n);
}

}  // namespace

cudaError_t copy_128bit(const void* from, void* to, std::size_t bytes, cudaStream_t stream) {
  const auto n = static_cast<std::int64_t>(bytes);
  return launch_elements(copy_128bit_kernel, n, kVectorBytes,
                         {{from, kVectorBytes}, {to, kVectorBytes}}, stream, kCopyLaunch,
                         static_cast<ConstBytes>(from), static_cast<Bytes>(to), n);
}

cudaError_t xor_128bit(const void* a, const void* b, void* to, std::size_t bytes,
                       cudaStream_t stream) {
  const auto n = static_cast<std::int64_t>(bytes);
  return launch_elements(xor_128bit_kernel, n, kVectorBytes,
                         {{a, kVectorBytes}, {b, kVectorBytes}, {to, kVectorBytes}}, stream,
                         kCopyLaunch, static_cast<ConstBytes>(a), static_cast<ConstBytes>(b),
                         static_cast<Bytes>(to), n);
}

cudaError_t narrow_128bit(const void* a, const void* b, void* to, std::size_t vectors, int narrow,
                          cudaStream_t stream) {
  switch (narrow) {
    case 2:
      return launch_narrow<short>(a, b, to, vectors, stream);
    case 4:
      return launch_narrow<int>(a, b, to, vectors, stream);
    case 8:
      return launch_narrow<int2>(a, b, to, vectors, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

cudaError_t read_128bit(const void* from, void* sink, std::size_t bytes, cudaStream_t stream) {
  const auto n = static_cast<std::int64_t>(bytes);
  return launch_elements(read_128bit_kernel, n, kVectorBytes * kLoads,
                         {{from, kVectorBytes}, {sink, kVectorBytes}}, stream, kPeakLaunch,
                         static_cast<ConstBytes>(from), static_cast<int4*>(sink), n);
}

cudaError_t write_128bit(void* to, std::size_t bytes, cudaStream_t stream) {
  const auto n = static_cast<std::int64_t>(bytes);
  return launch_elements(write_128bit_kernel, n, kVectorBytes, {{to, kVectorBytes}}, stream,
                         kPeakLaunch, static_cast<Bytes>(to), n);
}

cudaError_t fill_memset(void* to, std::size_t bytes, cudaStream_t stream) {
  return cudaMemsetAsync(to, 1, bytes, stream);
}

std::string cub_version() {
#if defined(TUTORIAL_BACKEND_CUDA)
  return std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
         std::to_string(CUB_SUBMINOR_VERSION);
#else
  return "";
#endif
}

}  // namespace tutorial::bench
