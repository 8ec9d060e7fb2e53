// What GELU is, in double precision: every rung is measured against this.
#pragma once

#include <cmath>

#include "02_gelu/gelu.h"

namespace tutorial {

/// x Phi(x), Phi being the normal distribution: the variant "none". std::erfc keeps every digit of
/// the left tail, where 1 + std::erf(..) would cancel. -infinity gives the limit, -0.
inline double gelu_none_reference(double x) {
  if (std::isinf(x)) return x < 0.0 ? -0.0 : x;
  return 0.5 * x * std::erfc(-0.70710678118654752 * x);
}

/// The approximation with tanh. (1 + tanh(u)) / 2 is 1 / (1 + e^(-2u)), which does not cancel.
inline double gelu_tanh_reference(double x) {
  if (std::isinf(x)) return x < 0.0 ? -0.0 : x;
  const double u = 0.79788456080286536 * (x + 0.044715 * x * x * x);
  return x / (1.0 + std::exp(-2.0 * u));
}

inline Reference gelu_reference(GeluApproximate approximate) {
  return approximate == GeluApproximate::tanh ? gelu_tanh_reference : gelu_none_reference;
}

/// The derivatives times dy. Beyond 30 nothing is left of the tail that a float could hold.
inline double gelu_none_backward_reference(double x, double dy) {
  if (std::fabs(x) > 30.0) return x < 0.0 ? -0.0 * dy : dy;
  const double density = 0.39894228040143268 * std::exp(-0.5 * x * x);
  return (0.5 * std::erfc(-0.70710678118654752 * x) + x * density) * dy;
}
inline double gelu_tanh_backward_reference(double x, double dy) {
  if (std::fabs(x) > 30.0) return x < 0.0 ? -0.0 * dy : dy;
  const double v = 1.5957691216057307 * (x + 0.044715 * x * x * x);
  const double slope = 1.5957691216057307 * (1.0 + 0.134145 * x * x);
  const double e = std::exp(-std::fabs(v));
  const double sigmoid = (v < 0.0 ? e : 1.0) / (1.0 + e), other = (v < 0.0 ? 1.0 : e) / (1.0 + e);
  return sigmoid * (1.0 + x * slope * other) * dy;
}

inline BinaryReference gelu_backward_reference(GeluApproximate approximate) {
  return approximate == GeluApproximate::tanh ? gelu_tanh_backward_reference
                                              : gelu_none_backward_reference;
}

}  // namespace tutorial
