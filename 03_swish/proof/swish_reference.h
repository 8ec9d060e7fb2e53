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

/// The derivative of Swish, times dy: with u = beta x it is s (1 + u (1 - s)), s = 1 / (1 + e^-u). Beyond
/// 700 nothing is left of the tail that a float could hold.
inline double swish_backward_reference(double x, double dy, double beta) {
  const double u = beta == 0.0 && !std::isnan(x) ? 0.0 : beta * x;
  if (std::fabs(u) > 700.0) return u < 0.0 ? -0.0 * dy : dy;
  const double e = std::exp(-std::fabs(u)), divisor = 1.0 + e;
  const double sigmoid = (u < 0.0 ? e : 1.0) / divisor, other = (u < 0.0 ? 1.0 : e) / divisor;
  return sigmoid * (1.0 + u * other) * dy;
}
inline double swish_backward_reference(double x, double dy) {
  return swish_backward_reference(x, dy, 1.0);
}

/// The gradients of SwiGLU.
inline double swiglu_backward_a_reference(double a, double b, double dy) {
  return swish_backward_reference(a, dy) * b;
}
inline double swiglu_backward_b_reference(double a, double dy) { return swish_reference(a) * dy; }

}  // namespace tutorial
