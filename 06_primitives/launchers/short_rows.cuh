// Which rows and columns are short, and how many lanes they get.
#pragma once

#include <algorithm>
#include <cstdint>

#include "06_primitives/ladders/primitives_short_rows_kernels.cuh"
#include "06_primitives/launchers/launch.h"

namespace tutorial::primitives {

// The limits are of trials on an H200 (notes/short_rows.md).

/// Which kernel takes short rows without gaps; `none`: they are not short.
enum class ShortRows { none, of_packs, in_packs, by_element, by_warp };

/// So few rows of sums and softmax have a warp each from 33 elements on. So many are worth a kernel of their own even where
/// a few are faster in the kernels of longer rows: floats in order, and sums of two-byte packs.
constexpr std::int64_t kFewShortRows = 1024, kManyShortRows = 8192;

/// So many blocks have more than one row in each lane, where nothing but a number for a row is stored.
constexpr std::int64_t kManyShortBlocks = 1024;

/// The kernel for `rows` rows of op, or of a batch of so many. `packs`: whether they are in_vectors().
template <class Op, class T>
ShortRows short_rows(std::int64_t rows, std::int64_t columns, bool packs) {
  constexpr bool kTwoBytes = sizeof(T) == 2, kSum = Op::kOneResult;
  const bool few = rows <= kFewShortRows, many = rows >= kManyShortRows;
  if (columns <= 0) return ShortRows::none;
  if (packs && columns <= 32 * kPackWidth<T>) return ShortRows::of_packs;
  // The kernels of longer rows are faster: of floats where they fill a warp's registers; of two-byte elements but for few rows
  // that are not long; of four-byte ones in order but for many of 33 to 40 packs.
  if (packs && !kSum && columns == 512) return ShortRows::none;
  if (packs && !kSum && kTwoBytes && (columns > 384 || rows > 2 * kFewShortRows))
    return ShortRows::none;
  if (packs && Op::kInOrder && !kTwoBytes && (columns > 160 || !many)) return ShortRows::none;
  if (columns == 2 || (columns == 4 && kPackWidth<T> != 4)) return ShortRows::in_packs;
  if (Op::kInOrder) {
    if (columns > (kTwoBytes ? 32 * kInOrderEach : 480)) return ShortRows::none;
    const bool of_many = !kTwoBytes && columns > 128 && columns <= 32 * kShortEach;
    return of_many && !many ? ShortRows::none : ShortRows::by_element;
  }
  const std::int64_t lanes = few ? 32 : kSum ? (kTwoBytes ? 128 : 64) : 96;
  if (columns <= lanes) return ShortRows::by_element;
  if (kSum) {
    const bool may = columns <= (kTwoBytes ? 640 : 768) && (!packs || !kTwoBytes || many);
    return may ? ShortRows::by_warp : ShortRows::none;
  }
  return columns <= 768 ? ShortRows::by_warp : ShortRows::none;
}

/// y = op(x) by short_rows() that are not none.
template <class Op, class Acc, class T>
cudaError_t launch_short_rows(ShortRows by, const T* x, T* y, std::int64_t rows,
                              std::int64_t columns, cudaStream_t stream) {
  constexpr int kWidth = kPackWidth<T>;
  const int n = static_cast<int>(columns);
  const auto shape = [](std::int64_t blocks) { return rows_shape(blocks, kShortRowThreads, 1); };
  if (by == ShortRows::in_packs) {
    const auto in_packs = [&](auto known) {
      constexpr int kColumns = decltype(known)::value;
      return launch(RowsInPacks<kColumns, Acc, Op, T>,
                    shape(ceil_div(rows, kShortRowThreads * (kWidth / kColumns))), stream, x, y,
                    rows);
    };
    const std::size_t result = Op::kOneResult ? static_cast<std::size_t>(16 / columns) : 16;
    if (is_aligned(x, 16) && is_aligned(y, result)) {
      if constexpr (kWidth > 4) {
        if (columns == 4) return in_packs(std::integral_constant<int, 4>{});
      }
      return in_packs(std::integral_constant<int, 2>{});
    }
  }
  if constexpr (!Op::kInOrder) {
    if (by == ShortRows::by_warp) {
      auto* const kernel = columns <= 128   ? ShortRowsByWarp<4, Acc, Op, T>
                           : columns <= 256 ? ShortRowsByWarp<8, Acc, Op, T>
                           : columns <= 512 ? ShortRowsByWarp<16, Acc, Op, T>
                                            : ShortRowsByWarp<24, Acc, Op, T>;
      return launch(kernel, shape(ceil_div(rows, kShortRowThreads / 32)), stream, x, y, rows, n);
    }
  }
  const bool packs = by == ShortRows::of_packs;
  const int held = packs                        ? kWidth
                   : columns <= 128             ? 8
                   : columns <= 32 * kShortEach ? kShortEach
                                                : kInOrderEach;
  int log_lanes = 0;
  while (held << log_lanes < n) ++log_lanes;
  const std::int64_t blocks = ceil_div(rows, kShortRowThreads >> log_lanes);
  if (packs) {
    if constexpr (Op::kOneResult) {
      if (blocks > kManyShortBlocks) {
        return launch(ShortRowsOfPacks<2, Acc, Op, T>, shape(ceil_div(blocks, 2)), stream, x, y,
                      rows, n, log_lanes);
      }
    }
    return launch(ShortRowsOfPacks<1, Acc, Op, T>, shape(blocks), stream, x, y, rows, n, log_lanes);
  }
  auto* kernel = ShortRowsByElement<kShortEach, Acc, Op, T>;
  if constexpr (Op::kInOrder) {
    if (held > kShortEach) kernel = ShortRowsByElement<kInOrderEach, Acc, Op, T>;
  }
  return launch(kernel, shape(blocks), stream, x, y, rows, n, short_each<Op, T>(n, 1 << log_lanes),
                log_lanes);
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

/// Columns of a thread of ReduceShortestColumns that are no packs, and rows that it loads at once.
constexpr int kShortestEach = 4, kShortestRows = 4;

/// ReduceShortestColumns of matrices of so many rows and columns, one behind the other, or of one.
template <int kWidth, int kRows, int kSlots, int kThreads, bool kMatrices, class Op, class Acc,
          class T>
cudaError_t launch_down_columns(const T* x, T* y, std::int64_t matrices, std::int64_t rows,
                                std::int64_t columns, cudaStream_t stream) {
  const std::int64_t results = matrices * columns;
  return launch(ReduceShortestColumns<kWidth, kRows, kSlots, kMatrices, Acc, Op, T>,
                rows_shape(ceil_div(results, kThreads * kWidth * kSlots), kThreads, 1), stream, x,
                y, static_cast<int>(rows), columns, results,
                kMatrices ? FastDivisor(static_cast<std::uint32_t>(columns)) : FastDivisor());
}

/// y = op(x) along the columns, which are_shortest().
template <class Op, class Acc, class T>
cudaError_t launch_shortest_columns(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                                    bool packs, cudaStream_t stream) {
  return packs ? launch_down_columns<kPackWidth<T>, kShortestRows, 1, 128, false, Op, Acc>(
                     x, y, 1, rows, columns, stream)
               : launch_down_columns<1, kShortestRows, kShortestEach, 128, false, Op, Acc>(
                     x, y, 1, rows, columns, stream);
}

}  // namespace tutorial::primitives
