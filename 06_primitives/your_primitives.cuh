// Your rung. It starts as rung 1, the library's kernel on the boundary path; the README says what
// to try. The test checks it as it checks every rung, and the ladder shows it:
//
//     ./tutorial test primitives --yours
//     ./tutorial bench primitives
#pragma once

#include <cstdint>

#include "06_primitives/primitives/primitives.cuh"
#include "common/launch.cuh"
#include "common/rung.h"

namespace tutorial {

using namespace primitives;

/// How many elements a thread of your kernel takes, the alignment in bytes that it needs of a, b
/// and out, and the largest error in ULP that the test lets it make. Change them together with the
/// kernel.
//! [start]
inline constexpr RungClaims kYourPrimitives{2, alignof(half), 0.5};

template <bool IsBoundary>  // one tile, of which `num` elements exist
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

__global__ void your_primitives_kernel(const half* a, const half* b, half* out, std::int64_t n) {
  const std::int64_t tile = std::int64_t{blockDim.x} * kYourPrimitives.per_thread;
  const std::int64_t offset = blockIdx.x * tile;  // where the block's tile begins
  your_tile<true>(a + offset, b + offset, out + offset, n - offset);
}
//! [start]

}  // namespace tutorial
