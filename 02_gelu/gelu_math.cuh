// The arithmetic of the GELU ladder: what each rung computes, apart from how its data moves.
//
// The kernels of rungs 1 to 6 are in common/first_rungs.cuh; from rung 7 on the data moves as in
// elementwise_pack_kernel (common/elementwise.cuh), and a rung is an operation on pairs from here.
// Which of the two GELUs is computed is a template parameter, so that each is a kernel of its own
// with no question left in it.
//
// Every function here is right at the ends of the range: NaN gives NaN, +infinity itself, and
// -infinity the limit, -0. The last one needs care: x Phi(x) is -infinity times 0 there.
#pragma once

#include <type_traits>

#include "02_gelu/gelu.h"
#include "common/elementwise.cuh"
#include "common/ptx.cuh"

namespace tutorial {

// Rungs 1, 2 and 10: the formulas of the textbook with the library's tanhf and erff, as frameworks
// compute them. Below -16 both give -0, so that is the lowest x that has to be tried.
template <GeluApproximate kApproximate>
__device__ __forceinline__ float gelu_float(float x) {
  const float z = max_nan(x, -16.0f);
  if constexpr (kApproximate == GeluApproximate::tanh) {
    const float u = 0.797884561f * fmaf(0.044715f * z * z, z, z);  // sqrt(2/pi) (x + 0.044715 x^3)
    return 0.5f * z * (1.0f + tanhf(u));
  } else {
    return 0.5f * z * (1.0f + erff(0.707106781f * z));
  }
}

// tanh of a half: what htanh does from CUDA 12.8 on. There is no erf of a half in any version.
__device__ __forceinline__ half tanh_of_half(half x) {
  return __float2half(tanhf(__half2float(x)));
}

// Rungs 3 to 6: the same in half arithmetic, with the function itself in float and rounded.
template <GeluApproximate kApproximate>
__device__ __forceinline__ half gelu_half(half x) {
  const half one = __float2half(1.0f);
  const half z = __hmax_nan(x, __float2half(-16.0f));
  const half half_z = __hmul(__float2half(0.5f), z);
  if constexpr (kApproximate == GeluApproximate::tanh) {
    const half cubic = __hfma(__float2half(0.044715f), __hmul(z, z), one);  // 1 + 0.044715 x^2
    const half u = __hmul(__hmul(__float2half(0.797884561f), z), cubic);
    return __hmul(half_z, __hadd(one, tanh_of_half(u)));
  } else {
    const half erf = __float2half(erff(0.707106781f * __half2float(z)));
    return __hmul(half_z, __hadd(one, erf));
  }
}

template <GeluApproximate kApproximate>
struct GeluHalf {
  __device__ __forceinline__ half operator()(half x) const { return gelu_half<kApproximate>(x); }
};

// Rung 7 · f16x8_pack_h2: SIMD within a register, one instruction for two halves except the tanh.
// Rung 8 · f16x8_pack_h2_approx: the tanh too, by the special-function unit.
template <bool kApproximateTanh>
struct GeluTanhHalf2 {
  __device__ __forceinline__ half2 operator()(half2 x) const {
    const half2 one = __float2half2_rn(1.0f);
    const half2 z = __hmax2_nan(x, __float2half2_rn(-16.0f));
    const half2 cubic = __hfma2(__float2half2_rn(0.044715f), __hmul2(z, z), one);
    const half2 u = __hmul2(__hmul2(__float2half2_rn(0.797884561f), z), cubic);
    const half2 tanh_u = kApproximateTanh ? tanh_approx(u) : tanh_of_half2(u);
    return __hmul2(__hmul2(__float2half2_rn(0.5f), z), __hadd2(one, tanh_u));
  }

