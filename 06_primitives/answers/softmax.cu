// The exercise "softmax" of rows.md, section 6: a row that is read once.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "06_primitives/primitives/primitives.cuh"
#include "common/launch.cuh"
#include "common/proof/answer.h"
#include "common/ptx.cuh"

namespace tutorial {

using namespace primitives;

/// e^(x - max), and x * factor.
struct ExpAbove {
  float max;
  __device__ __forceinline__ float operator()(float x) const {
    return exp2_approx((x - max) * 1.44269504f);
  }
};
struct Times {
  float factor;
  __device__ __forceinline__ float operator()(float x) const { return x * factor; }
};

/// A block a row: columns == VecSize * blockDim.x, x and y 16-byte aligned.
template <int VecSize>
__global__ void Softmax(const float* x, float* y, std::int64_t columns) {
  const std::int64_t row = blockIdx.x;
  //! [softmax]
  const MaxFunctor<float> max;
  const AddFunctor<float> add;
  float arg[VecSize];
  ReadData<false, Interleaved<float>>(arg, x + row * columns, columns);
  const float row_max = Reduce<kGlobalMode>(Reduce<kLocalMode>(arg, max), max);
  ElementwiseUnary(arg, arg, ExpAbove{row_max});
  const float sum = Reduce<kGlobalMode>(Reduce<kLocalMode>(arg, add), add);
  ElementwiseUnary(arg, arg, Times{1.0f / sum});
  WriteData<false, Interleaved<float>>(y + row * columns, arg, columns);
  //! [softmax]
}

}  // namespace tutorial

int main() {
  using namespace tutorial;
  constexpr int per_thread = 8;
  constexpr std::int64_t rows = 4, columns = 4096;
  const char* const names[rows] = {"numbers from -8 to 8", "numbers around 1000",
                                   "numbers around -1000", "minus infinity among numbers"};
  std::vector<float> x;
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    const float number = static_cast<float>(i * 2654435761 % 4099) / 4099.0f * 16.0f - 8.0f;
    const std::int64_t row = i / columns;
    const float base = row == 1 ? 1000.0f : row == 2 ? -1000.0f : 0.0f;
    x.push_back(row == 3 && i % 3 == 0 ? -std::numeric_limits<float>::infinity() : base + number);
  }
  const test::DeviceArray<float> in(x), out(x.size());
  Softmax<per_thread><<<rows, columns / per_thread>>>(in.data(), out.data(), columns);
  const cudaError_t error = cudaGetLastError();
  const std::vector<float> y = out.download();
  for (std::size_t row = 0; row < rows; ++row) {
    const float* const of = &x[row * columns];
    const double largest = *std::max_element(of, of + columns);
    double sum = 0.0;
    for (std::size_t c = 0; c < columns; ++c) sum += std::exp(of[c] - largest);
    for (std::size_t c = 0; c < columns; ++c) {
      const double exact = std::exp(of[c] - largest) / sum, got = y[row * columns + c];
      if (!(std::fabs(got - exact) <= 1e-5 * exact)) {
        return test::verdict(false, std::string("the row of ") + names[row] + ": y[" +
                                        std::to_string(c) + "] is " + std::to_string(got) +
                                        ", expected " + std::to_string(exact));
      }
    }
  }
  return test::verdict(error == cudaSuccess, "every row of 4,096");
}
