// The heap blocks that stand for device memory, and the host's that kernels may use.

#include "common/executor/device_memory.h"

#include <iterator>
#include <utility>

#include "common/executor/sanitizer.h"

namespace tutorial::cpu {

namespace {

/// Bytes behind an array that belong to nobody: what a kernel without a guard overruns there is no memory of the
/// host's. Under AddressSanitizer none, which sees the first byte past the end.
#if defined(TUTORIAL_CPU_ASAN)
constexpr std::size_t kBehind = 0;
#else
constexpr std::size_t kBehind = 4096;
#endif

}  // namespace

DeviceMemory& DeviceMemory::instance() {
  static DeviceMemory memory;
  return memory;
}

AlignedMemory DeviceMemory::take(std::size_t bytes, std::size_t alignment,
                                 std::size_t offset) const {
  if (reach_ != 0) return allocate_apart(bytes, offset, reach_);
  AlignedMemory memory = allocate_poisoned(offset + bytes + kBehind, alignment);
  char* const begin = static_cast<char*>(memory.release());
  return AlignedMemory(begin == nullptr ? nullptr : begin + offset, {begin, 0});
}

void* DeviceMemory::allocate(std::size_t bytes, std::size_t offset, MemoryKind kind) {
  constexpr std::size_t kAlignment = 256;
  AlignedMemory memory = take(bytes, kAlignment, offset);
  void* const pointer = memory.get();
  if (pointer == nullptr) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex_);
  allocations_.emplace(static_cast<const char*>(pointer),
                       Allocation{std::move(memory), bytes, kind});
  return pointer;
}

bool DeviceMemory::enlist(const void* pointer, std::size_t bytes, MemoryKind kind) {
  const char* const begin = static_cast<const char*>(pointer);
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto above = allocations_.lower_bound(begin);
  if (above != allocations_.end() && above->first < begin + bytes) return false;
  if (above != allocations_.begin()) {
    const auto& [start, below] = *std::prev(above);
    if (start + below.bytes > begin) return false;
  }
  allocations_.emplace(begin, Allocation{nullptr, bytes, kind});
  return true;
}

bool DeviceMemory::release(void* pointer, MemoryKind kind) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = allocations_.find(static_cast<const char*>(pointer));
  if (found == allocations_.end() || found->second.kind != kind) return false;
  allocations_.erase(found);
  return true;
}

MemoryRange DeviceMemory::find(const void* pointer) {
  const char* const place = static_cast<const char*>(pointer);
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto above = allocations_.upper_bound(place);
  if (above == allocations_.begin()) return {};
  const auto& [start, allocation] = *std::prev(above);
  if (place >= start + allocation.bytes) return {};
  return {start, allocation.bytes, allocation.kind};
}

std::vector<MemoryRange> DeviceMemory::all() {
  std::vector<MemoryRange> ranges;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [start, allocation] : allocations_) {
    ranges.push_back({start, allocation.bytes, allocation.kind});
  }
  return ranges;
}

}  // namespace tutorial::cpu
