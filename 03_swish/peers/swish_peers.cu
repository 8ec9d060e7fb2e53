#include "03_swish/peers/swish_peers.h"

#include <cmath>

#include "03_swish/swish_math.cuh"
#include "common/bench/cub_transform.cuh"

namespace tutorial {
namespace {

/// The last rungs' functions, for one element.
struct SwishOne {
  Beta beta;

  template <class T>
  __device__ T operator()(T x) const {
    const Factors product = swish_factors(beta, static_cast<float>(x), x);
    return T(product.a * product.r);
  }
};
struct SwiGluOne {
  Beta beta;

  template <class T>
  __device__ T operator()(T a, T b) const {
    const Factors product = gate_factors(beta, static_cast<float>(a), a);
    return T(product.a * (product.r * static_cast<float>(b)));
  }
};

template <class T>
cudaError_t swish_by_cub(const T* x, T* y, std::int64_t n, cudaStream_t stream) {
  return bench::cub_transform(x, y, n, SwishOne{beta_constants(1.0f)}, stream);
}

template <class T>
cudaError_t swiglu_by_cub(const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream) {
  return bench::cub_transform(a, b, y, n, SwiGluOne{beta_constants(1.0f)}, stream);
}

}  // namespace

cudaError_t swish_cub(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return swish_by_cub(x, y, n, stream);
}

cudaError_t swish_cub(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return swish_by_cub(x, y, n, stream);
}

cudaError_t swish_cub(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                      cudaStream_t stream) {
  return swish_by_cub(x, y, n, stream);
}

cudaError_t swiglu_cub(const float* a, const float* b, float* y, std::int64_t n,
                       cudaStream_t stream) {
  return swiglu_by_cub(a, b, y, n, stream);
}

cudaError_t swiglu_cub(const half* a, const half* b, half* y, std::int64_t n, cudaStream_t stream) {
  return swiglu_by_cub(a, b, y, n, stream);
}

cudaError_t swiglu_cub(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* y,
                       std::int64_t n, cudaStream_t stream) {
  return swiglu_by_cub(a, b, y, n, stream);
}

cudaError_t swish_host_loop(const float* x, float* y, std::int64_t n, cudaStream_t) {
#if defined(TUTORIAL_BACKEND_CPU)
  for (std::int64_t i = 0; i < n; ++i) {
    y[i] = x[i] / (1.0f + std::exp(-x[i]));
  }
  return cudaSuccess;
#else
  static_cast<void>(x), static_cast<void>(y), static_cast<void>(n);
  return cudaErrorNotSupported;
#endif
}

}  // namespace tutorial
