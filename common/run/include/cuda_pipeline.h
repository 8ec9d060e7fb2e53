// Copies to shared memory that a kernel waits for later: here they are done at once.
#pragma once

#include "common/executor/cuda_language.h"

#include <cstddef>
#include <cstring>

/// 4, 8 or 16 bytes, of which the last `zeros` are not read.
inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes,
                                    std::size_t zeros = 0) {
  if (zeros != 0) {
    std::memcpy(to, from, bytes - zeros);
    std::memset(static_cast<char*>(to) + bytes - zeros, 0, zeros);
  } else if (bytes == 16) {
    *static_cast<int4*>(to) = *static_cast<const int4*>(from);
  } else if (bytes == 8) {
    *static_cast<int2*>(to) = *static_cast<const int2*>(from);
  } else {
    std::memcpy(to, from, bytes);
  }
}
inline void __pipeline_commit() {}
inline void __pipeline_wait_prior(std::size_t) {}
