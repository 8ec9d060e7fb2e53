// The arithmetic of ELU backward. The kernels are those of common/backward.cuh.
#pragma once

#include "common/backward.cuh"

namespace tutorial {

// Rungs 1 and 2 · f16, f16x8_pack: the derivative at alpha = 1.
struct EluDerivative {
  __device__ __forceinline__ float operator()(float x) const { return x > 0.0f ? 1.0f : expf(x); }
};

// Rung 3 · f16x8_pack_digits: dy joins before the exponential is small enough to lose digits, and the
// product is rounded once.
struct EluGradient {
  float alpha;

  template <class T>
  __device__ __forceinline__ float operator()(float x, float dy, T) const {
    const TwoFactors e = exp2_factors<T>(x * (1.44269504f * kShareOfExponent<T>));
    return x > 0.0f ? dy : e.first * (e.second * (alpha * dy));
  }
  __device__ __forceinline__ float operator()(float x, float dy, float) const {
    const ExpParts e = exp_parts(max_nan(x, -175.4f), 0.0f);
    return x > 0.0f ? dy : (1.0f + e.rest) * (e.power.second * (e.power.first * (alpha * dy)));
  }
};

using EluBackward = GradientInside<EluGradient>;

}  // namespace tutorial
