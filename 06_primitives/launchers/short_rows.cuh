// Which rows and columns are short, and how many lanes they get.
#pragma once

#include <algorithm>
#include <cstdint>

#include "06_primitives/ladders/primitives_short_rows_kernels.cuh"
#include "06_primitives/launchers/launch.h"

namespace tutorial::primitives {

// The limits are of trials on an H200 (notes/short_rows.md).

/// Of rows that are no whole packs, those of at most so many elements are short, where there are so many rows: a few take
/// less time in a warp each.
constexpr std::int64_t kShortTileRow = 128, kManyShortRows = 4096;

/// So few rows that whole tiles would make fewer blocks than this have smaller tiles.
constexpr std::int64_t kEnoughShortBlocks = 256;

/// So many blocks have more than one row in each lane, where nothing but a number for a row is stored.
constexpr std::int64_t kManyShortBlocks = 1024;

/// Whether launch_short_rows() takes rows without gaps. `packs`: whether they are in_vectors().
template <class T>
bool are_short(std::int64_t rows, std::int64_t columns, bool packs) {
  if (packs) return columns <= 32 * kPackWidth<T>;
  return columns > 0 && columns <= kShortTileRow && rows >= kManyShortRows;
}

/// y = op(x) for rows that are_short().
template <class Op, class Acc, class T>
cudaError_t launch_short_rows(const T* x, T* y, std::int64_t rows, std::int64_t columns, bool packs,
                              cudaStream_t stream) {
  const std::int64_t held = packs ? kPackWidth<T> : kShortTileEach;
  int log_lanes = 0;
  while (held << log_lanes < columns) ++log_lanes;
  const int n = static_cast<int>(columns), lanes = 1 << log_lanes;
  if (packs) {
    const std::int64_t blocks = ceil_div(rows, kShortRowThreads / lanes);
    if constexpr (Op::kOneResult) {
      if (blocks > kManyShortBlocks) {
        return launch(ShortRowsOfPacks<2, Acc, Op, T>,
                      rows_shape(ceil_div(blocks, 2), kShortRowThreads, 1), stream, x, y, rows, n,
                      log_lanes);
      }
    }
    return launch(ShortRowsOfPacks<1, Acc, Op, T>, rows_shape(blocks, kShortRowThreads, 1), stream,
                  x, y, rows, n, log_lanes);
  }
  const std::int64_t step = kShortTileThreads / lanes;  // eight rows or more
  const std::int64_t rows_each = std::clamp<std::int64_t>(
      rows / kEnoughShortBlocks / step * step, step, kShortTile / (step * columns) * step);
  return launch(ShortRowsInShared<Acc, Op, T>,
                rows_shape(ceil_div(rows, rows_each), kShortTileThreads, 1), stream, x, y, rows, n,
                log_lanes, static_cast<int>(rows_each));
}

/// Columns of so few rows are the shortest; of a few rows more, where so many columns make enough threads that each walks
/// down its own; and of more still, where these are packs.
constexpr std::int64_t kShortestColumn = 4, kShortColumnOfMany = 12, kShortColumnOfPacks = 32;
constexpr std::int64_t kManyColumns = 128 << 10, kManyColumnsOfPacks = 512 << 10;

/// Whether launch_shortest_columns() takes a matrix. `packs`: whether x and y are in_vectors().
inline bool are_shortest(std::int64_t rows, std::int64_t columns, bool packs) {
  return rows <= kShortestColumn || (rows <= kShortColumnOfMany && columns >= kManyColumns) ||
         (packs && rows <= kShortColumnOfPacks && columns >= kManyColumnsOfPacks);
}

/// y = op(x) along the columns, which are_shortest().
template <class Op, class Acc, class T>
cudaError_t launch_shortest_columns(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                                    bool packs, cudaStream_t stream) {
  constexpr std::int64_t kThreads = 128;
  const std::int64_t each = packs ? kPackWidth<T> : kShortestEach;
  return launch(packs ? ReduceShortestColumns<kPackWidth<T>, Acc, Op, T>
                      : ReduceShortestColumns<1, Acc, Op, T>,
                rows_shape(ceil_div(columns, kThreads * each), kThreads, 1), stream, x, y,
                static_cast<int>(rows), columns);
}

}  // namespace tutorial::primitives
