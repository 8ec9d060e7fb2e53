// The ladder as a table: what each rung is called, what it needs, and how wrong it may be. The
// tests hold every rung to its line, the benchmark times it, and the README prints it.
#pragma once

#include <vector>

#include "01_elu/elu.h"
#include "common/fp8.h"
#include "common/rung.h"

namespace tutorial {

using Bf16 = __nv_bfloat16;

/// name, launcher, elements a thread, alignment in bytes, largest error in ULP of the output type
inline std::vector<UnaryRung<float>> elu_rungs_f32() {
  return {
      {"f32", elu_f32, 1, 4, 2.0},
      {"f32x4", elu_f32x4, 4, 16, 2.0},
      {"f32x4_poly", elu_f32x4_poly, 4, 16, 2.0},
      {"f32x4_pdl", elu_f32x4_pdl, 4, 16, 2.0},
  };
}

inline std::vector<UnaryRung<half>> elu_rungs_f16() {
  return {
      {"f16", elu_f16, 1, 2, 2048.0},
      {"f16x2", elu_f16x2, 2, 4, 2048.0},
      {"f16x8", elu_f16x8, 8, 4, 2048.0},
      {"f16x8_wide_load", elu_f16x8_wide_load, 8, 16, 2048.0},
      {"f16x8_wide_store", elu_f16x8_wide_store, 8, 16, 2048.0},
      {"f16x8_pack", elu_f16x8_pack, 8, 16, 2048.0},
      {"f16x8_pack_h2", elu_f16x8_pack_h2, 8, 16, 2048.0},
      {"f16x8_pack_fexp", elu_f16x8_pack_fexp, 8, 16, 4.0},
      {"f16x8_pack_expm1", elu_f16x8_pack_expm1, 8, 16, 0.51},
      {"f16x8_pack_poly", elu_f16x8_pack_poly, 8, 16, 0.51},
      {"f16x8_pack_pdl", elu_f16x8_pack_pdl, 8, 16, 0.51},
  };
}

inline std::vector<UnaryRung<Bf16>> elu_rungs_bf16() {
  return {
      {"bf16x8_pack", elu_bf16x8_pack, 8, 16, 0.51},
      {"bf16x8_pack_pdl", elu_bf16x8_pack_pdl, 8, 16, 0.51},
  };
}

/// T: E4m3 or E5m2.
template <class T>
std::vector<UnaryRung<T>> elu_rungs_fp8() {
  return fp8_rungs<T>("", elu_fp8x16_pack<T>, elu_fp8x16_table<T>);
}

/// The reader's rung, with the numbers that stand in your_elu.cuh.
inline UnaryRung<half> your_elu_rung() {
  const RungClaims claims = your_elu_claims();
  return {"your_elu", your_elu, claims.per_thread, claims.alignment, claims.max_ulp};
}

}  // namespace tutorial
