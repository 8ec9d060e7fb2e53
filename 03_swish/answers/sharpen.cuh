// The exercise of sections 4 and 6: float arithmetic and an approximate reciprocal (rung 11).
#pragma once

#include <cstdint>

#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/ptx.cuh"
#include "common/rung.h"

namespace tutorial {

//! [sharpen]
inline constexpr RungClaims kYourSwish{8, 16, 0.51};

__device__ __forceinline__ half your_swish(half h) {
  const float x = __half2float(h);
  const float sigmoid = rcp_approx(1.0f + exp2_approx(x * -1.44269504f));
  return __float2half(fmaxf(x, -65504.0f) * sigmoid);  // -infinity times 0 would be NaN
}
//! [sharpen]

__global__ void your_swish_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i + 8 <= n) {
    alignas(16) half pack[8];
    LDST128BITS(pack[0]) = LDST128BITS(x[i]);
#pragma unroll
    for (int k = 0; k < 8; ++k) pack[k] = your_swish(pack[k]);
    LDST128BITS(y[i]) = LDST128BITS(pack[0]);
  } else {
    for (std::int64_t k = i; k < n; ++k) y[k] = your_swish(x[k]);
  }
}

}  // namespace tutorial
