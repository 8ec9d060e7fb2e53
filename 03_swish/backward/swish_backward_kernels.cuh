// The arithmetic of Swish and SwiGLU backward. The kernels are those of common/backward.cuh.
//
// The derivative is 1 - D(u) at u = |beta x| and D(u) at -u, with D(u) = e (1 + e - u) / (1 + e)^2 and
// e = e^-u. It is 0 where 1 + e = u, at u = 1.28. There the textbook subtracts two numbers that are
// almost the same; here the bracket is (root - u) P(root - u) around the root, and with the root in two
// floats that difference is right to its last bit.
#pragma once

#include "03_swish/swish_math.cuh"
#include "common/backward.cuh"

namespace tutorial {

// Rungs 1 and 2 · f16, f16x8_pack: the textbook's derivative, at beta = 1.
struct SwishDerivative {
  __device__ __forceinline__ float operator()(float x) const {
    const float sigmoid = 1.0f / (1.0f + expf(-x));
    return sigmoid * (1.0f + x * (1.0f - sigmoid));
  }
};

/// The same for SwiGLU, with each of the chain's results rounded to T, as separate kernels would.
struct SwiGluTextbook {
  template <class P>
  __device__ __forceinline__ TwoGradients<P> operator()(P a, P b, P dy) const {
    const P product = from_float2<P>(Multiply{}(to_float2(b), to_float2(dy)));
    const float2 v = to_float2(a);
    const P gate = from_float2<P>({swish_float(v.x), swish_float(v.y)});
    return {RoundedDerivative<SwishDerivative>{}(a, product), Multiply{}(gate, dy)};
  }
};

// Rung 3.
struct SwishParts {
  float u;        ///< |beta x|, where e is not 0
  TwoFactors e;   ///< e^-u
  float bracket;  ///< 1 + e - u
  float r;        ///< 1 / (1 + e)
};

/// The bracket near the root, for 16-bit types; d is the root less u.
__device__ __forceinline__ float near_swish_root(float d) {
  float p = fmaf(d, 0.0464196391f, 0.139266267f);
  p = fmaf(d, p, 1.27846456f);
  return fmaf(d, p, -1.29792825e-08f * 1.27846456f);
}

/// `beta` is |beta|; from x = `far` on, e is 0.
__device__ __forceinline__ SwishParts swish_parts(float beta, float far, float x, __nv_bfloat16) {
  const float z = min_nan(fabsf(x), far), d = fmaf(-z, beta, 1.27846456f);
  constexpr float kToShare =
      1.44269504f * kShareOfExponent<__nv_bfloat16>;  // -u is d less the root
  const TwoFactors e = exp2_factors<__nv_bfloat16>(fmaf(d, kToShare, -1.27846456f * kToShare));
  const float divisor = fmaf(e.first, e.second, 1.0f), close = near_swish_root(d);
  const float bracket = fabsf(d) < 0.0625f ? close : fmaf(-z, beta, divisor);
  return {z * beta, e, bracket, rcp_approx(divisor)};
}
__device__ __forceinline__ SwishParts swish_parts(float beta, float far, float x, float) {
  constexpr float kToPower = -0.5f * 1.44269504f,
                  kToPowerRest = -0.5f * 1.92596299e-08f;  // -log2(e) / 2
  const float z = min_nan(fabsf(x), far), u = z * beta, u_rest = fmaf(z, beta, -u);
  const float t = u * kToPower, t_rest = fmaf(u, kToPowerRest, fmaf(u, kToPower, -t));
  const TwoFactors e = exp2_sum(t, fmaf(u_rest, kToPower, t_rest));
  const float d = fmaf(-z, beta, 1.27846456f);
  float p = fmaf(d, 5.55883889e-05f, 0.000389786903f);
  p = fmaf(d, p, 0.00232049543f);
  p = fmaf(d, p, 0.0116023105f);
  p = fmaf(d, p, 0.046410758f);
  p = fmaf(d, p, 0.139232278f);
  p = fmaf(d, p, 1.27846456f);
  const float close = fmaf(d, p, -1.29792825e-08f * 1.27846456f);
  const float divisor = fmaf(e.first, e.second, 1.0f);
  const float bracket = fabsf(d) < 0.5f ? close : fmaf(-z, beta, divisor);
  return {u, e, bracket, rcp_approx(divisor)};
}

/// swish'(x) dy
__device__ __forceinline__ float swish_slope(bool is_negative, const SwishParts& parts, float dy) {
  const float first = parts.bracket * parts.r * parts.r * parts.e.first;
  return mirrored(is_negative, {first, parts.e.second}, dy);
}

/// What a half can hold ends where e = e^-u still has a square. So u keeps its sign, and swish'(u) is (1 + e
/// + e u) r^2 on both sides; where that cancels, it is e times the bracket above.
struct SwishOfHalf {
  float x;  ///< -far where it was less
  float bracket, r;
};
__device__ __forceinline__ SwishOfHalf swish_of_half(float beta, float far, float x) {
  const float above = max_nan(x, -far), z = min_nan(above, far), u = z * beta;
  const float d = fmaf(x, beta, 1.27846456f), e = exp2_approx(u * -1.44269504f), divisor = 1.0f + e;
  const float bracket = fabsf(d) < 0.0625f ? e * near_swish_root(d) : fmaf(e, u, divisor);
  return {above, bracket, rcp_approx(divisor)};
}

struct SwishGradient {
  float beta, magnitude, far;

  template <class T>
  __device__ __forceinline__ float operator()(float x, float dy, T type) const {
    return swish_slope(x * beta < 0.0f, swish_parts(magnitude, far, x, type), dy);
  }
  __device__ __forceinline__ float operator()(float x, float dy, half) const {
    const SwishOfHalf f = swish_of_half(beta, 0.45f * far, x);
    return f.bracket * f.r * f.r * dy;
  }
};

inline SwishGradient swish_gradient(float beta) {
  constexpr double kMost = std::numeric_limits<float>::max(), kVanishes = 175.4;
  const double far = kVanishes / std::fabs(static_cast<double>(beta));  // infinity for beta = 0
  return {beta, std::fabs(beta), static_cast<float>(std::fmin(far, kMost))};
}

using SwishBackward = GradientInside<SwishGradient>;

// SwiGLU, rung 3: both gradients from one exponential and one reciprocal.
struct SwiGluBackward {
  template <class T>
  __device__ __forceinline__ static TwoGradients<float> of(float a, float b, float dy, T type) {
    const bool is_negative = a < 0.0f;
    const SwishParts f = swish_parts(1.0f, 175.4f, a, type);
    const float gate = is_negative ? -f.u * f.e.first : a, db = gate * (f.r * dy);
    return {swish_slope(is_negative, f, b * dy), is_negative ? db * f.e.second : db};
  }
  __device__ __forceinline__ static TwoGradients<float> of(float a, float b, float dy, half) {
    const SwishOfHalf f = swish_of_half(1.0f, 80.0f, a);
    return {f.bracket * f.r * f.r * (b * dy), f.x * f.r * dy};
  }
  template <class P>
  __device__ __forceinline__ TwoGradients<P> operator()(P a, P b, P dy) const {
    const float2 u = to_float2(a), v = to_float2(b), w = to_float2(dy);
    const TwoGradients<float> x = of(u.x, v.x, w.x, a.x), y = of(u.y, v.y, w.y, a.y);
    return {from_float2<P>({x.a, y.a}), from_float2<P>({x.b, y.b})};
  }
};

}  // namespace tutorial
