// The exercise of section 6: rung 12, one exponential and one reciprocal.
#pragma once

#include <cstdint>

#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/ptx.cuh"
#include "common/rung.h"

namespace tutorial {

//! [one_exponential]
inline constexpr RungClaims kYourGelu{8, 16, 0.51};

__device__ __forceinline__ half your_gelu(half h) {
  const float x = __half2float(h);
  const float t = x * fmaf(x * x, -0.10294324f, -2.30220819f);  // -2u log2(e), multiplied out
  return __float2half(fmaxf(x, -16.0f) * rcp_approx(1.0f + exp2_approx(t)));
}
//! [one_exponential]

__global__ void your_gelu_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i + 8 <= n) {
    alignas(16) half pack[8];
    LDST128BITS(pack[0]) = LDST128BITS(x[i]);
#pragma unroll
    for (int k = 0; k < 8; ++k) pack[k] = your_gelu(pack[k]);
    LDST128BITS(y[i]) = LDST128BITS(pack[0]);
  } else {
    for (std::int64_t k = i; k < n; ++k) y[k] = your_gelu(x[k]);
  }
}

}  // namespace tutorial
