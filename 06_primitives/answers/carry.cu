// Exercise 3 of "Your turn": a layer norm of one reduction.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "06_primitives/primitives.cuh"
#include "common/launch.cuh"
#include "common/test/support/answer.h"

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

int main() {
  using namespace tutorial;
  constexpr std::int64_t rows = 64, columns = 4096;
  std::vector<float> x;
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    x.push_back(1000.0f + static_cast<float>(i * 2654435761 % 4099) / 4099.0f);
  }
  const test::DeviceArray<float> in(x), out(x.size());
  constexpr float epsilon = 1e-5f;
  const cudaError_t error = launch(LayerNorm<16>, {dim3(rows), dim3(columns / 16)}, nullptr,
                                   in.data(), out.data(), columns, epsilon);
  const std::vector<float> y = out.download();
  double worst = 0.0;
  for (std::size_t row = 0; row < rows; ++row) {
    const float* of = &x[row * columns];
    double mean = 0.0, variance = 0.0;
    for (std::size_t c = 0; c < columns; ++c) mean += of[c] / static_cast<double>(columns);
    for (std::size_t c = 0; c < columns; ++c) variance += std::pow(of[c] - mean, 2) / columns;
    for (std::size_t c = 0; c < columns; ++c) {
      const double exact = (of[c] - mean) / std::sqrt(variance + static_cast<double>(epsilon));
      worst = std::max(worst, std::fabs(static_cast<double>(y[row * columns + c]) - exact));
    }
  }
  // The mean lies near 1000, whose floats are 6e-5 apart, and the deviation is 0.29.
  return test::verdict(error == cudaSuccess && worst < 1e-3,
                       "largest error " + std::to_string(worst));
}
