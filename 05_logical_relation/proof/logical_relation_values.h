// The operands that tests draw from: what is special about each type.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "05_logical_relation/launchers/op.h"
#include "common/proof/support.h"

namespace tutorial::test {

/// Bytes: both canonical truths, and true ones of many patterns.
inline std::vector<Byte> truth_values() { return {0, 1, 0, 2, 0x80, 0, 0xff, 0x7f, 0, 1, 4, 0x40}; }

/// Floating point: both zeros, the smallest subnormal and normal numbers, ones and their
/// neighbours, the largest, infinities and NaNs of both signs and several payloads. Integers: the
/// ends, and around zero.
template <class T>
std::vector<T> special_values() {
  if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    return {Limits::min(),     Limits::min() + 1, -2, -1, 0, 1, 2, 3, 64,
            Limits::max() - 1, Limits::max()};
  } else {
    constexpr int sign = 8 * sizeof(T) - 1;
    const auto infinity = to_bits(from_double<T>(HUGE_VAL));
    const auto one = to_bits(from_double<T>(1.0));
    const auto normal = to_bits(from_double<T>(std::ldexp(1.0, Format<T>::min_exponent)));
    std::vector<T> values;
    for (const unsigned bits :
         {0u, 1u, 2u, unsigned(normal) - 1, unsigned(normal), unsigned(normal) + 1,
          unsigned(one) - 1, unsigned(one), unsigned(one) + 1, unsigned(infinity) - 1,
          unsigned(infinity), unsigned(infinity) + 1, (1u << (sign - 1)) | unsigned(infinity),
          (1u << sign) - 1}) {
      values.push_back(from_bits<T>(static_cast<Bits<T>>(bits)));
      values.push_back(from_bits<T>(static_cast<Bits<T>>(bits | 1u << sign)));
    }
    for (const double value : {0.5, -2.0, 3.0, 1e-7, 5e-7, 16777216.0, 16777218.0}) {
      values.push_back(from_double<T>(value));
    }
    return values;
  }
}

/// A list of pairs as two lists.
template <class T>
struct Pairs {
  std::vector<T> a, b;

  void add(T left, T right) {
    a.push_back(left);
    b.push_back(right);
  }
};

/// Every value with every value.
template <class T>
Pairs<T> all_pairs(const std::vector<T>& values) {
  Pairs<T> pairs;
  for (const T left : values) {
    for (const T right : values) pairs.add(left, right);
  }
  return pairs;
}

/// Adds `count` pairs of random bit patterns, the same in every run; every third pair has two equal
/// patterns, and every third two that differ in the lowest bit only.
template <class T>
void add_random_pairs(Pairs<T>& pairs, int count) {
  std::mt19937_64 engine(20240229);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t random = engine();
    T left, right;
    std::uint64_t bits = random;
    std::memcpy(static_cast<void*>(&left), &bits, sizeof left);
    bits = i % 3 == 0 ? random : i % 3 == 1 ? random ^ 1u : engine();
    std::memcpy(static_cast<void*>(&right), &bits, sizeof right);
    pairs.add(left, right);
  }
}

}  // namespace tutorial::test
