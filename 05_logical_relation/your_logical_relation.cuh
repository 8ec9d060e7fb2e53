// Your rung. It starts as rung B1, one comparison a thread; the README says what to try. The test
// checks it like every other rung, and the benchmark times it:
//
//     ./tutorial test logical_relation --yours
//     ./tutorial bench logical_relation
#pragma once

#include <cstdint>

#include "05_logical_relation/logical_relation_math.cuh"
#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/rung.h"

namespace tutorial {

/// How many elements a thread of your kernel takes, and the alignment in bytes that a and b need
/// (y: as many bytes as a thread writes, up to 16). The last number is not used in this chapter: an
/// answer is right or wrong.
//! [start]
inline constexpr RungClaims kYourRelation{1, alignof(half), 0.0};

__global__ void your_relation_kernel(const half* a, const half* b, Byte* y, std::int64_t n,
                                     Greater greater) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = greater(a[i], b[i]) ? 1 : 0;
  }
}
//! [start]

}  // namespace tutorial
