// Bias: a row added to every row.
#include <algorithm>

#include "06_primitives/ladders/primitives_bias_kernels.cuh"
#include "06_primitives/ladders/primitives_rows_kernels.cuh"
#include "06_primitives/launchers/launch.h"
#include "06_primitives/primitives.h"

namespace tutorial {

using namespace primitives;

namespace {

/// Rows that a thread holds.
constexpr int kRowsEach = 4;

/// At most so many rows have blocks along one row each (notes/few_rows.md).
constexpr std::int64_t kFewRows = 256;

/// At most so many blocks of kThreads, each of which lets the next launch begin; beyond, blocks of 256 that do
/// not. (H200, in a trial: 8 to 14 % less time from memory, but 2 % more of 2 x 2,816, and 3 to 15 less from the
/// cache. 896 such blocks take 16 % longer from the cache.)
constexpr std::int64_t kFewBiasBlocks = 448;

/// Rows that are no whole packs: elements of a thread, and the most blocks of 256 that have them. Of more, the matrix is
/// taken as one list (bias_add_broadcast()), whose packs begin at sixteen bytes though its rows do not.
constexpr int kElementsEach = 4;
constexpr std::int64_t kFewElementBlocks = 896;

/// The most elements whose numbers a kernel's 32 bits count: half of what they could, and a whole
/// number of tiles.
constexpr std::int64_t kMostNumbered = std::int64_t{1} << 31;

template <class T>
cudaError_t check_bias(const T* x, const T* bias, const T* y, std::int64_t rows,
                       std::int64_t columns) {
  if (const cudaError_t error = check_matrix(rows, columns); error != cudaSuccess) return error;
  const bool any = rows > 0 && columns > 0;
  return check_buffers(
      {{x, alignof(T), "x", any}, {bias, alignof(T), "bias", any}, {y, alignof(T), "y", any}});
}

/// At most kMostNumbered elements in whole rows, or a part of one row.
template <class T>
cudaError_t broadcast_part(const T* x, const T* bias, T* y, std::int64_t rows, std::int64_t columns,
                           cudaStream_t stream) {
  constexpr int kVecSize = 16 / static_cast<int>(sizeof(T));
  const bool aligned = is_aligned(x, 16) && is_aligned(y, 16);
  const auto kernel = aligned ? BiasAddBroadcast<kVecSize, Interleaved<T>, T>
                              : BiasAddBroadcast<kVecSize, Striped, T>;
  const LaunchShape shape{grid_1d(rows * columns, std::int64_t{kThreads} * kVecSize),
                          dim3(kThreads), 0, Overlap::previous_kernel};
  const std::int64_t extent[2] = {columns, rows}, stride[2] = {1, 0};
  return launch(kernel, shape, stream, x, bias, y, rows * columns, make_index_map(extent, stride));
}

}  // namespace

template <class T>
cudaError_t bias_add_cycle(const T* x, const T* bias, T* y, std::int64_t rows, std::int64_t columns,
                           cudaStream_t stream) {
  if (const cudaError_t error = check_bias(x, bias, y, rows, columns); error != cudaSuccess) {
    return error;
  }
  if (rows == 0 || columns == 0) return cudaSuccess;
  constexpr int kVecSize = 16 / static_cast<int>(sizeof(T));
  const bool aligned = in_vectors<T>(columns, {x, bias, y});
  if (rows <= kFewRows) {
    const auto across = [=](std::int64_t threads) {
      return ceil_div(columns, threads * (aligned ? kVecSize : kElementsEach));
    };
    const bool few = across(kThreads) * rows <= kFewBiasBlocks;
    const std::int64_t threads = few ? kThreads : 256;
    LaunchShape shape = rows_shape(across(threads), threads, 1);
    shape.grid.y = static_cast<unsigned>(rows);
    if (aligned) {
      return launch(few ? BiasAddFewRows<T, true> : BiasAddFewRows<T, false>, shape, stream, x,
                    bias, y, columns);
    }
    if (across(threads) * rows <= kFewElementBlocks) {
      return launch(few ? BiasAddFewElements<T, kElementsEach, true>
                        : BiasAddFewElements<T, kElementsEach, false>,
                    shape, stream, x, bias, y, columns);
    }
  }
  if (!aligned && is_aligned(x, 16) && is_aligned(y, 16)) {
    return bias_add_broadcast(x, bias, y, rows, columns, stream);
  }
  const auto kernel = aligned ? BiasAddCycle<kVecSize, kRowsEach, Interleaved<T>, T>
                              : BiasAddCycle<kVecSize, kRowsEach, Striped, T>;
  const std::int64_t across = power_of_two(ceil_div(columns, kVecSize), kThreads);
  const std::int64_t down = kThreads / across;
  const std::int64_t tiles = ceil_div(columns, across * kVecSize);
  const std::int64_t down_tiles = ceil_div(rows, down * kRowsEach);
  // A product beyond 64 bits is a grid beyond the limit as well.
  const bool fits = tiles <= 0x7fffffff && down_tiles <= 0x7fffffff;
  const LaunchShape shape{grid_1d(fits ? tiles * down_tiles : std::int64_t{1} << 32, 1),
                          dim3(static_cast<unsigned>(across), static_cast<unsigned>(down)), 0,
                          Overlap::previous_kernel};
  return launch(kernel, shape, stream, x, bias, y, rows, columns, static_cast<unsigned>(tiles));
}

template <class T>
cudaError_t bias_add_broadcast(const T* x, const T* bias, T* y, std::int64_t rows,
                               std::int64_t columns, cudaStream_t stream) {
  if (const cudaError_t error = check_bias(x, bias, y, rows, columns); error != cudaSuccess) {
    return error;
  }
  if (rows == 0 || columns == 0) return cudaSuccess;
  // As many rows at a time as can be counted; of a row that is too long, as much of it.
  const std::int64_t rows_each = std::max<std::int64_t>(kMostNumbered / columns, 1);
  const std::int64_t columns_each = std::min(columns, kMostNumbered);
  for (std::int64_t row = 0; row < rows; row += rows_each) {
    for (std::int64_t column = 0; column < columns; column += columns_each) {
      const std::int64_t offset = row * columns + column;
      const cudaError_t error =
          broadcast_part(x + offset, bias + column, y + offset, std::min(rows_each, rows - row),
                         std::min(columns_each, columns - column), stream);
      if (error != cudaSuccess) return error;
    }
  }
  return cudaSuccess;
}

#define TUTORIAL_INSTANTIATE(T)                                                               \
  template cudaError_t bias_add_cycle(const T*, const T*, T*, std::int64_t, std::int64_t,     \
                                      cudaStream_t);                                          \
  template cudaError_t bias_add_broadcast(const T*, const T*, T*, std::int64_t, std::int64_t, \
                                          cudaStream_t);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial
