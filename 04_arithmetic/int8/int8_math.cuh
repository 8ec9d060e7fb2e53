// Functors for int8 with scales: the same bytes as ArithmeticInt8 for a third of the instructions,
// and the folded form, which is cheaper still and does not always give the same bytes.
//
// A functor here takes one int8 of each operand, or four of each in a register: op.four(a, b).
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "04_arithmetic/arithmetic_math.cuh"
#include "common/pack.cuh"
#include "common/refusal.h"

namespace tutorial {

// ---- Division by a number that is known beforehand ----------------------------------------------

/// What a kernel needs of three scales, computed once on the host.
struct Int8Constants {
  Int8Scales scales;
  float reciprocal;       ///< 1 / scales.out, rounded to nearest
  float lowest, highest;  ///< -128 and 127 times scales.out: what is beyond saturates
};

inline Int8Constants int8_constants(Int8Scales scales) {
  return {scales, 1.0f / scales.out, -128.0f * scales.out, 127.0f * scales.out};
}

/// Whether every step of the fast functor is what it should be with these scales. With inputs'
/// scales of at most 2^20, a product of two values stays below 2^54; divided by an output's scale
/// of at least 2^-60, below 2^114: all finite. And a remainder that decides how a result is rounded
/// is far above the subnormals, where it would be rounded itself.
inline bool is_fast(Int8Scales scales) {
  return scales.in0 <= 0x1p20f && scales.in1 <= 0x1p20f && scales.out >= 0x1p-60f &&
         scales.out <= 0x1p60f;
}

// x / divisor as an IEEE division rounds it, in three instructions (Markstein, 1990). The product
// with the reciprocal is off by at most a little more than one unit in the last place. One fused
// multiply-add gives its exact remainder, and another adds the remainder's share to the quotient.
// `reciprocal` must be the float nearest to 1 / divisor: with one that is off by a bit, some
// quotients would be too.
//! [divide_by_known]
__device__ __forceinline__ float divide_by_known(float x, float divisor, float reciprocal) {
  const float quotient = __fmul_rn(x, reciprocal);
  const float remainder = __fmaf_rn(-quotient, divisor, x);
  return __fmaf_rn(remainder, reciprocal, quotient);
}
//! [divide_by_known]

// ---- From two quantized values to a third, not yet rounded to an integer ------------------------

// The same numbers as in ArithmeticInt8, step by step, up to the last division. A value outside of
// int8's range may be any other value outside of it on the same side: it saturates all the same. An
// infinite quotient or power becomes such a value first, because infinity has no remainder; a NaN
// stays a NaN.
template <ArithmeticOp op>
struct Int8ValuesFast {
  Int8Constants constants;

  static constexpr bool kMayBeInfinite = op == ArithmeticOp::Div || op == ArithmeticOp::Pow;
  static constexpr bool kMayBeNaN = kMayBeInfinite || op == ArithmeticOp::Mod;

  __device__ __forceinline__ float operator()(float q0, float q1) const {
    float r = arithmetic_float<op>(__fmul_rn(q0, constants.scales.in0),
                                   __fmul_rn(q1, constants.scales.in1));
    if constexpr (kMayBeInfinite) {
      r = smaller_of(larger_of(r, constants.lowest), constants.highest);
    }
    return divide_by_known(r, constants.scales.out, constants.reciprocal);
  }
};

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

/// Which operations commute with a scale: all but the power and the remainder, which jumps where a
/// quotient that should be whole is slightly less.
template <ArithmeticOp op>
inline constexpr bool kHasFoldedForm = op != ArithmeticOp::Pow&& op != ArithmeticOp::Mod;

// op(q0 s0, q1 s1) / s with the three scales in one or two factors. It rounds fewer times than the
// definition and at other places, so where the value lies at a tie between two integers, or within
// a bit of one, the two results may differ.
template <ArithmeticOp op>
struct Int8ValuesFolded {
  Int8Folded scales;

