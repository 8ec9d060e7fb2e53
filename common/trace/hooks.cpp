// What g++ -fsanitize=thread calls before every access to memory, in place of ThreadSanitizer's own
// runtime, which is not linked. A hook tells on_access what is accessed, and from where.

#include "common/trace/hooks.h"

namespace tutorial::trace {

void (*on_access)(const Seen&) = nullptr;
void (*on_fence)() = nullptr;
void (*on_atomic_load)(const Seen&) = nullptr;

}  // namespace tutorial::trace

namespace {

using tutorial::trace::Operation;

// Too small to have a frame of its own that could be mistaken for the place of the access.
template <auto& told = tutorial::trace::on_access>
[[gnu::always_inline]] inline void see(const void* address, std::size_t bytes, Operation operation,
                                       void* place, bool is_range = false,
                                       bool is_volatile = false) {
  if (told == nullptr) return;
  told({reinterpret_cast<std::uintptr_t>(address), bytes, operation,
        reinterpret_cast<std::uintptr_t>(place), is_range, is_volatile});
}

}  // namespace

#define TUTORIAL_TRACE_HOOK(name, bytes, operation)                         \
  void __tsan_##name(void* address) {                                       \
    see(address, bytes, Operation::operation, __builtin_return_address(0)); \
  }
#define TUTORIAL_TRACE_VOLATILE(name, bytes, operation)                                  \
  void __tsan_volatile_##name(void* address) {                                           \
    see(address, bytes, Operation::operation, __builtin_return_address(0), false, true); \
  }                                                                                      \
  void __tsan_unaligned_volatile_##name(void* address) {                                 \
    see(address, bytes, Operation::operation, __builtin_return_address(0), false, true); \
  }
#define TUTORIAL_TRACE_HOOKS(bytes)                         \
  TUTORIAL_TRACE_HOOK(read##bytes, bytes, load)             \
  TUTORIAL_TRACE_HOOK(write##bytes, bytes, store)           \
  TUTORIAL_TRACE_HOOK(unaligned_read##bytes, bytes, load)   \
  TUTORIAL_TRACE_HOOK(unaligned_write##bytes, bytes, store) \
  TUTORIAL_TRACE_VOLATILE(read##bytes, bytes, load)         \
  TUTORIAL_TRACE_VOLATILE(write##bytes, bytes, store)

// An atomic operation is done here: the compiler has left it to us.
#define TUTORIAL_TRACE_ATOMIC(bits, T, name, builtin)                                              \
  T __tsan_atomic##bits##_##name(volatile T* address, T value, int) {                              \
    see(const_cast<const T*>(address), sizeof(T), Operation::atomic, __builtin_return_address(0)); \
    return builtin(address, value, __ATOMIC_SEQ_CST);                                              \
  }
#define TUTORIAL_TRACE_EXCHANGE(bits, T, kind)                                                     \
  int __tsan_atomic##bits##_compare_exchange_##kind(volatile T* address, T* expected, T value,     \
                                                    int, int) {                                    \
    see(const_cast<const T*>(address), sizeof(T), Operation::atomic, __builtin_return_address(0)); \
    return static_cast<int>(__atomic_compare_exchange_n(address, expected, value, false,           \
                                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));      \
  }
#define TUTORIAL_TRACE_ATOMICS(bits, T)                                                            \
  TUTORIAL_TRACE_ATOMIC(bits, T, exchange, __atomic_exchange_n)                                    \
  TUTORIAL_TRACE_ATOMIC(bits, T, fetch_add, __atomic_fetch_add)                                    \
  TUTORIAL_TRACE_ATOMIC(bits, T, fetch_sub, __atomic_fetch_sub)                                    \
  TUTORIAL_TRACE_ATOMIC(bits, T, fetch_and, __atomic_fetch_and)                                    \
  TUTORIAL_TRACE_ATOMIC(bits, T, fetch_or, __atomic_fetch_or)                                      \
  TUTORIAL_TRACE_ATOMIC(bits, T, fetch_xor, __atomic_fetch_xor)                                    \
  TUTORIAL_TRACE_ATOMIC(bits, T, fetch_nand, __atomic_fetch_nand)                                  \
  T __tsan_atomic##bits##_load(const volatile T* address, int) {                                   \
    see<tutorial::trace::on_atomic_load>(const_cast<const T*>(address), sizeof(T),                 \
                                         Operation::load, __builtin_return_address(0), false,      \
                                         true);                                                    \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile T* address, T value, int) {                            \
    see(const_cast<const T*>(address), sizeof(T), Operation::atomic, __builtin_return_address(0)); \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                \
  TUTORIAL_TRACE_EXCHANGE(bits, T, strong)                                                         \
  TUTORIAL_TRACE_EXCHANGE(bits, T, weak)

extern "C" {

TUTORIAL_TRACE_HOOKS(1)
TUTORIAL_TRACE_HOOKS(2)
TUTORIAL_TRACE_HOOKS(4)
TUTORIAL_TRACE_HOOKS(8)
TUTORIAL_TRACE_HOOKS(16)

// What is aligned less than its size asks for, or larger than 16 bytes, or no power of two.
void __tsan_read_range(void* address, unsigned long bytes) {
  see(address, bytes, Operation::load, __builtin_return_address(0), true);
}
void __tsan_write_range(void* address, unsigned long bytes) {
  see(address, bytes, Operation::store, __builtin_return_address(0), true);
}

TUTORIAL_TRACE_ATOMICS(8, unsigned char)
TUTORIAL_TRACE_ATOMICS(16, unsigned short)
TUTORIAL_TRACE_ATOMICS(32, unsigned)
TUTORIAL_TRACE_ATOMICS(64, unsigned long)

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_atomic_thread_fence(int) {
  if (tutorial::trace::on_fence != nullptr) tutorial::trace::on_fence();
}
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"

#undef TUTORIAL_TRACE_HOOK
#undef TUTORIAL_TRACE_HOOKS
#undef TUTORIAL_TRACE_VOLATILE
#undef TUTORIAL_TRACE_ATOMIC
#undef TUTORIAL_TRACE_EXCHANGE
#undef TUTORIAL_TRACE_ATOMICS
