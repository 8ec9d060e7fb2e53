// The exercise "climb" of section 3: rung 3, the tail apart and sixteen bytes a thread.
#pragma once

#include <cstdint>

#include "06_primitives/primitives/primitives.cuh"
#include "common/launch.cuh"
#include "common/rung.h"

namespace tutorial {

using namespace primitives;

inline constexpr RungClaims kYourPrimitives{8, 16, 0.5};

template <bool IsBoundary>
__device__ __forceinline__ void your_tile(const half* a, const half* b, half* out,
                                          std::int64_t num) {
  constexpr int kVecSize = kYourPrimitives.per_thread;
  half arg0[kVecSize], arg1[kVecSize], result[kVecSize];
  Init(arg0, 1.0f);
  Init(arg1, 1.0f);
  ReadData<IsBoundary, Adjacent>(arg0, a, num);
  ReadData<IsBoundary, Adjacent>(arg1, b, num);
  ElementwiseBinary(result, arg0, arg1, AddFunctor<half>{});
  WriteData<IsBoundary, Adjacent>(out, result, num);
}

//! [climb]
__global__ void your_primitives_kernel(const half* a, const half* b, half* out, std::int64_t n) {
  const std::int64_t tile = std::int64_t{blockDim.x} * kYourPrimitives.per_thread;
  const std::int64_t offset = blockIdx.x * tile;
  if (offset + tile <= n) {
    your_tile<false>(a + offset, b + offset, out + offset, tile);
  } else {
    your_tile<true>(a + offset, b + offset, out + offset, n - offset);
  }
}
//! [climb]

}  // namespace tutorial
