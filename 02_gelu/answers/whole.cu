// The exercise "whole" of the lesson: GELU from a vector to a vector, launched by its reader.
#include <cmath>
#include <cstdint>
#include <vector>

#include "common/proof/whole.h"
#include "common/ptx.cuh"

namespace tutorial {

using test::check;  // check(cudaMalloc(...)) ends the program where a call fails

/// y[i] = GELU(x[i]), in the form with a tanh. x and y are of one size, on the host.
//! [whole]
__global__ void gelu_kernel(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float t = x[i] * fmaf(x[i] * x[i], -0.10294324f, -2.30220819f);  // -2u log2(e)
  y[i] = x[i] * rcp_approx(1.0f + exp2_approx(t));
}

void gelu(const std::vector<float>& x, std::vector<float>& y) {
  const auto n = static_cast<std::int64_t>(x.size());
  const std::size_t bytes = x.size() * sizeof(float);
  float *device_x = nullptr, *device_y = nullptr;
  check(cudaMalloc(&device_x, bytes));
  check(cudaMalloc(&device_y, bytes));
  check(cudaMemcpy(device_x, x.data(), bytes, cudaMemcpyHostToDevice));
  const int threads = 128;
  gelu_kernel<<<(n + threads - 1) / threads, threads>>>(device_x, device_y, n);
  check(cudaGetLastError());
  check(cudaMemcpy(y.data(), device_y, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(device_x));
  check(cudaFree(device_y));
}
//! [whole]

}  // namespace tutorial

int main() {
  using namespace tutorial;
  return test::at_every_length([](std::size_t n) {
    std::vector<float> x(n), y(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i % 481) / 40.0f - 6.0f;
    gelu(x, y);
    return test::difference(y, [&](std::size_t i) {
      const double v = x[i], u = std::sqrt(2.0 / M_PI) * (v + 0.044715 * v * v * v);
      return v / (1.0 + std::exp(-2.0 * u));  // as 1 + tanh u, without its cancellation
    });
  });
}
