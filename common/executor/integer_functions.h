// Integer and bit intrinsics.
#pragma once

#include "common/executor/bit_cast.h"
#include "common/executor/qualifiers.h"

#include <cstdint>

namespace tutorial::cpu {

/// Byte `index` (0 to 3) of a word.
inline unsigned byte_of(unsigned word, unsigned index) { return word >> 8 * index & 0xffU; }

}  // namespace tutorial::cpu

// ---- Counting and moving bits -------------------------------------------------------------------

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }

/// Four bytes out of the eight in (y:x), one for each nibble of `selector`, of which the lowest
/// three bits count. (PTX's prmt has a use for the fourth; the function masks it.)
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned index = selector >> 4 * i & 7U;
    result |= tutorial::cpu::byte_of(index < 4 ? x : y, index % 4) << 8 * i;
  }
  return result;
}

/// The low word of (high:low), shifted right modulo 32.
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  return static_cast<unsigned>(both >> (shift & 31U));
}

// ---- Products -----------------------------------------------------------------------------------

inline int __mulhi(int x, int y) { return static_cast<int>(std::int64_t{x} * y >> 32); }
inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(std::uint64_t{x} * y >> 32);
}

// ---- The bits of a number -----------------------------------------------------------------------

inline int __float_as_int(float x) { return tutorial::cpu::bit_cast<int>(x); }
inline unsigned __float_as_uint(float x) { return tutorial::cpu::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return tutorial::cpu::bit_cast<float>(x); }
inline float __uint_as_float(unsigned x) { return tutorial::cpu::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return tutorial::cpu::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return tutorial::cpu::bit_cast<double>(x); }
