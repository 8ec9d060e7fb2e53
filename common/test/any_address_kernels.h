// Operators on arrays that begin anywhere, for the test of elementwise_any_address_kernel.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "common/types.h"

namespace tutorial::test {

/// y = -x, by launch_elementwise(), of float, half and E4m3.
template <class T>
cudaError_t negate(const T* x, T* y, std::int64_t n, cudaStream_t stream);

/// Mistakes of divide() for all offsets of y and two operands and many sizes, or nothing: a
/// store that is not aligned, a piece that is not inside its array, more single elements than need be.
/// Halves to halves, floats to floats, halves to bytes, bytes to words of four. Runs nothing.
std::string mistakes_of_divide();

}  // namespace tutorial::test
