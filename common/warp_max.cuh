// The largest of a warp's values.
#pragma once

#include <type_traits>

#include "common/launch.cuh"

namespace tutorial {

/// In five steps, on every GPU. All 32 lanes call it, and all get it. T: int or unsigned.
template <class T>
__device__ __forceinline__ T warp_max_by_shuffles(T value) {
  static_assert(std::is_same_v<T, int> || std::is_same_v<T, unsigned>);
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) {
    const T other = __shfl_xor_sync(0xffffffffU, value, apart);
    value = other > value ? other : value;
  }
  return value;
}

/// The same by one instruction from compute capability 8.0 on, which takes less time (03_swish/notes/quantize.md).
template <class T>
__device__ __forceinline__ T warp_max(T value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  return warp_max_by_shuffles(value);
#else
  return __reduce_max_sync(0xffffffffU, value);
#endif
}

}  // namespace tutorial
