// Exercise 2 of "Your turn": a layer norm of two reductions.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "06_primitives/primitives.cuh"
#include "common/launch.cuh"
#include "common/test/support/answer.h"

namespace tutorial {

using namespace primitives;

//! [compose]
/// x - mean, and (x - mean)^2.
struct Minus {
  float mean;
  __device__ __forceinline__ float operator()(float x) const { return x - mean; }
};
struct Square {
  __device__ __forceinline__ float operator()(float x) const { return x * x; }
};
struct TimesFactor {
  float factor;
  __device__ __forceinline__ float operator()(float x) const { return x * factor; }
};

/// A block a row: columns == VecSize * blockDim.x, x and y 16-byte aligned.
template <int VecSize>
__global__ void LayerNorm(const float* x, float* y, std::int64_t columns, float epsilon) {
  const std::int64_t row = blockIdx.x;
  const float share = 1.0f / static_cast<float>(columns);
  const AddFunctor<float> add;
  float arg[VecSize], square[VecSize];
  ReadData<false, Interleaved<float>>(arg, x + row * columns, columns);
  const float mean = Reduce<kGlobalMode>(Reduce<kLocalMode>(arg, add), add) * share;
  ElementwiseUnary(arg, arg, Minus{mean});
  ElementwiseUnary(square, arg, Square{});
  const float variance = Reduce<kGlobalMode>(Reduce<kLocalMode>(square, add), add) * share;
  ElementwiseUnary(arg, arg, TimesFactor{rsqrtf(variance + epsilon)});
  WriteData<false, Interleaved<float>>(y + row * columns, arg, columns);
}
//! [compose]

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
