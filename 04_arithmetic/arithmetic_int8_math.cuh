// int8 with scales, fast: the same bytes as ArithmeticInt8 for less than half of the instructions,
// and the folded form, which is cheaper still and not the same.
//
// A functor here takes one int8 of each operand, or four of each in a register: op.four(a, b).
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "04_arithmetic/arithmetic_math.cuh"
#include "common/refusal.h"

namespace tutorial {

// ---- Bytes and floats without conversion instructions -------------------------------------------

// The instructions I2F and F2I run at a fraction of the rate of an addition. Bytes are small enough
// to do without. The float 2^23 has the bits 0x4B000000 and a spacing of 1: a number below 2^23 put
// into its low bits is added to it. A byte q with its sign bit flipped is q + 128, unsigned; so the
// bits 0x4B0000xx are the float 2^23 + 128 + q, and subtracting the constant leaves q, exactly.
//! [bytes_to_floats]
inline constexpr unsigned kFlipSigns = 0x80808080u;
inline constexpr float kByteBias = 8388608.0f + 128.0f;

template <int k>
__device__ __forceinline__ float byte_to_float(unsigned flipped) {
  // the selector names result bytes from the right: byte k of `flipped`, then 00 00 4B
  return __uint_as_float(__byte_perm(flipped, 0x4B000000u, 0x7440u + k)) - kByteBias;
}
__device__ __forceinline__ float byte_to_float(std::int8_t q) {
  const unsigned flipped = static_cast<std::uint8_t>(q) ^ 0x80u;
  return __uint_as_float(0x4B000000u | flipped) - kByteBias;
}
//! [bytes_to_floats]

// The way back, for v in [-128, 127]: added to 1.5 * 2^23, where the spacing is 1 again, v is
// rounded to an integer, ties to even; and the low byte of the sum's bits is that integer in two's
// complement.
//! [floats_to_bytes]
inline constexpr float kRoundToInteger = 12582912.0f;

__device__ __forceinline__ unsigned rounded_bits(float v) {
  return __float_as_uint(__fadd_rn(v, kRoundToInteger));
}
__device__ __forceinline__ unsigned low_bytes(unsigned b0, unsigned b1, unsigned b2, unsigned b3) {
  return __byte_perm(__byte_perm(b0, b1, 0x0040u), __byte_perm(b2, b3, 0x0040u), 0x5410u);
}
//! [floats_to_bytes]

/// What carries `float operator()(float q0, float q1) const`, from two quantized values to a third
/// that lies in [-128, 127] and is not yet rounded, to int8: one element, or four in a register.
template <class Values>
struct OnInt8 {
  Values values;

  __device__ __forceinline__ std::int8_t operator()(std::int8_t a, std::int8_t b) const {
    const unsigned bits = rounded_bits(values(byte_to_float(a), byte_to_float(b)));
    return static_cast<std::int8_t>(bits & 0xFFu);
  }

  __device__ __forceinline__ unsigned four(unsigned a, unsigned b) const {
    a ^= kFlipSigns;
    b ^= kFlipSigns;
    return low_bytes(rounded_bits(values(byte_to_float<0>(a), byte_to_float<0>(b))),
                     rounded_bits(values(byte_to_float<1>(a), byte_to_float<1>(b))),
                     rounded_bits(values(byte_to_float<2>(a), byte_to_float<2>(b))),
                     rounded_bits(values(byte_to_float<3>(a), byte_to_float<3>(b))));
  }
};

// ---- Division by a number that is known beforehand ----------------------------------------------

/// What a kernel needs of three scales, worked out once on the host.
struct Int8Constants {
  Int8Scales scales;
  float reciprocal;       ///< 1 / scales.out, rounded to nearest
  float lowest, highest;  ///< -128 and 127 times scales.out: what is beyond saturates
};

inline Int8Constants int8_constants(Int8Scales scales) {
  return {scales, 1.0f / scales.out, -128.0f * scales.out, 127.0f * scales.out};
}

/// Whether the fast functor's every step is what it should be with these scales: 128 of an input's
/// scale is finite (so that no sum or product is NaN); the reciprocal is normal; and in
/// divide_by_known() nothing overflows, nor does a remainder that decides fall among the
/// subnormals, where it would be rounded.
inline bool is_fast(Int8Scales scales) {
  return scales.in0 <= 0x1p119f && scales.in1 <= 0x1p119f && scales.out >= 0x1p-100f &&
         scales.out <= 0x1p119f;
}

// x / divisor as an IEEE division rounds it, in three instructions (Markstein, 1990): the quotient
// by way of the reciprocal is off by a little more than a unit in its last place at most; its
// remainder comes out of one fused multiply-add, and what the remainder is worth goes back in.
// `reciprocal` must be the float nearest to 1 / divisor: with one that is off by a bit, some
// quotients would be too.
//! [divide_by_known]
__device__ __forceinline__ float divide_by_known(float x, float divisor, float reciprocal) {
  const float quotient = __fmul_rn(x, reciprocal);
  const float remainder = __fmaf_rn(-quotient, divisor, x);
  return __fmaf_rn(remainder, reciprocal, quotient);
}
//! [divide_by_known]

// ArithmeticInt8 again, step by step the same numbers. What is beyond the ends of int8 is clamped
// before the division, not after: so the division sees nothing large.
//! [ArithmeticInt8Fast]
template <ArithmeticOp op>
struct Int8ValuesFast {
  Int8Constants constants;

