// The exercise "whole" of the lesson: SwiGLU of two vectors in one kernel, launched by its reader.
#include <cmath>
#include <cstdint>
#include <vector>

#include "common/proof/whole.h"
#include "common/ptx.cuh"

namespace tutorial {

using test::check;  // check(cudaMalloc(...)) ends the program where a call fails

/// y[i] = swish(a[i]) * b[i], in one launch. All are of one size, on the host.
//! [whole]
__global__ void swiglu_kernel(const float* a, const float* b, float* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a[i] * rcp_approx(1.0f + exp2_approx(a[i] * -1.44269504f)) * b[i];
}

void swiglu(const std::vector<float>& a, const std::vector<float>& b, std::vector<float>& y) {
  const auto n = static_cast<std::int64_t>(a.size());
  const std::size_t bytes = a.size() * sizeof(float);
  float *device_a = nullptr, *device_b = nullptr, *device_y = nullptr;
  for (float** const array : {&device_a, &device_b, &device_y}) check(cudaMalloc(array, bytes));
  check(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice));
  const int threads = 128;
  swiglu_kernel<<<(n + threads - 1) / threads, threads>>>(device_a, device_b, device_y, n);
  check(cudaGetLastError());
  check(cudaMemcpy(y.data(), device_y, bytes, cudaMemcpyDeviceToHost));
  for (float* const array : {device_a, device_b, device_y}) check(cudaFree(array));
}
//! [whole]

}  // namespace tutorial

int main() {
  using namespace tutorial;
  return test::at_every_length([](std::size_t n) {
    std::vector<float> a(n), b(n), y(n);
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = static_cast<float>(i % 481) / 40.0f - 6.0f;
      b[i] = static_cast<float>(i % 37) / 8.0f + 0.5f;
    }
    swiglu(a, b, y);
    return test::difference(
        y, [&](std::size_t i) { return double{a[i]} / (1.0 + std::exp(-double{a[i]})) * b[i]; });
  });
}
