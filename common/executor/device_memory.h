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

  /// Exactly `bytes` bytes, 256-byte aligned, each 0xFF (NaN); nullptr without memory.
  void* allocate(std::size_t bytes);

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

  std::mutex mutex_;
  std::map<const char*, Allocation> allocations_;  // by address
};

}  // namespace tutorial::cpu
