#include "04_arithmetic/proof/peers/arithmetic_peers.h"

#include "04_arithmetic/arithmetic_math.cuh"
#include "common/bench/cub_transform.cuh"

namespace tutorial {

template <class T>
cudaError_t add_cub(const T* in0, const T* in1, T* out, std::int64_t n, cudaStream_t stream) {
  return bench::cub_transform(in0, in1, out, n, Arithmetic<ArithmeticOp::Add, T>{}, stream);
}
#define TUTORIAL_INSTANTIATE(T) \
  template cudaError_t add_cub(const T*, const T*, T*, std::int64_t, cudaStream_t);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial
