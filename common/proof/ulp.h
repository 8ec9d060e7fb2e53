// Rounding to a floating-point type, and distances in its units in the last place (ULP).
#pragma once

#include "common/types.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

// T is float, half (__half), bf16 (__nv_bfloat16), double, or one of the eight-bit __nv_fp8_e4m3 and
// __nv_fp8_e5m2. References are computed in double, so every function here speaks double on its
// other side.

namespace tutorial::test {

/// What distinguishes one IEEE-style binary format from another.
///
/// `digits` counts the significand's bits with the hidden one; the exponents are those of the
/// smallest and the largest normal power of two; `Bits` holds the storage, sign in the top bit.
template <class T>
struct Format;

template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int digits = 24, min_exponent = -126, max_exponent = 127;
};
template <>
struct Format<__half> {
  using Bits = std::uint16_t;
  static constexpr int digits = 11, min_exponent = -14, max_exponent = 15;
};
template <>
struct Format<__nv_bfloat16> {
  using Bits = std::uint16_t;
  static constexpr int digits = 8, min_exponent = -126, max_exponent = 127;
};
template <>
struct Format<__nv_fp8_e4m3> {
  using Bits = std::uint8_t;
  static constexpr int digits = 4, min_exponent = -6, max_exponent = 8;
  static constexpr double largest = 448;
};
template <>
struct Format<__nv_fp8_e5m2> {
  using Bits = std::uint8_t;
  static constexpr int digits = 3, min_exponent = -14, max_exponent = 15;
  static constexpr double largest = 57344;
};
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int digits = 53, min_exponent = -1022, max_exponent = 1023;
};

template <class T>
using Bits = typename Format<T>::Bits;

/// The storage of `value` as an unsigned integer, and back.
template <class T>
Bits<T> to_bits(T value) {
  Bits<T> bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
template <class T>
T from_bits(Bits<T> bits) {
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
  return value;
}

/// Exact.
template <class T>
double to_double(T value) {
  return static_cast<double>(static_cast<float>(value));
}
template <>
inline double to_double(double value) {
  return value;
}

namespace detail {

/// floor(log2(|value|)) of a normal double; below them -1023; 1024 for infinities and NaN.
inline int exponent_of(double value) {
  return static_cast<int>((to_bits(value) >> 52) & 0x7ff) - 1023;
}

inline double power_of_two(int exponent) {
  if (exponent < -1022) return std::ldexp(1.0, exponent);
  return from_bits<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

}  // namespace detail

/// The distance between neighbouring values of T at |at|: that of the subnormals at the bottom,
/// that of the last binade for everything above it.
template <class T>
double ulp(double at) {
  const int exponent =
      std::clamp(detail::exponent_of(at), Format<T>::min_exponent, Format<T>::max_exponent);
  return detail::power_of_two(exponent - (Format<T>::digits - 1));
}

/// What T can come close to: eight-bit floats saturate, so whatever is larger than their largest
/// number, an infinity too, becomes that number. NaN stays NaN.
template <class T>
double in_range(double value) {
  if constexpr (sizeof(T) == 1) {
    if (std::fabs(value) > Format<T>::largest) return std::copysign(Format<T>::largest, value);
  }
  return value;
}

/// True if `value` rounds to an infinity of T: from half an ULP past the largest finite value on.
template <class T>
bool rounds_to_infinity(double value) {
  const double limit = std::ldexp(1.0, Format<T>::max_exponent + 1);
  return std::fabs(value) >= limit - ulp<T>(value) / 2;
}
template <>
inline bool rounds_to_infinity<double>(double value) {
  return std::isinf(value);
}

/// Rounds once, to nearest even; keeps infinities, NaN and the sign of zero. Eight-bit floats
/// saturate.
template <class T>
T from_double(double value) {
  value = in_range<T>(value);
  const double unit = ulp<T>(value);
  const double rounded = std::isfinite(value) ? std::nearbyint(value / unit) * unit : value;
  return T(static_cast<float>(rounded));  // exact: `rounded` is a value of T, or overflows it
}
template <>
inline float from_double(double value) {
  return static_cast<float>(value);
}
template <>
inline double from_double(double value) {
  return value;
}

/// How wrong an infinity of the right sign is, in ULP of T: not at all where `expected` rounds to
/// it. From the largest finite value on, as wrong as the number that would come next, the power of
/// two that the format has no room for: a result that is almost halfway may overflow by a little.
/// Infinitely wrong below.
template <class T>
double overflow_error(double expected) {
  if (rounds_to_infinity<T>(expected)) return 0.0;
  const double next = std::ldexp(1.0, Format<T>::max_exponent + 1);
  const double error = (next - std::fabs(expected)) / ulp<T>(next);
  return error <= 1.0 ? error : std::numeric_limits<double>::infinity();
}

/// |actual - expected| in ULP of T at `expected`, as a fraction: a correctly rounded result is off
/// by 0.5 at most. The sign of a zero does not count.
///
/// NaN where NaN is expected is 0. NaN anywhere else, a number where NaN is expected, and an
/// infinity of the wrong sign are infinitely wrong; one of the right sign as overflow_error() says.
/// Eight-bit floats have to saturate: they are compared with in_range(expected).
template <class T>
double ulp_error(T actual, double expected) {
  expected = in_range<T>(expected);
  constexpr double infinitely_wrong = std::numeric_limits<double>::infinity();
  const double value = to_double(actual);
  if (std::isnan(value) || std::isnan(expected)) {
    return std::isnan(value) && std::isnan(expected) ? 0.0 : infinitely_wrong;
  }
  if (std::isinf(value)) {
    return (value > 0) == (expected > 0) ? overflow_error<T>(expected) : infinitely_wrong;
  }
  return std::fabs(value - expected) / ulp<T>(expected);
}

/// ulp_error(); but where `expected` is a zero or rounds to one, a zero of the other sign is
/// infinitely wrong.
template <class T>
double signed_ulp_error(T actual, double expected) {
  const bool is_zero = to_double(actual) == 0.0 && std::fabs(expected) <= ulp<T>(0.0) / 2;
  if (is_zero && std::signbit(to_double(actual)) != std::signbit(expected)) {
    return std::numeric_limits<double>::infinity();
  }
  return ulp_error(actual, expected);
}

/// The position of `value` among all values of T of up to 32 bits: neighbours differ by one, both
/// zeros are 0, NaNs lie beyond the infinities.
template <class T>
std::int32_t order_of(T value) {
  constexpr int sign_bit = 8 * sizeof(T) - 1;
  const Bits<T> bits = to_bits(value);
  const auto magnitude = static_cast<std::int32_t>(bits & ((std::uint32_t{1} << sign_bit) - 1));
  return (bits >> sign_bit) != 0 ? -magnitude : magnitude;
}

/// The value at that position.
template <class T>
T from_order(std::int32_t order) {
  constexpr int sign_bit = 8 * sizeof(T) - 1;
  const auto magnitude = static_cast<std::uint32_t>(order < 0 ? -order : order);
  const std::uint32_t sign = order < 0 ? std::uint32_t{1} << sign_bit : 0;
  return from_bits<T>(static_cast<Bits<T>>(magnitude | sign));
}

}  // namespace tutorial::test
