#pragma once
/// \file
/// The yardstick of elementwise kernels with one input.

#include <cuda_runtime_api.h>

#include <cstddef>

namespace tutorial::bench {

/// Copies `bytes` bytes by a kernel: 256 threads a block, one 16-byte load and store a thread, the
/// tail byte by byte. Both pointers must be aligned to 16 bytes, else cudaErrorMisalignedAddress.
/// Null pointers with bytes > 0 are cudaErrorInvalidValue; bytes == 0 launches nothing.
cudaError_t copy_128bit(const void* from, void* to, std::size_t bytes, cudaStream_t stream);

}  // namespace tutorial::bench
