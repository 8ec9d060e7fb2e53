// Ladder D: int8 with scales, for arrays of the same shape.
//
// D1 · i8 and D2 · i8x16_pack are the kernels of A1 and A5 with the operation as it is defined; the
// 16 bytes of A5 are 16 elements here. D3 to D6 move data as below and differ by the functor
// (int8/int8_math.cuh); notes/int8.md tells what was predicted and measured.
#pragma once

#include "04_arithmetic/int8/int8_math.cuh"
#include "04_arithmetic/ladders/ladder_a_same_shape.cuh"

namespace tutorial {

// D3 · i8x16_magic, D4 · i8x16_fast, D5 · i8x16_folded and, launched with Overlap::previous_kernel,
// D6 · i8x16_pdl: sixteen elements a thread, in four registers of four. No byte is a variable of
// its own.
template <class Op>
__global__ void arithmetic_int8x16_kernel(const std::int8_t* a, const std::int8_t* b,
                                          std::int8_t* y, std::int64_t n, Op op) {
  wait_for_previous_grid();
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t i = thread * 16;
  if (i + 16 <= n) {
    alignas(16) unsigned fours_a[4], fours_b[4];
    LDST128BITS(fours_a[0]) = LDST128BITS(a[i]);
    LDST128BITS(fours_b[0]) = LDST128BITS(b[i]);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      fours_a[k] = op.four(fours_a[k], fours_b[k]);
    }
    LDST128BITS(y[i]) = LDST128BITS(fours_a[0]);
  } else if (const std::int64_t k = tail_element<16>(thread, n); k < n) {
    y[k] = op(a[k], b[k]);
  }
}

}  // namespace tutorial
