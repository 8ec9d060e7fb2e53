// Exercise 1 of "Your turn": eight halves of each operand in, eight answers out.
#pragma once

#include <cstdint>

#include "05_logical_relation/logical_relation_math.cuh"
#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/rung.h"

namespace tutorial {

inline constexpr RungClaims kYourRelation{8, 16, 0.0};

__global__ void your_relation_kernel(const half* a, const half* b, Byte* y, std::int64_t n,
                                     Greater greater) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i + 8 <= n) {
    //! [climb]
    alignas(16) half2 left[4], right[4];
    LDST128BITS(left[0]) = LDST128BITS(a[i]);
    LDST128BITS(right[0]) = LDST128BITS(b[i]);
    alignas(8) unsigned words[2];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const unsigned low = greater.mask(left[2 * k], right[2 * k]);
      const unsigned high = greater.mask(left[2 * k + 1], right[2 * k + 1]);
      words[k] = __byte_perm(low, high, 0x6420) & 0x01010101u;
    }
    LDST64BITS(y[i]) = LDST64BITS(words[0]);
    //! [climb]
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = greater(a[k], b[k]) ? 1 : 0;
    }
  }
}

}  // namespace tutorial
