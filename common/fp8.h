// Eight-bit floats: e4m3 (4 bits of exponent, 3 of fraction) and e5m2 (5 and 2).
//
// e5m2 is a half without its last eight bits, infinities included. e4m3 gives them up: it ends at
// 448, and one code of either sign is NaN. Whatever is converted to either type saturates: beyond
// the largest number, and at infinity, it becomes that number. (CUDA calls this __NV_SATFINITE.)
#pragma once

#include <cuda_fp8.h>

#include <string>
#include <type_traits>
#include <vector>

#include "common/rung.h"

namespace tutorial {

using E4m3 = __nv_fp8_e4m3;
using E5m2 = __nv_fp8_e5m2;

/// The two rungs that every one-input chapter has for E4m3 and for E5m2: "e4m3x16_pack" computes in
/// float, "e4m3x16_table" looks up. 0.5 ULP: every result is the nearest value.
template <class T>
std::vector<UnaryRung<T>> fp8_rungs(const std::string& prefix, UnaryLauncher<T> pack,
                                    UnaryLauncher<T> table) {
  const std::string name = prefix + (std::is_same_v<T, E4m3> ? "e4m3" : "e5m2");
  return {{name + "x16_pack", pack, 16, 16, 0.5}, {name + "x16_table", table, 16, 16, 0.5}};
}

}  // namespace tutorial
