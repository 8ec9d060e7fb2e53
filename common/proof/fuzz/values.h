// Elements for operands: what kind of numbers, and which, are few bytes of an input.
#pragma once

#include "common/proof/fuzz/input.h"
#include "common/proof/ulp.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace tutorial::fuzz {

/// A sequence that looks random, the same for the same seed (SplitMix64).
class Sequence {
 public:
  explicit Sequence(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t value = state_;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
  }

 private:
  std::uint64_t state_;
};

/// A number, near enough, as a T of any kind.
template <class T>
T number(double value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::int64_t>(value));
  } else {
    return test::from_double<T>(value);
  }
}

/// What is special about T: zeros, ones, both ends, and of floating-point types infinities and NaN.
template <class T>
std::vector<T> special_numbers() {
  if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    return {0, 1, static_cast<T>(-1), 2, Limits::min(), Limits::max()};
  } else {
    std::vector<T> values;
    const double smallest = test::ulp<T>(0.0);
    const double normal = std::ldexp(1.0, test::Format<T>::min_exponent);
    const double largest = std::ldexp(2.0 - std::ldexp(1.0, 1 - test::Format<T>::digits),
                                      test::Format<T>::max_exponent);
    for (const double value : {0.0, 1.0, smallest, normal, largest, HUGE_VAL}) {
      values.push_back(test::from_double<T>(value));
      values.push_back(test::from_double<T>(-value));
    }
    values.push_back(test::from_double<T>(std::numeric_limits<double>::quiet_NaN()));
    return values;
  }
}

/// `count` elements: small whole numbers (all zeros for an input at its end), numbers of moderate
/// size, special ones, any bits at all, or one value over and over.
template <class T>
std::vector<T> values(FuzzInput& input, std::size_t count) {
  enum Kind { small, moderate, special, any_bits, one_value, kinds };
  const auto kind = static_cast<Kind>(input.below(kinds));
  const std::uint64_t seed = input.bits(4);
  std::vector<T> result(count, number<T>(0.0));
  if (seed == 0) return result;
  const std::vector<T> specials = special_numbers<T>();
  Sequence sequence(seed);
  for (T& value : result) {
    const std::uint64_t random = kind == one_value ? seed * 0x0100010001 : sequence.next();
    switch (kind) {
      case small:
        value = number<T>(static_cast<double>(random % 17) - 8.0);
        break;
      case moderate:
        value = number<T>((static_cast<double>(random % 2000001) / 1e6 - 1.0) *
                          static_cast<double>(1 << (random >> 32) % 7));
        break;
      case special:
        value = specials[random % specials.size()];
        break;
      default:
        std::memcpy(static_cast<void*>(&value), &random, sizeof(T));
    }
  }
  return result;
}

/// For a message: exact.
template <class T>
std::string text_of(T value) {
  if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else {
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", test::to_double(value));
    return text;
  }
}

/// Whether two values are the same: to the bit, but that one NaN is as good as another.
template <class T>
bool same_value(const T& a, const T& b) {
  if constexpr (!std::is_integral_v<T>) {
    if (std::isnan(test::to_double(a))) return std::isnan(test::to_double(b));
  }
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

}  // namespace tutorial::fuzz
