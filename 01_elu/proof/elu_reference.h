// What ELU is, in double precision: every rung is measured against this.
#pragma once

#include <cmath>

namespace tutorial {

/// alpha (e^x - 1) below zero, x elsewhere. std::expm1 keeps every digit near zero, where
/// std::exp(x) - 1 would cancel: a reference with the kernel's own weakness could not see it.
inline double elu_reference(double x, double alpha) { return x < 0.0 ? alpha * std::expm1(x) : x; }

/// The ladder's ELU: alpha = 1.
inline double elu_reference(double x) { return elu_reference(x, 1.0); }

/// Its derivative, times dy.
inline double elu_backward_reference(double x, double dy, double alpha) {
  return x > 0.0 ? dy : alpha * std::exp(x) * dy;
}
inline double elu_backward_reference(double x, double dy) {
  return elu_backward_reference(x, dy, 1.0);
}

}  // namespace tutorial
