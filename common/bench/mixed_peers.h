#pragma once
/// \file
/// The yardstick of operations that read two arrays and write less than they read.

#include <cuda_runtime_api.h>

#include <cstddef>

namespace tutorial::bench {

/// Reads `vectors` times 16 bytes of a and of b and writes `narrow` bytes for each: a ^ b, its
/// 16 / narrow parts of that size exclusive-ored together. 256 threads a block, one vector a
/// thread. narrow: 2, 4 or 8.
///
/// a and b aligned to 16 bytes, `to` to `narrow`: else cudaErrorMisalignedAddress. Null pointers
/// with vectors > 0, or another `narrow`: cudaErrorInvalidValue.
cudaError_t narrow_128bit(const void* a, const void* b, void* to, std::size_t vectors, int narrow,
                          cudaStream_t stream);

/// Writes `bytes` bytes of the value 1 by cudaMemsetAsync: what write_128bit() (stream_peaks.h)
/// does, by the runtime.
cudaError_t fill_memset(void* to, std::size_t bytes, cudaStream_t stream);

}  // namespace tutorial::bench
