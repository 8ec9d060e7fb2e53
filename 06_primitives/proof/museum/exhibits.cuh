// The bug museum: primitives that are wrong on purpose, each in one way that has happened to
// somebody. They compile without a warning. primitives_test_museum.cpp shows how each one fails;
// the README tells the story. Nothing outside the tests uses them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace tutorial::exhibits {

/// y = x + x by the library's loop, which takes the fast path where `offset + tile < n`: a last
/// tile that is exactly full is treated as a tail. *slow_tiles (zero before) counts the tiles on
/// the slow path. With `mended`, the comparison is `<=`.
cudaError_t exact_tile_on_slow_path(const float* x, float* y, std::int64_t n, bool mended,
                                    int* slow_tiles, cudaStream_t stream);

/// Init that converts the value to the type of the *result*, int here, on its way into registers of
/// float. One block of n threads (n <= 1024); y[i] = x[i] / the register, rounded towards 0.
cudaError_t init_wrong_cast(const float* x, int* y, std::int64_t n, float value,
                            cudaStream_t stream);

/// *sum = the sum of one block's n elements (n <= 1024, the block's threads), added up by its last
/// thread, which "surely is the last to arrive": there is no barrier.
cudaError_t reduce_without_barrier(const float* x, float* sum, std::int64_t n, cudaStream_t stream);

/// Sorts a block's n keys (n <= 1024, a power of two) by a bitonic network whose loop ends one
/// stage early: `size < blockDim.x`.
cudaError_t sort_skips_stage(const int* x, int* y, std::int64_t n, cudaStream_t stream);

/// Copies n columns (n < 2^31) by one block of 64 threads, four adjacent columns a thread, guarded
/// by `i < n - 4 * threadIdx.x` in unsigned arithmetic. Reads and writes up to 256 columns.
cudaError_t unsigned_guard(const float* x, float* y, std::int64_t n, cudaStream_t stream);

}  // namespace tutorial::exhibits