 private:
  __device__ __forceinline__ static half2 tanh_of_half2(half2 x) {  // h2tanh from CUDA 12.8 on
    const float2 v = __half22float2(x);
    return __floats2half2_rn(tanhf(v.x), tanhf(v.y));
  }
};

// Rung 9 · f16x8_pack_approx: float inside, with the special-function unit's tanh: one instruction,
// eleven good bits.
//! [approx]
struct GeluTanhApprox {
  __device__ __forceinline__ float operator()(float x) const {
    const float z = max_nan(x, -16.0f);
    const float u = z * fmaf(0.0356774081f, z * z, 0.797884561f);
    return 0.5f * z * (1.0f + tanh_approx(u));
  }
};
//! [approx]

// Rung 10 · f16x8_pack_tanhf, _erff: float inside, with the library's functions. Rungs 1 and 2 too.
template <GeluApproximate kApproximate>
struct GeluLibrary {
  __device__ __forceinline__ float operator()(float x) const { return gelu_float<kApproximate>(x); }
};

// Rung 11 · f16x8_pack_normcdf: the library's Phi itself: nothing cancels. fmaxf drops a NaN,
// normcdff brings it back.
struct GeluNormcdf {
  __device__ __forceinline__ float operator()(float x) const {
    return fmaxf(x, -16.0f) * normcdff(x);
  }
};

// Rung 12 · f16x8_pack_sigmoid: (1 + tanh(u)) / 2 = 1 / (1 + e^(-2u)): one exponential, one
// reciprocal, no cancellation.
//
// 2^t overflows where x is far below zero, and 1 / infinity is the 0 that we want there. fmaxf
// keeps -infinity away from that 0; it drops a NaN, which the reciprocal brings back.
//
// The results of a half end at 2^-25. Types with a float's range have results down to 2^-134 or
// 2^-150 and 2^t up to 2^154, so their numerator and denominator are scaled by 2^-24.
//! [sigmoid]
template <bool kFloatRange>
struct GeluTanhSigmoid {
  __device__ __forceinline__ float operator()(float x) const {
    constexpr float kShift = kFloatRange ? 24.0f : 0.0f;
    constexpr float kScale = kFloatRange ? 0x1p-24f : 1.0f;
    // t = -2u log2(e) - kShift
    const float t = fmaf(x, fmaf(x * x, -0.10294324f, -2.30220819f), -kShift);
    const float sigmoid = rcp_approx(kScale + exp2_approx(t)) * kScale;
    return fmaxf(x, -11.0f) * sigmoid;
  }
};
//! [sigmoid]

// Rung 13 · f16x8_pack_exp2: x Phi(x) = max(x, 0) - |x| Phi(-|x|), and Phi(-a) = 2^P(a) with a
// polynomial P.
//
// For a half: the polynomial whose error on [0, 5.75], in ULP of the result, is smallest (fit.py):
// 0.008 ULP. Beyond 5.75 the tail rounds to zero, and at 6 still does.
struct GeluExp2ForHalf {
  __device__ __forceinline__ float operator()(float x) const {
    const float a = fminf(fabsf(x), 6.0f);
    float p = fmaf(a, 3.3226948e-05f, -0.000758249385f);
    p = fmaf(a, p, 0.00798836294f);
    p = fmaf(a, p, -0.0531510564f);
    p = fmaf(a, p, -0.459074087f);
    p = fmaf(a, p, -1.15107083f);
    p = fmaf(a, p, -1.00000574f);
    return fmaf(-a, exp2_approx(p), max_nan(x, -0.0f));
  }
};

// Rung 14 · bf16x8_pack: the same for bf16, whose tail goes on to 2^-134 at x = -13.56: three more
// coefficients, 0.006 ULP, and 2^24 in the exponential, which has no subnormal results.
struct GeluExp2ForBf16 {
  __device__ __forceinline__ float operator()(float x) const {
    const float a = fminf(fabsf(x), 14.0f);
    float p = fmaf(a, -1.97005543e-09f, 1.42939813e-07f);
    p = fmaf(a, p, -4.56321308e-06f);
    p = fmaf(a, p, 8.48591933e-05f);
    p = fmaf(a, p, -0.00102956067f);
    p = fmaf(a, p, 0.00870285881f);
    p = fmaf(a, p, -0.0540403089f);
    p = fmaf(a, p, -0.458694181f);
    p = fmaf(a, p, -1.1510244f);
    p = fmaf(a, p, -1.00002747f + 24.0f);
    return fmaf(-a, exp2_approx(p) * 0x1p-24f, max_nan(x, -0.0f));
  }
};

// Rung 15 · f32x4_mills: the exponential and a remaining factor. Phi(-a) = e^(-a^2/2) M(a) with a
// smooth M, the Mills ratio over sqrt(2 pi), as a polynomial in t = 1 / (1 + 0.3 a) of relative
// error 6e-8.
//
// The exponential is the square of e^(-a^2/4), which has no subnormal results in a float's range:
// only the last fmaf goes below it, and rounds once. The loss is in the argument: a^2/4 is up to
// 53 and rounded to a float, so the deepest tail keeps 17 bits.
struct GeluNoneMills {
  __device__ __forceinline__ float operator()(float x) const {
    const float a = fminf(fabsf(x), 14.5f);
    const float t = rcp_approx(fmaf(a, 0.3f, 1.0f));
    float m = fmaf(t, 0.0384072103f, -0.169306681f);
    m = fmaf(t, m, 0.228950396f);
    m = fmaf(t, m, -0.0768382996f);
    m = fmaf(t, m, 0.142764479f);
    m = fmaf(t, m, 0.0945861563f);
    m = fmaf(t, m, 0.121945202f);
    m = fmaf(t, m, 0.119484216f);
    m = fmaf(t, m, 7.37203345e-06f);
    const float root = exp2_approx(a * (a * -0.36067376f));  // e^(-a^2/4)
    return fmaf(-(a * root * m), root, max_nan(x, -0.0f));
  }
};

// Rung 16 · f32x4_poly: the last bits of a float. Both variants are max(x, 0) - a (1 + e) / d 2^(k
// - 32): e is what an exponential adds to 1, d a denominator, 2^k its scale; a = |x|.
//
// What each rounding loses is computed and kept: n + n_rest is a (1 + e) and
// d + d_rest the denominator, both to 48 bits. `scale` is 2^k, 32 binades up, where it is a normal
// number for every k; the last fmaf brings it down and rounds once, subnormal results included.
//! [minus_tail]
__device__ __forceinline__ float relu_minus_tail(float x, float a, float e, float d, float d_rest,
                                                 float scale) {
  const float n = fmaf(a, e, a);
  const float n_rest = fmaf(a, e, a - n);
  const float r = rcp_approx(d);
  const float q = n * r;
  const float remainder = fmaf(-d, q, n) + fmaf(-d_rest, q, n_rest);
  const float quotient = fmaf(remainder, r, q);
  return fmaf(-(quotient * scale), 0x1p-32f, max_nan(x, -0.0f));
}
//! [minus_tail]

// tanh: the tail is a e^-T / (1 + e^-T) with T = 2u = 0.0713548 a (22.36 + a^2).
//
// T / 0.0713548 in two parts is a (m + m_rest), both parts exact but for the last bit of 22.36.
// k ln 2 / 0.0713548 is subtracted in two parts as well: k times the upper one, of 16 bits, is
// exact.
struct GeluTanhForFloat {
  __device__ __forceinline__ float operator()(float x) const {
    constexpr float kRound = 12583071.0f;  // 1.5 * 2^23, plus 127 + 32 for the exponent of `scale`
    constexpr float kRatio = 22.3638458f;  // 1 / 0.044715, its upper 21 bits
    const float a = fminf(fabsf(x), 10.8f);
    const float m = fmaf(a, a, kRatio);
    const float m_rest = fmaf(a, a, kRatio - m) + 1.41770415e-05f;
    const float shifted = fmaf(m, a * -0.10294324f, kRound);
    const float k = shifted - kRound;
    float r = fmaf(a, m, k * 9.7138671875f);
    r = fmaf(a, m_rest, r);
    r = fmaf(k, 0.000223840529f, r);
    float p = fmaf(r, 1.85564591e-10f, -1.5510448e-08f);
    p = fmaf(r, p, 1.08009453e-06f);
    p = fmaf(r, p, -6.05492278e-05f);
    p = fmaf(r, p, 0.00254575512f);
    p = fmaf(r, p, -0.0713548213f);
    const float e = r * p;  // e^-T = (1 + e) 2^k
    const float scale = __uint_as_float(__float_as_uint(shifted) << 23);
    const float power = 1.0f + e;
    const float d = fmaf(power, scale * 0x1p-32f, 1.0f);
    const float d_rest = fmaf(power, scale * 0x1p-32f, 1.0f - d);
    return relu_minus_tail(x, a, e, d, d_rest, scale);
  }
};

// none: the tail is a Phi(-a) = a e^(-a^2/2) (1 + f) / (2 (1 + a)). The last two factors are what
// is left of Phi when the exponential is gone: a smooth f between -0.15 and 0.05.
//
// a^2 - k 2 ln 2 is one fmaf, which rounds once; f is a t p(t) with t = 1 / (1 + 0.275 a), and an
// error of p's last bit shrinks with f.
struct GeluNoneForFloat {
  __device__ __forceinline__ float operator()(float x) const {
    constexpr float kRound = 12583070.0f;  // as above, and one less for the 2 in 2 (1 + a)
    const float a = fminf(fabsf(x), 14.5f);
    const float shifted = fmaf(a, a * -0.72134752f, kRound);
    const float k = shifted - kRound;
    float r = fmaf(a, a, k * 1.38629150390625f);
    r = fmaf(k, 2.85721353e-06f, r);
    float h = fmaf(r, 2.15951477e-05f, -0.000261520967f);
    h = fmaf(r, h, 0.0026042664f);
    h = fmaf(r, h, -0.0208331514f);
    h = fmaf(r, h, 0.124999985f);
    const float g = fmaf(r * r, h, -0.5f * r);  // e^(-a^2/2) = (1 + g) 2^k
    const float t = rcp_approx(fmaf(a, 0.275f, 1.0f));
    float p = fmaf(t, 0.0482466072f, -0.212988287f);
    p = fmaf(t, p, 0.301752985f);
    p = fmaf(t, p, -0.142233565f);
    p = fmaf(t, p, 0.159548417f);
    p = fmaf(t, p, 0.0461349525f);
    p = fmaf(t, p, 0.0528945364f);
    p = fmaf(t, p, 0.00432325387f);
    p = fmaf(t, p, -0.0555632077f);
    const float f = a * t * p;
    const float e = fmaf(f, 1.0f + g, g);  // (1 + f) (1 + g) = 1 + e
    const float d = 1.0f + a;
    const float d_rest = a + (1.0f - d);
    const float scale = __uint_as_float(__float_as_uint(shifted) << 23);
    return relu_minus_tail(x, a, e, d, d_rest, scale);
  }
};

// Rungs 16 and 17: the operation that is right to two units in the last place of a float.
template <GeluApproximate kApproximate>
using GeluToTheLastBits = FloatInside<
    std::conditional_t<kApproximate == GeluApproximate::tanh, GeluTanhForFloat, GeluNoneForFloat>>;

// Which arithmetic serves which variant and type at the speed of a copy, and the operation that the
// last rungs share.
template <GeluApproximate kApproximate, class P>
struct GeluFor;
template <>
struct GeluFor<GeluApproximate::tanh, half2> : GeluTanhSigmoid<false> {};
template <>
struct GeluFor<GeluApproximate::tanh, __nv_bfloat162> : GeluTanhSigmoid<true> {};
template <>
struct GeluFor<GeluApproximate::tanh, float2> : GeluTanhSigmoid<true> {};
template <>
struct GeluFor<GeluApproximate::none, half2> : GeluExp2ForHalf {};
template <>
struct GeluFor<GeluApproximate::none, __nv_bfloat162> : GeluExp2ForBf16 {};
template <>
struct GeluFor<GeluApproximate::none, float2> : GeluNoneMills {};

/// Eight-bit floats end before a half does: its arithmetic is right to their last bit.
template <GeluApproximate kApproximate>
using GeluForFp8 = FloatInside<GeluFor<kApproximate, half2>>;

template <GeluApproximate kApproximate>
struct Gelu {
  template <class P>
  __device__ __forceinline__ P operator()(P x) const {
    return FloatInside<GeluFor<kApproximate, P>>{}(x);
  }
};

}  // namespace tutorial
