// The exercise "whole" of the lesson: a functor of her own, launched by its reader.
#include <cstdint>
#include <vector>

#include "06_primitives/launchers/launch_any.cuh"
#include "common/proof/whole.h"

namespace tutorial {

using primitives::launch_any;
using test::check;  // check(cudaMalloc(...)) ends the program where a call fails

/// y[i] = the mean of a[i] and b[i], in float. All are of one size, on the host.
//! [whole]
struct Mean {
  __device__ __forceinline__ float operator()(float a, float b) const { return 0.5f * (a + b); }
};

void mean(const std::vector<half>& a, const std::vector<half>& b, std::vector<float>& y) {
  const auto n = static_cast<std::int64_t>(a.size());
  const std::size_t in = a.size() * sizeof(half), out = y.size() * sizeof(float);
  half *device_a = nullptr, *device_b = nullptr;
  float* device_y = nullptr;
  check(cudaMalloc(&device_a, in));
  check(cudaMalloc(&device_b, in));
  check(cudaMalloc(&device_y, out));
  check(cudaMemcpy(device_a, a.data(), in, cudaMemcpyHostToDevice));
  check(cudaMemcpy(device_b, b.data(), in, cudaMemcpyHostToDevice));
  check(launch_any(Mean{}, device_y, n, nullptr, device_a, device_b));
  check(cudaMemcpy(y.data(), device_y, out, cudaMemcpyDeviceToHost));
  check(cudaFree(device_a));
  check(cudaFree(device_b));
  check(cudaFree(device_y));
}
//! [whole]

}  // namespace tutorial

int main() {
  using namespace tutorial;
  return test::at_every_length([](std::size_t n) {
    std::vector<half> a(n), b(n);
    std::vector<float> y(n);
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = half(static_cast<float>(i % 61) + 1.0f);
      b[i] = half(static_cast<float>(i % 53) / 1024.0f);
    }
    mean(a, b, y);
    return test::difference(
        y, [](std::size_t i) { return 0.5 * (double(i % 61 + 1) + double(i % 53) / 1024.0); });
  });
}
