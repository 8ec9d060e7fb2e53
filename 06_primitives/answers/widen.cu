// The exercise "widen" of section 6: two lists of halves, and their sum as floats.
#include <cstdint>
#include <string>
#include <vector>

#include "06_primitives/primitives/primitives.cuh"
#include "common/launch.cuh"
#include "common/proof/answer.h"

namespace tutorial {

using namespace primitives;

constexpr int kVecSize = 8;  // elements a thread

/// out[i] = a[i] + b[i], added as floats: one tile, of which `num` elements exist.
//! [widen]
template <bool IsBoundary>
__device__ __forceinline__ void widen_tile(const half* a, const half* b, float* out,
                                           std::int64_t num) {
  using Layout = Interleaved<half, float>;
  float x[kVecSize], y[kVecSize];
  Init(x, 0.0f);
  Init(y, 0.0f);
  ReadData<IsBoundary, Layout>(x, a, num);
  ReadData<IsBoundary, Layout>(y, b, num);
  ElementwiseBinary(x, x, y, AddFunctor<float>{});
  WriteData<IsBoundary, Layout>(out, x, num);
}
//! [widen]

/// A block for each tile. a, b and out: 16-byte aligned.
__global__ void widen_kernel(const half* a, const half* b, float* out, std::int64_t n) {
  const std::int64_t tile = std::int64_t{blockDim.x} * kVecSize;
  const std::int64_t offset = blockIdx.x * tile;
  if (offset + tile <= n) {
    widen_tile<false>(a + offset, b + offset, out + offset, tile);
  } else {
    widen_tile<true>(a + offset, b + offset, out + offset, n - offset);
  }
}

}  // namespace tutorial

namespace {

/// What is wrong with n sums; empty if nothing is.
std::string wrong(std::int64_t n) {
  using namespace tutorial;
  constexpr std::int64_t threads = 128, tile = threads * kVecSize;
  std::vector<half> a, b;  // of which element i has the sum i, as a float
  for (int i = 0; i < n; ++i) {
    a.push_back(__float2half(static_cast<float>(i % 64)));
    b.push_back(__float2half(static_cast<float>(i / 64 * 64)));
  }
  const test::DeviceArray<half> in0(a), in1(b);
  const test::DeviceArray<float> out(n);
  widen_kernel<<<grid_1d(n, tile), threads>>>(in0.data(), in1.data(), out.data(), n);
  const cudaError_t error = cudaGetLastError();
  const std::vector<float> y = out.download();
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i] != static_cast<float>(i)) {
      return "out[" + std::to_string(i) + "] " +
             (y[i] == y[i] ? "holds the sum of element " + std::to_string(static_cast<long>(y[i]))
                           : "was not written");
    }
  }
  return error == cudaSuccess ? "" : cudaGetErrorString(error);
}

}  // namespace

int main() {
  std::string problem = wrong(5000);
  if (problem.empty()) problem = wrong(tutorial::test::sizes().draw(1, 5000));
  if (problem.empty()) problem = wrong(4096);  // full tiles, whose accesses are counted
  return tutorial::test::verdict(problem.empty(),
                                 problem.empty() ? "every sum in its place" : problem);
}
