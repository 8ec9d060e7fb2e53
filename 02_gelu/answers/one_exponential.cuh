// Exercise 1 of "Your turn": the sigmoid form, in half arithmetic.
#pragma once

#include <cstdint>

#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/rung.h"

namespace tutorial {

//! [one_exponential]
inline constexpr RungClaims kYourGelu{1, alignof(half), 16.0};

__global__ void your_gelu_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    const half one = __float2half(1.0f);
    const half z = __hmax_nan(x[i], __float2half(-11.0f));
    // 2u = 2 sqrt(2 / pi) z (1 + 0.044715 z^2), multiplied out
    const half cubic = __hfma(__float2half(0.0713548163f), __hmul(z, z), __float2half(1.59576912f));
    const half e = hexp(__hneg(__habs(__hmul(z, cubic))));  // e^(-|2u|), never above 1
    const half numerator = __hlt(z, __float2half(0.0f)) ? __hmul(z, e) : z;
    y[i] = __hmul(numerator, hrcp(__hadd(one, e)));
  }
}
//! [one_exponential]

}  // namespace tutorial
