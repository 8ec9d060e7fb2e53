// The operations in plain C++, for the tests and the benchmark to compare with.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "05_logical_relation/launchers/op.h"

namespace tutorial {

inline Byte logical_reference(LogicalOp op, Byte a, Byte b) {
  const bool left = a != 0, right = b != 0;
  switch (op) {
    case LogicalOp::And:
      return left && right;
    case LogicalOp::Or:
      return left || right;
    case LogicalOp::Xor:
      return left != right;
    case LogicalOp::Not:
      return !left;
  }
  return 0xff;
}

namespace detail {

template <class Number>
Byte relation_of(RelationOp op, Number a, Number b) {
  switch (op) {
    case RelationOp::Equal:
      return a == b;
    case RelationOp::NotEqual:
      return !(a == b);
    case RelationOp::Greater:
      return a > b;
    case RelationOp::GreaterOrEqual:
      return a >= b;
    case RelationOp::Less:
      return a < b;
    case RelationOp::LessOrEqual:
      return a <= b;
  }
  return 0xff;
}

}  // namespace detail

/// In double, which holds every float, half and bf16, or in 64-bit integers.
template <class T>
Byte relation_reference(RelationOp op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return detail::relation_of<long long>(op, a, b);
  } else {
    return detail::relation_of<double>(op, static_cast<double>(static_cast<float>(a)),
                                       static_cast<double>(static_cast<float>(b)));
  }
}

/// The same for 16-bit floats from their bit patterns, by integer arithmetic and nothing else.
/// `infinity` is the pattern of +infinity: 0x7c00 for half, 0x7f80 for bf16.
///
/// Without its sign bit a pattern counts the numbers from zero upwards, so signed it counts them in
/// order, with both zeros at 0; beyond infinity it is a NaN.
inline Byte relation_of_bits(RelationOp op, unsigned a, unsigned b, unsigned infinity) {
  const int left = static_cast<int>(a & 0x7fffu), right = static_cast<int>(b & 0x7fffu);
  const int limit = static_cast<int>(infinity);
  if (left > limit || right > limit) return op == RelationOp::NotEqual;
  return detail::relation_of<int>(op, (a & 0x8000u) != 0 ? -left : left,
                                  (b & 0x8000u) != 0 ? -right : right);
}

/// Answers as bits: answer i is bit i % 8 of byte i / 8, in whole 32-bit words.
inline std::vector<Byte> packed_bits(const std::vector<Byte>& answers) {
  std::vector<Byte> bytes((answers.size() + 31) / 32 * 4, 0);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i] != 0) bytes[i / 8] = static_cast<Byte>(bytes[i / 8] | 1u << i % 8);
  }
  return bytes;
}

}  // namespace tutorial