  static constexpr bool kMayBeNaN = op == ArithmeticOp::Div;

  __device__ __forceinline__ float operator()(float q0, float q1) const {
    static_assert(kHasFoldedForm<op>);
    if constexpr (op == ArithmeticOp::Add) return fmaf(q0, scales.first, q1 * scales.second);
    if constexpr (op == ArithmeticOp::Sub) return fmaf(q0, scales.first, -(q1 * scales.second));
    if constexpr (op == ArithmeticOp::Mul) return (q0 * q1) * scales.product;
    if constexpr (op == ArithmeticOp::Div) return (q0 * rcp_approx(q1)) * scales.quotient;
    if constexpr (op == ArithmeticOp::Max) return fmaxf(q0 * scales.first, q1 * scales.second);
    if constexpr (op == ArithmeticOp::Min) return fminf(q0 * scales.first, q1 * scales.second);
    if constexpr (op == ArithmeticOp::PRelu) {
      return q0 * (q0 > 0.0f ? scales.first : q1 * scales.product);
    }
  }
};

// ---- Bytes and floats by conversion instructions ------------------------------------------------

// I2F extracts its byte from a register by itself. On the way back one saturating conversion rounds
// ties to even, clamps, and turns a NaN into 0. From compute capability 8.6 on, two conversions and
// the packing of their bytes are one instruction (F2IP.S8), which ptxas makes of this.
__device__ __forceinline__ std::int8_t saturated(float v) {
#ifdef __CUDA_ARCH__
  int q;
  asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(q) : "f"(v));
  return static_cast<std::int8_t>(q);
#else
  return to_int8(v);
#endif
}

/// `rest` moved up by two bytes, with v0 and v1 below it.
__device__ __forceinline__ unsigned saturated_pair(float v0, float v1, unsigned rest) {
#ifdef __CUDA_ARCH__
  unsigned bytes;
  asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;"
      : "=r"(bytes)
      : "r"(__float2int_rn(v1)), "r"(__float2int_rn(v0)), "r"(rest));
  return bytes;
#else
  const auto low = static_cast<std::uint8_t>(to_int8(v0));
  const auto high = static_cast<std::uint8_t>(to_int8(v1));
  return rest << 16 | static_cast<unsigned>(high) << 8 | low;
#endif
}

struct ByInstruction {
  template <int k>
  __device__ __forceinline__ static float byte_to_float(unsigned four) {
#ifdef __CUDA_ARCH__
    int q;  // as a bit field: from a shift and a cast ptxas makes two instructions, from this none
    asm("bfe.s32 %0, %1, %2, 8;" : "=r"(q) : "r"(four), "n"(8 * k));
    return static_cast<float>(q);
#else
    return static_cast<float>(static_cast<std::int8_t>(four >> 8 * k & 0xFFu));
#endif
  }
  __device__ __forceinline__ static float4 widen(unsigned four) {
    return {byte_to_float<0>(four), byte_to_float<1>(four), byte_to_float<2>(four),
            byte_to_float<3>(four)};
  }
  template <bool may_be_nan>
  __device__ __forceinline__ static unsigned narrow(float4 v) {
    return saturated_pair(v.x, v.y, saturated_pair(v.z, v.w, 0u));
  }
};

// ---- Bytes and floats without conversion instructions -------------------------------------------

