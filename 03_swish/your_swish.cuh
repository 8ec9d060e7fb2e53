// Your rung. It starts as the formula in half arithmetic, one element a thread; "Your turn" in the
// README says what to try. The test checks it as it checks every rung, and the ladder shows it:
//
//     ./tutorial test swish --yours
//     ./tutorial bench swish
#pragma once

#include <cstdint>

#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/rung.h"

namespace tutorial {

/// How many elements a thread of your kernel takes, the alignment in bytes that it needs, and the
/// largest error in ULP that the test lets it make. Change them together with the kernel.
//! [start]
inline constexpr RungClaims kYourSwish{1, alignof(half), 16.0};

__global__ void your_swish_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    const half lowest = __float2half(-24.0f);
    const half z = __hlt(x[i], lowest) ? lowest : x[i];
    const half e = hexp(__hneg(__habs(z)));
    const half numerator = __hlt(z, __float2half(0.0f)) ? __hmul(z, e) : z;
    y[i] = __hdiv(numerator, __hadd(__float2half(1.0f), e));
  }
}
//! [start]

}  // namespace tutorial
