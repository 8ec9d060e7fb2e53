// The bug museum: kernels that are wrong on purpose, each in one way that has happened to somebody.
// They compile without a warning. gelu_test.cpp shows how each one fails; the README tells the
// story. Nothing uses them but the tests and, for the two about speed, the benchmark.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace tutorial::exhibits {

/// tanh from two exponentials in half: infinity over infinity from x = 4.03 on.
cudaError_t gelu_f16_overflowing(const half* x, half* y, std::int64_t n, cudaStream_t stream);

/// Guards the exponential of a float by clamping x, and then returns the GELU of the clamped x.
cudaError_t gelu_f32_clamped(const float* x, float* y, std::int64_t n, cudaStream_t stream);

/// The formula with a constant of type double: right, and 64-bit arithmetic for every element. In
/// the packed form of rung 2, so that the benchmark shows the arithmetic and not the launch.
cudaError_t gelu_f32x4_double_constant(const float* x, float* y, std::int64_t n,
                                       cudaStream_t stream);

/// The same lines with a float constant.
cudaError_t gelu_f32x4_float_constant(const float* x, float* y, std::int64_t n,
                                      cudaStream_t stream);

/// 0.5 x (1 + erf(x / sqrt 2)) as it is written: minus infinity times zero is NaN.
cudaError_t gelu_f32_unguarded(const float* x, float* y, std::int64_t n, cudaStream_t stream);

}  // namespace tutorial::exhibits