  static constexpr bool kMayBeNan =
      op == ArithmeticOp::Div || op == ArithmeticOp::Pow || op == ArithmeticOp::Mod;

  __device__ __forceinline__ float operator()(float q0, float q1) const {
    float r = arithmetic_float<op>(__fmul_rn(q0, constants.scales.in0),
                                   __fmul_rn(q1, constants.scales.in1));
    if constexpr (kMayBeNan) r = r == r ? r : 0.0f;
    r = fminf(fmaxf(r, constants.lowest), constants.highest);
    return divide_by_known(r, constants.scales.out, constants.reciprocal);
  }
};

template <ArithmeticOp op>
using ArithmeticInt8Fast = OnInt8<Int8ValuesFast<op>>;
//! [ArithmeticInt8Fast]

// ---- Folded scales ------------------------------------------------------------------------------

/// The scales multiplied together beforehand, each product rounded once.
struct Int8Folded {
  float first;     ///< in0 / out
  float second;    ///< in1 / out
  float product;   ///< in0 in1 / out
  float quotient;  ///< in0 / (in1 out)
};

inline Int8Folded int8_folded(Int8Scales scales) {
  const double in0 = scales.in0, in1 = scales.in1, out = scales.out;
  return {static_cast<float>(in0 / out), static_cast<float>(in1 / out),
          static_cast<float>(in0 * in1 / out), static_cast<float>(in0 / (in1 * out))};
}

/// Whether the folded scales are normal floats with room for 128 * 128 of them.
inline bool is_foldable(Int8Scales scales) {
  const Int8Folded folded = int8_folded(scales);
  const float all[] = {folded.first, folded.second, folded.product, folded.quotient};
  for (const float factor : all) {
    if (!(factor >= 0x1p-126f && factor <= 0x1p110f)) return false;
  }
  return true;
}

/// Which operations commute with a scale: all but the power, and the rest of a division, which
/// jumps wherever a quotient that should be whole is a bit less.
template <ArithmeticOp op>
inline constexpr bool kHasFoldedForm = op != ArithmeticOp::Pow&& op != ArithmeticOp::Mod;

// op(q0 s0, q1 s1) / s with the three scales in one or two factors. Fewer roundings than the
// definition has, and other ones: where the value lies at a tie between two integers, or within a
// bit of one, the two may answer differently.
//! [ArithmeticInt8Folded]
template <ArithmeticOp op>
struct Int8ValuesFolded {
  Int8Folded scales;

  __device__ __forceinline__ float unclamped(float q0, float q1) const {
    static_assert(kHasFoldedForm<op>);
    if constexpr (op == ArithmeticOp::Add) return fmaf(q0, scales.first, q1 * scales.second);
    if constexpr (op == ArithmeticOp::Sub) return fmaf(q0, scales.first, -(q1 * scales.second));
    if constexpr (op == ArithmeticOp::Mul) return (q0 * q1) * scales.product;
    if constexpr (op == ArithmeticOp::Div) {
      const float v = (q0 * rcp_approx(q1)) * scales.quotient;
      return v == v ? v : 0.0f;  // 0 / 0
    }
    if constexpr (op == ArithmeticOp::Max) return fmaxf(q0 * scales.first, q1 * scales.second);
    if constexpr (op == ArithmeticOp::Min) return fminf(q0 * scales.first, q1 * scales.second);
    if constexpr (op == ArithmeticOp::PRelu)
      return q0 * (q0 > 0.0f ? scales.first : q1 * scales.product);
  }

  __device__ __forceinline__ float operator()(float q0, float q1) const {
    return fminf(fmaxf(unclamped(q0, q1), -128.0f), 127.0f);
  }
};

template <ArithmeticOp op>
using ArithmeticInt8Folded = OnInt8<Int8ValuesFolded<op>>;
//! [ArithmeticInt8Folded]

// ---- What a launcher asks -----------------------------------------------------------------------

/// cudaSuccess if the scales are finite and > 0; else cudaErrorInvalidValue, with its reason in
/// last_refusal().
inline cudaError_t check_scales(Int8Scales scales) {
  const struct {
    const char* name;
    float value;
  } all[] = {{"in0", scales.in0}, {"in1", scales.in1}, {"out", scales.out}};
  for (const auto& scale : all) {
    if (!std::isfinite(scale.value) || !(scale.value > 0.0f)) {
      return refuse(cudaErrorInvalidValue, std::string("the scale of ") + scale.name + " is " +
                                               std::to_string(scale.value) +
                                               "; a scale must be finite and greater than 0");
    }
  }
  return cudaSuccess;
}

/// f(functor) with the fastest functor that gives the bytes of ArithmeticInt8 with these scales:
/// ArithmeticInt8Fast<op>, or ArithmeticInt8<op> for scales at the ends of float's range. Both take
/// (int8, int8).
template <ArithmeticOp op, class F>
cudaError_t with_int8(Int8Scales scales, F&& f) {
  if (is_fast(scales)) return f(ArithmeticInt8Fast<op>{{int8_constants(scales)}});
  return f(ArithmeticInt8<op>{scales});
}

}  // namespace tutorial
