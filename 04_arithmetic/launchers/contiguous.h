// Ladder A, host side: arrays of the same shape. out[i] = op(in0[i], in1[i]).
//
// Every launcher here keeps the same promises:
//   op             one of the nine
//   in0, in1, out  device pointers to n elements each; out == in0 and out == in1 are allowed, any
//                  other overlap with out is not
//   n              any n >= 0; 0 launches nothing and succeeds
//   stream         where the kernel runs; no launcher waits for it
// and returns
//   cudaErrorInvalidValue       an op that is none of the nine, n < 0, or a null pointer with n > 0
//   cudaErrorMisalignedAddress  a pointer without the alignment that the rung needs
//   the launch's own error otherwise, cudaSuccess if there is none
// After an error nothing has been written.
//
// T is float, half, __nv_bfloat16, std::int32_t or std::int64_t. What each operation gives:
//
//              float, half, bf16                     int32, int64
//   add sub mul  IEEE, one rounding                  wrap
//   div          IEEE, one rounding                  truncates; x / 0 = 0; MIN / -1 = MIN
//   max min      NaN if either is; +0 above -0       exact
//   pow          powf (half, bf16: rounded once)     wraps; a negative exponent gives 1 for base 1,
//                                                    +-1 for base -1, else 0
//   prelu        a > 0 ? a : a b                     the same, wrapping
//   mod          fmodf: the sign of the dividend     a % b; x mod 0 = 0; MIN mod -1 = 0
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "04_arithmetic/launchers/op.h"

namespace tutorial {

/// The operator for arrays of the same shape, of pointers aligned to their element: 128-bit
/// accesses; where a pointer is not 16-byte aligned, packs are shifted into place. (For int8 see
/// int8.h.) [sizeof(T)]
template <class T>
cudaError_t arithmetic_contiguous(ArithmeticOp op, const T* in0, const T* in1, T* out,
                                  std::int64_t n, cudaStream_t stream);

// ---- The ladder. In brackets: the alignment in bytes that in0, in1 and out need -----------------

/// A1: one element a thread. [sizeof(T)]
template <class T>
cudaError_t arithmetic_nobroadcast(ArithmeticOp op, const T* in0, const T* in1, T* out,
                                   std::int64_t n, cudaStream_t stream);

/// A2: a structure of eight halves, without alignment. [2]
cudaError_t arithmetic_half8_unaligned(ArithmeticOp op, const half* in0, const half* in1, half* out,
                                       std::int64_t n, cudaStream_t stream);

/// A3: the same structure through shared memory, 32 bytes of it a thread. `threads` a block:
/// any number that a block may have. [16]
cudaError_t arithmetic_fp16(ArithmeticOp op, const half* in0, const half* in1, half* out,
                            std::int64_t n, cudaStream_t stream, int threads = 128);

/// A4: the structure aligned to 16 bytes, with half2 arithmetic. [16]
cudaError_t arithmetic_half8(ArithmeticOp op, const half* in0, const half* in1, half* out,
                             std::int64_t n, cudaStream_t stream);

/// A5: sixteen bytes a thread, of any type. [16]
template <class T>
cudaError_t arithmetic_pack(ArithmeticOp op, const T* in0, const T* in1, T* out, std::int64_t n,
                            cudaStream_t stream);

}  // namespace tutorial
