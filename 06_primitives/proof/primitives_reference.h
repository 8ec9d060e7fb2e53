// The formulas in double precision, and how far a kernel may be from them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace tutorial {

inline double add_reference(double a, double b) { return a + b; }

inline double elu_reference(double x) { return x < 0.0 ? std::expm1(x) : x; }

/// GELU's tanh form, tanh(u) written so that nothing cancels for negative x.
inline double gelu_reference(double x) {
  if (std::isinf(x)) return x > 0.0 ? x : -0.0;
  const double u = std::sqrt(2.0 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
  return x / (1.0 + std::exp(-2.0 * u));
}

inline double swish_reference(double x) {
  if (std::isinf(x)) return x > 0.0 ? x : -0.0;
  return x / (1.0 + std::exp(-x));
}

/// The softmax of one row. A NaN, a plus infinity, or nothing but minus infinity: NaN everywhere.
inline std::vector<double> softmax_reference(const std::vector<double>& x) {
  double max = -std::numeric_limits<double>::infinity();
  for (const double v : x) max = std::isnan(v) || v > max ? v : max;
  for (const double v : x) max = std::isnan(v) ? v : max;
  std::vector<double> y(x.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += y[i] = std::exp(x[i] - max);
  for (double& v : y) v /= sum;
  return y;
}

/// What softmax() promises: relative to the result, (16 + 2 t + columns / 16,384) 2^-24 with t = (max - x) log2(e).
/// Where the numbers come from: x - max and its product with log2(e) are rounded twice, in a thread
/// and for the thread's correction, and log2(e) is: 2.5 roundings of t, times ln 2 in the result;
/// ex2.approx twice 2^-22, which is 8; the sum, the quotient and the products less than 8 more. A thread of a
/// long row adds up columns / 8,192 tiles one by one, and each sum is rounded by half a unit at most.
inline double softmax_bound(double x, double max, double y, double columns) {
  const double t = (max - x) * 1.4426950408889634;
  return (16.0 + 2.0 * t + columns / 16384.0) * std::ldexp(1.0, -24) * y + std::ldexp(1.0, -125);
}

}  // namespace tutorial
