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

}  // namespace tutorial
