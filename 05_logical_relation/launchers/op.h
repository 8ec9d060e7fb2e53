// The operations of this chapter by name, for host code and kernels.
#pragma once

#include <cstdint>

namespace tutorial {

/// One truth value in memory: a byte, as the bool tensors of NumPy and PyTorch have it. On input
/// any byte but 0 is true; what this chapter writes is 0 or 1.
///
/// Not `bool`: reading a bool whose byte is neither 0 nor 1 is undefined behaviour in C++, and
/// compilers rely on that.
using Byte = std::uint8_t;

/// Not has one operand, the others have two.
enum class LogicalOp { And, Or, Xor, Not };
inline constexpr LogicalOp kLogicalOps[] = {LogicalOp::And, LogicalOp::Or, LogicalOp::Xor};
inline const char* name_of(LogicalOp op) {
  constexpr const char* kNames[] = {"and", "or", "xor", "not"};
  return kNames[static_cast<int>(op)];
}

/// On numbers. With a NaN on either side all are false except NotEqual, the complement of Equal.
enum class RelationOp { Equal, NotEqual, Greater, GreaterOrEqual, Less, LessOrEqual };
inline constexpr RelationOp kRelationOps[] = {RelationOp::Equal,   RelationOp::NotEqual,
                                              RelationOp::Greater, RelationOp::GreaterOrEqual,
                                              RelationOp::Less,    RelationOp::LessOrEqual};
inline const char* name_of(RelationOp op) {
  constexpr const char* kNames[] = {"equal",         "not_equal", "greater",
                                    "greater_equal", "less",      "less_equal"};
  return kNames[static_cast<int>(op)];
}

/// When two floats count as equal. Two infinities of one sign, and both zeros, are equal under each
/// kind; a NaN equals nothing; an infinity equals no number. Differences and products are floats,
/// each rounded.
struct Equality {
  enum class Kind {
    exact,     ///< a == b
    absolute,  ///< |a - b| < tolerance
    relative,  ///< |a - b| <= tolerance * max(|a|, |b|)
    ulp        ///< at most `tolerance` floats from a to b
  };
  Kind kind;
  float tolerance;  ///< not negative; finite; a whole number up to 2^24 for ulp; exact ignores it

  static Equality exact() { return {Kind::exact, 0.0f}; }
  static Equality absolute(float tolerance) { return {Kind::absolute, tolerance}; }
  static Equality relative(float tolerance) { return {Kind::relative, tolerance}; }
  static Equality ulp(float tolerance) { return {Kind::ulp, tolerance}; }
};

}  // namespace tutorial
