// What the executor tells AddressSanitizer about its fibers; nothing in builds without it.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define TUTORIAL_CPU_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TUTORIAL_CPU_ASAN 1
#endif
#endif

#if defined(TUTORIAL_CPU_ASAN)
#include <sanitizer/common_interface_defs.h>
#endif

namespace tutorial::cpu::sanitizer {

/// Before a switch to the stack at [bottom, bottom + size).
inline void start_switch([[maybe_unused]] void** fake_stack, [[maybe_unused]] const void* bottom,
                         [[maybe_unused]] std::size_t size) {
#if defined(TUTORIAL_CPU_ASAN)
  __sanitizer_start_switch_fiber(fake_stack, bottom, size);
#endif
}

/// After it, on the new stack; tells where the stack that was left lies.
inline void finish_switch([[maybe_unused]] void* fake_stack,
                          [[maybe_unused]] const void** old_bottom,
                          [[maybe_unused]] std::size_t* old_size) {
#if defined(TUTORIAL_CPU_ASAN)
  __sanitizer_finish_switch_fiber(fake_stack, old_bottom, old_size);
#endif
}

}  // namespace tutorial::cpu::sanitizer
