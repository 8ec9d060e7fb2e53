// What every launcher checks of its arguments before it launches. Host code.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "common/refusal.h"

namespace tutorial {

/// Whether `pointer` is a multiple of `alignment` bytes (a power of two).
inline bool is_aligned(const void* pointer, std::size_t alignment) {
  return (reinterpret_cast<std::uintptr_t>(pointer) & (alignment - 1)) == 0;
}

/// A buffer that a launcher was given, and what its kernel needs of it.
struct Buffer {
  const void* pointer;
  std::size_t alignment;       ///< in bytes
  const char* name = nullptr;  ///< in last_refusal(), which keeps no sentence without it
  bool has_elements = true;    ///< if not, the pointer does not matter
};

namespace detail {
inline cudaError_t refuse_buffer(cudaError_t error, const Buffer& buffer, const std::string& why) {
  return buffer.name == nullptr ? error : refuse(error, buffer.name + (" " + why));
}
}  // namespace detail

/// - a null pointer: cudaErrorInvalidValue
/// - a pointer that lacks its alignment: cudaErrorMisalignedAddress
/// - else cudaSuccess
__attribute__((noinline)) inline cudaError_t check_buffers(std::initializer_list<Buffer> buffers) {
  for (const Buffer& buffer : buffers) {
    if (!buffer.has_elements || buffer.pointer != nullptr) continue;
    return detail::refuse_buffer(cudaErrorInvalidValue, buffer, "is a null pointer");
  }
  for (const Buffer& buffer : buffers) {
    if (!buffer.has_elements || is_aligned(buffer.pointer, buffer.alignment)) continue;
    return detail::refuse_buffer(
        cudaErrorMisalignedAddress, buffer,
        "is not aligned to " + std::to_string(buffer.alignment) + " bytes");
  }
  return cudaSuccess;
}

/// The checks of an operation on n elements: cudaErrorInvalidValue for n < 0, else those of
/// check_buffers(). With n == 0 the pointers do not matter.
inline cudaError_t check_arguments(std::int64_t n, std::initializer_list<Buffer> buffers) {
  if (n < 0) return cudaErrorInvalidValue;
  return n == 0 ? cudaSuccess : check_buffers(buffers);
}

}  // namespace tutorial
