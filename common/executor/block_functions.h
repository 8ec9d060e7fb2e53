// Barriers and fences, and what ends a kernel or waits in it.
//
// The trailing parameters are not for callers: their defaults name the place of the call, which is
// what a report shows.
#pragma once

#include "common/executor/block.h"

#include <time.h>

#include <cstdint>

namespace tutorial::cpu {

/// What `assert` calls; as on a GPU the thread ends, and the launch has failed. In host code the
/// program ends.
[[noreturn]] void fail_assertion(const char* text, const char* file, int line,
                                 const char* function);

/// Ends the launch.
[[noreturn]] void trap(Where where);

/// Nanoseconds since some moment.
std::uint64_t nanoseconds();

void sleep(unsigned nanoseconds);

}  // namespace tutorial::cpu

inline void __syncthreads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  using namespace tutorial::cpu;
  calling_block("__syncthreads").barrier(Vote::none, false, {file, line});
}

inline int __syncthreads_count(int predicate, const char* file = __builtin_FILE(),
                               int line = __builtin_LINE()) {
  using namespace tutorial::cpu;
  return calling_block("__syncthreads_count").barrier(Vote::count, predicate != 0, {file, line});
}

inline int __syncthreads_and(int predicate, const char* file = __builtin_FILE(),
                             int line = __builtin_LINE()) {
  using namespace tutorial::cpu;
  return calling_block("__syncthreads_and").barrier(Vote::all, predicate != 0, {file, line});
}

inline int __syncthreads_or(int predicate, const char* file = __builtin_FILE(),
                            int line = __builtin_LINE()) {
  using namespace tutorial::cpu;
  return calling_block("__syncthreads_or").barrier(Vote::any, predicate != 0, {file, line});
}

inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

[[noreturn]] inline void __trap(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  tutorial::cpu::trap({file, line});
}
inline void __brkpt() {}

/// A nanosecond for a cycle; so does clock() in a kernel (clock.cpp).
inline long long clock64() { return static_cast<long long>(tutorial::cpu::nanoseconds()); }
inline unsigned long long globaltimer() { return tutorial::cpu::nanoseconds(); }
inline void __nanosleep(unsigned nanoseconds) { tutorial::cpu::sleep(nanoseconds); }
