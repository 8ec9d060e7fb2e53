// Barriers and fences.
//
// The trailing parameters are not for callers: their defaults name the place of the call, which is
// what a report shows.
#pragma once

#include "common/executor/block.h"

#include <atomic>

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

inline void __threadfence_block() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __threadfence_system() { std::atomic_thread_fence(std::memory_order_seq_cst); }
