// The further exercise of notes/same_shape.md: two halves at once, and no branch.
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/proof/answer.h"

namespace tutorial {

/// PRelu of two pairs: where a half of `a` is above zero it is a, else a b.
__device__ __forceinline__ half2 prelu_pair(half2 a, half2 b) {
  //! [pairs]
  const unsigned mask = __hgt2_mask(a, half2{0.0f, 0.0f});  // all ones where it is above zero
  half2 product = __hmul2(a, b);
  LDST32BITS(product) = (LDST32BITS(a) & mask) | (LDST32BITS(product) & ~mask);
  return product;
  //! [pairs]
}

__global__ void prelu_pairs_kernel(const half* a, const half* b, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i < n) {
    alignas(16) half2 pack_a[4], pack_b[4];
    LDST128BITS(pack_a[0]) = LDST128BITS(a[i]);
    LDST128BITS(pack_b[0]) = LDST128BITS(b[i]);
#pragma unroll
    for (int k = 0; k < 4; ++k) pack_a[k] = prelu_pair(pack_a[k], pack_b[k]);
    LDST128BITS(y[i]) = LDST128BITS(pack_a[0]);
  }
}

}  // namespace tutorial

int main() {
  using namespace tutorial;
  constexpr unsigned kValues = 64;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> values = {0.0f, -0.0f, 1.0f, -1.0f, 0.3f, -70.0f, infinity, -infinity, nan};
  while (values.size() < kValues) values.push_back(-values[values.size() - 7] * 1.1f);
  std::vector<half> a, b;
  for (const float left : values) {
    for (const float right : values) {
      a.push_back(half(left));
      b.push_back(half(right));
    }
  }
  const auto n = static_cast<std::int64_t>(a.size());
  const test::DeviceArray<half> in0(a), in1(b), out(a.size());
  prelu_pairs_kernel<<<kValues * kValues / 1024, 128>>>(in0.data(), in1.data(), out.data(), n);
  bool same = cudaGetLastError() == cudaSuccess;
  const std::vector<half> y = out.download();
  for (std::size_t i = 0; i < y.size(); ++i) {
    const half right = __hgt(a[i], half(0.0f)) ? a[i] : __hmul(a[i], b[i]);
    const bool both_nan = __hisnan(y[i]) && __hisnan(right);
    same = same && (both_nan || std::memcmp(&y[i], &right, sizeof(half)) == 0);
  }
  return test::verdict(same, "every pair as one half at a time has it, zeros' signs and NaN too");
}
