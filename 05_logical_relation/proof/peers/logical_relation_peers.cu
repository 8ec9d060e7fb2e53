#include "05_logical_relation/proof/peers/logical_relation_peers.h"

#include "05_logical_relation/logical_relation_math.cuh"
#include "common/bench/cub_transform.cuh"

namespace tutorial {

template <class T>
cudaError_t greater_cub(const T* a, const T* b, Byte* y, std::int64_t n, cudaStream_t stream) {
  return bench::cub_transform(a, b, y, n, AsByte<Greater>{}, stream);
}
#define TUTORIAL_INSTANTIATE(T) \
  template cudaError_t greater_cub(const T*, const T*, Byte*, std::int64_t, cudaStream_t);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

cudaError_t and_cub(const Byte* a, const Byte* b, Byte* y, std::int64_t n, cudaStream_t stream) {
  return bench::cub_transform(a, b, y, n, OnBytes<And>{}, stream);
}

cudaError_t not_cub(const Byte* a, Byte* y, std::int64_t n, cudaStream_t stream) {
  return bench::cub_transform(a, y, n, OnBytes<Not>{}, stream);
}

}  // namespace tutorial
