// The exercise "long": a layer norm of long rows, which a cluster of blocks holds and reads once.
#include <cstdint>

#include "06_primitives/primitives/primitives.cuh"
#include "06_primitives/proof/layer_norm_check.h"
#include "common/cluster.cuh"

namespace tutorial {

using namespace primitives;

/// x - mean, x^2, and x * factor.
struct Minus {
  float mean;
  __device__ __forceinline__ float operator()(float x) const { return x - mean; }
};
struct Square {
  __device__ __forceinline__ float operator()(float x) const { return x * x; }
};
struct Times {
  float factor;
  __device__ __forceinline__ float operator()(float x) const { return x * factor; }
};

/// Every thread of the cluster gets the sum over all of its threads. There are cluster_blocks() blocks, the
/// calling one is number cluster_rank(), cluster_barrier() waits for all threads of all of them, and
/// in_block(&variable, rank) is where block `rank` has a shared variable.
__device__ __forceinline__ float sum_of_cluster(float value) {
  //! [long]
  __shared__ float of_block[kMostInCluster];
  const float mine = Reduce<kGlobalMode>(value, AddFunctor<float>{});
  cluster_barrier();  // all blocks have begun, and nobody still reads what an earlier call has left
  if (threadIdx.x < cluster_blocks()) *in_block(&of_block[cluster_rank()], threadIdx.x) = mine;
  cluster_barrier();
  float sum = 0.0f;
  for (unsigned rank = 0; rank < cluster_blocks(); ++rank) sum += of_block[rank];
  return sum;
  //! [long]
}

/// A cluster a row: columns == VecSize * blockDim.x * blocks of a cluster, x and y 16-byte aligned.
template <int VecSize>
__global__ void LayerNorm(const float* x, float* y, std::int64_t columns, float epsilon) {
  const std::int64_t held = columns / cluster_blocks(), first = blockIdx.x * held;
  const float share = 1.0f / static_cast<float>(columns);
  const AddFunctor<float> add;
  float arg[VecSize], square[VecSize];
  ReadData<false, Interleaved<float>>(arg, x + first, held);
  const float mean = sum_of_cluster(Reduce<kLocalMode>(arg, add)) * share;
  ElementwiseUnary(arg, arg, Minus{mean});
  ElementwiseUnary(square, arg, Square{});
  const float variance = sum_of_cluster(Reduce<kLocalMode>(square, add)) * share;
  ElementwiseUnary(arg, arg, Times{rsqrtf(variance + epsilon)});
  WriteData<false, Interleaved<float>>(y + first, arg, held);
}

}  // namespace tutorial

int main() { return tutorial::test::check_layer_norm(tutorial::LayerNorm<16>, 16, 32768, 8); }
