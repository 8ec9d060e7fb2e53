// Conversion of floating values to integers as CUDA does it.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

namespace tutorial::cpu {

/// An integral `x` as an Integer; values out of range saturate. A NaN becomes 0 between 32-bit types, and the
/// highest bit alone if either side has 64.
template <class Integer, class Float>
Integer saturate_to(Float x) {
  using Limits = std::numeric_limits<Integer>;
  using Bits = std::make_unsigned_t<Integer>;
  constexpr bool kNarrow = sizeof(Float) <= 4 && sizeof(Integer) <= 4;
  constexpr Bits kForNaN = kNarrow ? 0 : Bits{1} << (std::numeric_limits<Bits>::digits - 1);
  if (std::isnan(x)) return static_cast<Integer>(kForNaN);
  if (x <= static_cast<Float>(Limits::min())) return Limits::min();
  if (x >= static_cast<Float>(Limits::max())) return Limits::max();
  return static_cast<Integer>(x);
}

}  // namespace tutorial::cpu
