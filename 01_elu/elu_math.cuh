// The arithmetic of the ELU ladder: what each rung computes, apart from how its data moves.
//
// The kernels of rungs 1 to 6 are in elu_kernels.cuh; from rung 7 on the data moves as in
// elementwise_pack_kernel (common/elementwise.cuh), and a rung is an operation on pairs from here.
#pragma once

#include "common/elementwise.cuh"
#include "common/ptx.cuh"

namespace tutorial {

// expm1f(x) is e^x - 1 without the cancellation near zero. A NaN fails every comparison and is
// returned unchanged; so is -0.
__device__ __forceinline__ float elu_float(float x) { return x < 0.0f ? expm1f(x) : x; }

// The same in half arithmetic, as a first attempt does it: hexp, then minus one. The lesson shows
// what that costs in accuracy.
//! [elu_half]
__device__ __forceinline__ half elu_half(half x) {
  const half zero = __float2half(0.0f);
  const half one = __float2half(1.0f);
  return __hlt(x, zero) ? __hsub(hexp(x), one) : x;
}
//! [elu_half]

// Rung 7 · f16x8_pack_h2: SIMD within a register, one call for two halves. (h2exp is not one
// instruction: notes/arithmetic.md looks at its machine code.)
//! [f16x8_pack_h2]
struct EluHalf2 {
  __device__ __forceinline__ half2 operator()(half2 x) const {
    const half2 one = __float2half2_rn(1.0f);
    return select_negative(x, __hsub2(h2exp(x), one), x);
  }
};
//! [f16x8_pack_h2]

// Rung 8 · f16x8_pack_fexp: float arithmetic inside: widen, compute, round once at the end.
//! [f16x8_pack_fexp]
struct EluFastExp {
  __device__ __forceinline__ float operator()(float x) const {
    return x < 0.0f ? __expf(x) - 1.0f : x;
  }
};
//! [f16x8_pack_fexp]

// Rung 9 · f16x8_pack_expm1: the library's expm1f, more accurate than a half can hold, and more
// instructions than the budget has slots.
struct EluExpm1 {
  __device__ __forceinline__ float operator()(float x) const { return elu_float(x); }
};

// Rung 10 · f16x8_pack_poly: e^x - 1 as accurate as a half needs, and no more accurate.
//
// Near zero a polynomial: x * q(x), where q(0) = 1 exactly, so nothing cancels. q is the minimax
// fit of (e^x - 1)/x on [-1/4, 0]; its relative error is 2.9e-7, a thousandth of a half's last
// place. Below -1/4 the subtraction loses at most two bits of the 22 that ex2.approx gives.
__device__ __forceinline__ float scaled_expm1_for_half(float alpha, float x) {
  const float q = fmaf(x, fmaf(x, fmaf(x, 0.03786212f, 0.16612119f), 0.49997746f), 1.0f);
  const float log2_e = 1.44269504f;
  const float near_zero = alpha * x * q;
  const float elsewhere = fmaf(alpha, exp2_approx(x * log2_e), -alpha);
  return x > -0.25f ? near_zero : elsewhere;
}

// Rung 11 · f32x4_poly: e^x - 1 as accurate as a float needs, for x < 0, without a branch or the
// special-function unit. x = k ln 2 + r with |r| <= ln(2)/2; e^r - 1 by a polynomial; then 2^k (e^r
// - 1) + (2^k - 1).
//
// Adding 1.5 * 2^23 rounds to an integer: the sum has no bits left for a fraction, and its lowest
// bits are k, ready to be shifted into an exponent. Below -17.5 the answer is -1 to the last bit.
__device__ __forceinline__ float expm1_for_float(float x) {
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23
  const float z = x > -17.5f ? x : -17.5f;
  const float shifted = fmaf(z, 1.44269504f, kRound);
  const float k = shifted - kRound;
  const float r = fmaf(k, -0.693147181f, z);
  float p = fmaf(r, 0.0013882507f, 0.008366596f);
  p = fmaf(r, p, 0.041667200f);
  p = fmaf(r, p, 0.16666543f);
  p = fmaf(r, p, 0.49999997f);
  p = fmaf(r * r, p, r);
  const float scale = __uint_as_float((__float_as_uint(shifted) << 23) + 0x3f800000u);  // 2^k
  return fmaf(scale, p, scale - 1.0f);
}

// e^x - 1 for eight-bit floats, whose smallest result is 2^-16: the subtraction, wrong by 2^-22 or
// so, leaves more digits than they hold.
struct EluForFp8 {
  __device__ __forceinline__ float operator()(float x) const {
    return x < 0.0f ? exp2_approx(x * 1.44269504f) - 1.0f : x;
  }
};

// The operation that the last rungs of every type share.
struct Elu {
  float alpha;

  template <class P>
  __device__ __forceinline__ P operator()(P x) const {
    const float2 v = to_float2(x);
    const float2 negative = {scaled_expm1_for_half(alpha, v.x), scaled_expm1_for_half(alpha, v.y)};
    return select_negative(x, from_float2<P>(negative), x);
  }
  __device__ __forceinline__ float2 operator()(float2 x) const {
    const float2 negative = {alpha * expm1_for_float(x.x), alpha * expm1_for_float(x.y)};
    return select_negative(x, negative, x);
  }
};

}  // namespace tutorial
