// The transfer exercise of the lesson: a value for each channel where planes are no whole packs.
#include <cstdint>
#include <string>
#include <vector>

#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/proof/speed.h"

namespace tutorial {

/// y = a + b for a of (images, channels, pixels) and b of (channels, 1): eight elements a thread,
/// `packs` threads. `pixels` is 8 or more, and need not be a multiple of 8; their total is one.
__global__ void channel_sum_kernel(const half* a, const half* b, half* y, unsigned packs,
                                   unsigned channels, unsigned pixels) {
  //! [ends]
  const unsigned pack = blockIdx.x * blockDim.x + threadIdx.x;
  if (pack >= packs) return;
  const unsigned i = pack * 8, plane = i / pixels;
  const unsigned left = (plane + 1) * pixels - i;  // elements until the plane ends
  const unsigned channel = plane % channels;
  const half first = b[channel], second = b[channel + 1 < channels ? channel + 1 : 0];
  alignas(16) half sum[8];
  LDST128BITS(sum[0]) = LDST128BITS(a[i]);
#pragma unroll
  for (unsigned k = 0; k < 8; ++k) sum[k] = __hadd(sum[k], k < left ? first : second);
  LDST128BITS(y[i]) = LDST128BITS(sum[0]);
  //! [ends]
}

/// What is wrong, or an empty string.
std::string wrong(unsigned images, unsigned channels, unsigned pixels) {
  const unsigned n = images * channels * pixels, packs = n / 8, threads = 128;
  std::vector<half> a, b, expected;
  for (unsigned c = 0; c < channels; ++c) b.push_back(half(static_cast<float>(c * 64)));
  for (unsigned i = 0; i < n; ++i) {
    a.push_back(half(static_cast<float>(i % 61)));
    expected.push_back(half(static_cast<float>(i % 61 + i / pixels % channels * 64)));
  }
  const test::DeviceArray<half> in(a), by(b), out(n);
  channel_sum_kernel<<<(packs + threads - 1) / threads, threads>>>(in.data(), by.data(), out.data(),
                                                                   packs, channels, pixels);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) return cudaGetErrorString(error);
  const std::string difference = test::first_difference(out.download(), expected);
  return difference.empty() ? "" : difference + ", planes of " + std::to_string(pixels);
}

/// Of images with 256 channels of 7 x 7 pixels.
std::string how_fast() {
  constexpr unsigned channels = 256, pixels = 49, threads = 128;
  constexpr unsigned images = test::kTimedElements / (channels * pixels);
  constexpr unsigned n = images * channels * pixels, packs = n / 8;
  const test::DeviceArray<half> in(n), by(channels), out(n);
  return test::speed(std::int64_t{4} * n, [&] {
    channel_sum_kernel<<<(packs + threads - 1) / threads, threads>>>(
        in.data(), by.data(), out.data(), packs, channels, pixels);
  });
}

}  // namespace tutorial

int main() {
  const auto drawn = [](int low, int high) {
    return static_cast<unsigned>(tutorial::test::sizes().draw(low, high));
  };
  // The accesses of the last one are counted.
  const unsigned shapes[][3] = {
      {2, 4, 56}, {8, 3, 8}, {1, 24, 9}, {3, 8, 57}, {8, drawn(1, 24), drawn(8, 57)}, {2, 16, 49}};
  for (const auto& [images, channels, pixels] : shapes) {
    const std::string found = tutorial::wrong(images, channels, pixels);
    if (!found.empty()) return tutorial::test::verdict(false, found);
  }
  return tutorial::test::verdict(
      true, "every sum in its place, planes of 8 to 57 pixels" + tutorial::how_fast());
}
