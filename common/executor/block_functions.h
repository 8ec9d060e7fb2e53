// Barriers and fences.
//
// The trailing parameters are not for callers: their defaults name the place of the call, which is
// what a report shows.
#pragma once

#include "common/executor/block.h"

#include <atomic>

inline void __syncthreads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  using namespace tutorial::cpu;
  calling_block("__syncthreads").barrier({file, line});
}

inline void __threadfence_block() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __threadfence_system() { std::atomic_thread_fence(std::memory_order_seq_cst); }
