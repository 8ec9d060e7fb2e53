#include "02_gelu/proof/peers/gelu_peers.h"

#include <cmath>

#include "02_gelu/gelu_math.cuh"
#include "common/bench/cub_transform.cuh"

namespace tutorial {
namespace {

/// The last rung's operation, for one element.
template <GeluApproximate kApproximate>
struct GeluOne {
  template <class T>
  __device__ T operator()(T x) const {
    return Gelu<kApproximate>{}(Pair<T>{x, x}).x;
  }
};

}  // namespace

template <class T>
cudaError_t gelu_cub(const T* x, T* y, std::int64_t n, GeluApproximate approximate,
                     cudaStream_t stream) {
  return approximate == GeluApproximate::tanh
             ? bench::cub_transform(x, y, n, GeluOne<GeluApproximate::tanh>{}, stream)
             : bench::cub_transform(x, y, n, GeluOne<GeluApproximate::none>{}, stream);
}
#define TUTORIAL_INSTANTIATE(T) \
  template cudaError_t gelu_cub(const T*, T*, std::int64_t, GeluApproximate, cudaStream_t);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

cudaError_t gelu_host_loop(const float* x, float* y, std::int64_t n, GeluApproximate approximate,
                           cudaStream_t) {
#if defined(TUTORIAL_BACKEND_CPU)
  if (approximate == GeluApproximate::tanh) {
    for (std::int64_t i = 0; i < n; ++i) {
      const float u = 0.797884561f * (x[i] + 0.044715f * x[i] * x[i] * x[i]);
      y[i] = 0.5f * x[i] * (1.0f + std::tanh(u));
    }
  } else {
    for (std::int64_t i = 0; i < n; ++i) {
      y[i] = 0.5f * x[i] * (1.0f + std::erf(0.707106781f * x[i]));
    }
  }
  return cudaSuccess;
#else
  static_cast<void>(x), static_cast<void>(y), static_cast<void>(n);
  static_cast<void>(approximate);
  return cudaErrorNotSupported;
#endif
}

}  // namespace tutorial
