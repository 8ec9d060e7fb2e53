// Qualifiers and built-in variables of the CUDA language, for a host compiler.
#pragma once

#include "common/executor/shared_variables.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

/// A block runs on one worker thread from its first instruction to its last, so what the threads of
/// a block share is exactly what belongs to the worker. (`extern __shared__` has no counterpart:
/// dynamic shared memory is DYNAMIC_SHARED in common/macros.cuh.) The mark and the tag let the
/// executor poison the variable for each block; see shared_variables.h. The tracer would take the
/// mark for shared memory. There the alignment keeps the variables apart, so that an index beyond one
/// finds neither the next nor threadIdx (common/check). `used`: what no thread writes is no constant 0 to the
/// compiler, but what the memory holds.
#undef __shared__
#if defined( \
    __EMSCRIPTEN__)  // no symbol table there: all of them lie in one section (common/live/shared.cpp)
#define TUTORIAL_CPU_APART
#define __shared__ __attribute__((section("tutorial_shared"), used, aligned(128))) static
#elif defined(TUTORIAL_TRACE)
#define TUTORIAL_CPU_APART __attribute__((aligned(32768)))
#define __shared__ __attribute__((abi_tag("tutorial_shared"), used, aligned(32768))) thread_local
#else
#define TUTORIAL_CPU_APART
#define __shared__ TUTORIAL_CPU_SHARED(__COUNTER__)
#endif
#define TUTORIAL_CPU_SHARED(number) TUTORIAL_CPU_SHARED_NUMBERED(number)
#define TUTORIAL_CPU_SHARED_NUMBERED(number)                                     \
  static thread_local ::tutorial::cpu::SharedMark tutorial_shared_mark_##number; \
  [[maybe_unused]] const bool tutorial_shared_passed_##number =                  \
      ::tutorial::cpu::pass_shared_mark(tutorial_shared_mark_##number);          \
  __attribute__((abi_tag("tutorial_shared"), used)) thread_local

#if defined( \
    __EMSCRIPTEN__)  // `hot` tells kernels from other functions (common/tools/reader/live.py)
#undef __global__
#define __global__ __attribute__((noinline, hot))
#elif defined(TUTORIAL_TRACE)
/// In the loop over the threads, threadIdx would be stored when the loop is over, and a kernel's accesses would
/// count as the executor's.
#undef __global__
#if defined(TUTORIAL_SEES_KERNELS)
#define __global__ __attribute__((noinline, flatten))
#else
#define __global__ __attribute__((noinline))
#endif
#endif

/// What a GPU's compiler must inline to keep in registers. A host's optimizer judges for itself;
/// forced, it spends most of its time on the same body over and over.
#undef __forceinline__
#if defined(TUTORIAL_TRACE)
/// The tracer is not shown what a call that is left passes to a function or takes from it
/// (common/cmake/see.cmake), so it has none left.
#define __forceinline__ inline __attribute__((always_inline))
#else
#define __forceinline__ inline
#endif

/// Bounds that the register allocation of a GPU needs, and nobody here.
#define __launch_bounds__(...)

/// Keeps a thread-local variable one segment-relative access away, in a position-independent
/// library too. Empty in what is to be loaded into a running program: such accesses want room for
/// all of a library's thread-local variables, `__shared__` arrays included, where the program set
/// aside little.
#if defined(__EMSCRIPTEN__)
#define TUTORIAL_CPU_FAST_TLS
#elif !defined(TUTORIAL_CPU_FAST_TLS)
#define TUTORIAL_CPU_FAST_TLS __attribute__((tls_model("initial-exec")))
#endif

/// Position of the running thread and the shape of its launch. The executor writes them; a kernel
/// reads them. While a block runs, three of them stay as they are, and a kernel's compiler may know
/// that: no store through a pointer makes it load them again.
inline thread_local TUTORIAL_CPU_FAST_TLS TUTORIAL_CPU_APART uint3 threadIdx{};
#if defined(TUTORIAL_TRACE) || defined(TUTORIAL_CPU_WRITES_POSITION)
inline thread_local TUTORIAL_CPU_FAST_TLS TUTORIAL_CPU_APART uint3 blockIdx{};
inline thread_local TUTORIAL_CPU_FAST_TLS TUTORIAL_CPU_APART dim3 blockDim{};
inline thread_local TUTORIAL_CPU_FAST_TLS TUTORIAL_CPU_APART dim3 gridDim{};
#else
extern __thread const TUTORIAL_CPU_FAST_TLS uint3 blockIdx;
extern __thread const TUTORIAL_CPU_FAST_TLS dim3 blockDim;
extern __thread const TUTORIAL_CPU_FAST_TLS dim3 gridDim;
#endif

/// Lanes of a warp, as on every NVIDIA GPU.
inline constexpr int warpSize = 32;

// `__global__`, `__device__`, `__host__` and `__constant__` are made empty by NVIDIA's own
// headers, which suits us. `__shared__` is made empty too, and that would silently turn shared
// memory into one array per thread; so it is defined anew, after NVIDIA's headers, which are
// therefore included first and never again afterwards (their include guards see to that).

namespace tutorial::cpu {

/// The number of the block that runs on this thread, counted from 1 in the order of this thread.
inline thread_local TUTORIAL_CPU_FAST_TLS std::uint64_t block_number = 0;

/// What every thread does where a `__shared__` variable is declared.
inline bool pass_shared_mark(SharedMark& mark) {
  if (mark.block != block_number) poison_shared_variables(mark);
  return true;
}

}  // namespace tutorial::cpu
