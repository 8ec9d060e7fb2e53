#include "03_swish/proof/peers/swish_peers.h"

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

}  // namespace

template <class T>
cudaError_t swish_cub(const T* x, T* y, std::int64_t n, cudaStream_t stream) {
  return bench::cub_transform(x, y, n, SwishOne{beta_constants(1.0f)}, stream);
}

template <class T>
cudaError_t swiglu_cub(const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream) {
  return bench::cub_transform(a, b, y, n, SwiGluOne{beta_constants(1.0f)}, stream);
}

#define TUTORIAL_INSTANTIATE(T)                                             \
  template cudaError_t swish_cub(const T*, T*, std::int64_t, cudaStream_t); \
  template cudaError_t swiglu_cub(const T*, const T*, T*, std::int64_t, cudaStream_t);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial
