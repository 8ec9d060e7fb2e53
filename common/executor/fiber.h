// Stacks that take turns on one thread: Boost.Context's fibers, with the notes that
// AddressSanitizer needs at each switch; in a browser, emscripten's (common/live/fiber.cpp).
#pragma once

#if defined(__EMSCRIPTEN__)
#include <emscripten/fiber.h>
#else
#include <boost/context/fiber.hpp>
#endif

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tutorial::cpu {

/// Memory for one stack; `bottom` is its lowest address.
struct StackMemory {
  char* bottom;
  std::size_t size;
};

/// Stacks for the fibers of one worker. Stacks are made in slabs and live as long as the pool.
/// Below each lies a guard page, so that an overflow ends in a segmentation fault and not in the
/// neighbour's stack (where the system's limit on mappings is exhausted, a stack does without).
class StackPool {
 public:
  StackPool() = default;
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;
  ~StackPool();

  /// A stack that nobody uses yet. Throws std::bad_alloc.
  StackMemory take();

 private:
  void add_slab();

  std::vector<char*> slabs_;
  std::size_t taken_ = 0;
};

/// One stack and where its execution stands. A fiber and all that it switches to belong to one
/// thread.
class Fiber {
 public:
  /// Runs on the new stack; returns the fiber that goes on when this one is at its end.
  using Entry = Fiber& (*)(void* argument);

  /// The calling thread's own stack.
  Fiber() = default;

  /// A fiber that calls entry(argument) when it is first switched to.
  Fiber(StackMemory stack, Entry entry, void* argument);

  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Suspends this fiber, which must be the running one, and goes on with `target`. Returns when
  /// some fiber switches back to this one.
  void switch_to(Fiber& target);

  /// Behind the highest address of this stack.
  std::uintptr_t stack_top() const {
    return reinterpret_cast<std::uintptr_t>(stack_bottom_) + stack_size_;
  }

  std::size_t stack_kib() const { return (stack_size_ + 1023) / 1024; }

  /// Whether the address lies in the page below this stack.
  bool is_below(std::uintptr_t address) const {
    return reinterpret_cast<std::uintptr_t>(stack_bottom_) - 1 - address < 4096;
  }

  /// Whether the address lies on this stack; false for the thread's own.
  bool holds(std::uintptr_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(stack_bottom_) < stack_size_;
  }

 private:
#if defined(__EMSCRIPTEN__)
  emscripten_fiber_t context_{};
  std::unique_ptr<char[]> frames_;  // the calls of WebAssembly's own stack, while the fiber waits
#else
  void depart_for(const Fiber& target, void** fake_stack);
  static void arrive(boost::context::fiber&& origin, void* fake_stack);

  boost::context::fiber context_;  // empty while the fiber runs
#endif
  const void* stack_bottom_ = nullptr;
  std::size_t stack_size_ = 0;
};

}  // namespace tutorial::cpu
