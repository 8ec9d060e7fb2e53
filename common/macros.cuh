// Wide views of narrow storage, and the two other macros that kernels share.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <type_traits>

#if defined(TUTORIAL_BACKEND_CPU)
#include "common/executor/cuda_language.h"
#endif

// `FLOAT4(x[i])` is an lvalue: the 16 bytes of storage that begin at `x[i]`, seen as one `float4`.
// Reading it is one 128-bit load, assigning to it is one 128-bit store:
//
//     FLOAT4(y[i]) = FLOAT4(x[i]);          // four floats, one load, one store
//     alignas(16) half pack[8];
//     LDST128BITS(pack[0]) = LDST128BITS(x[i]);  // eight halves, one load
//
// Const storage gives a const view, so `FLOAT4(x[i]) = v` does not compile for `const float* x`.
//
// What the caller promises:
// - **Alignment.** The address is a multiple of the view's size (4, 8 or 16 bytes; `float4` and
//   `int4` are 16). On a GPU a misaligned access kills the launch with cudaErrorMisalignedAddress;
//   on the CPU UndefinedBehaviorSanitizer reports it, and a plain build may crash or may not.
// - **Extent.** All of the view's bytes belong to the buffer. `FLOAT4(x[n - 1])` reads 12 bytes
//   that are somebody else's.
// - **Aliasing.** The view names storage through a type that it does not have, which C++ leaves
//   undefined. CUB does it too (cub/block/block_load.cuh). That nvcc keeps the order of such accesses
//   is an assumption, which the tests of results and machine code check. Compilers that order accesses
//   by type (g++, and clang for CUDA: https://github.com/NVIDIA/cccl/pull/8117) need
//   -fno-strict-aliasing, which the build sets for every target; without it packed kernels may compute
//   with stale values.

namespace tutorial::detail {

/// The storage that begins at `first`, as a `Wide`; const if `first` is.
template <class Wide, class T>
__host__ __device__ __forceinline__ auto& storage_as(T& first) {
  using View = std::conditional_t<std::is_const_v<T>, const Wide, Wide>;
  return reinterpret_cast<View&>(first);
}

}  // namespace tutorial::detail

#define FLOAT4(value) (::tutorial::detail::storage_as<float4>(value))
#define FLOAT2(value) (::tutorial::detail::storage_as<float2>(value))
#define INT4(value) (::tutorial::detail::storage_as<int4>(value))
#define INT2(value) (::tutorial::detail::storage_as<int2>(value))
#define HALF2(value) (::tutorial::detail::storage_as<half2>(value))
#define BFLOAT162(value) (::tutorial::detail::storage_as<__nv_bfloat162>(value))

/// Views for moving bits without a look at what they mean.
#define LDST32BITS(value) (::tutorial::detail::storage_as<unsigned int>(value))
#define LDST64BITS(value) (::tutorial::detail::storage_as<float2>(value))
#define LDST128BITS(value) (::tutorial::detail::storage_as<float4>(value))

/// Quotient of two integers, rounded up; for a >= 0 and b > 0. The sum a + b - 1 must fit.
#define CEIL_DIV(a, b) (((a) + (b)-1) / (b))

/// `DYNAMIC_SHARED(float, tile);` declares `float* tile`, the block's dynamic shared memory: as
/// many bytes as the launch asked for in LaunchShape::shared_bytes, 128-byte aligned, uninitialised.
#if defined(TUTORIAL_BACKEND_CPU)
#define DYNAMIC_SHARED(T, name) T* const name = static_cast<T*>(::tutorial::cpu::dynamic_shared())
#else
#define DYNAMIC_SHARED(T, name)                                             \
  extern __shared__ __align__(128) unsigned char tutorial_dynamic_shared[]; \
  T* const name = reinterpret_cast<T*>(tutorial_dynamic_shared)
#endif
