// The arithmetic of GELU backward. The kernels are those of common/backward.cuh.
//
// Both derivatives are 1 - D(a) at a = |x| and D(a) at -a, so D is all that is computed. It falls from
// 1/2, is 0 at a = 0.75, and fades below zero. There the textbook subtracts two numbers that are almost
// the same, and here (root - a) is a factor: with the root in two floats that difference is right to
// its last bit, and nothing is left to cancel.
#pragma once

#include "02_gelu/gelu.h"
#include "common/backward.cuh"

namespace tutorial {

// Rungs 1 and 2 · f16, f16x8_pack: the textbook's derivatives.
template <GeluApproximate kApproximate>
struct GeluDerivative {
  __device__ __forceinline__ float operator()(float x) const {
    if constexpr (kApproximate == GeluApproximate::tanh) {
      const float t = tanhf(0.797884561f * fmaf(0.044715f * x * x, x, x));
      const float slope = 0.797884561f * fmaf(0.134145f * x, x, 1.0f);
      return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * slope;
    } else {
      return 0.5f * (1.0f + erff(0.707106781f * x)) + 0.398942280f * x * expf(-0.5f * x * x);
    }
  }
};

// Rung 3 · none: D(a) = Phi(-a) - a phi(a) = (root - a) R(a) e^(-a^2/2), where R falls from 0.67 to
// 0.40: a polynomial in t = 1 / (1 + c a), of relative error 2^-21 for half and bf16, 2^-30 for float.
struct GeluNoneGradient {
  static constexpr float kRoot = 0.751791537f, kRootRest = -1.21144499e-08f;

  template <class T>
  __device__ __forceinline__ static TwoFactors tail(float a, T) {
    const float z = min_nan(a, 18.73f), t = rcp_approx(fmaf(z, 0.4f, 1.0f));
    float r = fmaf(t, 0.0186550394f, -0.069792904f);
    r = fmaf(t, r, 0.061440926f);
    r = fmaf(t, r, 0.0409587063f);
    r = fmaf(t, r, 0.0951885954f);
    r = fmaf(t, r, 0.11967428f);
    r = fmaf(t, r, 0.398953557f);
    const TwoFactors e = exp2_factors<T>(z * (z * (-0.72134752f * kShareOfExponent<T>)));
    return {fmaf(kRoot - z, r, kRootRest * 0.57f) * e.first, e.second};
  }
  __device__ __forceinline__ static TwoFactors tail(float a, float) {
    const float z = min_nan(a, 18.73f), t = rcp_approx(fmaf(z, 0.25f, 1.0f));
    float r = fmaf(t, 0.0082989838f, -0.0407578573f);
    r = fmaf(t, r, 0.0646072552f);
    r = fmaf(t, r, -0.0379748829f);
    r = fmaf(t, r, 0.0519129522f);
    r = fmaf(t, r, 0.0276900344f);
    r = fmaf(t, r, 0.05354698f);
    r = fmaf(t, r, 0.0638053566f);
    r = fmaf(t, r, 0.0750078708f);
    r = fmaf(t, r, 0.398941308f);
    const float square = z * z;
    const ExpParts e = exp_parts(-0.5f * square, -0.5f * fmaf(z, z, -square));
    const float factor = ((kRoot - z) + kRootRest) * r;
    return {factor * (1.0f + e.rest) * e.power.second, e.power.first};
  }
};

// Rung 3 · tanh: with e = e^-v and v = 2 sqrt(2/pi) (a + 0.044715 a^3), D(a) = e (1 + e - a v') / (1 +
// e)^2. Near the root the bracket is (root - a) P(root - a).
struct GeluTanhGradient {
  static constexpr float kRoot = 0.752461433f, kRootRest = -1.13396279e-08f;