// Conversions run at a quarter or an eighth of the rate of an addition on many GPUs. Bytes are
// small enough to avoid them. The float 2^23 has the bits 0x4B000000 and a spacing of 1, so a
// number below 2^23 written into its low bits is added to it. A byte q with its sign bit flipped is
// the unsigned number q + 128; so the bits 0x4B0000xx are the float 2^23 + 128 + q, and subtracting
// the constant leaves exactly q.
//
// The way back, for v in [-128, 127]: added to 1.5 * 2^23, where the spacing is 1 again, v is
// rounded to an integer, ties to even; and the low byte of the sum's bits is that integer in two's
// complement.
struct ByMagic {
  template <int k>
  __device__ __forceinline__ static float byte_to_float(unsigned flipped) {
    // the selector names result bytes from the right: byte k of `flipped`, then 00 00 4B
    return __uint_as_float(__byte_perm(flipped, 0x4B000000u, 0x7440u + k)) - 8388736.0f;
  }
  __device__ __forceinline__ static float4 widen(unsigned four) {
    const unsigned flipped = four ^ 0x80808080u;
    return {byte_to_float<0>(flipped), byte_to_float<1>(flipped), byte_to_float<2>(flipped),
            byte_to_float<3>(flipped)};
  }

  template <bool may_be_nan>
  __device__ __forceinline__ static unsigned rounded_bits(float v) {
    if constexpr (may_be_nan) v = v == v ? v : 0.0f;
    return __float_as_uint(__fadd_rn(fminf(fmaxf(v, -128.0f), 127.0f), 12582912.0f));
  }
  template <bool may_be_nan>
  __device__ __forceinline__ static unsigned narrow(float4 v) {
    const unsigned low =
        __byte_perm(rounded_bits<may_be_nan>(v.x), rounded_bits<may_be_nan>(v.y), 0x0040u);
    const unsigned high =
        __byte_perm(rounded_bits<may_be_nan>(v.z), rounded_bits<may_be_nan>(v.w), 0x0040u);
    return __byte_perm(low, high, 0x5410u);
  }
};

// ---- The functors -------------------------------------------------------------------------------

/// Packs of bytes, four in a register at a time.
struct FourAtATime : ElementByElement {
  template <class Out, class Op, int N>
  __device__ __forceinline__ static Pack<Out, N> apply(Op op, const Pack<std::int8_t, N>& a,
                                                       const Pack<std::int8_t, N>& b) {
    if constexpr (N % 4 != 0) {
      return ElementByElement::apply<Out>(op, a, b);
    } else {
      Pack<Out, N> result;
#pragma unroll
      for (int k = 0; k < N; k += 4) {
        LDST32BITS(result.at[k]) = op.four(LDST32BITS(a.at[k]), LDST32BITS(b.at[k]));
      }
      return result;
    }
  }
};

/// An operation on int8 out of one on quantized values: of one element, or of four in a register.
template <class Conversion, class Values>
struct OnInt8 {
  using Packs = FourAtATime;
  Values values;

  __device__ __forceinline__ std::int8_t operator()(std::int8_t a, std::int8_t b) const {
    return saturated(values(static_cast<float>(a), static_cast<float>(b)));
  }

  __device__ __forceinline__ unsigned four(unsigned a, unsigned b) const {
    const float4 q0 = Conversion::widen(a), q1 = Conversion::widen(b);
    return Conversion::template narrow<Values::kMayBeNaN>(
        {values(q0.x, q1.x), values(q0.y, q1.y), values(q0.z, q1.z), values(q0.w, q1.w)});
  }
};

template <ArithmeticOp op>
using ArithmeticInt8Fast = OnInt8<ByInstruction, Int8ValuesFast<op>>;
template <ArithmeticOp op>
using ArithmeticInt8Magic = OnInt8<ByMagic, Int8ValuesFast<op>>;
template <ArithmeticOp op>
using ArithmeticInt8Folded = OnInt8<ByInstruction, Int8ValuesFolded<op>>;

// ---- For the launchers --------------------------------------------------------------------------

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
/// ArithmeticInt8Fast<op>, or ArithmeticInt8<op> for scales beyond is_fast(). Both take
/// (int8, int8).
template <ArithmeticOp op, class F>
cudaError_t with_int8(Int8Scales scales, F&& f) {
  if (is_fast(scales)) return f(ArithmeticInt8Fast<op>{{int8_constants(scales)}});
  return f(ArithmeticInt8<op>{scales});
}

}  // namespace tutorial
