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
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __ffsll(long long x) { return __builtin_ffsll(x); }

/// The bits in reverse order.
inline unsigned __brev(unsigned x) {
  unsigned result = 0;
  for (int i = 0; i < 32; ++i, x >>= 1) result = result << 1 | (x & 1U);
  return result;
}
inline unsigned long long __brevll(unsigned long long x) {
  const auto low = static_cast<unsigned>(x), high = static_cast<unsigned>(x >> 32);
  return static_cast<unsigned long long>(__brev(low)) << 32 | __brev(high);
}

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

/// A word of (high:low), shifted: left the high one, right the low one; by `shift` modulo 32, or
/// (c) by 32 at most.
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) << (shift & 31U) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> (shift & 31U));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

// ---- Products -----------------------------------------------------------------------------------

inline int __mulhi(int x, int y) { return static_cast<int>(std::int64_t{x} * y >> 32); }
inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(std::uint64_t{x} * y >> 32);
}

inline long long __mul64hi(long long x, long long y) {
  return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}

/// Of the low 24 bits of each.
inline int __mul24(int x, int y) {
  const auto low = [](int value) {
    return static_cast<int>(static_cast<unsigned>(value) << 8) >> 8;
  };
  return static_cast<int>(std::int64_t{low(x)} * low(y));
}
inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffffU) * (y & 0xffffffU); }

// ---- Sums of differences, and averages ----------------------------------------------------------

inline unsigned __sad(int x, int y, unsigned z) {
  const std::int64_t difference = std::int64_t{x} - y;
  return static_cast<unsigned>(difference < 0 ? -difference : difference) + z;
}
inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x > y ? x - y : y - x) + z; }
inline int __hadd(int x, int y) { return static_cast<int>((std::int64_t{x} + y) >> 1); }
inline int __rhadd(int x, int y) { return static_cast<int>((std::int64_t{x} + y + 1) >> 1); }
inline unsigned __uhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((std::uint64_t{x} + y) >> 1);
}
inline unsigned __urhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((std::uint64_t{x} + y + 1) >> 1);
}

// ---- Four bytes, or two halves, of a word at a time ----------------------------------------------

namespace tutorial::cpu {

/// operation(x, y) of each part of the words, as a Part.
template <class Part, class Operation>
unsigned by_parts(unsigned x, unsigned y, Operation operation) {
  constexpr unsigned kBits = 8 * sizeof(Part), kMask = (1U << kBits) - 1;
  unsigned result = 0;
  for (unsigned shift = 0; shift < 32; shift += kBits) {
    const int value = operation(static_cast<int>(static_cast<Part>(x >> shift & kMask)),
                                static_cast<int>(static_cast<Part>(y >> shift & kMask)));
    result |= (static_cast<unsigned>(value) & kMask) << shift;
  }
  return result;
}

/// x and y have four bytes each: the sum of their products, plus z.
template <class Part>
int dot_by_parts(int x, int y, int z) {
  for (int shift = 0; shift < 32; shift += 8) {
    z += static_cast<Part>(x >> shift & 0xff) * static_cast<Part>(y >> shift & 0xff);
  }
  return z;
}

}  // namespace tutorial::cpu

#define TUTORIAL_CPU_BY_PARTS(name, Part, expression)                                    \
  inline unsigned name(unsigned x, unsigned y) {                                         \
    return tutorial::cpu::by_parts<Part>(x, y, [](int a, int b) { return expression; }); \
  }
TUTORIAL_CPU_BY_PARTS(__vadd4, std::uint8_t, a + b)
TUTORIAL_CPU_BY_PARTS(__vsub4, std::uint8_t, a - b)
TUTORIAL_CPU_BY_PARTS(__vadd2, std::uint16_t, a + b)
TUTORIAL_CPU_BY_PARTS(__vsub2, std::uint16_t, a - b)
TUTORIAL_CPU_BY_PARTS(__vmaxu4, std::uint8_t, a > b ? a : b)
TUTORIAL_CPU_BY_PARTS(__vminu4, std::uint8_t, a < b ? a : b)
TUTORIAL_CPU_BY_PARTS(__vmaxs4, std::int8_t, a > b ? a : b)
TUTORIAL_CPU_BY_PARTS(__vmins4, std::int8_t, a < b ? a : b)
TUTORIAL_CPU_BY_PARTS(__vabsdiffu4, std::uint8_t, a > b ? a - b : b - a)
TUTORIAL_CPU_BY_PARTS(__vcmpeq4, std::uint8_t, a == b ? 0xff : 0)
#undef TUTORIAL_CPU_BY_PARTS

inline int __dp4a(int x, int y, int z) { return tutorial::cpu::dot_by_parts<std::int8_t>(x, y, z); }
inline unsigned __dp4a(unsigned x, unsigned y, unsigned z) {
  return static_cast<unsigned>(tutorial::cpu::dot_by_parts<std::uint8_t>(
      static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)));
}

// ---- The bits of a number -----------------------------------------------------------------------

inline int __float_as_int(float x) { return tutorial::cpu::bit_cast<int>(x); }
inline unsigned __float_as_uint(float x) { return tutorial::cpu::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return tutorial::cpu::bit_cast<float>(x); }
inline float __uint_as_float(unsigned x) { return tutorial::cpu::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return tutorial::cpu::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return tutorial::cpu::bit_cast<double>(x); }
inline int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) {
  const auto bits = std::uint64_t{static_cast<unsigned>(high)} << 32 | static_cast<unsigned>(low);
  return tutorial::cpu::bit_cast<double>(bits);
}
