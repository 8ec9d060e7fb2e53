// GELU, host side: the operator, and one launcher for each rung of the ladder.
//
// Every launcher here keeps the same promises:
//   x, y         device pointers to n elements each; y == x is allowed, any other overlap is not
//   n            any n >= 0; 0 launches nothing and succeeds
//   approximate  which of the two functions (see GeluApproximate)
//   stream       where the kernel runs; no launcher waits for it
// and returns
//   cudaErrorInvalidValue       n < 0, a null pointer with n > 0, or no such approximation
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

/// The two functions that are called GELU, named as PyTorch's argument `approximate` names them.
/// - none: x Phi(x), with Phi the distribution function of the normal distribution (an erf)
/// - tanh: x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2, which stays within 5e-4 of it
enum class GeluApproximate { none, tanh };

// ---- The operator -----------------------------------------------------------------------------

/// GELU for pointers aligned to their element: 128-bit accesses where both are 16-byte aligned, one
/// element a thread otherwise. A thread takes one pack of 16 bytes; float and bf16 take two where
/// that makes one wave of two, and erf in bf16 from 2^24 elements on.
///
/// Largest error of both variants: 0.51 ULP for half and bf16; for float 256 ULP, reached in the
/// deepest tail, and 32 ULP from x = -3 on (tested; the README has the measured values).
/// gelu_f32x4_poly is right to 2 ULP everywhere, and slower. NaN gives NaN, -0 gives -0, and so
/// does -infinity.
cudaError_t gelu(const float* x, float* y, std::int64_t n, GeluApproximate approximate,
                 cudaStream_t stream);
cudaError_t gelu(const half* x, half* y, std::int64_t n, GeluApproximate approximate,
                 cudaStream_t stream);
cudaError_t gelu(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                 GeluApproximate approximate, cudaStream_t stream);

// ---- The ladder. In brackets: the alignment in bytes that x and y need -------------------------

cudaError_t gelu_f32(const float* x, float* y, std::int64_t n, GeluApproximate approximate,
                     cudaStream_t stream);  // [4]
cudaError_t gelu_f32x4(const float* x, float* y, std::int64_t n, GeluApproximate approximate,
                       cudaStream_t stream);  // [16]
cudaError_t gelu_f32x4_poly(const float* x, float* y, std::int64_t n, GeluApproximate approximate,
                            cudaStream_t stream);  // [16]
cudaError_t gelu_f32x8_poly(const float* x, float* y, std::int64_t n, GeluApproximate approximate,
                            cudaStream_t stream);  // [16]
cudaError_t gelu_f32x4_pdl(const float* x, float* y, std::int64_t n, GeluApproximate approximate,
                           cudaStream_t stream);  // [16]

cudaError_t gelu_f16(const half* x, half* y, std::int64_t n, GeluApproximate approximate,
                     cudaStream_t stream);  // [2]
cudaError_t gelu_f16x2(const half* x, half* y, std::int64_t n, GeluApproximate approximate,
                       cudaStream_t stream);  // [4]
cudaError_t gelu_f16x8(const half* x, half* y, std::int64_t n, GeluApproximate approximate,
                       cudaStream_t stream);  // [4]
cudaError_t gelu_f16x8_pack(const half* x, half* y, std::int64_t n, GeluApproximate approximate,
                            cudaStream_t stream);  // [16]
cudaError_t gelu_f16x8_pack_library(const half* x, half* y, std::int64_t n,
                                    GeluApproximate approximate, cudaStream_t stream);  // [16]
cudaError_t gelu_f16x8_pack_pdl(const half* x, half* y, std::int64_t n, GeluApproximate approximate,
                                cudaStream_t stream);  // [16]

cudaError_t gelu_bf16x8_pack_library(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                                     GeluApproximate approximate, cudaStream_t stream);  // [16]
cudaError_t gelu_bf16x8_pack(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                             GeluApproximate approximate, cudaStream_t stream);  // [16]
cudaError_t gelu_bf16x8_pack_pdl(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                                 GeluApproximate approximate, cudaStream_t stream);  // [16]
cudaError_t gelu_bf16x16_pack(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                              GeluApproximate approximate, cudaStream_t stream);  // [16]

/// Eight-bit floats (common/fp8.h): arithmetic in float, and a table. T: E4m3 or E5m2. Every result
/// is the nearest value; +infinity becomes the largest number.
template <class T>
cudaError_t gelu_fp8x16_pack(const T* x, T* y, std::int64_t n, GeluApproximate approximate,
                             cudaStream_t stream);  // [16]
template <class T>
cudaError_t gelu_fp8x16_table(const T* x, T* y, std::int64_t n, GeluApproximate approximate,
                              cudaStream_t stream);  // [16]

// Rungs that make sense for one variant only.

cudaError_t gelu_tanh_f32x4_approx(const float* x, float* y, std::int64_t n,
                                   cudaStream_t stream);  // [16]
cudaError_t gelu_none_f32x4_mills(const float* x, float* y, std::int64_t n,
                                  cudaStream_t stream);  // [16]
cudaError_t gelu_tanh_f32x4_sigmoid(const float* x, float* y, std::int64_t n,
                                    cudaStream_t stream);  // [16]
cudaError_t gelu_tanh_f16x8_pack_h2(const half* x, half* y, std::int64_t n,
                                    cudaStream_t stream);  // [16]
cudaError_t gelu_tanh_f16x8_pack_h2_approx(const half* x, half* y, std::int64_t n,
                                           cudaStream_t stream);  // [16]
cudaError_t gelu_tanh_f16x8_pack_approx(const half* x, half* y, std::int64_t n,
                                        cudaStream_t stream);  // [16]
cudaError_t gelu_tanh_f16x8_pack_sigmoid(const half* x, half* y, std::int64_t n,
                                         cudaStream_t stream);  // [16]
cudaError_t gelu_none_f16x8_pack_normcdf(const half* x, half* y, std::int64_t n,
                                         cudaStream_t stream);  // [16]
cudaError_t gelu_none_f16x8_pack_exp2(const half* x, half* y, std::int64_t n,
                                      cudaStream_t stream);  // [16]

/// The reader's rung, and what it claims of itself (your_gelu.cuh). It computes the variant tanh.
cudaError_t your_gelu(const half* x, half* y, std::int64_t n, cudaStream_t stream);
RungClaims your_gelu_claims();

}  // namespace tutorial
