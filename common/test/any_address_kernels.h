// Operators on arrays that begin anywhere, for the test of elementwise_any_address_kernel.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "common/types.h"

namespace tutorial::test {

/// y = -x, by launch_elementwise().
cudaError_t negate(const float* x, float* y, std::int64_t n, cudaStream_t stream);
cudaError_t negate(const half* x, half* y, std::int64_t n, cudaStream_t stream);
cudaError_t negate(const E4m3* x, E4m3* y, std::int64_t n, cudaStream_t stream);

/// The first mistake of divide() for all offsets of y and two operands and many sizes, or nothing: a
/// store that is not aligned, a piece that is not inside its array, more single elements than need be.
/// Halves to halves, floats to floats, halves to bytes, bytes to words of four. Runs nothing.
std::string mistake_of_divide();

}  // namespace tutorial::test
