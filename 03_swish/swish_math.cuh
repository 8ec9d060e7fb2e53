// The arithmetic of the Swish ladder: what each rung computes, apart from how its data moves.
//
// The kernels of rungs 1 to 6 are in common/first_rungs.cuh; from rung 7 on the data moves as in
// elementwise_pack_kernel (common/elementwise.cuh), and a rung is an operation on pairs from here.
#pragma once

#include <cmath>
#include <limits>

#include "common/elementwise.cuh"
#include "common/ptx.cuh"

namespace tutorial {

// x / (1 + e^-x), with the exponential on the side where it cannot overflow: below zero numerator
// and denominator are multiplied by e^x. The lowest x gives -0, as everything below it does and as
// -infinity must; a NaN fails both comparisons and is returned unchanged.
//! [swish_float]
__device__ __forceinline__ float swish_float(float x) {
  const float z = x < -128.0f ? -128.0f : x;
  const float e = expf(-fabsf(z));
  return (z < 0.0f ? z * e : z) / (1.0f + e);
}
//! [swish_float]

struct SwishFloat {
  __device__ __forceinline__ float operator()(float x) const { return swish_float(x); }
};

// The same in half arithmetic. Below -24 every half result is -0.
__device__ __forceinline__ half swish_half(half x) {
  const half lowest = __float2half(-24.0f);
  const half z = __hlt(x, lowest) ? lowest : x;
  const half e = hexp(__hneg(__habs(z)));
  const half numerator = __hlt(z, __float2half(0.0f)) ? __hmul(z, e) : z;
  return __hdiv(numerator, __hadd(__float2half(1.0f), e));
}

struct SwishHalf {
  __device__ __forceinline__ half operator()(half x) const { return swish_half(x); }
};

// Rung 7 · f16x8_pack_h2: SIMD within a register, every step for two halves at once.
struct SwishHalf2 {
  __device__ __forceinline__ half2 operator()(half2 x) const {
    const half2 lowest = __float2half2_rn(-24.0f);
    const half2 z = blend(__hlt2_mask(x, lowest), lowest, x);
    const half2 e = h2exp(__hneg2(__habs2(z)));
    const half2 numerator = select_negative(z, __hmul2(z, e), z);
    return __h2div(numerator, __hadd2(__float2half2_rn(1.0f), e));
  }
};

// e^-x by one multiplication and one special function.
__device__ __forceinline__ float exp_of_minus(float x) { return exp2_approx(x * -1.44269504f); }

// The lowest numerator. At -infinity the sigmoid is 0, and -infinity times 0 is NaN; any finite
// number times 0 is the -0 that we want. fmaxf drops a NaN, but the sigmoid is NaN then too.
inline constexpr float kLowest = -65504.0f;

// Rungs 8 to 11 · f16x8_pack_div, _frcp, _fdividef, _rcp: float inside, with the textbook's
// formula; where e^-x overflows, the quotient 0 is right for a half. Four ways to divide.
struct SwishDivide {
  __device__ __forceinline__ float operator()(float x) const {
    return fmaxf(x, kLowest) / (1.0f + exp_of_minus(x));
  }
};
struct SwishReciprocalRn {
  __device__ __forceinline__ float operator()(float x) const {
    return fmaxf(x, kLowest) * __frcp_rn(1.0f + exp_of_minus(x));
  }
};
struct SwishFdividef {
  __device__ __forceinline__ float operator()(float x) const {
    return __fdividef(fmaxf(x, kLowest), 1.0f + exp_of_minus(x));
  }
};
struct SwishReciprocalApprox {
  __device__ __forceinline__ float operator()(float x) const {
    return fmaxf(x, kLowest) * rcp_approx(1.0f + exp_of_minus(x));
  }
};

// Rung 12 · f16x8_pack_tanh: sigmoid(x) = (1 + tanh(x / 2)) / 2: one special function instead of
// two.
//! [f16x8_pack_tanh]
struct SwishTanh {
  __device__ __forceinline__ float operator()(float x) const {
    const float h = 0.5f * x;
    return fmaxf(h, kLowest) * (1.0f + tanh_approx(h));
  }
};
//! [f16x8_pack_tanh]

// ---- Any beta, every type ---------------------------------------------------------------------

/// What the operations below need of beta, computed once on the host.
struct Beta {
  float value;
  float exponent;  ///< -beta log2(e): e^(-beta x) is 2^(exponent x)
  float rest;      ///< what rounding took from `exponent`
  float zero;      ///< what x sigmoid(beta x) is where the sigmoid vanishes: -0 for beta > 0
  float lowest;    ///< for float: the x below or above which the sigmoid vanishes,
  float highest;   ///< whichever it is; infinity on the other side
  float far;       ///< for float and beta > 0: the x where the sigmoid is 2^-200
};

inline Beta beta_constants(float beta) {
  constexpr double kLog2E = 1.4426950408889634, kMost = std::numeric_limits<float>::max();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // The largest beta of which `exponent` is still a float. All larger ones count as it.
  constexpr double kSteepest = kMost / kLog2E;
  const double steep = std::fmin(std::fmax(beta, -kSteepest), kSteepest);
  const double exact = -steep * kLog2E;
  const double vanishes = 252.0 / exact;  // where 2^-252 is all that is left (swish_for_float)
  const auto exponent = static_cast<float>(exact);
  return {static_cast<float>(steep),
          exponent,
          static_cast<float>(exact - exponent),
          beta > 0.0f ? -0.0f : 0.0f,
          static_cast<float>(beta > 0.0f ? vanishes : -kInfinity),
          static_cast<float>(beta < 0.0f ? vanishes : kInfinity),
          static_cast<float>(200.0 / exact)};
}

/// What every beta must be. Below about 2^-120 the x at which a sigmoid vanishes leaves the floats.
inline bool is_supported(float beta) {
  return beta == 0.0f || (std::isfinite(beta) && std::fabs(beta) >= 0x1p-100f);
}

/// x sigmoid(beta x) as a product of two factors, neither of which leaves the range of a float
/// before the product does. A third factor b goes in between: a (r b) instead of (a r) b.
struct Factors {
  float a, r;
};

// Rung 13 · f16x8_pack_pdl, for half, whose range is small: 2^t may overflow and rcp_approx may
// flush to zero. t of a NaN, or of 0 times infinity (beta = 0), becomes -126 in fmaxf: a sigmoid of
// 1.
//! [swish_for_half]
__device__ __forceinline__ Factors swish_for_half(Beta beta, float x) {
  const float t = fmaxf(x * beta.exponent, -126.0f);
  const float sigmoid = rcp_approx(1.0f + exp2_approx(t));
  return {sigmoid == 0.0f ? beta.zero : x * sigmoid, 1.0f};
}
//! [swish_for_half]

// Rung 14 · bf16x8_pack, for bf16, which has the range of a float: results down to 2^-133, where 1
// + e^-x has overflowed. With q = 2^(-|t|/2) the sigmoid is 1 / (1 + q^2) on the one side and q q /
// (1 + q^2) on the other, and each q belongs to a factor of its own.
//! [swish_for_bf16]
__device__ __forceinline__ Factors swish_for_bf16(Beta beta, float x) {
  const float h = x * (0.5f * beta.exponent);
  const float q = exp2_approx(-fminf(fabsf(h), 150.0f));
  const float root = h > 0.0f ? q : 1.0f;
  const float r = root * rcp_approx(fmaf(q, q, 1.0f));
  return {root == 0.0f ? beta.zero : x * root, r};
}
//! [swish_for_bf16]

// Rungs 15 and 16 · f32x4_poly, f32x8_poly, without the special-function unit's exponential: -beta
// x = n ln 2 + r with |r| <= ln(2)/2, e^r - 1 = p by a polynomial, and 1 + e^(-beta x) = (1 + 2^n)
// + 2^n p.
//
// ln 2 comes in two parts; n times the upper one, of 16 bits, is exact. The lowest nine bits of
// `shifted` are those of n; shifted up, they are an exponent. From n = 125 on the denominator would
// overflow: it takes 2^125 instead, where the 1 no longer counts, and the rest of 2^-n becomes a
// factor of its own, which reaches 0 at n = 252.
__device__ __forceinline__ Factors swish_for_float(Beta beta, float x) {
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const float z = min_nan(max_nan(x, beta.lowest), beta.highest);
  const float shifted = fmaf(z, beta.exponent, kRound);
  const float n = shifted - kRound;
  float r = fmaf(z, -beta.value, -(n * 0.69314575f));
  r = fmaf(n, -1.4286068e-6f, r);
  float p = fmaf(r, 0.0013818742f, 0.0083687212f);
  p = fmaf(r, p, 0.041668292f);
  p = fmaf(r, p, 0.16666521f);
  p = fmaf(r, p, 0.49999994f);
  p = fmaf(r * r, p, r);

  const unsigned most = __float_as_uint(fminf(shifted, kRound + 125.0f));
  const unsigned power_bits = (most << 23) + 0x3f800000u;
  const float power = __uint_as_float(power_bits);
  const float rest = __uint_as_float(power_bits - (__float_as_uint(shifted) << 23));
  const float lost = n > 23.5f ? 1.0f : 0.0f;  // the 1 that 1 + 2^n has no bits left for
  const float divisor = (1.0f + power) + fmaf(power, p, lost);

  // The approximate reciprocal, and one step that makes the quotient as good as a division's.
  const float reciprocal = rcp_approx(divisor);
  const float quotient = z * reciprocal;
  const float excess = fmaf(divisor, quotient, -z);  // this way round a -0 stays -0
  const float sharper = fmaf(-excess, reciprocal, quotient);
  return {shifted >= kRound - 126.0f ? sharper : z, rest};  // else the sigmoid is 1, or x is NaN
}

// Rung 17 · f32x8_ex2, with the special-function unit's exponential, for beta >= 2^-40. Its argument
// needs more digits than a float has: 2^(t + low) is 2^t (1 + low ln 2). Adding 512 cuts t off at
// 2^-14, and what it lacks, `low`, is computed exactly.
//
// t is above the exact argument, so that the factor is below 1, where floats lie closer. The
// exponential and the 1 are counted in units of 2^75: t - 75 is exact, and neither t = 200, where
// the result is 0, nor t = -30, where the sigmoid is 1, leaves the range of a float.
__device__ __forceinline__ float swish_for_float_ex2(Beta beta, float x) {
  constexpr float kRound = 512.0f;  // adding it rounds to a multiple of 2^-14
  const float z = max_nan(x, beta.far);
  const float shifted = fmaf(z, beta.exponent, kRound);
  const float t = shifted - (kRound - 0x1p-15f);
  const float low = fmaf(z, beta.rest, fmaf(z, beta.exponent, -t));
  const float divisor = fmaf(exp2_approx(t - 75.0f), fmaf(low, 0.693147181f, 1.0f), 0x1p-75f);

  const float reciprocal = rcp_approx(divisor);
  const float quotient = z * reciprocal;
  const float excess = fmaf(divisor, quotient, -z);
  const float sharper = fmaf(-excess, reciprocal, quotient);
  return shifted >= kRound - 30.0f ? sharper * 0x1p-75f : x;  // else the sigmoid is 1, or x is NaN
}

__device__ __forceinline__ Factors swish_factors(Beta beta, float x, float) {
  return {swish_for_float_ex2(beta, x), 1.0f};
}
__device__ __forceinline__ Factors swish_factors(Beta beta, float x, half) {
  return swish_for_half(beta, x);
}
__device__ __forceinline__ Factors swish_factors(Beta beta, float x, __nv_bfloat16) {
  return swish_for_bf16(beta, x);
}

// Rungs 15 and 16.
struct SwishPolynomial {
  Beta beta;

