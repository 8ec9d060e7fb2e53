// The values and the sizes that kernels are tried on.
#pragma once

#include "common/proof/ulp.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace tutorial::test {

/// All 65,536 values of a 16-bit type, or all 256 of an eight-bit one, in the order of their bit
/// patterns.
template <class T>
std::vector<T> all_values() {
  static_assert(sizeof(T) <= 2);
  std::vector<T> values;
  for (std::uint32_t bits = 0; bits < 1u << 8 * sizeof(T); ++bits) {
    values.push_back(from_bits<T>(static_cast<Bits<T>>(bits)));
  }
  return values;
}

/// A dense sample of the floats: of every exponent, subnormals included, `per_exponent` values of
/// each sign, spread evenly, with the powers of two and their neighbours; and the zeros, infinities
/// and NaN. Some 510 * per_exponent values in all.
std::vector<float> dense_floats(int per_exponent);

/// The sizes at which a kernel of `width` elements per thread can go wrong at its end:
/// 0, 1, V-1, V, V+1, 2V-1, 255, 256, 257, 1023, 1027 and 2^20+3; sorted, each once.
std::vector<std::int64_t> n_ladder(int width);

/// Normal values, standard deviation 2, the same in every run; `count` of them at least. They are kept: every rung asks.
inline const std::vector<double>& normal_numbers(std::size_t count) {
  constexpr double two_pi = 6.283185307179586, standard_deviation = 2;
  // The engine is the same everywhere; std::normal_distribution is not, so Box and Muller do it.
  static std::mt19937_64 engine(20240229);
  static std::vector<double> known;
  const auto uniform = [] { return (static_cast<double>(engine() >> 11) + 0.5) * 0x1p-53; };
  while (known.size() < count) {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    known.push_back(standard_deviation * radius * std::cos(two_pi * uniform()));
  }
  return known;
}

/// `count` values as a network's layers hand them on (normal_numbers); none is zero or NaN. T: as in unary.h.
template <class T>
std::vector<T> normal_values(std::int64_t count) {
  const double* next = normal_numbers(static_cast<std::size_t>(count)).data();
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) {
    value = from_double<T>(*next++);
    if (to_double(value) == 0) value = from_double<T>(1);
  }
  return values;
}

}  // namespace tutorial::test
