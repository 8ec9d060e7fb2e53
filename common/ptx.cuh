// Single machine instructions that CUDA C++ has no function for.
//
// Each one is a line of inline PTX on a GPU and a stand-in on the CPU executor. A stand-in computes
// the same function in ordinary arithmetic: it shows the same behaviour at the ends of the range,
// and its last bits may differ from the hardware's.
#pragma once

#include <cmath>

#include "common/launch.cuh"

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

}  // namespace tutorial
