// Ladder A: And, Or, Xor and Not on truth values of a byte.
//
// Read from the top; notes/ladder.md has the prediction and the outcome of each rung. Every
// kernel is right for every n >= 0: it handles the tail itself. A vector access needs pointers
// aligned to its width, which the launchers check. The arithmetic is in logical_relation_math.cuh.
#pragma once

#include <cstdint>

#include "05_logical_relation/logical_relation_math.cuh"
#include "common/launch.cuh"
#include "common/macros.cuh"

namespace tutorial {

// A1 · u8: one thread, one element. Two bytes in, one byte out.
template <class Op>
__global__ void logical_u8_kernel(const Byte* a, const Byte* b, Byte* y, std::int64_t n,
                                  OnBytes<Op> op) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = op(a[i], b[i]);
  }
}

// A2 · bool8: eight bytes a thread, in a struct. The struct is aligned as its members are, to 1
// byte, so the compiler may not access more than one byte at a time.
struct bool8_ {
  Byte x0, y0, z0, w0, x1, y1, z1, w1;
};
static_assert(sizeof(bool8_) == 8 && alignof(bool8_) == 1);

template <class Op>
__global__ void logical_bool8_kernel(const Byte* a, const Byte* b, Byte* y, std::int64_t n,
                                     OnBytes<Op> op) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i + 8 <= n) {
    const bool8_ left = *reinterpret_cast<const bool8_*>(a + i);
    const bool8_ right = *reinterpret_cast<const bool8_*>(b + i);
    bool8_ result;
    result.x0 = op(left.x0, right.x0);
    result.y0 = op(left.y0, right.y0);
    result.z0 = op(left.z0, right.z0);
    result.w0 = op(left.w0, right.w0);
    result.x1 = op(left.x1, right.x1);
    result.y1 = op(left.y1, right.y1);
    result.z1 = op(left.z1, right.z1);
    result.w1 = op(left.w1, right.w1);
    *reinterpret_cast<bool8_*>(y + i) = result;
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = op(a[k], b[k]);
    }
  }
}

// A3 · u8x16: sixteen bytes a thread, in four registers; one 32-bit operation works on four bytes.
// A4 · u8x16_pdl: the same kernel with an early start and 256 threads a block, or 704 where the
// arrays do not fit the L2.
template <class Op>
__global__ void logical_u8x16_kernel(const Byte* a, const Byte* b, Byte* y, std::int64_t n, Op op) {
  wait_for_previous_grid();
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t i = thread * 16;
  if (i + 16 <= n) {
    alignas(16) unsigned left[4], right[4];
    LDST128BITS(left[0]) = LDST128BITS(a[i]);
    LDST128BITS(right[0]) = LDST128BITS(b[i]);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      left[k] = logical_four(op, left[k], right[k]);
    }
    LDST128BITS(y[i]) = LDST128BITS(left[0]);
  } else if (const std::int64_t k = tail_element<16>(thread, n); k < n) {
    y[k] = OnBytes<Op>{op}(a[k], b[k]);
  }
}

// A1 and A3 with one operand: Not moves two bytes an element instead of three.
template <class Op>
__global__ void logical_one_u8_kernel(const Byte* a, Byte* y, std::int64_t n, OnBytes<Op> op) {
  wait_for_previous_grid();
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = op(a[i]);
  }
}

template <class Op>
__global__ void logical_one_u8x16_kernel(const Byte* a, Byte* y, std::int64_t n, Op op) {
  wait_for_previous_grid();
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t i = thread * 16;
  if (i + 16 <= n) {
    alignas(16) unsigned pack[4];
    LDST128BITS(pack[0]) = LDST128BITS(a[i]);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      pack[k] = logical_four(op, pack[k]);
    }
    LDST128BITS(y[i]) = LDST128BITS(pack[0]);
  } else if (const std::int64_t k = tail_element<16>(thread, n); k < n) {
    y[k] = OnBytes<Op>{op}(a[k]);
  }
}

}  // namespace tutorial
