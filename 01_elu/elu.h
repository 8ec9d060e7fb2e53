// ELU, host side: the operator, and one launcher for each rung of the ladder.
//
// Every launcher here keeps the same promises:
//   x, y    device pointers to n elements each; y == x is allowed, any other overlap is not
//   n       any n >= 0; 0 launches nothing and succeeds
//   stream  where the kernel runs; no launcher waits for it
// and returns
//   cudaErrorInvalidValue       n < 0, or a null pointer with n > 0
//   cudaErrorMisalignedAddress  a pointer without the alignment that the rung needs
//   the launch's own error otherwise, cudaSuccess if there is none
// After an error nothing has been written.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "common/rung.h"

namespace tutorial {

// ---- The operator -----------------------------------------------------------------------------

/// y = x for x >= 0 and alpha (e^x - 1) below, for pointers aligned to their element: 128-bit
/// accesses where both are 16-byte aligned, one element a thread otherwise. A thread takes one pack
/// of 16 bytes, and of floats two where that makes one wave of two.
///
/// Largest error at alpha = 1: 2 ULP for float, 0.51 ULP for half and bf16 (tested; the README has
/// the measured values). NaN gives NaN, -0 gives -0, -inf gives -alpha.
/// Errors: also cudaErrorInvalidValue for an alpha that is not finite.
cudaError_t elu(const float* x, float* y, std::int64_t n, float alpha, cudaStream_t stream);
cudaError_t elu(const half* x, half* y, std::int64_t n, float alpha, cudaStream_t stream);
cudaError_t elu(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n, float alpha,
                cudaStream_t stream);

// ---- The ladder (alpha = 1). In brackets: the alignment in bytes that x and y need ------------

cudaError_t elu_f32(const float* x, float* y, std::int64_t n, cudaStream_t stream);         // [4]
cudaError_t elu_f32x4(const float* x, float* y, std::int64_t n, cudaStream_t stream);       // [16]
cudaError_t elu_f32x4_poly(const float* x, float* y, std::int64_t n, cudaStream_t stream);  // [16]
cudaError_t elu_f32x4_pdl(const float* x, float* y, std::int64_t n, cudaStream_t stream);   // [16]

cudaError_t elu_f16(const half* x, half* y, std::int64_t n, cudaStream_t stream);    // [2]
cudaError_t elu_f16x2(const half* x, half* y, std::int64_t n, cudaStream_t stream);  // [4]
cudaError_t elu_f16x8(const half* x, half* y, std::int64_t n, cudaStream_t stream);  // [4]
cudaError_t elu_f16x8_wide_load(const half* x, half* y, std::int64_t n,
                                cudaStream_t stream);  // [16]
cudaError_t elu_f16x8_wide_store(const half* x, half* y, std::int64_t n,
                                 cudaStream_t stream);                                       // [16]
cudaError_t elu_f16x8_pack(const half* x, half* y, std::int64_t n, cudaStream_t stream);     // [16]
cudaError_t elu_f16x8_pack_h2(const half* x, half* y, std::int64_t n, cudaStream_t stream);  // [16]
cudaError_t elu_f16x8_pack_fexp(const half* x, half* y, std::int64_t n,
                                cudaStream_t stream);  // [16]
cudaError_t elu_f16x8_pack_expm1(const half* x, half* y, std::int64_t n,
                                 cudaStream_t stream);  // [16]
cudaError_t elu_f16x8_pack_poly(const half* x, half* y, std::int64_t n,
                                cudaStream_t stream);  // [16]
cudaError_t elu_f16x8_pack_pdl(const half* x, half* y, std::int64_t n,
                               cudaStream_t stream);  // [16]

cudaError_t elu_bf16x8_pack(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                            cudaStream_t stream);  // [16]
cudaError_t elu_bf16x8_pack_pdl(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                                cudaStream_t stream);  // [16]

/// Eight-bit floats (common/fp8.h): arithmetic in float, and a table. T: E4m3 or E5m2. Every result
/// is the nearest value; +infinity becomes the largest number.
template <class T>
cudaError_t elu_fp8x16_pack(const T* x, T* y, std::int64_t n, cudaStream_t stream);  // [16]
template <class T>
cudaError_t elu_fp8x16_table(const T* x, T* y, std::int64_t n, cudaStream_t stream);  // [16]

/// The block-size sweep: elu_f32 and elu_f16x8_pack_pdl with `threads` threads a block, 1 to 1024.
/// Other counts: cudaErrorInvalidConfiguration.
cudaError_t elu_f32_block(const float* x, float* y, std::int64_t n, int threads,
                          cudaStream_t stream);  // [4]
cudaError_t elu_f16x8_pack_pdl_block(const half* x, half* y, std::int64_t n, int threads,
                                     cudaStream_t stream);  // [16]

/// The reader's rung, and what it claims of itself (your_elu.cuh).
cudaError_t your_elu(const half* x, half* y, std::int64_t n, cudaStream_t stream);
RungClaims your_elu_claims();

}  // namespace tutorial
