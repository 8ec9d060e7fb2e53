// Ladder D: int8 with scales, for arrays of the same shape.
//
// Rungs 1 and 2 are the kernels of ladder A with the operation as it is defined:
// arithmetic_nobroadcast_kernel and arithmetic_pack_kernel, whose 16 bytes are 16 elements here.
// From rung 3 on the data moves as below, and rungs differ by the functor
// (arithmetic_int8_math.cuh).
#pragma once

#include "04_arithmetic/ladder_a_same_shape.cuh"
#include "04_arithmetic/launchers/int8_math.cuh"

namespace tutorial {

// Rung 3. Sixteen elements a thread, in four registers of four: no byte is ever a variable.
//! [int8x16]
template <class Op>
__global__ void arithmetic_int8x16_kernel(const std::int8_t* a, const std::int8_t* b,
                                          std::int8_t* y, std::int64_t n, Op op) {
  wait_for_previous_grid();
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 16;
  if (i + 16 <= n) {
    alignas(16) unsigned fours_a[4], fours_b[4];
    LDST128BITS(fours_a[0]) = LDST128BITS(a[i]);
    LDST128BITS(fours_b[0]) = LDST128BITS(b[i]);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      fours_a[k] = op.four(fours_a[k], fours_b[k]);
    }
    LDST128BITS(y[i]) = LDST128BITS(fours_a[0]);
  } else {
#pragma unroll 1
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = op(a[k], b[k]);
    }
  }
}
//! [int8x16]

}  // namespace tutorial
