// The last exercise of the lesson, "sgd": gradient descent, weights in float, a copy in half.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "06_primitives/primitives/primitives.cuh"
#include "common/launch.cuh"
#include "common/proof/speed.h"

namespace tutorial {

using namespace primitives;

/// weights[i] -= rate * gradients[i], and copy[i] is the new weight as a half, for i in [0, n). A
/// block for each tile; all pointers 16-byte aligned.
//! [sgd]
constexpr int kVecSize = 8;  // elements a thread

struct Step {
  float rate;
  __device__ __forceinline__ float operator()(float weight, float gradient) const {
    return fmaf(-rate, gradient, weight);
  }
};

template <bool IsBoundary>
__device__ __forceinline__ void sgd_tile(float* weights, const half* gradients, half* copy,
                                         float rate, std::int64_t num) {
  using Layout = Interleaved<float, half>;
  float weight[kVecSize], gradient[kVecSize];
  Init(weight, 0.0f);
  Init(gradient, 0.0f);
  ReadData<IsBoundary, Layout>(weight, weights, num);
  ReadData<IsBoundary, Layout>(gradient, gradients, num);
  ElementwiseBinary(weight, weight, gradient, Step{rate});
  WriteData<IsBoundary, Layout>(weights, weight, num);
  WriteData<IsBoundary, Layout>(copy, weight, num);
}

__global__ void sgd_kernel(float* weights, const half* gradients, half* copy, float rate,
                           std::int64_t n) {
  const std::int64_t tile = std::int64_t{blockDim.x} * kVecSize;
  const std::int64_t offset = blockIdx.x * tile;
  if (offset + tile <= n) {
    sgd_tile<false>(weights + offset, gradients + offset, copy + offset, rate, tile);
  } else {
    sgd_tile<true>(weights + offset, gradients + offset, copy + offset, rate, n - offset);
  }
}
//! [sgd]

}  // namespace tutorial

namespace {

/// What is wrong with a step of n weights; empty if nothing is.
std::string wrong(std::int64_t n) {
  using namespace tutorial;
  constexpr std::int64_t threads = 128, tile = threads * kVecSize;
  constexpr float rate = 0.125f;
  std::vector<float> weights;
  std::vector<half> gradients;
  for (int i = 0; i < n; ++i) {
    weights.push_back(1.0f + static_cast<float>(i) / 4096.0f);
    gradients.push_back(__float2half(static_cast<float>(i % 2048 - 1024) / 1024.0f));
  }
  const test::DeviceArray<float> w(weights);
  const test::DeviceArray<half> g(gradients), copy(n);
  sgd_kernel<<<grid_1d(n, tile), threads>>>(w.data(), g.data(), copy.data(), rate, n);
  const cudaError_t error = cudaGetLastError();
  const std::vector<float> y = w.download();
  const std::vector<half> h = copy.download();
  for (std::size_t i = 0; i < y.size(); ++i) {
    const float expected = std::fma(-rate, __half2float(gradients[i]), weights[i]);
    const float rounded = __half2float(__float2half(y[i]));
    if (!(std::fabs(y[i] - expected) <= 1e-6f) || __half2float(h[i]) != rounded) {
      return "element " + std::to_string(i) + " has the weight " + std::to_string(y[i]) +
             " and the copy " + std::to_string(__half2float(h[i])) + ", expected " +
             std::to_string(expected) + " and its nearest half";
    }
  }
  return error == cudaSuccess ? "" : cudaGetErrorString(error);
}

std::string how_fast() {
  using namespace tutorial;
  constexpr std::int64_t n = test::kTimedElements;
  const test::DeviceArray<float> w(n);
  const test::DeviceArray<half> g(n), copy(n);
  return test::speed(12 * n, [&] {
    sgd_kernel<<<grid_1d(n, 128 * kVecSize), 128>>>(w.data(), g.data(), copy.data(), 0.125f, n);
  });
}

}  // namespace

int main() {
  std::string problem = wrong(5000);
  if (problem.empty()) problem = wrong(tutorial::test::sizes().draw(1, 5000));
  if (problem.empty()) problem = wrong(4096);  // full tiles, whose accesses are counted
  return tutorial::test::verdict(
      problem.empty(), problem.empty() ? "every weight and its copy" + how_fast() : problem);
}
