// Memory that CUDA knows: heap blocks that know their size.
#pragma once

#include "common/executor/aligned_memory.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace tutorial::cpu {

/// Who may access memory, and who has allocated it.
enum class MemoryKind {
  device,      ///< cudaMalloc and its kin: kernels
  managed,     ///< cudaMallocManaged: kernels and the host
  pinned,      ///< cudaMallocHost, cudaHostAlloc: the host, and kernels
  registered,  ///< the program's own, named to cudaHostRegister: the host, and kernels
  symbol,      ///< a `__device__` variable that the host has named: kernels
};

struct MemoryRange {
  const char* begin;
  std::size_t bytes;
  MemoryKind kind;
};

class DeviceMemory {
 public:
  static DeviceMemory& instance();

  /// Exactly `bytes` bytes, each 0xFF (NaN), that begin `offset` bytes past a 256-byte boundary;
  /// nullptr without memory.
  void* allocate(std::size_t bytes, std::size_t offset = 0, MemoryKind kind = MemoryKind::device);

  /// Notes memory that the program has allocated itself; false if some of it is known already.
  bool enlist(const void* pointer, std::size_t bytes, MemoryKind kind);

  /// The same for memory that release() and all() do not know.
  AlignedMemory take(std::size_t bytes, std::size_t alignment, std::size_t offset = 0) const;

  /// From now on `reach` bytes of addresses on both sides of what is allocated belong to nobody: an
  /// access out of bounds finds no other buffer, and its address tells which one it missed.
  void keep_apart(std::size_t reach) { reach_ = reach; }

  /// Whether `pointer` was the start of an allocation of this kind, which is gone now.
  bool release(void* pointer, MemoryKind kind = MemoryKind::device);

  /// The range that `pointer` lies in; none: bytes is 0.
  MemoryRange find(const void* pointer);

  /// Every allocation.
  std::vector<MemoryRange> all();

 private:
  struct Allocation {
    AlignedMemory memory;
    std::size_t bytes;
    MemoryKind kind;
  };

  std::size_t reach_ = 0;
  std::mutex mutex_;
  std::map<const char*, Allocation> allocations_;  // by address
};

}  // namespace tutorial::cpu
