// your_elu.cuh as a first attempt at exercise 1 may look: eight neighbouring halves a thread, each in
// an access of its own. The test "01_elu.trace: edits" traces it.
#pragma once

#include <cstdint>

#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/rung.h"

namespace tutorial {

inline constexpr RungClaims kYourElu{8, alignof(half), 2048.0};

__global__ void your_elu_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  for (std::int64_t k = i; k < i + 8 && k < n; ++k) {
    const half value = x[k];
    y[k] = __hlt(value, __float2half(0.0f)) ? __hsub(hexp(value), __float2half(1.0f)) : value;
  }
}

}  // namespace tutorial
