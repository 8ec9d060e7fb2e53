// Exact-size aligned heap blocks: the end of the block is the end of the buffer, so that
// AddressSanitizer sees the first byte past it.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace tutorial::cpu {

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

using AlignedMemory = std::unique_ptr<void, FreeMemory>;

/// `bytes` bytes at a multiple of `alignment` (a power of two, at least 8), each of them 0xFF,
/// which is NaN in every floating type; null if there is no memory.
inline AlignedMemory allocate_poisoned(std::size_t bytes, std::size_t alignment) {
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, bytes) != 0) return nullptr;
  std::memset(memory, 0xFF, bytes);
  return AlignedMemory(memory);
}

}  // namespace tutorial::cpu
