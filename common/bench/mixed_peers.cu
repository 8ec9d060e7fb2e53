#include "common/bench/mixed_peers.h"

#include "common/launch.cuh"
#include "common/macros.cuh"

namespace tutorial::bench {

namespace {

constexpr int kThreadsOfACopy = 256;  // as copy_128bit

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

template <class Narrow>
cudaError_t launch_narrow(const void* a, const void* b, void* to, std::size_t vectors,
                          cudaStream_t stream) {
  const auto n = static_cast<std::int64_t>(vectors);
  const cudaError_t error = check_arguments(n, {{a, 16}, {b, 16}, {to, sizeof(Narrow)}});
  if (error != cudaSuccess || n == 0) return error;
  return launch(narrow_128bit_kernel<Narrow>, {grid_1d(n, kThreadsOfACopy), dim3(kThreadsOfACopy)},
                stream, static_cast<const int4*>(a), static_cast<const int4*>(b),
                static_cast<Narrow*>(to), n);
}

}  // namespace

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

cudaError_t fill_memset(void* to, std::size_t bytes, cudaStream_t stream) {
  return cudaMemsetAsync(to, 1, bytes, stream);
}

}  // namespace tutorial::bench
