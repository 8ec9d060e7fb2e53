// The bug museum: kernels that are wrong on purpose, each in one way that has happened to somebody.
// They compile without a warning. The tests show how each one fails; notes/bugs.md tells the story.
// Nothing outside the tests uses them. (Those about broadcasting: exhibits_broadcast.cuh.)
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace tutorial::exhibits {

/// The sum of eight halves a thread through shared memory, whose slots are counted for 256 threads
/// a block and no more: with 512, the second operand of the upper half lies behind the array. Drops
/// the last n % 8 elements with any block size. Pointers aligned to 16 bytes.
cudaError_t fp16_for_256_threads(const half* a, const half* b, half* y, std::int64_t n,
                                 cudaStream_t stream, int threads);

/// `a - trunc(a / b) b`: the quotient is rounded before it is truncated, and a large one has no
/// digits left behind the point.
cudaError_t mod_by_truncation(const float* a, const float* b, float* y, std::int64_t n,
                              cudaStream_t stream);

/// A power of integers by way of powf: right up to 2^24.
cudaError_t pow_by_float(const std::int32_t* a, const std::int32_t* b, std::int32_t* y,
                         std::int64_t n, cudaStream_t stream);

}  // namespace tutorial::exhibits
