#include "05_logical_relation/proof/peers/logical_relation_peers.h"

#include "05_logical_relation/logical_relation_math.cuh"
#include "common/bench/cub_transform.cuh"

namespace tutorial {

template <class T>
cudaError_t greater_cub(const T* a, const T* b, Byte* y, std::int64_t n, cudaStream_t stream) {
  return bench::cub_transform(a, b, y, n, AsByte<Greater>{}, stream);
}
template cudaError_t greater_cub(const float*, const float*, Byte*, std::int64_t, cudaStream_t);
template cudaError_t greater_cub(const half*, const half*, Byte*, std::int64_t, cudaStream_t);
template cudaError_t greater_cub(const __nv_bfloat16*, const __nv_bfloat16*, Byte*, std::int64_t,
                                 cudaStream_t);

cudaError_t and_cub(const Byte* a, const Byte* b, Byte* y, std::int64_t n, cudaStream_t stream) {
  return bench::cub_transform(a, b, y, n, OnBytes<And>{}, stream);
}

cudaError_t not_cub(const Byte* a, Byte* y, std::int64_t n, cudaStream_t stream) {
  return bench::cub_transform(a, y, n, OnBytes<Not>{}, stream);
}

cudaError_t greater_host_loop(const float* a, const float* b, Byte* y, std::int64_t n,
                              cudaStream_t) {
#if defined(TUTORIAL_BACKEND_CPU)
  for (std::int64_t i = 0; i < n; ++i) y[i] = a[i] > b[i] ? 1 : 0;
  return cudaSuccess;
#else
  static_cast<void>(a), static_cast<void>(b), static_cast<void>(y), static_cast<void>(n);
  return cudaErrorNotSupported;
#endif
}

cudaError_t and_host_loop(const Byte* a, const Byte* b, Byte* y, std::int64_t n, cudaStream_t) {
#if defined(TUTORIAL_BACKEND_CPU)
  for (std::int64_t i = 0; i < n; ++i) y[i] = a[i] != 0 && b[i] != 0 ? 1 : 0;
  return cudaSuccess;
#else
  static_cast<void>(a), static_cast<void>(b), static_cast<void>(y), static_cast<void>(n);
  return cudaErrorNotSupported;
#endif
}

}  // namespace tutorial
