// The ladder as a table: what each rung is called, what it needs, and how wrong it may be. The
// tests hold every rung to its line, the benchmark times it, and the README prints it.
#pragma once

#include <vector>

#include "03_swish/swish.h"
#include "common/fp8.h"
#include "common/rung.h"

namespace tutorial {

using Bf16 = __nv_bfloat16;

/// The largest error of swish() and of swiglu(), in ULP of T.
template <class T>
inline constexpr double kSwishUlp = 0.51;
template <>
inline constexpr double kSwishUlp<float> = 4.5;
template <class T>
inline constexpr double kSwiGluUlp = 0.51;
template <>
inline constexpr double kSwiGluUlp<float> = 3.0;

/// name, launcher, elements a thread, alignment in bytes, largest error in ULP of the output type
inline std::vector<UnaryRung<float>> swish_rungs_f32() {
  return {
      {"f32", swish_f32, 1, 4, 64.0},
      {"f32x4", swish_f32x4, 4, 16, 64.0},
      {"f32x4_poly", swish_f32x4_poly, 4, 16, 2.0},
      {"f32x8_poly", swish_f32x8_poly, 8, 16, 2.0},
      {"f32x8_ex2", swish_f32x8_ex2, 8, 16, kSwishUlp<float>},
      {"f32x4_pdl", swish_f32x4_pdl, 4, 16, kSwishUlp<float>},
      {"f32x8_pdl", swish_f32x8_pdl, 8, 16, kSwishUlp<float>},
  };
}

inline std::vector<UnaryRung<half>> swish_rungs_f16() {
  return {
      {"f16", swish_f16, 1, 2, 16.0},
      {"f16x2", swish_f16x2, 2, 4, 16.0},
      {"f16x8", swish_f16x8, 8, 4, 16.0},
      {"f16x8_pack", swish_f16x8_pack, 8, 16, 16.0},
      {"f16x8_pack_h2", swish_f16x8_pack_h2, 8, 16, 16.0},
      {"f16x8_pack_div", swish_f16x8_pack_div, 8, 16, kSwishUlp<half>},
      {"f16x8_pack_frcp", swish_f16x8_pack_frcp, 8, 16, kSwishUlp<half>},
      {"f16x8_pack_fdividef", swish_f16x8_pack_fdividef, 8, 16, kSwishUlp<half>},
      {"f16x8_pack_rcp", swish_f16x8_pack_rcp, 8, 16, kSwishUlp<half>},
      {"f16x8_pack_tanh", swish_f16x8_pack_tanh, 8, 16, 64.0},
      {"f16x8_pack_pdl", swish_f16x8_pack_pdl, 8, 16, kSwishUlp<half>},
  };
}

inline std::vector<UnaryRung<Bf16>> swish_rungs_bf16() {
  return {
      {"bf16x8_pack", swish_bf16x8_pack, 8, 16, kSwishUlp<Bf16>},
      {"bf16x8_pack_pdl", swish_bf16x8_pack_pdl, 8, 16, kSwishUlp<Bf16>},
  };
}

/// T: E4m3 or E5m2.
template <class T>
std::vector<UnaryRung<T>> swish_rungs_fp8() {
  return fp8_rungs<T>("", swish_fp8x16_pack<T>, swish_fp8x16_table<T>);
}

/// The reader's rung, with the numbers that stand in your_swish.cuh.
inline UnaryRung<half> your_swish_rung() {
  const RungClaims claims = your_swish_claims();
  return {"your_swish", your_swish, claims.per_thread, claims.alignment, claims.max_ulp};
}

/// SwiGLU in one kernel.
template <class T>
BinaryRung<T> swiglu_rung(const std::string& dtype) {
  const auto launch = [](const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream) {
    return swiglu(a, b, y, n, stream);
  };
  return {"swiglu_" + dtype, launch, 16 / static_cast<int>(sizeof(T)), sizeof(T), kSwiGluUlp<T>};
}

/// SwiGLU in two kernels. Its error is bounded where swish(a) is a normal number of T and |b| <= 1:
/// where swish(a) is subnormal, rounding it leaves few digits, or none.
template <class T>
BinaryRung<T> swiglu_separate_rung(const std::string& dtype) {
  const auto launch = [](const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream) {
    return swiglu_separate(a, b, y, n, stream);
  };
  return {"swiglu_" + dtype + "_separate", launch, 16 / static_cast<int>(sizeof(T)), sizeof(T),
          2 * kSwishUlp<T> + 0.51};
}

}  // namespace tutorial
