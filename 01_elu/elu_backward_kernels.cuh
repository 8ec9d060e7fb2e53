// The arithmetic of ELU backward. The kernels are those of common/backward.cuh.
#pragma once

#include "common/backward.cuh"

namespace tutorial {

// Rungs 1 and 2 · f16, f16x8_pack: the derivative at alpha = 1.
//! [elu_derivative]
struct EluDerivative {
  __device__ __forceinline__ float operator()(float x) const { return x > 0.0f ? 1.0f : expf(x); }
};
//! [elu_derivative]

// Rung 3 · f16x8_pack_digits: dy joins before the exponential is small enough to lose digits, and the
// product is rounded once. q = e^(x/2) is taken twice; it is a normal number down to x = -174.
//! [elu_gradient]
struct EluGradient {
  float alpha;

  template <class T>
  __device__ __forceinline__ float operator()(float x, float dy, T) const {
    const float q = exp2_approx(x * 0.72134752f);
    return x > 0.0f ? dy : q * (q * (alpha * dy));
  }
  __device__ __forceinline__ float operator()(float x, float dy, float) const {
    const ExpParts e = exp_parts(max_nan(x, -175.4f), 0.0f);
    return x > 0.0f ? dy
                    : (1.0f + e.rest) * (e.power.second * (e.power.first * (alpha * dy)));
  }
};
//! [elu_gradient]

using EluBackward = GradientInside<EluGradient>;

}  // namespace tutorial
