// What kernels are measured against: kernels that move bytes and compute next to nothing.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

// All have 256 threads a block and 16 bytes an access, and do a tail byte by byte. Pointers must be
// aligned to 16 bytes unless it is said, else cudaErrorMisalignedAddress. Null pointers with bytes
// > 0 are cudaErrorInvalidValue; bytes == 0 launches nothing.

namespace tutorial::bench {

/// Copies `bytes` bytes: one load and store a thread. For one input.
cudaError_t copy_128bit(const void* from, void* to, std::size_t bytes, cudaStream_t stream);

/// to = a ^ b, `bytes` bytes of each: two loads and a store a thread. For two inputs.
cudaError_t xor_128bit(const void* a, const void* b, void* to, std::size_t bytes,
                       cudaStream_t stream);

/// Reads `vectors` times 16 bytes of a and of b and writes `narrow` bytes for each: a ^ b, its
/// 16 / narrow parts of that size exclusive-ored together. For outputs that are narrower than the
/// inputs. narrow: 2, 4 or 8, else cudaErrorInvalidValue; `to` is aligned to it.
cudaError_t narrow_128bit(const void* a, const void* b, void* to, std::size_t vectors, int narrow,
                          cudaStream_t stream);

/// Reads `bytes` bytes: four loads a thread, all under way before the first is needed. For
/// operations that write little. So that the compiler leaves no load out, each thread writes 16
/// bytes to `sink` if the exclusive or of what it has read is one pattern of 128 bits that
/// practically never occurs.
cudaError_t read_128bit(const void* from, void* sink, std::size_t bytes, cudaStream_t stream);

/// Writes `bytes` bytes of the value 1: one store a thread. For operations that read little.
cudaError_t write_128bit(void* to, std::size_t bytes, cudaStream_t stream);

/// What write_128bit() does, by cudaMemsetAsync; any pointer.
cudaError_t fill_memset(void* to, std::size_t bytes, cudaStream_t stream);

/// The version of CUB that the peers are compiled with, such as 3.5.0; empty in the cpu backend.
std::string cub_version();

}  // namespace tutorial::bench
