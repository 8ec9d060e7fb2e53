// Fibers in a browser, where no code can reach another stack: emscripten's, which unwind a stack's calls into
// memory and call them again to go on (asyncify).

#include "common/executor/fiber.h"
#include "common/executor/kernel_signals.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

namespace tutorial::cpu {

namespace {

constexpr std::size_t kStackBytes = 16 << 10;  // no kernel of the pages has large local arrays
constexpr std::size_t kFramesBytes = 16 << 10;
constexpr char kUntouched = 0x5A;

std::vector<const char*> stacks;

/// What a fiber runs first. It does not return: nothing is below it.
struct Begin {
  Fiber* fiber;
  Fiber::Entry entry;
  void* argument;
};

void begin(void* data) {
  const Begin at = *static_cast<Begin*>(data);
  delete static_cast<Begin*>(data);
  at.fiber->switch_to(at.entry(at.argument));
}

}  // namespace

// A browser sends no signals.
void catch_kernel_signals() {}
SignalStack::SignalStack() = default;
SignalStack::~SignalStack() = default;

StackPool::~StackPool() {
  for (char* slab : slabs_) std::free(slab);
}

StackMemory StackPool::take() {
  add_slab();
  return {slabs_.back(), kStackBytes};
}

void StackPool::add_slab() {
  char* const stack = static_cast<char*>(std::aligned_alloc(16, kStackBytes));
  if (stack == nullptr) throw std::bad_alloc();
  std::memset(stack, kUntouched, kStackBytes);
  slabs_.push_back(stack);
  stacks.push_back(stack);
}

Fiber::Fiber(StackMemory stack, Entry entry, void* argument)
    : frames_(new char[kFramesBytes]), stack_bottom_(stack.bottom), stack_size_(stack.size) {
  emscripten_fiber_init(&context_, begin, new Begin{this, entry, argument}, stack.bottom,
                        stack.size, frames_.get(), kFramesBytes);
}

void Fiber::switch_to(Fiber& target) {
  if (frames_ == nullptr) {  // the thread's own stack, which is left for the first time
    frames_.reset(new char[kFramesBytes]);
    emscripten_fiber_init_from_current_context(&context_, frames_.get(), kFramesBytes);
  }
  emscripten_fiber_swap(&context_, &target.context_);
}

}  // namespace tutorial::cpu

/// Bytes of the deepest stack that the kernels so far had, of 16 KiB: below it no page protects other memory.
extern "C" unsigned tutorial_deepest_stack() {
  using namespace tutorial::cpu;
  std::size_t left = kStackBytes;
  for (const char* stack : stacks) {
    const char* const end = stack + kStackBytes;
    const char* const used = std::find_if(stack, end, [](char c) { return c != kUntouched; });
    left = std::min(left, static_cast<std::size_t>(used - stack));
  }
  return kStackBytes - left;
}
