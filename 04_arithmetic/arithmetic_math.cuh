// The nine operations: one functor for each operation and type, which every kernel of this chapter
// takes.
//
//   Arithmetic<op, T>{}(a, b)        T: float, half, __nv_bfloat16, std::int32_t, std::int64_t
//   ArithmeticPair<op, P>{}(a, b)    P: half2, __nv_bfloat162; the same results, two at a time
//   ArithmeticInt8<op>{scales}(a, b) int8 with scales, as it is defined
//
// The faster functors for int8 are in int8/int8_math.cuh.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "04_arithmetic/launchers/op.h"
#include "common/elementwise.cuh"
#include "common/pack.cuh"
#include "common/ptx.cuh"

namespace tutorial {

// ---- float --------------------------------------------------------------------------------------

// The larger and the smaller of two floats. If either is NaN, so is the result, as in NumPy,
// PyTorch and ONNX; `a > b ? a : b` gives b for a NaN on the left and NaN for one on the right. +0
// counts as larger than -0, as in IEEE 754-2019's maximum (NumPy and PyTorch leave that open). The
// instruction max.NaN does all of this, so it costs nothing.
//
// Before compute capability 8.0 and on the host there is no max.NaN: two floats that compare equal
// have equal bits, unless they are zeros of different signs. Then `&` clears the sign, and `|` sets
// it.
__device__ __forceinline__ float larger_of(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float y;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
#else
  if (a == b) return __uint_as_float(__float_as_uint(a) & __float_as_uint(b));
  return a > b || a != a ? a : b;
#endif
}

__device__ __forceinline__ float smaller_of(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float y;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
#else
  if (a == b) return __uint_as_float(__float_as_uint(a) | __float_as_uint(b));
  return a < b || a != a ? a : b;
#endif
}

// The intrinsics for + - * round once, and nvcc never fuses them with a neighbouring operation. For
// int8 these stand between products with the scales, which nvcc would fuse.
template <ArithmeticOp op>
__device__ __forceinline__ float arithmetic_float(float a, float b) {
  if constexpr (op == ArithmeticOp::Add) return __fadd_rn(a, b);
  if constexpr (op == ArithmeticOp::Sub) return __fsub_rn(a, b);
  if constexpr (op == ArithmeticOp::Mul) return __fmul_rn(a, b);
  if constexpr (op == ArithmeticOp::Div) return __fdiv_rn(a, b);
  if constexpr (op == ArithmeticOp::Max) return larger_of(a, b);
  if constexpr (op == ArithmeticOp::Min) return smaller_of(a, b);
  if constexpr (op == ArithmeticOp::Pow) return powf(a, b);
  if constexpr (op == ArithmeticOp::PRelu) return a > 0.0f ? a : __fmul_rn(a, b);
  if constexpr (op == ArithmeticOp::Mod) return fmodf(a, b);
}

// ---- int32, int64 -------------------------------------------------------------------------------

// a^b by squaring, in at most 31 (63) rounds, wrapping. A negative exponent asks for 1 / a^|b|,
// truncated: that is 0 but for the bases 1 and -1. (0 to a negative power is x / 0, which is 0.)
template <class T>
__device__ __forceinline__ T pow_integer(T a, T b) {
  using Unsigned = std::make_unsigned_t<T>;
  if (b < 0) {
    if (a == 1) return 1;
    return a == -1 ? T((b & 1) != 0 ? -1 : 1) : T(0);
  }
  Unsigned result = 1, square = static_cast<Unsigned>(a);
  for (Unsigned bits = static_cast<Unsigned>(b); bits != 0; bits >>= 1) {
    if ((bits & 1) != 0) result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}

// Sums and products wrap as in two's complement, which C++ allows for unsigned types only. Two
// divisors need care: 0, and -1, because MIN / -1 is out of range. Both become 1 before the
// division, and their results are chosen afterwards.
template <ArithmeticOp op, class T>
__device__ __forceinline__ T arithmetic_integer(T a, T b) {
  using Unsigned = std::make_unsigned_t<T>;
  [[maybe_unused]] const Unsigned ua = static_cast<Unsigned>(a), ub = static_cast<Unsigned>(b);
  [[maybe_unused]] const T divisor = b == 0 || b == -1 ? T(1) : b;
  if constexpr (op == ArithmeticOp::Add) return static_cast<T>(ua + ub);
  if constexpr (op == ArithmeticOp::Sub) return static_cast<T>(ua - ub);
  if constexpr (op == ArithmeticOp::Mul) return static_cast<T>(ua * ub);
  if constexpr (op == ArithmeticOp::Div) {
    const T quotient = a / divisor;
    const T negated = static_cast<T>(Unsigned{0} - ua);
    return b == 0 ? T(0) : (b == -1 ? negated : quotient);
  }
  if constexpr (op == ArithmeticOp::Max) return a > b ? a : b;
  if constexpr (op == ArithmeticOp::Min) return a < b ? a : b;
  if constexpr (op == ArithmeticOp::Pow) return pow_integer(a, b);
  if constexpr (op == ArithmeticOp::PRelu) return a > 0 ? a : static_cast<T>(ua * ub);
  if constexpr (op == ArithmeticOp::Mod) return a % divisor;  // by 1: 0, which is the answer
}

// ---- half, bf16 ---------------------------------------------------------------------------------

// a / b for two halves, as a float that rounds to the right half, without the branch and the slow
// path of an IEEE division.
//
// Why that is enough: in integers, a = A 2^i and b = B 2^j with A, B < 2^11. A half rounds at
// midpoints M 2^k with M < 2^12, and a quotient that is no midpoint differs from one by
// |A 2^s - M B| / (M B) >= 1 / (M B) > 2^-23 of itself. The quotient below, after one correction by
// its exact remainder, is off by less than 2^-23 of itself, and not at all where a float can hold
// the true one, as it can every midpoint. So it lies on the same side.
//
// Neither the reciprocal of a half nor the quotient leaves the normal floats. What remains is where
// the remainder is zero (the quotient is exact, and may be a -0 that adding would lose) or NaN (a
// or b is infinite, NaN or b is zero): the uncorrected quotient is the answer to both.
//! [divide_halves]
__device__ __forceinline__ float divide_halves(float a, float b) {
  const float reciprocal = rcp_approx(b);
  const float quotient = a * reciprocal;
  const float remainder = fmaf(-quotient, b, a);
  return fabsf(remainder) > 0.0f ? fmaf(remainder, reciprocal, quotient) : quotient;
}
//! [divide_halves]

// The 16-bit types compute in float and round once at the end. For + - * / that is as good as one
// rounding: a first rounding to p' bits is harmless to a second one to p bits if p' >= 2 p + 2
// (Figueroa, 1995), and a float has p' = 24, half p = 11 (2 * 11 + 2 = 24), bf16 p = 8.
template <ArithmeticOp op>
__device__ __forceinline__ half arithmetic_narrow(half a, half b) {
  const float wide_a = __half2float(a), wide_b = __half2float(b);
  if constexpr (op == ArithmeticOp::Div) return __float2half_rn(divide_halves(wide_a, wide_b));
  return __float2half_rn(arithmetic_float<op>(wide_a, wide_b));
}
template <ArithmeticOp op>
__device__ __forceinline__ __nv_bfloat16 arithmetic_narrow(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __float2bfloat16_rn(arithmetic_float<op>(__bfloat162float(a), __bfloat162float(b)));
}

// ---- One name for all of them -------------------------------------------------------------------

/// op(a, b) for one element. T: float, half, __nv_bfloat16, std::int32_t, std::int64_t. The table
/// in launchers/contiguous.h says what each gives for infinities, NaN, zero divisors and overflow.
template <ArithmeticOp op, class T>
struct Arithmetic {
  using Packs = ElementByElement;
  static constexpr ArithmeticOp kOp = op;

  __device__ __forceinline__ T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, float>) {
      return arithmetic_float<op>(a, b);
    } else if constexpr (std::is_integral_v<T>) {
      return arithmetic_integer<op>(a, b);
    } else {
      return arithmetic_narrow<op>(a, b);
    }
  }
};

