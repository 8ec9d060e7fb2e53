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

/// Rows that do not begin at sixteen bytes: elements of a thread, and the most blocks of kThreads that have them. Packs of
/// the whole list take less time of halves from some 200 blocks on; of floats up to 7 % more from memory below 900 blocks,
/// and from 350 on less from the cache (H200, in a trial).
constexpr int kElementsEach = 4;
constexpr std::int64_t kFewElementBlocks = 256;

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

/// As a list of so many elements that they can be numbered: whole rows, or a part of one row.
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

/// The same with packs that begin where y reaches a line of the caches.
template <class T>
cudaError_t any_address_part(const T* x, const T* bias, T* y, std::int64_t rows,
                             std::int64_t columns, cudaStream_t stream) {
  constexpr int kVecSize = 16 / static_cast<int>(sizeof(T));
  const std::int64_t n = rows * columns;
  const AnyAddress parts = divide<kVecSize>(y, n, x);
  const LaunchShape shape{grid_1d(threads_for(parts.packs, n - parts.packs * kVecSize), 256),
                          dim3(256), 0, Overlap::previous_kernel};
  return launch(BiasAddAnyAddress<kVecSize, T>, shape, stream, x, bias, y, n, parts,
                FastDivisor(static_cast<std::uint32_t>(columns)));
}

/// part(x, bias, y, rows, columns, stream) for as many rows at a time as can be numbered; of a row that is too long, for as
/// much of it.
template <class T, class Part>
cudaError_t in_parts(Part part, const T* x, const T* bias, T* y, std::int64_t rows,
                     std::int64_t columns, cudaStream_t stream) {
  const std::int64_t rows_each = std::max<std::int64_t>(kMostNumbered / columns, 1);
  const std::int64_t columns_each = std::min(columns, kMostNumbered);
  for (std::int64_t row = 0; row < rows; row += rows_each) {
    for (std::int64_t column = 0; column < columns; column += columns_each) {
      const std::int64_t offset = row * columns + column;
      const cudaError_t error =
          part(x + offset, bias + column, y + offset, std::min(rows_each, rows - row),
               std::min(columns_each, columns - column), stream);
      if (error != cudaSuccess) return error;
    }
  }
  return cudaSuccess;
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
  const auto across = [=](std::int64_t threads) {
    return ceil_div(columns, threads * (aligned ? kVecSize : kElementsEach));
  };
  const auto along_rows = [&](auto kernel, std::int64_t threads) {
    LaunchShape shape = rows_shape(across(threads), threads, 1);
    shape.grid.y = static_cast<unsigned>(rows);
    return launch(kernel, shape, stream, x, bias, y, columns);
  };
  if (!aligned) {
    return rows <= kFewRows && across(kThreads) * rows <= kFewElementBlocks
               ? along_rows(BiasAddFewElements<T, kElementsEach>, kThreads)
               : in_parts(any_address_part<T>, x, bias, y, rows, columns, stream);
  }
  if (rows <= kFewRows) {
    return across(kThreads) * rows <= kFewBiasBlocks ? along_rows(BiasAddFewRows<T, true>, kThreads)
                                                     : along_rows(BiasAddFewRows<T, false>, 256);
  }
  const std::int64_t wide = power_of_two(ceil_div(columns, kVecSize), kThreads);
  const std::int64_t down = kThreads / wide;
  const std::int64_t tiles = ceil_div(columns, wide * kVecSize);
  const std::int64_t down_tiles = ceil_div(rows, down * kRowsEach);
  // A product beyond 64 bits is a grid beyond the limit as well.
  const bool fits = tiles <= 0x7fffffff && down_tiles <= 0x7fffffff;
  const LaunchShape shape{grid_1d(fits ? tiles * down_tiles : std::int64_t{1} << 32, 1),
                          dim3(static_cast<unsigned>(wide), static_cast<unsigned>(down)), 0,
                          Overlap::previous_kernel};
  return launch(BiasAddCycle<kVecSize, kRowsEach, Interleaved<T>, T>, shape, stream, x, bias, y,
                rows, columns, static_cast<unsigned>(tiles));
}

template <class T>
cudaError_t bias_add_broadcast(const T* x, const T* bias, T* y, std::int64_t rows,
                               std::int64_t columns, cudaStream_t stream) {
  if (const cudaError_t error = check_bias(x, bias, y, rows, columns); error != cudaSuccess) {
    return error;
  }
  if (rows == 0 || columns == 0) return cudaSuccess;
  return in_parts(broadcast_part<T>, x, bias, y, rows, columns, stream);
}

#define TUTORIAL_INSTANTIATE(T)                                                               \
  template cudaError_t bias_add_cycle(const T*, const T*, T*, std::int64_t, std::int64_t,     \
                                      cudaStream_t);                                          \
  template cudaError_t bias_add_broadcast(const T*, const T*, T*, std::int64_t, std::int64_t, \
                                          cudaStream_t);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial
