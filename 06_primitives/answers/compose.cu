// The last exercise of rows.md, "compose": a layer norm of two reductions.
#include <cstdint>

#include "06_primitives/primitives/primitives.cuh"
#include "06_primitives/proof/layer_norm_check.h"

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

/// A block a row: columns == VecSize * blockDim.x, x and y 16-byte aligned.
template <int VecSize>
__global__ void LayerNorm(const float* x, float* y, std::int64_t columns, float epsilon) {
  const std::int64_t row = blockIdx.x;
  //! [compose]
  const float share = 1.0f / static_cast<float>(columns);
  const AddFunctor<float> add;
  float arg[VecSize], square[VecSize];
  ReadData<false, Interleaved<float>>(arg, x + row * columns, columns);
  const float mean = Reduce<kGlobalMode>(Reduce<kLocalMode>(arg, add), add) * share;
  ElementwiseUnary(arg, arg, Minus{mean});
  ElementwiseUnary(square, arg, Square{});
  const float variance = Reduce<kGlobalMode>(Reduce<kLocalMode>(square, add), add) * share;
  ElementwiseUnary(arg, arg, Times{rsqrtf(variance + epsilon)});
  WriteData<false, Interleaved<float>>(y + row * columns, arg, columns);
  //! [compose]
}

}  // namespace tutorial

int main() { return tutorial::test::check_layer_norm(tutorial::LayerNorm<8>, 8); }
