// How many threads a multiprocessor holds at once, set by shared memory that nobody uses or by
// registers.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "common/launch.cuh"

namespace tutorial::controls {

/// The dynamic shared memory with which a multiprocessor holds `resident` threads of `kernel`, in blocks
/// of `threads`. All rows set aside the same 64 KiB for it, so that all have the same L1: a block has a
/// KiB of it for itself. 0 if the setting is refused.
template <class... Params>
std::size_t shared_for(void (*kernel)(Params...), int threads, int resident) {
  constexpr std::size_t kAll = std::size_t{64} << 10;
  constexpr int kPercentOfAll = 28;  // of 228 KiB
  const auto blocks = static_cast<std::size_t>(resident / threads);
  const std::size_t bytes = blocks == 1 ? kAll * 5 / 8 : kAll / blocks / 128 * 128 - 1024 - 128;
  const bool set = cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                        kPercentOfAll) == cudaSuccess &&
                   cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(bytes)) == cudaSuccess;
  return set ? bytes : 0;
}

/// The launch of `all` threads of `kernel` in such blocks.
template <class... Params>
LaunchShape shape_at(void (*kernel)(Params...), std::int64_t all, int threads, int resident) {
  return {grid_1d(all, threads), dim3(static_cast<unsigned>(threads)),
          shared_for(kernel, threads, resident)};
}

/// Needs kRegisters registers and more, in a branch that no launch enters: the compiler takes them
/// all the same, fewer blocks fit, and nothing else changes.
template <int kRegisters>
__device__ __forceinline__ void hold(const void* from, void* to) {
  unsigned held[kRegisters];
#pragma unroll
  for (int k = 0; k < kRegisters; ++k) held[k] = static_cast<const volatile unsigned*>(from)[k];
#pragma unroll
  for (int k = 0; k < kRegisters; ++k) {
    static_cast<volatile unsigned*>(to)[k] = held[kRegisters - 1 - k];
  }
}

}  // namespace tutorial::controls
