// The ladder as a table: what each rung is called, what it needs, and how wrong it may be. The
// tests hold every rung to its line, the benchmark times it, and the README prints it.
#pragma once

#include <string>
#include <vector>

#include "02_gelu/gelu.h"
#include "02_gelu/proof/gelu_reference.h"
#include "common/fp8.h"
#include "common/rung.h"

namespace tutorial {

using Bf16 = __nv_bfloat16;

inline const char* name_of(GeluApproximate approximate) {
  return approximate == GeluApproximate::tanh ? "tanh" : "none";
}

inline Reference gelu_reference(GeluApproximate approximate) {
  return approximate == GeluApproximate::tanh ? gelu_tanh_reference : gelu_none_reference;
}

/// A launcher of both variants.
template <class T>
using GeluLauncher = cudaError_t (*)(const T* x, T* y, std::int64_t n, GeluApproximate approximate,
                                     cudaStream_t stream);

/// One variant of a launcher, with the variant in front of its name: tanh_f16x8_pack.
template <class T>
UnaryRung<T> gelu_rung(GeluApproximate approximate, const std::string& name, GeluLauncher<T> launch,
                       int width, std::size_t alignment, double max_ulp) {
  const auto variant = [=](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
    return launch(x, y, n, approximate, stream);
  };
  return {std::string(name_of(approximate)) + "_" + name, variant, width, alignment, max_ulp};
}

/// The operator in float, and the rungs that share its arithmetic: so much in the deepest tail,
/// where 17 bits are right; a few ULP in the middle. f32x4_poly and f32x8_poly are right to 2
/// everywhere.
inline constexpr double kGeluF32MaxUlp = 256.0;

/// name, launcher, elements a thread, alignment in bytes, largest error in ULP of the output type
inline std::vector<UnaryRung<float>> gelu_rungs_f32(GeluApproximate approximate) {
  std::vector<UnaryRung<float>> rungs = {
      gelu_rung<float>(approximate, "f32", gelu_f32, 1, 4, 1.7e7),
      gelu_rung<float>(approximate, "f32x4", gelu_f32x4, 4, 16, 1.7e7),
  };
  if (approximate == GeluApproximate::tanh) {
    rungs.push_back({"tanh_f32x4_approx", gelu_tanh_f32x4_approx, 4, 16, 1.7e7});
    rungs.push_back({"tanh_f32x4_sigmoid", gelu_tanh_f32x4_sigmoid, 4, 16, kGeluF32MaxUlp});
  } else {
    rungs.push_back({"none_f32x4_mills", gelu_none_f32x4_mills, 4, 16, kGeluF32MaxUlp});
  }
  rungs.push_back(gelu_rung<float>(approximate, "f32x4_poly", gelu_f32x4_poly, 4, 16, 2.0));
  rungs.push_back(gelu_rung<float>(approximate, "f32x8_poly", gelu_f32x8_poly, 8, 16, 2.0));
  rungs.push_back(
      gelu_rung<float>(approximate, "f32x4_pdl", gelu_f32x4_pdl, 4, 16, kGeluF32MaxUlp));
  return rungs;
}

inline std::vector<UnaryRung<half>> gelu_rungs_f16(GeluApproximate approximate) {
  std::vector<UnaryRung<half>> rungs = {
      gelu_rung<half>(approximate, "f16", gelu_f16, 1, 2, 2048.0),
      gelu_rung<half>(approximate, "f16x2", gelu_f16x2, 2, 4, 2048.0),
      gelu_rung<half>(approximate, "f16x8", gelu_f16x8, 8, 4, 2048.0),
      gelu_rung<half>(approximate, "f16x8_pack", gelu_f16x8_pack, 8, 16, 2048.0),
  };
  if (approximate == GeluApproximate::tanh) {
    rungs.push_back({"tanh_f16x8_pack_h2", gelu_tanh_f16x8_pack_h2, 8, 16, 2048.0});
    rungs.push_back({"tanh_f16x8_pack_h2_approx", gelu_tanh_f16x8_pack_h2_approx, 8, 16, 20000.0});
    rungs.push_back({"tanh_f16x8_pack_approx", gelu_tanh_f16x8_pack_approx, 8, 16, 16.0});
    rungs.push_back(
        gelu_rung<half>(approximate, "f16x8_pack_tanhf", gelu_f16x8_pack_library, 8, 16, 4.0));
    rungs.push_back({"tanh_f16x8_pack_sigmoid", gelu_tanh_f16x8_pack_sigmoid, 8, 16, 0.51});
  } else {
    rungs.push_back(
        gelu_rung<half>(approximate, "f16x8_pack_erff", gelu_f16x8_pack_library, 8, 16, 4.0));
    rungs.push_back({"none_f16x8_pack_normcdf", gelu_none_f16x8_pack_normcdf, 8, 16, 0.51});
    rungs.push_back({"none_f16x8_pack_exp2", gelu_none_f16x8_pack_exp2, 8, 16, 0.51});
  }
  rungs.push_back(gelu_rung<half>(approximate, "f16x8_pack_pdl", gelu_f16x8_pack_pdl, 8, 16, 0.51));
  return rungs;
}

inline std::vector<UnaryRung<Bf16>> gelu_rungs_bf16(GeluApproximate approximate) {
  const std::string library =
      approximate == GeluApproximate::tanh ? "bf16x8_pack_tanhf" : "bf16x8_pack_erff";
  return {
      gelu_rung<Bf16>(approximate, library, gelu_bf16x8_pack_library, 8, 16, 256.0),
      gelu_rung<Bf16>(approximate, "bf16x8_pack", gelu_bf16x8_pack, 8, 16, 0.51),
      gelu_rung<Bf16>(approximate, "bf16x8_pack_pdl", gelu_bf16x8_pack_pdl, 8, 16, 0.51),
      gelu_rung<Bf16>(approximate, "bf16x16_pack", gelu_bf16x16_pack, 16, 16, 0.51),
  };
}

/// T: E4m3 or E5m2.
template <class T>
std::vector<UnaryRung<T>> gelu_rungs_fp8(GeluApproximate approximate) {
  const auto variant_of = [approximate](GeluLauncher<T> launch) -> UnaryLauncher<T> {
    return [=](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
      return launch(x, y, n, approximate, stream);
    };
  };
  return fp8_rungs<T>(std::string(name_of(approximate)) + "_", variant_of(gelu_fp8x16_pack<T>),
                      variant_of(gelu_fp8x16_table<T>));
}

/// The operator as a rung that takes any pointer: tanh_operator_f16.
template <class T>
UnaryRung<T> gelu_operator_rung(GeluApproximate approximate, const std::string& dtype,
                                double max_ulp) {
  return gelu_rung<T>(approximate, "operator_" + dtype, gelu, 16 / static_cast<int>(sizeof(T)),
                      sizeof(T), max_ulp);
}

/// The reader's rung, with the numbers that stand in your_gelu.cuh.
inline UnaryRung<half> your_gelu_rung() {
  const RungClaims claims = your_gelu_claims();
  return {"your_gelu", your_gelu, claims.per_thread, claims.alignment, claims.max_ulp};
}

}  // namespace tutorial
