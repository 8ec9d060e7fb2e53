// Your rung: the PRelu of two arrays of halves, a > 0 ? a : a b. It starts as a copy of A1, one
// element a thread; "Your turn" in README.md says what to try. The test checks it as it checks
// every rung, and the ladder shows it:
//
//     ./tutorial test arithmetic --yours
//     ./tutorial bench arithmetic
#pragma once

#include <cstdint>

#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/rung.h"

namespace tutorial {

/// How many elements a thread of your kernel takes, the alignment in bytes that it needs, and the
/// largest error in ULP that the test lets it make. Change them together with the kernel.
//! [start]
inline constexpr RungClaims kYourArithmetic{1, alignof(half), 0.5};

__global__ void your_arithmetic_kernel(const half* a, const half* b, half* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = __hgt(a[i], __float2half(0.0f)) ? a[i] : __hmul(a[i], b[i]);
  }
}
//! [start]

}  // namespace tutorial
