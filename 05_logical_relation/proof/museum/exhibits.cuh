// The bug museum: kernels that are wrong on purpose, each in one way that has happened to somebody.
// proof/logical_relation_test_museum.cpp shows how each one fails; notes/bugs.md explains it. Only
// tests use them. The two that do not compile are in does_not_compile_*.cu.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "05_logical_relation/launchers/op.h"

namespace tutorial::exhibits {

/// y = !a, with a body under an #if on __CUDACC_VER_MAJOR, which no compiler defines: the kernel is
/// empty, and the launch succeeds.
cudaError_t compiled_away(const Byte* a, Byte* y, std::int64_t n, cudaStream_t stream);

/// a > b for a of two elements and b of three, shapes (2,) and (3, 1), by the kernel for one
/// scalar: six answers. Reads b[3] to b[5].
cudaError_t one_scalar_for_both_sided(const float* a, const float* b, Byte* y, cudaStream_t stream);

/// y = a && b on bytes that are read as bool.
cudaError_t and_of_bools(const Byte* a, const Byte* b, Byte* y, std::int64_t n,
                         cudaStream_t stream);

/// Four answers at once by the bits of the bytes: 1 & 2 is 0.
cudaError_t and_of_bits(const Byte* a, const Byte* b, Byte* y, std::int64_t n, cudaStream_t stream);

}  // namespace tutorial::exhibits
