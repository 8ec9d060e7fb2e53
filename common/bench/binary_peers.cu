#include "common/bench/binary_peers.h"

#include "common/launch.cuh"
#include "common/macros.cuh"

namespace tutorial::bench {

namespace {

constexpr std::int64_t kVectorBytes = 16;
constexpr int kXorThreads = 256;  // as copy_128bit

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

}  // namespace

cudaError_t xor_128bit(const void* a, const void* b, void* to, std::size_t bytes,
                       cudaStream_t stream) {
  const auto n = static_cast<std::int64_t>(bytes);
  const cudaError_t error =
      check_arguments(n, {{a, kVectorBytes}, {b, kVectorBytes}, {to, kVectorBytes}});
  if (error != cudaSuccess || n == 0) return error;
  return launch(xor_128bit_kernel, {grid_1d(n, kXorThreads * kVectorBytes), dim3(kXorThreads)},
                stream, static_cast<const unsigned char*>(a), static_cast<const unsigned char*>(b),
                static_cast<unsigned char*>(to), n);
}

}  // namespace tutorial::bench
