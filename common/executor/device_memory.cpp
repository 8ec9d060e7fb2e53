// The heap blocks that stand for device memory.

#include "common/executor/device_memory.h"

#include <utility>

namespace tutorial::cpu {

DeviceMemory& DeviceMemory::instance() {
  static DeviceMemory memory;
  return memory;
}

AlignedMemory DeviceMemory::take(std::size_t bytes, std::size_t alignment,
                                 std::size_t offset) const {
  if (reach_ != 0) return allocate_apart(bytes, offset, reach_);
  AlignedMemory memory = allocate_poisoned(bytes + offset, alignment);
  char* const begin = static_cast<char*>(memory.release());
  return AlignedMemory(begin == nullptr ? nullptr : begin + offset, {begin, 0});
}

void* DeviceMemory::allocate(std::size_t bytes, std::size_t offset) {
  constexpr std::size_t kAlignment = 256;
  AlignedMemory memory = take(bytes, kAlignment, offset);
  void* const pointer = memory.get();
  if (pointer == nullptr) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex_);
  allocations_.emplace(static_cast<const char*>(pointer), Allocation{std::move(memory), bytes});
  return pointer;
}

bool DeviceMemory::release(void* pointer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return allocations_.erase(static_cast<const char*>(pointer)) == 1;
}

bool DeviceMemory::contains(const void* pointer, std::size_t bytes) {
  const char* const begin = static_cast<const char*>(pointer);
  const std::lock_guard<std::mutex> lock(mutex_);
  auto above = allocations_.upper_bound(begin);
  if (above == allocations_.begin()) return false;
  const auto& [start, allocation] = *--above;
  const auto offset = static_cast<std::size_t>(begin - start);
  return offset <= allocation.bytes && bytes <= allocation.bytes - offset;
}

std::vector<std::pair<const char*, std::size_t>> DeviceMemory::ranges() {
  std::vector<std::pair<const char*, std::size_t>> all;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [start, allocation] : allocations_) all.emplace_back(start, allocation.bytes);
  return all;
}

}  // namespace tutorial::cpu
