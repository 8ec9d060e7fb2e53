#include "02_gelu/proof/peers/gelu_peers.h"

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

}  // namespace tutorial