  __device__ __forceinline__ float2 operator()(float2 x) const {
    const Factors first = swish_for_float(beta, x.x), second = swish_for_float(beta, x.y);
    return {first.a * first.r, second.a * second.r};
  }
};

// The operation that the last rungs of every type share.
//! [swish_op]
struct Swish {
  Beta beta;

  template <class P>
  __device__ __forceinline__ P operator()(P x) const {
    const float2 v = to_float2(x);
    const Factors first = swish_factors(beta, v.x, x.x), second = swish_factors(beta, v.y, x.y);
    return from_float2<P>({first.a * first.r, second.a * second.r});
  }
};
//! [swish_op]

// What SwiGLU uses: for float the polynomial, which has more digits. Three transfers per element
// leave enough slots for it.
template <class T>
__device__ __forceinline__ Factors gate_factors(Beta beta, float x, T type) {
  return swish_factors(beta, x, type);
}
__device__ __forceinline__ Factors gate_factors(Beta beta, float x, float) {
  return swish_for_float(beta, x);
}

// SwiGLU: swish(a) b, in one pass over a and b.
//! [swiglu_op]
struct SwiGlu {
  Beta beta;

  template <class P>
  __device__ __forceinline__ P operator()(P a, P b) const {
    const float2 v = to_float2(a), w = to_float2(b);
    const Factors first = gate_factors(beta, v.x, a.x), second = gate_factors(beta, v.y, a.y);
    return from_float2<P>({first.a * (first.r * w.x), second.a * (second.r * w.y)});
  }
};
//! [swiglu_op]

// The second of the two kernels of the separate SwiGLU.
struct Multiply {
  template <class P>
  __device__ __forceinline__ P operator()(P a, P b) const {
    const float2 v = to_float2(a), w = to_float2(b);
    return from_float2<P>({v.x * w.x, v.y * w.y});
  }
};

}  // namespace tutorial
