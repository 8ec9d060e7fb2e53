// Your rung. It starts as rung 1, the library's kernel on the boundary path; "Your turn" in the
// README says what to try. The test checks it as it checks every rung, and the ladder shows it:
//
//     ./tutorial test primitives --yours
//     ./tutorial bench primitives
#pragma once

#include <cstdint>

#include "06_primitives/primitives/primitives.cuh"
#include "common/launch.cuh"
#include "common/rung.h"

namespace tutorial {

/// How many elements a thread of your kernel takes, the alignment in bytes that it needs of a, b
/// and out, and the largest error in ULP that the test lets it make. Change them together with the
/// kernel.
//! [start]
inline constexpr RungClaims kYourPrimitives{2, alignof(half), 0.5};

/// A block for each tile; no grid-stride loop.
__global__ void your_primitives_kernel(const half* a, const half* b, half* out, std::int64_t n) {
  using namespace primitives;
  constexpr int kVecSize = kYourPrimitives.per_thread;
  const std::int64_t offset = std::int64_t{blockIdx.x} * blockDim.x * kVecSize;
  half arg0[kVecSize], arg1[kVecSize], result[kVecSize];
  Init(arg0, 1.0f);
  Init(arg1, 1.0f);
  ReadData<true, Adjacent>(arg0, a + offset, n - offset);
  ReadData<true, Adjacent>(arg1, b + offset, n - offset);
  ElementwiseBinary(result, arg0, arg1, AddFunctor<half>{});
  WriteData<true, Adjacent>(out + offset, result, n - offset);
}
//! [start]

}  // namespace tutorial
