// The bug museum: kernels that are wrong on purpose, each in one way that has happened to somebody.
// They compile without a warning. swish_test.cpp shows how each one fails; the README tells the
// story. Nothing outside the tests uses them.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace tutorial::exhibits {

/// x sigmoid(x) in half arithmetic: e^-x is infinite from x = -11.1 down, and the result -0.
cudaError_t swish_f16_flushing(const half* x, half* y, std::int64_t n, cudaStream_t stream);

/// x sigmoid(x) as it is written: -infinity times 0 is NaN.
cudaError_t swish_f32_nan(const float* x, float* y, std::int64_t n, cudaStream_t stream);

/// Divides by __fdividef, which answers 0 for every divisor between 2^126 and 2^128.
cudaError_t swish_f32_fdividef(const float* x, float* y, std::int64_t n, cudaStream_t stream);

/// The formula that is right for every half, in bf16: results below 1e-36 are flushed to -0.
cudaError_t swish_bf16_flushing(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                                cudaStream_t stream);

/// SwiGLU by two kernels in place: b = swish(a), then b = b b.
cudaError_t swiglu_f32_overwriting(const float* a, float* b, std::int64_t n, cudaStream_t stream);

/// SwiGLU's gradients by a kernel for each, da in the place of a: the second kernel reads da for a.
cudaError_t swiglu_backward_f32_overwriting(float* a, const float* b, const float* dy, float* db,
                                            std::int64_t n, cudaStream_t stream);

}  // namespace tutorial::exhibits
