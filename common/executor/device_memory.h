// Device memory of the executor: heap blocks that know their size.
#pragma once

#include "common/executor/aligned_memory.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace tutorial::cpu {

class DeviceMemory {
 public:
  static DeviceMemory& instance();

  /// Exactly `bytes` bytes, each 0xFF (NaN), that begin `offset` bytes past a 256-byte boundary;
  /// nullptr without memory.
  void* allocate(std::size_t bytes, std::size_t offset = 0);

  /// The same for memory that release() and ranges() do not know.
  AlignedMemory take(std::size_t bytes, std::size_t alignment, std::size_t offset = 0) const;

  /// From now on `reach` bytes of addresses on both sides of what is allocated belong to nobody: an
  /// access out of bounds finds no other buffer, and its address tells which one it missed.
  void keep_apart(std::size_t reach) { reach_ = reach; }

  /// Whether `pointer` was the start of an allocation, which is gone now.
  bool release(void* pointer);

  /// Whether [pointer, pointer + bytes) lies within one allocation.
  bool contains(const void* pointer, std::size_t bytes);

  /// Start and size of every allocation.
  std::vector<std::pair<const char*, std::size_t>> ranges();

 private:
  struct Allocation {
    AlignedMemory memory;
    std::size_t bytes;
  };

  std::size_t reach_ = 0;
  std::mutex mutex_;
  std::map<const char*, Allocation> allocations_;  // by address
};

}  // namespace tutorial::cpu
