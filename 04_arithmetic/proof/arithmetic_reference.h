// What the nine operations are, written apart from the kernels: floats in double precision,
// integers in integers of twice the width, int8 as its contract says it. For the host.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "04_arithmetic/launchers/op.h"

namespace tutorial {

// ---- Floating point -----------------------------------------------------------------------------

/// op(a, b) in double. Rounded to float, half or bf16 it is the correctly rounded result of + - * /
/// on operands of that type (53 bits are more than 2 * 24 + 2), and max, min, prelu and mod.
inline double arithmetic_reference(ArithmeticOp op, double a, double b) {
  const bool a_is_above = a > b || (a == b && !std::signbit(a));  // +0 above -0
  switch (op) {
    case ArithmeticOp::Add:
      return a + b;
    case ArithmeticOp::Sub:
      return a - b;
    case ArithmeticOp::Mul:
      return a * b;
    case ArithmeticOp::Div:
      return a / b;
    case ArithmeticOp::Max:
      return std::isnan(a) || std::isnan(b) ? a + b : (a_is_above ? a : b);
    case ArithmeticOp::Min:
      return std::isnan(a) || std::isnan(b) ? a + b : (a_is_above ? b : a);
    case ArithmeticOp::Pow:
      return std::pow(a, b);
    case ArithmeticOp::PRelu:
      return a > 0 ? a : a * b;
    case ArithmeticOp::Mod:
      return std::fmod(a, b);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// The same as a plain function, which is what the test support takes.
template <ArithmeticOp op>
double arithmetic_reference_of(double a, double b) {
  return arithmetic_reference(op, a, b);
}

// ---- Integers -----------------------------------------------------------------------------------

__extension__ using Int128 = __int128;

/// The lowest bits of `value`, as many as T has.
template <class T>
T wrapped(Int128 value) {
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(value));
}

/// a^b for b >= 0, from the exponent's upper bits down.
template <class T>
T power_reference(T a, T b) {
  if (b == 0) return 1;
  const Int128 root = power_reference<T>(a, static_cast<T>(b / 2));
  const Int128 square = wrapped<T>(root * root);
  return wrapped<T>(b % 2 == 0 ? square : square * a);
}

/// op(a, b). T: std::int32_t, std::int64_t.
template <class T>
T arithmetic_reference_integer(ArithmeticOp op, T a, T b) {
  const Int128 wide_a = a, wide_b = b;
  switch (op) {
    case ArithmeticOp::Add:
      return wrapped<T>(wide_a + wide_b);
    case ArithmeticOp::Sub:
      return wrapped<T>(wide_a - wide_b);
    case ArithmeticOp::Mul:
      return wrapped<T>(wide_a * wide_b);
    case ArithmeticOp::Div:
      return b == 0 ? T(0) : wrapped<T>(wide_a / wide_b);
    case ArithmeticOp::Max:
      return std::max(a, b);
    case ArithmeticOp::Min:
      return std::min(a, b);
    case ArithmeticOp::Pow:
      if (b >= 0) return power_reference(a, b);
      if (a == 1) return 1;
      return a != -1 ? T(0) : T(b % 2 == 0 ? 1 : -1);
    case ArithmeticOp::PRelu:
      return a > 0 ? a : wrapped<T>(wide_a * wide_b);
    case ArithmeticOp::Mod:
      return b == 0 ? T(0) : wrapped<T>(wide_a % wide_b);
  }
  return 0;
}

// ---- int8 with scales ---------------------------------------------------------------------------

/// op(a s0, b s1) / s before it is rounded to an integer: four steps, each a double (in which it is
/// exact, or good enough to be rounded again) rounded to float.
inline float int8_value_reference(ArithmeticOp op, std::int8_t a, std::int8_t b,
                                  Int8Scales scales) {
  const auto x0 = static_cast<float>(static_cast<double>(a) * scales.in0);
  const auto x1 = static_cast<float>(static_cast<double>(b) * scales.in1);
  const auto r = static_cast<float>(arithmetic_reference(op, x0, x1));
  return static_cast<float>(static_cast<double>(r) / scales.out);
}

/// To nearest, ties to even, within [-128, 127]; 0 for NaN.
inline std::int8_t to_int8_reference(double value) {
  if (std::isnan(value)) return 0;
  const double below = std::floor(std::clamp(value, -1000.0, 1000.0));
  const double part = std::clamp(value, -1000.0, 1000.0) - below;
  const bool up = part > 0.5 || (part == 0.5 && std::fmod(below, 2.0) != 0.0);
  return static_cast<std::int8_t>(std::clamp(up ? below + 1 : below, -128.0, 127.0));
}

inline std::int8_t arithmetic_reference_int8(ArithmeticOp op, std::int8_t a, std::int8_t b,
                                             Int8Scales scales) {
  return to_int8_reference(int8_value_reference(op, a, b, scales));
}

/// Whether a result is right. All operations are exact functions of float arithmetic but Pow, where
/// powf may be off by some bits: there a value within 10^-5 of a tie may go either way.
inline bool is_right_int8(ArithmeticOp op, std::int8_t a, std::int8_t b, Int8Scales scales,
                          std::int8_t actual) {
  const double value = int8_value_reference(op, a, b, scales);
  if (actual == to_int8_reference(value)) return true;
  if (op != ArithmeticOp::Pow || std::isnan(value)) return false;
  const double slack = 1e-5 * std::fmin(std::fabs(value), 129.0);
  return actual >= to_int8_reference(value - slack) && actual <= to_int8_reference(value + slack);
}

}  // namespace tutorial
