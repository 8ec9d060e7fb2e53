#pragma once
/// \file
/// What an operation is measured against that writes less than it reads, or reads nothing.

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

/// Writes `bytes` bytes of the value 1: 256 threads a block, 16 bytes a thread, the tail byte by
/// byte. `to` aligned to 16 bytes. Errors as above.
cudaError_t fill_128bit(void* to, std::size_t bytes, cudaStream_t stream);

/// The same by cudaMemsetAsync.
cudaError_t fill_memset(void* to, std::size_t bytes, cudaStream_t stream);

}  // namespace tutorial::bench
