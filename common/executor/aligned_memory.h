// Exact-size aligned blocks: the end of the block is the end of the buffer, so that
// AddressSanitizer sees the first byte past it.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace tutorial::cpu {

/// Frees what a block lies in: heap memory, or `mapped` bytes of address space.
struct FreeMemory {
  void* base = nullptr;  ///< nullptr: the block's own beginning
  std::size_t mapped = 0;

  void operator()(void* memory) const {
    void* const begin = base != nullptr ? base : memory;
    if (mapped == 0) {
      std::free(begin);
    } else {
      munmap(begin, mapped);
    }
  }
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

/// The same, `offset` bytes past a page, with `reach` bytes of addresses on both sides (rounded up to
/// pages) at which there is no memory but the rest of the block's own pages. What is larger than a gigabyte is 0
/// instead, and takes memory where it is touched.
inline AlignedMemory allocate_apart(std::size_t bytes, std::size_t offset, std::size_t reach) {
  constexpr std::size_t kPage = 4096;
  const auto to_pages = [](std::size_t size) { return (size + kPage - 1) / kPage * kPage; };
  const std::size_t before = to_pages(reach), own = to_pages(offset + bytes + 1);
  const std::size_t mapped = before + own + before;
  void* const base =
      mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  char* const pages = static_cast<char*>(base) + before;
  AlignedMemory memory(pages + offset, {base, mapped});
  if (mprotect(pages, own, PROT_READ | PROT_WRITE) != 0) return nullptr;
  if (bytes <= std::size_t{1} << 30) std::memset(pages, 0xFF, own);
  return memory;
}

}  // namespace tutorial::cpu
