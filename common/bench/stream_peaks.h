#pragma once
/// \file
/// The yardsticks of operations that read much and write little, or the reverse: kernels that only
/// read, or only write.

#include <cuda_runtime_api.h>

#include <cstddef>

namespace tutorial::bench {

/// Reads `bytes` bytes: 256 threads a block, four loads of 16 bytes per thread, all issued before
/// the first is used; the tail byte by byte. To keep the compiler from removing the loads, a thread
/// writes 16 bytes to `sink` if the exclusive or of its loads is one 128-bit pattern that practically
/// never occurs.
///
/// `from` and `sink` aligned to 16 bytes: else cudaErrorMisalignedAddress. Null pointers with bytes
/// > 0: cudaErrorInvalidValue.
cudaError_t read_128bit(const void* from, void* sink, std::size_t bytes, cudaStream_t stream);

/// Writes `bytes` bytes of the value 1: 256 threads a block, 16 bytes a thread, the tail byte by
/// byte. `to` aligned to 16 bytes. Errors as above.
cudaError_t write_128bit(void* to, std::size_t bytes, cudaStream_t stream);

}  // namespace tutorial::bench
