#pragma once
/// \file
/// What operations are measured against that read much and write little, or the other way round:
/// kernels that only read, or only write.

#include <cuda_runtime_api.h>

#include <cstddef>

namespace tutorial::bench {

/// Reads `bytes` bytes: 256 threads a block, four loads of 16 bytes a thread, all under way before
/// the first is needed; the tail byte by byte. So that no load is left out, each thread looks at
/// what it has read, and writes 16 bytes to `sink` if their exclusive or is one pattern of 128 bits
/// that practically never occurs.
///
/// `from` and `sink` aligned to 16 bytes: else cudaErrorMisalignedAddress. Null pointers with bytes
/// > 0: cudaErrorInvalidValue.
cudaError_t read_128bit(const void* from, void* sink, std::size_t bytes, cudaStream_t stream);

/// Writes `bytes` bytes of the value 1: 256 threads a block, 16 bytes a thread, the tail byte by
/// byte. `to` aligned to 16 bytes. Errors as above.
cudaError_t write_128bit(void* to, std::size_t bytes, cudaStream_t stream);

}  // namespace tutorial::bench
