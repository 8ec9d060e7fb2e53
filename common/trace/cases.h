// What a chapter's benchmark registers, for the main source of a program that traces or checks it. That
// source defines on_gpu and add() (common/bench/bench.h).
#pragma once

#include "common/bench/bench.h"
#include "common/bench/shapes.h"

#include <algorithm>
#include <vector>

namespace tutorial::bench {

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

/// Whether the case takes any shape: one that has shapes of another form than rows x columns is
/// what it is.
inline bool takes_any_shape(const Case& operation) {
  const auto& own = operation.own_shapes;
  return std::all_of(own.begin(), own.end(),
                     [](const NamedShape& s) { return s.name == name_of(s.shape); });
}

}  // namespace tutorial::bench
