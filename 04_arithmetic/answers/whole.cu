// The exercise "whole" of the lesson: a bias for each channel, launched by its reader.
#include <cstdint>
#include <vector>

#include "common/macros.cuh"
#include "common/proof/whole.h"

namespace tutorial {

using test::check;  // check(cudaMalloc(...)) ends the program where a call fails

/// y = images + bias. A plane has `pixels` halves; the planes of an image are its channels, and `bias`
/// has a half for each. y is of the size of images; all are on the host.
//! [whole]
__global__ void bias_kernel(const half* a, const half* b, half* y, std::int64_t n,
                            std::int64_t channels, std::int64_t pixels) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hadd(a[i], b[i / pixels % channels]);
}

void add_bias(const std::vector<half>& images, const std::vector<half>& bias, std::int64_t pixels,
              std::vector<half>& y) {
  const auto n = static_cast<std::int64_t>(images.size());
  const auto channels = static_cast<std::int64_t>(bias.size());
  const std::size_t bytes = images.size() * sizeof(half), of_bias = bias.size() * sizeof(half);
  half *device_a = nullptr, *device_b = nullptr, *device_y = nullptr;
  check(cudaMalloc(&device_a, bytes));
  check(cudaMalloc(&device_b, of_bias));
  check(cudaMalloc(&device_y, bytes));
  check(cudaMemcpy(device_a, images.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(device_b, bias.data(), of_bias, cudaMemcpyHostToDevice));
  const int threads = 128;
  bias_kernel<<<(n + threads - 1) / threads, threads>>>(device_a, device_b, device_y, n, channels,
                                                        pixels);
  check(cudaGetLastError());
  check(cudaMemcpy(y.data(), device_y, bytes, cudaMemcpyDeviceToHost));
  for (half* const array : {device_a, device_b, device_y}) check(cudaFree(array));
}
//! [whole]

}  // namespace tutorial

int main() {
  using namespace tutorial;
  return test::at_every_length([](std::size_t pixels) {
    const std::size_t channels = 3, n = 2 * channels * pixels;
    std::vector<half> images(n), bias(channels), y(n);
    for (std::size_t i = 0; i < n; ++i) images[i] = half(static_cast<float>(i % 61));
    for (std::size_t c = 0; c < channels; ++c) bias[c] = half(static_cast<float>(c * 64 + 64));
    add_bias(images, bias, static_cast<std::int64_t>(pixels), y);
    return test::difference(
        y, [&](std::size_t i) { return double(i % 61 + i / pixels % channels * 64 + 64); });
  });
}
