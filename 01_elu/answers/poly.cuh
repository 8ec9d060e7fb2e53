// The exercise of section 9: two formulas, each where it does not cancel.
#pragma once

#include <cstdint>

#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/ptx.cuh"
#include "common/rung.h"

namespace tutorial {

inline constexpr RungClaims kYourElu{1, alignof(half), 0.51};

//! [poly]
__device__ __forceinline__ half your_elu(half h) {
  const float x = __half2float(h);
  const float q = fmaf(x, fmaf(x, fmaf(x, 0.03786212f, 0.16612119f), 0.49997746f), 1.0f);
  const float negative = x > -0.25f ? x * q : exp2_approx(x * 1.44269504f) - 1.0f;
  return __float2half(x < 0.0f ? negative : x);
}
//! [poly]

__global__ void your_elu_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = your_elu(x[i]);
  }
}

}  // namespace tutorial
