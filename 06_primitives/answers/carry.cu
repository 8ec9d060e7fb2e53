// The exercise "carry": a layer norm of one reduction.
#include <cstdint>

#include "06_primitives/primitives/primitives.cuh"
#include "06_primitives/proof/layer_norm_check.h"

namespace tutorial {

using namespace primitives;

//! [carry]
/// count numbers with this mean, whose squared distances from it add up to `squares`.
struct Moments {
  float count, mean, squares;
};

/// Reduce moves its values by shuffles, and finds this one by its argument.
__device__ __forceinline__ Moments __shfl_xor_sync(unsigned mask, Moments m, int lane_mask) {
  return {::__shfl_xor_sync(mask, m.count, lane_mask), ::__shfl_xor_sync(mask, m.mean, lane_mask),
          ::__shfl_xor_sync(mask, m.squares, lane_mask)};
}

/// Chan's formula. Two empty sides would divide 0 by 0.
struct MergeMoments {
  __device__ __forceinline__ Moments operator()(Moments a, Moments b) const {
    const float count = a.count + b.count;
    if (count == 0.0f) return identity();
    const float difference = b.mean - a.mean, share = b.count / count;
    return {count, fmaf(difference, share, a.mean),
            a.squares + b.squares + difference * difference * a.count * share};
  }
  __host__ __device__ static Moments identity() { return {0.0f, 0.0f, 0.0f}; }
};

struct OneNumber {
  __device__ __forceinline__ Moments operator()(float x) const { return {1.0f, x, 0.0f}; }
};
struct Normalize {
  float mean, factor;
  __device__ __forceinline__ float operator()(float x) const { return (x - mean) * factor; }
};

/// A block a row: columns == VecSize * blockDim.x, x and y 16-byte aligned.
template <int VecSize>
__global__ void LayerNorm(const float* x, float* y, std::int64_t columns, float epsilon) {
  const std::int64_t row = blockIdx.x;
  float arg[VecSize];
  Moments moments[VecSize];
  ReadData<false, Interleaved<float>>(arg, x + row * columns, columns);
  ElementwiseUnary(moments, arg, OneNumber{});
  const Moments all =
      Reduce<kGlobalMode>(Reduce<kLocalMode>(moments, MergeMoments{}), MergeMoments{});
  ElementwiseUnary(arg, arg, Normalize{all.mean, rsqrtf(all.squares / all.count + epsilon)});
  WriteData<false, Interleaved<float>>(y + row * columns, arg, columns);
}
//! [carry]

}  // namespace tutorial

int main() { return tutorial::test::check_layer_norm(tutorial::LayerNorm<8>, 8); }
