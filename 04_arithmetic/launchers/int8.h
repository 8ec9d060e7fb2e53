// Ladder D, host side: int8 with scales, arrays of the same shape.
//
// y = saturate(round(op(a s0, b s1) / s)): each step a float with one rounding, ties to even,
// saturating to [-128, 127]. x / 0 saturates by the sign of x; 0 / 0, x mod 0 and a negative base
// with a fractional exponent are 0.
//
// Every launcher here keeps the promises of contiguous.h, and returns
// cudaErrorInvalidValue also for a scale that is not finite or not greater than 0; last_refusal()
// (common/refusal.h) says which.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "04_arithmetic/launchers/op.h"

namespace tutorial {

/// The operator: 16 elements a thread where all three pointers are 16-byte aligned, one otherwise.
/// [1]
cudaError_t arithmetic_contiguous(ArithmeticOp op, const std::int8_t* in0, const std::int8_t* in1,
                                  std::int8_t* out, std::int64_t n, Int8Scales scales,
                                  cudaStream_t stream);

// ---- The ladder. In brackets: the alignment in bytes that in0, in1 and out need -----------------

/// D1: one element a thread. [1]
cudaError_t arithmetic_nobroadcast_int8(ArithmeticOp op, const std::int8_t* in0,
                                        const std::int8_t* in1, std::int8_t* out, std::int64_t n,
                                        Int8Scales scales, cudaStream_t stream);

/// D2: sixteen elements a thread, the arithmetic as it is defined. [16]
cudaError_t arithmetic_int8x16(ArithmeticOp op, const std::int8_t* in0, const std::int8_t* in1,
                               std::int8_t* out, std::int64_t n, Int8Scales scales,
                               cudaStream_t stream);

/// D3: the same bytes with cheaper arithmetic, and bytes to floats and back without conversion
/// instructions; as D2 for scales that it does not cover (is_fast() in
/// int8_math.cuh). [16]
cudaError_t arithmetic_int8x16_magic(ArithmeticOp op, const std::int8_t* in0,
                                     const std::int8_t* in1, std::int8_t* out, std::int64_t n,
                                     Int8Scales scales, cudaStream_t stream);

/// D4: as D3, with the conversion instructions that saturate and pack. [16]
cudaError_t arithmetic_int8x16_fast(ArithmeticOp op, const std::int8_t* in0, const std::int8_t* in1,
                                    std::int8_t* out, std::int64_t n, Int8Scales scales,
                                    cudaStream_t stream);

/// D5: the scales folded into one or two factors. Some results differ by 1 from the definition.
/// Errors: also cudaErrorNotSupported for Pow and Mod, and cudaErrorInvalidValue for scales whose
/// products leave the normal floats. [16]
cudaError_t arithmetic_int8x16_folded(ArithmeticOp op, const std::int8_t* in0,
                                      const std::int8_t* in1, std::int8_t* out, std::int64_t n,
                                      Int8Scales scales, cudaStream_t stream);

}  // namespace tutorial
