// The bug museum: kernels that are wrong on purpose, each in one way that has happened to somebody.
// They compile without a warning. elu_test.cpp shows how each one fails; the README tells the
// story. Nothing outside the tests uses them.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace tutorial::exhibits {

/// Indexes a half2 array by a count of halves: every other pair is skipped, and the upper half of
/// the threads works beyond the end.
cudaError_t elu_f16x2_misindexed(const half* x, half* y, std::int64_t n, cudaStream_t stream);

/// Loads before it checks, and drops the last n % 8 elements.
cudaError_t elu_f16x8_dropped_tail(const half* x, half* y, std::int64_t n, cudaStream_t stream);

/// Counts elements in 32 bits: from element 2^32 on, the index is taken modulo 2^32. `first` stands
/// for the blocks before this one, so that a small launch shows what a large one does: the thread
/// that should write index[k] = first + k for its element.
cudaError_t narrow_index(std::int64_t first, std::int64_t* index, std::int64_t n,
                         cudaStream_t stream);

}  // namespace tutorial::exhibits
