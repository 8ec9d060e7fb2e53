// The exercise "whole" of the lesson: halves in, bytes out, launched by its reader.
#include <cstdint>
#include <vector>

#include "common/macros.cuh"
#include "common/proof/whole.h"

namespace tutorial {

using Byte = std::uint8_t;
using test::check;  // check(cudaMalloc(...)) ends the program where a call fails

/// y[i] = a[i] > b[i], as 0 or 1. All are of one size, on the host.
//! [whole]
__global__ void greater_kernel(const half* a, const half* b, Byte* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hgt(a[i], b[i]) ? 1 : 0;
}

void greater(const std::vector<half>& a, const std::vector<half>& b, std::vector<Byte>& y) {
  const auto n = static_cast<std::int64_t>(a.size());
  const std::size_t in = a.size() * sizeof(half), out = y.size() * sizeof(Byte);
  half *device_a = nullptr, *device_b = nullptr;
  Byte* device_y = nullptr;
  check(cudaMalloc(&device_a, in));
  check(cudaMalloc(&device_b, in));
  check(cudaMalloc(&device_y, out));
  check(cudaMemcpy(device_a, a.data(), in, cudaMemcpyHostToDevice));
  check(cudaMemcpy(device_b, b.data(), in, cudaMemcpyHostToDevice));
  const int threads = 128;
  greater_kernel<<<(n + threads - 1) / threads, threads>>>(device_a, device_b, device_y, n);
  check(cudaGetLastError());
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
    std::vector<Byte> y(n, 255);
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = half(static_cast<float>(i % 61));
      b[i] = half(static_cast<float>(i % 53));
    }
    greater(a, b, y);
    return test::difference(y, [](std::size_t i) { return i % 61 > i % 53 ? 1.0 : 0.0; });
  });
}
