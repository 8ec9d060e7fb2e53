// A bias added to few rows that do not begin at sixteen bytes.
#pragma once

#include <cstdint>

#include "06_primitives/ladders/primitives_kernels.cuh"

namespace tutorial::primitives {

/// y[r][c] = x[r][c] + bias[c] by single elements: kEach for each thread, blockDim.x apart; blockIdx.y is the row. `kFew`:
/// each block lets the next launch begin.
template <class T, int kEach, bool kFew>
__global__ void BiasAddFewElements(const T* x, const T* bias, T* y, std::int64_t columns) {
  wait_for_previous_grid();
  if constexpr (kFew) let_next_grid_begin(kEveryBlock);
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x * kEach + threadIdx.x;
  const std::int64_t row = blockIdx.y * columns;
  const auto at = [first](int k) { return first + k * blockDim.x; };
  T value[kEach], term[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    if (at(k) < columns) {
      value[k] = x[row + at(k)];
      term[k] = bias[at(k)];
    }
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    if (at(k) < columns) y[row + at(k)] = AddFunctor<T>{}(value[k], term[k]);
  }
}

}  // namespace tutorial::primitives
