// Which kernel sorts rows of which length: for the launchers of both forms of sort_rows().
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

/// Whether rows of a matrix fill a tile of `tile` elements and move in vectors.
template <class T>
bool fills_tile(const AnyRows& of, std::int64_t tile, std::initializer_list<const void*> pointers) {
  return !of.have_gaps() && of.columns == tile && in_vectors<T>(of.columns, pointers);
}

}  // namespace tutorial::primitives
