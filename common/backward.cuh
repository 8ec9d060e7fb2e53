// The frame of a backward ladder: dx[i] = f'(x[i]) dy[i], where y = f(x) was computed and dy, the
// gradient of y, comes back.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/elementwise_binary.cuh"
#include "common/ptx.cuh"
#include "common/rung.h"

namespace tutorial {

// ---- The first two rungs: the textbook's formula ----------------------------------------------

/// f'(x) rounded to T, and then its product with dy. F{}(x) is f'(x) in float.
///
/// A derivative that is small has few digits as a T, or none, and a large dy does not bring them back.
//! [rounded_derivative]
template <class F>
struct RoundedDerivative {
  template <class T>
  __device__ __forceinline__ static T of(T x, T dy) {
    const T derivative = T(F{}(static_cast<float>(x)));
    return T(static_cast<float>(derivative) * static_cast<float>(dy));
  }
  template <class P>
  __device__ __forceinline__ P operator()(P x, P dy) const {
    return {of(x.x, dy.x), of(x.y, dy.y)};
  }
};
//! [rounded_derivative]

/// Rung 1: one thread, one element.
template <class T, class F>
__global__ void backward_scalar_kernel(const T* x, const T* dy, T* dx, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    dx[i] = RoundedDerivative<F>::of(x[i], dy[i]);
  }
}

/// A rung of kernel(const T* x, const T* dy, T* dx, std::int64_t n, extra...).
template <class T, class... Params, class... Extra>
BinaryRung<T> backward_rung(std::string name, void (*kernel)(const T*, const T*, T*, Params...),
                            int per_thread, std::size_t alignment, double max_ulp, Extra... extra) {
  const auto launch = [=](const T* x, const T* dy, T* dx, std::int64_t n, cudaStream_t stream) {
    return launch_binary(kernel, x, dy, dx, n, per_thread, alignment, stream, {}, extra...);
  };
  return {std::move(name), launch, per_thread, alignment, max_ulp};
}

/// "f32x4", "f16x8_pack": how a rung of sixteen bytes a thread is called.
template <class T>
std::string pack_name() {
  const std::string width = dtype_name<T>() + ("x" + std::to_string(16 / sizeof(T)));
  return sizeof(T) == 4 ? width : width + "_pack";
}

/// The ladder: F, the textbook's derivative, one element a thread; F in packs; and `op`, which has the
/// digits, in packs. textbook_ulp: the error allowed to the first two.
template <class F, class T, class Op>
std::vector<BinaryRung<T>> backward_ladder(const std::string& prefix, Op op, double textbook_ulp,
                                           double max_ulp) {
  using Textbook = RoundedDerivative<F>;
  constexpr int kWidth = 16 / sizeof(T);
  const std::string pack = prefix + pack_name<T>();
  return {
      backward_rung<T>(prefix + dtype_name<T>(), backward_scalar_kernel<T, F>, 1, sizeof(T),
                       textbook_ulp),
      backward_rung<T>(pack, elementwise_pack2_kernel<T, Textbook>, kWidth, 16, textbook_ulp,
                       Textbook{}),
      backward_rung<T>(pack + "_digits", elementwise_pack2_kernel<T, Op>, kWidth, 16, max_ulp, op)};
}

// ---- The digits -------------------------------------------------------------------------------

/// A number as a product whose factors do not leave the range of a float before dy has come in:
/// first (second dy).
struct TwoFactors {
  float first, second;
};

/// A derivative with f'(a) = 1 - f'(-a), as those of GELU and Swish are; f'(-a) is d.first d.second.
//! [mirrored]
__device__ __forceinline__ TwoFactors mirrored(bool is_negative, TwoFactors d) {
  return is_negative ? d : TwoFactors{fmaf(-d.first, d.second, 1.0f), 1.0f};
}
//! [mirrored]

/// 2^t as two factors. The results of a half end at 2^-25, and its gradients are below 2^16, so t stays
/// above -42 and one exponential does. Types with a float's range take its root twice: q is a normal
/// number down to t = -252. Of t the function gets this share.
template <class T>
inline constexpr float kShareOfExponent = std::is_same_v<T, half> ? 1.0f : 0.5f;
template <class T>
__device__ __forceinline__ TwoFactors exp2_factors(float share) {
  const float q = exp2_approx(share);
  return {q, std::is_same_v<T, half> ? 1.0f : q};
}

/// e^(high + low) is (1 + rest) power.first power.second, to the last bits of a float; high from
/// -175.4 to 0, low a rounding error of it. Below -175, second is 0.
///
/// high = k ln 2 + r with |r| <= ln(2)/2. ln 2 comes in two parts; k times the upper one, of 16 bits,
/// is exact. Adding 1.5 * 2^23 rounds to an integer, and the lowest bits of the sum are k, ready to be
/// shifted into an exponent: of 2^k if that is a normal number, of 2^-126 and 2^(k + 126) if not.
struct ExpParts {
  float rest;
  TwoFactors power;
};
//! [exp_parts]
__device__ __forceinline__ ExpParts exp_parts(float high, float low) {
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23
  const float shifted = fmaf(high, 1.44269504f, kRound);
  const float k = shifted - kRound;
  const float r = fmaf(k, -1.4286068e-6f, fmaf(k, -0.69314575f, high) + low);
  float p = fmaf(r, 0.0013882507f, 0.008366596f);
  p = fmaf(r, p, 0.041667200f);
  p = fmaf(r, p, 0.16666543f);
  p = fmaf(r, p, 0.49999997f);
  p = fmaf(r * r, p, r);
  const unsigned all = __float_as_uint(shifted) << 23;
  const unsigned first = __float_as_uint(fmaxf(shifted, kRound - 126.0f)) << 23;
  return {p, {__uint_as_float(first + 0x3f800000u), __uint_as_float(all - first + 0x3f800000u)}};
}
//! [exp_parts]

/// Makes an operation on pairs out of f(x, dy, T{}) on floats: widen, compute, round once.
template <class F>
struct GradientInside {
  F f;
  template <class P>
  __device__ __forceinline__ P operator()(P x, P dy) const {
    const float2 v = to_float2(x), w = to_float2(dy);
    return from_float2<P>({f(v.x, w.x, x.x), f(v.y, w.y, x.y)});
  }
};

}  // namespace tutorial