  /// The bracket near the root, for 16-bit types; d = root - a.
  __device__ __forceinline__ static float near_root(float d) {
    float p = fmaf(d, 0.400537044f, -0.0996888876f);
    p = fmaf(d, p, 2.46065688f);
    return fmaf(d, p, kRootRest * 2.46065688f);
  }
  __device__ __forceinline__ static TwoFactors tail(float a, __nv_bfloat16) {
    constexpr float kShare = kShareOfExponent<__nv_bfloat16>;
    const float z = min_nan(a, 12.94f), square = z * z, d = kRoot - z;
    const TwoFactors e =
        exp2_factors<__nv_bfloat16>(z * fmaf(square, -0.10294324f * kShare, -2.30220819f * kShare));
    const float divisor = fmaf(e.first, e.second, 1.0f), close = near_root(d);
    const float elsewhere = fmaf(-z, fmaf(square, 0.214064449f, 1.59576917f), divisor);
    const float bracket = fabsf(d) < 0.0625f ? close : elsewhere;
    return {bracket * rcp_approx(divisor * divisor) * e.first, e.second};
  }
  __device__ __forceinline__ static TwoFactors tail(float a, float) {
    constexpr float kCubic = 0.5f * 0.102943242f, kCubicRest = 0.5f * -2.01619844e-09f;
    const float z = min_nan(a, 12.9385f), square = z * z;
    // v log2(e) / 2 = kCubic a (22.36 + a^2), each product with what its rounding lost.
    const float sum = fmaf(z, z, 22.3638458f);
    const float sum_rest = fmaf(z, z, 22.3638458f - sum) + 1.41770411e-05f;
    const float product = z * sum, v = kCubic * product;
    const float product_rest = fmaf(z, sum_rest, fmaf(z, sum, -product));
    const float v_rest = fmaf(kCubicRest, product, fmaf(kCubic, product, -v));
    const TwoFactors e = exp2_sum(-v, -fmaf(kCubic, product_rest, v_rest));

    const float d = kRoot - z, divisor = fmaf(e.first, e.second, 1.0f);
    float p = fmaf(d, 0.0114040026f, 0.0308343253f);
    p = fmaf(d, p, 0.0759564371f);
    p = fmaf(d, p, 0.400439514f);
    p = fmaf(d, p, -0.0999115144f);
    p = fmaf(d, p, 2.46065679f);
    const float close = fmaf(d, p, kRootRest * 2.46065664f);
    const float elsewhere = fmaf(-z, fmaf(square, 0.214064449f, 1.59576917f), divisor);
    const float bracket = fabsf(d) < 0.25f ? close : elsewhere;
    return {bracket * rcp_approx(divisor * divisor) * e.first, e.second};
  }
};

/// GELU'(x) dy
template <class Tail, class T>
__device__ __forceinline__ float gelu_gradient(Tail, float x, float dy, T type) {
  return mirrored(x < 0.0f, Tail::tail(fabsf(x), type), dy);
}
/// What a half can hold ends where e^-v still has a square. So x keeps its sign, and (1 + e + e x v') / (1 +
/// e)^2 holds on both sides; where it cancels, it is e times the bracket above.
__device__ __forceinline__ float gelu_gradient(GeluTanhGradient f, float x, float dy, half) {
  const float z = max_nan(min_nan(x, 8.0f), -8.0f), square = z * z, d = f.kRoot + z;
  const float e = exp2_approx(z * fmaf(square, -0.10294324f, -2.30220819f)), divisor = 1.0f + e;
  const float close = e * f.near_root(d), slope = z * fmaf(square, 0.214064449f, 1.59576917f);
  const float bracket = fabsf(d) < 0.0625f ? close : fmaf(e, slope, divisor);
  return bracket * rcp_approx(divisor * divisor) * dy;
}

template <class Tail>
struct GeluGradient {
  template <class T>
  __device__ __forceinline__ float operator()(float x, float dy, T type) const {
    return gelu_gradient(Tail{}, x, dy, type);
  }
};

template <GeluApproximate kApproximate>
using GeluBackward = GradientInside<GeluGradient<
    std::conditional_t<kApproximate == GeluApproximate::tanh, GeluTanhGradient, GeluNoneGradient>>>;

}  // namespace tutorial
