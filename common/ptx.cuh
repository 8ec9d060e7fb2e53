// Single machine instructions that CUDA C++ has no function for.
#pragma once

#include <cmath>

#include "common/launch.cuh"
#include "common/macros.cuh"

#if defined(TUTORIAL_BACKEND_CPU)
#include "common/executor/late_stores.h"
#endif

// Each one is a line of inline PTX on a GPU and a stand-in on the CPU executor. A stand-in computes
// the same function in ordinary arithmetic: it shows the same behaviour at the ends of the range,
// and its last bits may differ from the hardware's.

namespace tutorial {

/// 2^x by the special-function unit: one instruction, largest relative error 2^-22 (PTX ISA,
/// ex2.approx.ftz.f32). Subnormal inputs and results become zero.
///
/// `__expf` compiles to the same instruction, but has to keep subnormal results and spends three
/// more instructions on that (see the machine code of `elu_f16x8_pack_fexp`).
__device__ __forceinline__ float exp2_approx(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  const float y = std::exp2(x);
  return std::fpclassify(y) == FP_SUBNORMAL ? 0.0f : y;
#endif
}

/// 1 / x by the special-function unit: one instruction, largest error 1 ULP (PTX ISA,
/// rcp.approx.ftz.f32). Subnormal inputs count as zero and subnormal results become zero, so every
/// |x| above 2^126 gives zero.
__device__ __forceinline__ float rcp_approx(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  const float divisor = std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
  const float y = 1.0f / divisor;
  return std::fpclassify(y) == FP_SUBNORMAL ? std::copysign(0.0f, y) : y;
#endif
}

/// tanh(x) by the special-function unit (compute capability 7.5): one instruction, largest relative
/// error 2^-11 (PTX ISA, tanh.approx.f32). The stand-in is as exact as the host's tanh.
__device__ __forceinline__ float tanh_approx(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return std::tanh(x);
#endif
}

/// tanh of both halves by the special-function unit (compute capability 7.5): largest absolute
/// error 2^-10.987 (PTX ISA, tanh.approx.f16x2). CUDA 12.8 and newer call it h2tanh_approx. The
/// stand-in is rounded to the nearest half.
__device__ __forceinline__ half2 tanh_approx(half2 x) {
#ifdef __CUDA_ARCH__
  half2 y;
  asm("tanh.approx.f16x2 %0, %1;" : "=r"(LDST32BITS(y)) : "r"(LDST32BITS(x)));
  return y;
#else
  return __floats2half2_rn(std::tanh(__low2float(x)), std::tanh(__high2float(x)));
#endif
}

/// The larger of a and b, b being a number. A NaN in a stays a NaN, where fmaxf would answer with
/// b; max_nan(+0, -0) is +0. One instruction from compute capability 8.0 on (max.NaN.f32), two
/// before.
__device__ __forceinline__ float max_nan(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float y;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
#else
  return a < b ? b : a;
#endif
}

/// The smaller of a and b, b being a number. A NaN in a stays a NaN, as in max_nan().
__device__ __forceinline__ float min_nan(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float y;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
#else
  return b < a ? b : a;
#endif
}

/// Copies sixteen bytes from global memory to the block's shared memory, both aligned to sixteen, while the
/// thread goes on (compute capability 8.0): the bytes need no registers on their way. After wait_for_copies() the
/// thread may read them, and others behind a barrier after it. On older devices they are there at once.
__device__ __forceinline__ void copy_async(void* shared, const void* from) {
#if defined(TUTORIAL_BACKEND_CPU)
  cpu::store_late(shared, *static_cast<const int4*>(from));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(shared))),
               "l"(from)
               : "memory");
#else
  *static_cast<int4*>(shared) = *static_cast<const int4*>(from);
#endif
}
__device__ __forceinline__ void wait_for_copies() {
#if defined(TUTORIAL_BACKEND_CPU)
  cpu::make_late_stores();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace tutorial
