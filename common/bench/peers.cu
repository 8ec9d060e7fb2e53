#include "common/bench/peers.h"

#include "common/launch.cuh"
#include "common/macros.cuh"

namespace tutorial::bench {

namespace {

constexpr std::int64_t kVectorBytes = 16;

// The block size at which the plain copy is fastest on an H200, cold and warm.
constexpr int kCopyThreads = 256;

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

}  // namespace

cudaError_t copy_128bit(const void* from, void* to, std::size_t bytes, cudaStream_t stream) {
  const auto n = static_cast<std::int64_t>(bytes);
  const cudaError_t error = check_arguments(n, {{from, kVectorBytes}, {to, kVectorBytes}});
  if (error != cudaSuccess || n == 0) return error;
  return launch(copy_128bit_kernel, {grid_1d(n, kCopyThreads * kVectorBytes), dim3(kCopyThreads)},
                stream, static_cast<const unsigned char*>(from), static_cast<unsigned char*>(to),
                n);
}

}  // namespace tutorial::bench
