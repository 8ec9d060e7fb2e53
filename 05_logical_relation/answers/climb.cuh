// The exercise of section 4: eight halves of each operand in, eight answers out.
#pragma once

#include <cstdint>

#include "05_logical_relation/logical_relation_math.cuh"
#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/rung.h"

namespace tutorial {

//! [climb]
inline constexpr RungClaims kYourRelation{8, 16, 0.0};

__global__ void your_relation_kernel(const half* a, const half* b, Byte* y, std::int64_t n,
                                     Greater greater) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i + 8 <= n) {
    alignas(16) half left[8], right[8];
    alignas(8) Byte answers[8];
    LDST128BITS(left[0]) = LDST128BITS(a[i]);
    LDST128BITS(right[0]) = LDST128BITS(b[i]);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      answers[k] = greater(left[k], right[k]) ? 1 : 0;
    }
    LDST64BITS(y[i]) = LDST64BITS(answers[0]);
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = greater(a[k], b[k]) ? 1 : 0;
    }
  }
}
//! [climb]

}  // namespace tutorial
