#pragma once
/// \file
/// The yardstick of elementwise kernels with two inputs.

#include <cuda_runtime_api.h>

#include <cstddef>

namespace tutorial::bench {

/// to = a ^ b, byte by byte, `bytes` bytes of each: 256 threads a block, 16 bytes of each array a
/// thread, the tail byte by byte. All pointers must be aligned to 16 bytes, else
/// cudaErrorMisalignedAddress. Null pointers with bytes > 0 are cudaErrorInvalidValue; bytes == 0
/// launches nothing.
cudaError_t xor_128bit(const void* a, const void* b, void* to, std::size_t bytes,
                       cudaStream_t stream);

}  // namespace tutorial::bench
