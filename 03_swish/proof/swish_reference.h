// What Swish and SwiGLU are, in double precision: every rung is measured against these.
#pragma once

#include <cmath>

namespace tutorial {

/// x / (1 + e^(-beta x)), for any finite beta, and its limits where x is infinite.
///
/// Below zero it is written as x e^(beta x) / (1 + e^(beta x)): the same number, from an
/// exponential that cannot overflow.
inline double swish_reference(double x, double beta) {
  const double u = beta * x;
  if (std::isinf(x)) return u < 0.0 ? std::copysign(0.0, x) : x;
  const double e = std::exp(-std::fabs(u));
  return (u < 0.0 ? x * e : x) / (1.0 + e);
}

/// The ladder's Swish: beta = 1. Also called SiLU.
inline double swish_reference(double x) { return swish_reference(x, 1.0); }

/// Swish of the one input, times the other.
inline double swiglu_reference(double a, double b) { return swish_reference(a) * b; }

}  // namespace tutorial
