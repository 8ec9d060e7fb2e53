// The further exercise of notes/rows.md: PRelu with a slope for each channel, counted by the grid alone.
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/proof/answer.h"

namespace tutorial {

//! [broadcast]
/// y = prelu(a, slope) for a of (images, channels, plane) and slope of (channels). Grid: x covers a
/// plane's packs of eight, y is the plane, at most 65,535 of them. plane is a multiple of 8.
__global__ void prelu_planes_kernel(const half* a, const half* slope, half* y, unsigned channels,
                                    unsigned packs) {
  const unsigned pack = blockIdx.x * blockDim.x + threadIdx.x;
  if (pack >= packs) return;
  const half b = slope[blockIdx.y % channels];  // the same address for the whole block
  const std::int64_t i = (std::int64_t{blockIdx.y} * packs + pack) * 8;
  alignas(16) half x[8];
  LDST128BITS(x[0]) = LDST128BITS(a[i]);
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    x[k] = __hgt(x[k], __float2half(0.0f)) ? x[k] : __hmul(x[k], b);
  }
  LDST128BITS(y[i]) = LDST128BITS(x[0]);
}

cudaError_t prelu_planes(const half* a, const half* slope, half* y, unsigned images,
                         unsigned channels, unsigned plane, cudaStream_t stream) {
  const unsigned packs = plane / 8;
  constexpr unsigned kMost = 416;  // thirteen warps: 392 packs and 24 idle threads
  const dim3 block(packs < kMost ? (packs + 31) / 32 * 32 : kMost);
  const dim3 grid((packs + block.x - 1) / block.x, images * channels);
  prelu_planes_kernel<<<grid, block, 0, stream>>>(a, slope, y, channels, packs);
  return cudaGetLastError();
}
//! [broadcast]

}  // namespace tutorial

int main() {
  using namespace tutorial;
  constexpr unsigned images = 2;
  const auto channels = static_cast<unsigned>(test::sizes().draw(64, 256));
  const auto plane = static_cast<unsigned>(8 * test::sizes().draw(300, 800));
  std::vector<half> a, slope;
  for (unsigned i = 0; i < images * channels * plane; ++i) {
    a.push_back(half(static_cast<float>(i * 2654435761U >> 20) / 512.0f - 4.0f));
  }
  for (unsigned c = 0; c < channels; ++c) slope.push_back(half(static_cast<float>(c) / 256.0f));
  const test::DeviceArray<half> in(a), by(slope), out(a.size());
  const cudaError_t error =
      prelu_planes(in.data(), by.data(), out.data(), images, channels, plane, nullptr);
  std::vector<half> expected;
  for (unsigned i = 0; i < a.size(); ++i) {
    const half b = slope[i / plane % channels];
    expected.push_back(__hgt(a[i], half(0.0f)) ? a[i] : __hmul(a[i], b));
  }
  const std::vector<half> y = out.download();
  return test::verdict(
      error == cudaSuccess && std::memcmp(y.data(), expected.data(), y.size() * sizeof(half)) == 0,
      "every element as the definition has it");
}
