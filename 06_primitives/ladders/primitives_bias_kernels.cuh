// A bias added to rows that do not begin at sixteen bytes.
#pragma once

#include <cstdint>

#include "06_primitives/ladders/primitives_kernels.cuh"
#include "common/any_address.cuh"
#include "common/fast_division.h"

namespace tutorial::primitives {

/// y[r][c] = x[r][c] + bias[c] by single elements: kEach for each thread, blockDim.x apart; blockIdx.y is the row. Each
/// block lets the next launch begin.
template <class T, int kEach>
__global__ void BiasAddFewElements(const T* x, const T* bias, T* y, std::int64_t columns) {
  wait_for_previous_grid();
  let_next_grid_begin(kEveryBlock);
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

/// W elements of the bias from `column` on, and from its beginning again behind its end. As pieces (common/any_address.cuh)
/// where those lie inside the bias.
//! [load_around]
template <int W, class T>
__device__ __forceinline__ Pack<T, W> load_around(const T* bias, std::uint32_t column,
                                                  std::uint32_t columns) {
  const auto before = static_cast<unsigned>(Pieces<T, W>::shift_of(bias + column) / sizeof(T));
  const std::int64_t end = std::int64_t{column} - before + (before == 0 ? W : 2 * W);
  if (before <= column && end <= columns) return pack_of(load_pieces<W>(bias + column, 0));
  Pack<T, W> pack;
#pragma unroll
  for (int k = 0; k < W; ++k) {
    pack.at[k] = bias[column];
    if (++column == columns) column = 0;
  }
  return pack;
}
//! [load_around]

/// The same for the matrix as one list of n elements, n <= 2^31, which begins anywhere: packs of W as in
/// elementwise_any_address_kernel, each of which may end in another row than it begins in.
template <int W, class T>
__global__ void BiasAddAnyAddress(const T* x, const T* bias, T* y, std::int64_t n, AnyAddress parts,
                                  FastDivisor columns) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const auto column_of = [columns](std::int64_t i) {
    return columns.divmod(static_cast<std::uint32_t>(i)).remainder;
  };
  wait_for_previous_grid();
  let_next_grid_begin(kEveryBlock);
  if (thread < parts.packs) {
    const std::int64_t i = parts.head + thread * W;
    const auto value = load_pieces<W>(x + parts.head, thread);
    const Pack<T, W> term = load_around<W>(bias, column_of(i), columns.divisor());
    Pack<T, W> sum;
    ElementwiseBinary(sum.at, pack_of(value).at, term.at, AddFunctor<T>{});
    store_pack(y + i, sum);
  } else {
    std::int64_t i = thread - first_single(parts.packs);
    if (i < 0 || i >= n - parts.packs * W) return;
    if (i >= parts.head) i += parts.packs * W;
    y[i] = AddFunctor<T>{}(x[i], bias[column_of(i)]);
  }
}

}  // namespace tutorial::primitives