// ---- Two at a time ------------------------------------------------------------------------------

/// op(a, b) for both elements of a pair. P: half2, __nv_bfloat162. The same results as Arithmetic:
/// these instructions round once, and max.NaN puts +0 above -0. (A NaN may have other bits.)
template <ArithmeticOp op, class P>
struct ArithmeticPair {
  __device__ __forceinline__ P operator()(P a, P b) const {
    if constexpr (op == ArithmeticOp::Add) {
      return __hadd2(a, b);
    } else if constexpr (op == ArithmeticOp::Sub) {
      return __hsub2(a, b);
    } else if constexpr (op == ArithmeticOp::Mul) {
      return __hmul2(a, b);
    } else if constexpr (op == ArithmeticOp::Div) {
      return __h2div(a, b);  // two divisions in float: there is no such instruction for halves
    } else if constexpr (op == ArithmeticOp::Max) {
      return __hmax2_nan(a, b);
    } else if constexpr (op == ArithmeticOp::Min) {
      return __hmin2_nan(a, b);
    } else if constexpr (op == ArithmeticOp::PRelu) {
      return blend(__hgt2_mask(a, P{0.0f, 0.0f}), a, __hmul2(a, b));
    } else {  // the GPU has no instruction for the power or the remainder of two halves
      using T = decltype(P::x);
      const Arithmetic<op, T> one;
      return P{one(a.x, b.x), one(a.y, b.y)};
    }
  }
};

// ---- int8 with scales ---------------------------------------------------------------------------

// v rounded to the nearest integer, ties to even, and saturated to [-128, 127]; 0 for NaN.
__device__ __forceinline__ std::int8_t to_int8(float v) {
  const float clamped = fminf(fmaxf(rintf(v), -128.0f), 127.0f);
  return static_cast<std::int8_t>(v == v ? static_cast<int>(clamped) : 0);
}

/// op on int8 with scales: saturate(round(op(a in0, b in1) / out)), each step a float with one
/// rounding. So x / 0 saturates by the sign of x. NaN, which is 0 / 0, x mod 0, a negative base
/// with a fractional exponent, and what infinite intermediate values can bring about, is 0.
//! [ArithmeticInt8]
template <ArithmeticOp op>
struct ArithmeticInt8 {
  using Packs = ElementByElement;
  Int8Scales scales;

  __device__ __forceinline__ std::int8_t operator()(std::int8_t a, std::int8_t b) const {
    const float wide_a = __fmul_rn(static_cast<float>(a), scales.in0);
    const float wide_b = __fmul_rn(static_cast<float>(b), scales.in1);
    return to_int8(__fdiv_rn(arithmetic_float<op>(wide_a, wide_b), scales.out));
  }
};
//! [ArithmeticInt8]

}  // namespace tutorial
