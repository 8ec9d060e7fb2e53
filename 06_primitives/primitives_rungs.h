// The ladder as a table: what each rung is called, what it needs, and how wrong it may be. The
// tests hold every rung to its line, the benchmark times it, and the README prints it.
#pragma once

#include <string>
#include <vector>

#include "06_primitives/primitives.h"
#include "common/rung.h"

namespace tutorial {

/// The largest error of a sum that is rounded once.
inline constexpr double kAddUlp = 0.51;

/// The largest errors of ELU, GELU and Swish by five lines each, on inputs of which the result is a
/// normal number, in ULP of T. In float the exponent is a rounded product: far from zero its last
/// bit weighs more.
template <class T>
inline constexpr double kActivationUlp = 0.52;
template <>
inline constexpr double kActivationUlp<float> = 256.0;

/// name, launcher, elements a thread, alignment in bytes, largest error in ULP of the output type
template <class T>
std::vector<BinaryRung<T>> add_rungs(const std::string& dtype) {
  constexpr int kWide = 16 / static_cast<int>(sizeof(T));
  const std::string add_ = "add_" + dtype + "_";
  return {
      {add_ + "boundary", add_boundary<T>, 2, sizeof(T), kAddUlp},
      {add_ + "split", add_split<T>, 2, 2 * sizeof(T), kAddUlp},
      {add_ + "wide", add_wide<T>, kWide, sizeof(T), kAddUlp},
      {add_ + "adjacent", add_adjacent<T>, 2 * kWide, 16, kAddUlp},
      {add_ + "interleaved", add_interleaved<T>, 2 * kWide, 16, kAddUlp},
      {add_ + "grid_stride", add_grid_stride<T>, kWide, 16, kAddUlp},
  };
}

/// Rung 7, the operator, and the kernel by hand that it is held against.
template <class T>
BinaryRung<T> add_operator_rung(const std::string& dtype) {
  return {"add_" + dtype, add<T>, 16 / static_cast<int>(sizeof(T)), sizeof(T), kAddUlp};
}
template <class T>
BinaryRung<T> add_by_hand_rung(const std::string& dtype) {
  return {"add_" + dtype + "_by_hand", add_by_hand<T>, 16 / static_cast<int>(sizeof(T)), sizeof(T),
          kAddUlp};
}

/// The reader's rung, with the numbers that stand in your_primitives.cuh.
inline BinaryRung<half> your_primitives_rung() {
  const RungClaims claims = your_primitives_claims();
  return {"your_primitives", your_primitives, claims.per_thread, claims.alignment, claims.max_ulp};
}

/// elu, gelu or swish by primitives, or by hand.
template <class T>
UnaryRung<T> activation_rung(const std::string& name, UnaryLauncher<T> launch) {
  return {name, launch, 16 / static_cast<int>(sizeof(T)), sizeof(T), kActivationUlp<T>};
}

}  // namespace tutorial
