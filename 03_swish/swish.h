// Swish and SwiGLU, host side: the operators, and one launcher for each rung of the ladder.
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

// ---- The operators ----------------------------------------------------------------------------

/// y = x / (1 + e^(-beta x)), for pointers aligned to their element: 128-bit accesses where both
/// are 16-byte aligned, one element a thread otherwise. beta = 1 is SiLU, beta = 1.702 a GELU of
/// sorts, beta = 0 is x / 2.
///
/// Largest error: 0.51 ULP for half and bf16, 4.5 ULP for float, for beta = 0 and |beta| from 2^-96
/// to 2^100 (tested at ten of them; notes/results.md has the measured values); below 2^-96, floats
/// smaller than 2^-143 come out as 0. NaN gives NaN and nothing else does; -0 gives -0. An infinity
/// gives the limit: itself where beta x is positive, a zero of its sign where beta x is negative.
/// Errors: also cudaErrorInvalidValue for a beta that is not finite, or not 0 and smaller than
/// 2^-100. In float a thread takes one pack, or two where that makes one wave of blocks of two (and
/// always for beta below 2^-40).
cudaError_t swish(const float* x, float* y, std::int64_t n, float beta, cudaStream_t stream);
cudaError_t swish(const half* x, half* y, std::int64_t n, float beta, cudaStream_t stream);
cudaError_t swish(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n, float beta,
                  cudaStream_t stream);

/// y = swish(a) b with beta = 1, in one kernel: two elements read, one written. y == a and y == b
/// are allowed. Pointers and errors as above.
///
/// Largest error for |b| up to 2^90: 0.51 ULP for half and bf16, 3 ULP for float where a is 0 or
/// |a| is at least 2^-125. Beyond, b makes a number of what was too small for a float: swish(-440)
/// is 0, and so is its product. NaN where an input is NaN, and where such a 0 meets infinity.
cudaError_t swiglu(const float* a, const float* b, float* y, std::int64_t n, cudaStream_t stream);
cudaError_t swiglu(const half* a, const half* b, half* y, std::int64_t n, cudaStream_t stream);
cudaError_t swiglu(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* y, std::int64_t n,
                   cudaStream_t stream);

/// The same by two kernels, y = swish(a) and then y = y b: three elements read, two written. What
/// swiglu() is compared with. y == b is cudaErrorInvalidValue, because the first kernel would write
/// over what the second has to read.
///
/// swish(a) is rounded on its way through memory, and a value that is subnormal there, or zero,
/// stays poor however large b is: the largest error is that of a product in which one digit is
/// left.
cudaError_t swiglu_separate(const float* a, const float* b, float* y, std::int64_t n,
                            cudaStream_t stream);
cudaError_t swiglu_separate(const half* a, const half* b, half* y, std::int64_t n,
                            cudaStream_t stream);
cudaError_t swiglu_separate(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* y,
                            std::int64_t n, cudaStream_t stream);

// ---- The ladder (beta = 1). In brackets: the alignment in bytes that x and y need -------------

cudaError_t swish_f32(const float* x, float* y, std::int64_t n, cudaStream_t stream);    // [4]
cudaError_t swish_f32x4(const float* x, float* y, std::int64_t n, cudaStream_t stream);  // [16]
cudaError_t swish_f32x4_poly(const float* x, float* y, std::int64_t n,
                             cudaStream_t stream);  // [16]
cudaError_t swish_f32x8_poly(const float* x, float* y, std::int64_t n,
                             cudaStream_t stream);                                           // [16]
cudaError_t swish_f32x8_ex2(const float* x, float* y, std::int64_t n, cudaStream_t stream);  // [16]
cudaError_t swish_f32x4_pdl(const float* x, float* y, std::int64_t n, cudaStream_t stream);  // [16]
cudaError_t swish_f32x8_pdl(const float* x, float* y, std::int64_t n, cudaStream_t stream);  // [16]

cudaError_t swish_f16(const half* x, half* y, std::int64_t n, cudaStream_t stream);         // [2]
cudaError_t swish_f16x2(const half* x, half* y, std::int64_t n, cudaStream_t stream);       // [4]
cudaError_t swish_f16x8(const half* x, half* y, std::int64_t n, cudaStream_t stream);       // [4]
cudaError_t swish_f16x8_pack(const half* x, half* y, std::int64_t n, cudaStream_t stream);  // [16]
cudaError_t swish_f16x8_pack_h2(const half* x, half* y, std::int64_t n,
                                cudaStream_t stream);  // [16]
cudaError_t swish_f16x8_pack_div(const half* x, half* y, std::int64_t n,
                                 cudaStream_t stream);  // [16]
cudaError_t swish_f16x8_pack_frcp(const half* x, half* y, std::int64_t n,
                                  cudaStream_t stream);  // [16]
cudaError_t swish_f16x8_pack_fdividef(const half* x, half* y, std::int64_t n,
                                      cudaStream_t stream);  // [16]
cudaError_t swish_f16x8_pack_rcp(const half* x, half* y, std::int64_t n,
                                 cudaStream_t stream);  // [16]
cudaError_t swish_f16x8_pack_tanh(const half* x, half* y, std::int64_t n,
                                  cudaStream_t stream);  // [16]
cudaError_t swish_f16x8_pack_pdl(const half* x, half* y, std::int64_t n,
                                 cudaStream_t stream);  // [16]

cudaError_t swish_bf16x8_pack(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                              cudaStream_t stream);  // [16]
cudaError_t swish_bf16x8_pack_pdl(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                                  cudaStream_t stream);  // [16]

/// Eight-bit floats (common/fp8.h): arithmetic in float, and a table. T: E4m3 or E5m2. Every result
/// is the nearest value; +infinity becomes the largest number.
template <class T>
cudaError_t swish_fp8x16_pack(const T* x, T* y, std::int64_t n, cudaStream_t stream);  // [16]
template <class T>
cudaError_t swish_fp8x16_table(const T* x, T* y, std::int64_t n, cudaStream_t stream);  // [16]

/// The reader's rung, and what it claims of itself (your_swish.cuh).
cudaError_t your_swish(const half* x, half* y, std::int64_t n, cudaStream_t stream);
RungClaims your_swish_claims();

}  // namespace tutorial
