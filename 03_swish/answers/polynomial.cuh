// The exercise of notes/float.md: the exponential without the special-function unit.
#pragma once

#include <cstdint>

#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/ptx.cuh"
#include "common/rung.h"

namespace tutorial {

//! [polynomial]
inline constexpr RungClaims kYourSwish{1, alignof(half), 0.51};

__global__ void your_swish_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
    const float v = __half2float(x[i]);
    const float t = fminf(fmaxf(v * -1.44269504f, -60.0f), 60.0f);  // e^(-v) = 2^t
    const float shifted = t + kRound;
    const float r = (t - (shifted - kRound)) * 0.693147181f;  // |r| <= ln(2) / 2
    float p = fmaf(r, 0.0414586082f, 0.167909072f);  // e^r, fitted: Taylor's is 16 times worse
    p = fmaf(r, p, 0.500043587f);
    p = fmaf(r, p, 0.999963405f);
    p = fmaf(r, p, 0.999999261f);
    const float e = __uint_as_float(__float_as_uint(p) + (__float_as_uint(shifted) << 23));
    const float y_of_v = fmaxf(v, -64.0f) * rcp_approx(1.0f + e);
    y[i] = __float2half(v != v ? v : y_of_v);  // fmaxf and fminf have dropped a NaN
  }
}
//! [polynomial]

}  // namespace tutorial
