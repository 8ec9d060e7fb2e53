// Ladders A and D, host side: arrays of the same shape. out[i] = op(in0[i], in1[i]).
//
// Every launcher takes an ArithmeticCall (op.h) for n elements and keeps the promises of common/rung.h.
// cudaErrorInvalidValue also answers an op that is none of the nine, and a scale of int8 that is not
// finite or not greater than 0; last_refusal() (common/refusal.h) says which.
//
// T is float, half, __nv_bfloat16, std::int32_t, std::int64_t (ladder A), or std::int8_t (ladder D). What
// each operation gives:
//
//              float, half, bf16                     int32, int64
//   add sub mul  IEEE, one rounding                  wrap
//   div          IEEE, one rounding                  truncates; x / 0 = 0; MIN / -1 = MIN
//   max min      NaN if either is; +0 above -0       exact
//   pow          powf (half, bf16: rounded once)     wraps; a negative exponent gives 1 for base 1,
//                                                    +-1 for base -1, else 0
//   prelu        a > 0 ? a : a b                     the same, wrapping
//   mod          fmodf: the sign of the dividend     a % b; x mod 0 = 0; MIN mod -1 = 0
//
// int8 with scales: y = saturate(round(op(a s0, b s1) / s)), each step a float with one rounding, ties
// to even, saturating to [-128, 127]. x / 0 saturates by the sign of x; 0 / 0, x mod 0 and a negative
// base with a fractional exponent are 0.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "04_arithmetic/launchers/op.h"
#include "common/rung.h"
#include "common/types.h"

namespace tutorial {

template <class T>
struct ArithmeticRung {
  std::string name;
  std::function<cudaError_t(const ArithmeticCall<T>& call, std::int64_t n)> launch;
  int width;               ///< elements a thread
  std::size_t alignment;   ///< bytes that in0, in1 and out need
  bool is_folded = false;  ///< other roundings than the definition's, and no Pow nor Mod
};
using Int8Rung = ArithmeticRung<std::int8_t>;

/// The ladder of a type (contiguous_launch.cuh). The tests hold every rung to its row, the benchmark
/// times it. The last is arithmetic_contiguous().
template <class T>
const std::vector<ArithmeticRung<T>>& arithmetic_rungs();

/// The operator for arrays of the same shape, of pointers aligned to their element: 128-bit
/// accesses; where a pointer is not 16-byte aligned, packs are shifted into place. [sizeof(T)]
template <class T>
cudaError_t arithmetic_contiguous(const ArithmeticCall<T>& call, std::int64_t n);

/// f16x8_shared, which has 32 bytes of shared memory a thread and takes any number of threads that a block may
/// have. [16]
cudaError_t arithmetic_fp16(ArithmeticOp op, const half* in0, const half* in1, half* out,
                            std::int64_t n, cudaStream_t stream, int threads = 128);

/// Whether the rung has this operation.
inline bool has_operation(const Int8Rung& rung, ArithmeticOp op) {
  return !rung.is_folded || (op != ArithmeticOp::Pow && op != ArithmeticOp::Mod);
}

/// The largest error of an operation in ULP of T. All but Pow are correctly rounded. CUDA's powf
/// may be off by 4 ULP; rounded to a 16-bit type, not much is left of that.
template <class T>
double arithmetic_max_ulp(ArithmeticOp op) {
  if (op != ArithmeticOp::Pow) return 0.5;
  return std::is_same_v<T, float> ? 4.0 : 0.51;
}

/// One operation of a rung, as the test support and the benchmark know rungs: "add_f16x8_pack".
template <class T>
BinaryRung<T> binary_rung(const ArithmeticRung<T>& rung, ArithmeticOp op, Int8Scales scales = {}) {
  const auto launch = [=, launch = rung.launch](const T* a, const T* b, T* y, std::int64_t n,
                                                cudaStream_t stream) {
    return launch({op, a, b, y, stream, scales}, n);
  };
  return {std::string(name_of(op)) + "_" + rung.name, launch, rung.width, rung.alignment,
          arithmetic_max_ulp<T>(op)};
}

}  // namespace tutorial
