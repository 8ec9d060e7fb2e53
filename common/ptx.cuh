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

}  // namespace tutorial
