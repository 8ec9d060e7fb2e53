// Your rung: images of `channels` planes of `pixels` halves each, plus one half for each channel. It
// starts as rung B3, one element a thread, and README.md says what to try. The test checks it as it
// checks every rung, and the ladder shows it:
//
//     ./tutorial test arithmetic --yours
//     ./tutorial bench arithmetic
#pragma once

#include <cstdint>

#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/rung.h"

namespace tutorial {

/// How many elements a thread of your kernel takes, which `pixels` is a multiple of; the alignment in
/// bytes that a and y need; and the error in ULP, which is that of one rounding. Change the first two
/// together with the kernel.
//! [start]
inline constexpr RungClaims kYourArithmetic{1, alignof(half), 0.5};

__global__ void your_arithmetic_kernel(const half* a, const half* b, half* y, std::int64_t n,
                                       std::int64_t channels, std::int64_t pixels) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    const std::int64_t channel = i / pixels % channels;
    y[i] = __hadd(a[i], b[channel]);
  }
}
//! [start]

}  // namespace tutorial
