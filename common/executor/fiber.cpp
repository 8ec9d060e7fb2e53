// Fibers by Boost.Context.

#include "common/executor/fiber.h"

#include "common/executor/sanitizer.h"

#include <sys/mman.h>

#include <new>
#include <utility>

namespace tutorial::cpu {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kStackSize = 136 * kPage;  // 512 KiB for local arrays, as on a GPU, and some
constexpr std::size_t kStride = kStackSize + kPage;  // the guard page is the lowest of each
constexpr std::size_t kStacksPerSlab = 64;

/// Fibers that wait at a barrier resume in a row, each touching the top of its stack. Stacks that
/// all began at the same offset in a page would fall into the same few sets of the cache; a
/// different offset for each keeps them apart.
constexpr std::size_t kColours = 32;
constexpr std::size_t kColourStep = 128;

/// The fiber that the running switch leaves.
thread_local Fiber* departing = nullptr;

/// Boost asks an allocator for the stack; ours hands out the pool's and takes nothing back.
class PooledStack {
 public:
  explicit PooledStack(StackMemory memory) : memory_(memory) {}

  boost::context::stack_context allocate() {
    boost::context::stack_context context;
    context.size = memory_.size;
    context.sp = memory_.bottom + memory_.size;
    return context;
  }

  void deallocate(boost::context::stack_context& /*context*/) noexcept {}

 private:
  StackMemory memory_;
};

}  // namespace

StackPool::~StackPool() {
  for (char* slab : slabs_) munmap(slab, kStacksPerSlab * kStride);
}

StackMemory StackPool::take() {
  const std::size_t place = taken_ % kStacksPerSlab;
  if (place == 0) add_slab();
  ++taken_;
  char* const guard = slabs_.back() + place * kStride;
  const std::size_t colour = place % kColours * kColourStep;
  return {guard + kPage, kStackSize - colour};
}

void StackPool::add_slab() {
  slabs_.reserve(slabs_.size() + 1);
  void* const memory = mmap(nullptr, kStacksPerSlab * kStride, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  char* const slab = static_cast<char*>(memory);
  for (std::size_t i = 0; i < kStacksPerSlab; ++i) {
    if (mprotect(slab + i * kStride, kPage, PROT_NONE) != 0) break;
  }
  slabs_.push_back(slab);
}

Fiber::Fiber(StackMemory stack, Entry entry, void* argument)
    : stack_bottom_(stack.bottom), stack_size_(stack.size) {
  // Boost enters the new stack once to set it up. What it calls there must lie on that stack:
  // between the start and the finish of a switch AddressSanitizer moves no variables to the memory
  // where it watches for their use after a return, which the creator would take with it when it
  // ends. The first switch, there and back, only asks where the creator's own stack lies.
  void* fake_stack = nullptr;
  const void* bottom = nullptr;
  std::size_t size = 0;
  sanitizer::start_switch(&fake_stack, stack.bottom, stack.size);
  sanitizer::finish_switch(fake_stack, &bottom, &size);
  sanitizer::start_switch(&fake_stack, bottom, size);
  context_ = boost::context::fiber(std::allocator_arg, PooledStack(stack),
                                   [this, entry, argument](boost::context::fiber&& origin) {
                                     arrive(std::move(origin), nullptr);
                                     Fiber& next = entry(argument);
                                     depart_for(next, nullptr);
                                     return std::move(next.context_);
                                   });
  sanitizer::finish_switch(fake_stack, nullptr, nullptr);
}

void Fiber::switch_to(Fiber& target) {
  void* fake_stack = nullptr;
  depart_for(target, &fake_stack);
  arrive(std::move(target.context_).resume(), fake_stack);
}

/// `fake_stack` is where AddressSanitizer keeps what belongs to this stack; nullptr says that the
/// fiber will not come back.
void Fiber::depart_for(const Fiber& target, void** fake_stack) {
  departing = this;
  sanitizer::start_switch(fake_stack, target.stack_bottom_, target.stack_size_);
}

/// The first thing to do on arrival: the fiber that was left is `origin` from now on. The
/// sanitizer says where its stack lies, which nobody else knows of a thread's own stack.
void Fiber::arrive(boost::context::fiber&& origin, void* fake_stack) {
  sanitizer::finish_switch(fake_stack, &departing->stack_bottom_, &departing->stack_size_);
  departing->context_ = std::move(origin);
}

}  // namespace tutorial::cpu
