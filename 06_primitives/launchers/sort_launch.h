// Which kernel sorts rows of which length, for both forms of sort_rows(): each is a source of its own,
// because their kernels take long to compile.
#pragma once

#include "06_primitives/launchers/any_rows.h"
#include "06_primitives/primitives.h"

namespace tutorial::primitives {

/// Four rows of one warp each, or a row of up to 512 threads.
inline constexpr int kWarpRows = 4;
inline constexpr int kLongRowThreads = 512;
inline constexpr int kLongRowHeld = 16;
static_assert(kSortTile == kLongRowThreads * kLongRowHeld);

inline cudaError_t check_sort(std::int64_t columns) {
  if (columns <= kSortTile) return cudaSuccess;
  return refuse(cudaErrorInvalidValue, "rows of " + std::to_string(columns) +
                                           " elements do not fit into the tile of a sort, which "
                                           "has " +
                                           std::to_string(kSortTile));
}

template <int N>
using Held = std::integral_constant<int, N>;

/// f(elements a thread, threads that sort together at most, threads a block at most, shape) for the
/// smallest tile that holds a row.
template <class F>
cudaError_t with_sort_tile(std::int64_t rows, std::int64_t columns, F f) {
  const LaunchShape warps = rows_shape(rows, 32, kWarpRows);
  const Held<32> warp;
  const Held<32 * kWarpRows> block;
  if (columns <= 128) return f(Held<4>{}, warp, block, warps);
  if (columns <= 256) return f(Held<8>{}, warp, block, warps);
  if (columns <= 512) return f(Held<16>{}, warp, block, warps);
  if (columns <= 1024) return f(Held<32>{}, warp, block, warps);
  const std::int64_t threads = power_of_two(ceil_div(columns, kLongRowHeld), kLongRowThreads);
  const Held<kLongRowThreads> all;
  return f(Held<kLongRowHeld>{}, all, all, rows_shape(rows, threads, 1));
}

/// Sorts rows; `kIndex`: and says where their elements came from, in `index`, which else is null.
template <bool kIndex, class T>
cudaError_t launch_sort(const T* x, T* y, std::int32_t* index, const AnyRows& of,
                        cudaStream_t stream) {
  if (const cudaError_t error = check_sort(of.columns); error != cudaSuccess) return error;
  if (of.rows == 0 || of.columns == 0) return cudaSuccess;
  return with_sort_tile(
      of.rows, of.columns, [&](auto held, auto together, auto block, LaunchShape shape) {
        constexpr int kHeld = held, kTogether = together, kBlock = block;
        const bool fills_tile = !of.have_gaps() &&
                                of.columns == std::int64_t{shape.block.x} * kHeld &&
                                in_vectors<T>(of.columns, {x, y, index});
        if (!fills_tile) {
          return launch(SortAnyRows<kHeld, kTogether, kBlock, kIndex, T>, shape, stream, x, y,
                        index, of.rows, of.columns, of.pitch);
        }
        if constexpr (kIndex) {
          return launch(SortRowsWithIndex<kHeld, kTogether, kBlock, false, Interleaved<T>, T>,
                        shape, stream, x, y, index, of.rows, of.columns);
        } else {
          return launch(SortRows<kHeld, kTogether, kBlock, false, Interleaved<T>, T>, shape, stream,
                        x, y, of.rows, of.columns);
        }
      });
}

}  // namespace tutorial::primitives
