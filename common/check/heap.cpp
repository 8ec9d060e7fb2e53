// The arrays of the heap, by their addresses.

#include "common/check/heap.h"

#include <iterator>

namespace tutorial::check {

namespace {

bool is_started = false;
thread_local bool is_inside = false;  // what this class allocates itself

class Inside {
 public:
  explicit Inside(std::mutex& mutex) : lock_(mutex) { is_inside = true; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { is_inside = false; }

 private:
  std::lock_guard<std::mutex> lock_;
};

}  // namespace

Heap& Heap::instance() {
  static Heap& heap = *new Heap;
  return heap;
}

void Heap::start() {
  instance();
  is_started = true;
}

bool Heap::listens() { return is_started && !is_inside; }

void Heap::allocates(const void* pointer, std::size_t bytes, std::uintptr_t pc, bool is_kernels) {
  const Inside inside(mutex_);
  const trace::Extent extent = trace::extent_of(pointer, bytes);
  arrays_[extent.begin] = {extent, pc, is_kernels};
}

Heap::Array Heap::frees(const void* pointer) {
  const Inside inside(mutex_);
  const auto entry = arrays_.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (entry == arrays_.end()) return {};
  const Array array = entry->second;
  arrays_.erase(entry);
  return array;
}

Heap::Array Heap::at(const void* pointer) {
  const Inside inside(mutex_);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto above = arrays_.upper_bound(address);
  if (above == arrays_.begin()) return {};
  const Array& below = std::prev(above)->second;
  return below.bytes.holds(address) ? below : Array{};
}

}  // namespace tutorial::check
