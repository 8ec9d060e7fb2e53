// The ladders as tables: what each rung is called, what it needs, and how wrong it may be. The
// tests hold every rung to its line, the benchmark times it, and the README prints it.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "04_arithmetic/launchers/contiguous.h"
#include "04_arithmetic/launchers/int8.h"
#include "04_arithmetic/proof/arithmetic_reference.h"
#include "common/rung.h"

namespace tutorial {

// ---- Ladder A: arrays of the same shape ---------------------------------------------------------

template <class T>
struct ArithmeticRung {
  std::string name;
  std::function<cudaError_t(ArithmeticOp, const T*, const T*, T*, std::int64_t, cudaStream_t)>
      launch;
  int width;              ///< elements a thread
  std::size_t alignment;  ///< bytes that in0, in1 and out need
};

/// name, launcher, elements a thread, alignment in bytes. T: float, half, Bf16, std::int32_t,
/// std::int64_t.
template <class T>
std::vector<ArithmeticRung<T>> arithmetic_rungs() {
  constexpr int kWidth = 16 / sizeof(T);
  const std::string dtype = dtype_name<T>(), wide = dtype + "x" + std::to_string(kWidth);
  std::vector<ArithmeticRung<T>> rungs = {{dtype, arithmetic_nobroadcast<T>, 1, sizeof(T)}};
  if constexpr (std::is_same_v<T, half>) {
    const auto fp16 = [](ArithmeticOp op, const half* in0, const half* in1, half* out,
                         std::int64_t n, cudaStream_t stream) {
      return arithmetic_fp16(op, in0, in1, out, n, stream);
    };
    rungs.push_back({"f16x8_unaligned", arithmetic_half8_unaligned, 8, sizeof(half)});
    rungs.push_back({"f16x8_shared", fp16, 8, 16});
    rungs.push_back({"f16x8_h2", arithmetic_half8, 8, 16});
  }
  const auto contiguous = [](ArithmeticOp op, const T* in0, const T* in1, T* out, std::int64_t n,
                             cudaStream_t stream) {
    return arithmetic_contiguous(op, in0, in1, out, n, stream);
  };
  rungs.push_back({wide + "_pack", arithmetic_pack<T>, kWidth, 16});
  rungs.push_back({wide + "_pdl", contiguous, kWidth, sizeof(T)});
  return rungs;
}

/// The largest error of an operation in ULP of T. All but Pow are correctly rounded. CUDA's powf
/// may be off by 4 ULP; rounded to a 16-bit type, not much is left of that.
template <class T>
double arithmetic_max_ulp(ArithmeticOp op) {
  if (op != ArithmeticOp::Pow) return 0.5;
  return std::is_same_v<T, float> ? 4.0 : 0.51;
}

/// One operation of a rung, as the test support and the benchmark know rungs: "add_f16x8_pack".
/// T: float, half, Bf16.
template <class T>
BinaryRung<T> binary_rung(const ArithmeticRung<T>& rung, ArithmeticOp op) {
  const auto launch = [op, launch = rung.launch](const T* a, const T* b, T* y, std::int64_t n,
                                                 cudaStream_t stream) {
    return launch(op, a, b, y, n, stream);
  };
  return {std::string(name_of(op)) + "_" + rung.name, launch, rung.width, rung.alignment,
          arithmetic_max_ulp<T>(op)};
}

// ---- Ladder D: int8 with scales -----------------------------------------------------------------

struct Int8Rung {
  std::string name;
  std::function<cudaError_t(ArithmeticOp, const std::int8_t*, const std::int8_t*, std::int8_t*,
                            std::int64_t, Int8Scales, cudaStream_t)>
      launch;
  int width;              ///< elements a thread
  std::size_t alignment;  ///< bytes that in0, in1 and out need
  bool is_folded;         ///< other roundings than the definition's, and no Pow nor Mod
};

inline std::vector<Int8Rung> arithmetic_rungs_int8() {
  const auto contiguous = [](ArithmeticOp op, const std::int8_t* in0, const std::int8_t* in1,
                             std::int8_t* out, std::int64_t n, Int8Scales scales,
                             cudaStream_t stream) {
    return arithmetic_contiguous(op, in0, in1, out, n, scales, stream);
  };
  return {
      {"i8", arithmetic_nobroadcast_int8, 1, 1, false},
      {"i8x16_pack", arithmetic_int8x16, 16, 16, false},
      {"i8x16_magic", arithmetic_int8x16_magic, 16, 16, false},
      {"i8x16_fast", arithmetic_int8x16_fast, 16, 16, false},
      {"i8x16_folded", arithmetic_int8x16_folded, 16, 16, true},
      {"i8x16_pdl", contiguous, 16, 1, false},
  };
}

/// Whether the rung has this operation.
inline bool has_operation(const Int8Rung& rung, ArithmeticOp op) {
  return !rung.is_folded || (op != ArithmeticOp::Pow && op != ArithmeticOp::Mod);
}

}  // namespace tutorial
