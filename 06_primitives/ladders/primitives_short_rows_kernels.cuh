// Rows so short that a warp has several: reductions, softmax, running sums.
//
// Of a warp for a row of four elements most lanes have nothing. Here a row has as few lanes as hold it in registers, a
// power of two of them, and neighbouring lanes load neighbouring packs where rows are whole packs. Other rows go
// through a tile in shared memory.
#pragma once

#include <cstdint>
#include <type_traits>

#include "06_primitives/ladders/primitives_rows_kernels.cuh"
#include "06_primitives/primitives/any_row.cuh"

namespace tutorial::primitives {

// ---- What is done with a row ----
// A lane has N elements in registers, side by side in the row; `lanes` neighbouring lanes have a row, and what lies
// behind its end is the identity. `lanes` is the same in the whole launch. Every lane of a warp calls.

/// v[0] = op over the row, which begins with the identity: -0 and nothing else adds up to +0.
template <class Op>
struct ReduceShort {
  static constexpr bool kOneResult = true;

  __device__ __forceinline__ static auto identity() { return Op::identity(); }
  template <class Acc, int N>
  __device__ __forceinline__ void operator()(Acc (&v)[N], int lanes) const {
    v[0] = Op{}(identity(), detail::reduce_lanes(Reduce<kLocalMode>(v, Op{}), Op{}, lanes));
  }
};

//! [SoftmaxShort]
struct SoftmaxShort {
  static constexpr bool kOneResult = false;

  __device__ __forceinline__ static float identity() { return MaxFunctor<float>::identity(); }
  template <int N>
  __device__ __forceinline__ void operator()(float (&v)[N], int lanes) const {
    const MaxFunctor<float> max;
    const AddFunctor<float> add;
    ElementwiseUnary(v, v, ExpAbove{detail::reduce_lanes(Reduce<kLocalMode>(v, max), max, lanes)});
    const float sum = detail::reduce_lanes(Reduce<kLocalMode>(v, add), add, lanes);
    ElementwiseUnary(v, v, Times{1.0f / sum});
  }
};
//! [SoftmaxShort]

template <class Acc>
struct CumsumShort {
  static constexpr bool kOneResult = false;

  __device__ __forceinline__ static Acc identity() { return AddFunctor<Acc>::identity(); }
  template <int N>
  __device__ __forceinline__ void operator()(Acc (&v)[N], int lanes) const {
    const AddFunctor<Acc> add;
    v[0] = add(identity(), v[0]);
#pragma unroll
    for (int k = 1; k < N; ++k) v[k] = add(v[k - 1], v[k]);
    const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    Acc total = v[N - 1];
    //! [before]
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const Acc before = detail::shuffle_up(total, static_cast<unsigned>(distance));
      if (distance < lanes && lane >= distance) total = add(before, total);
    }
    const Acc before = detail::shuffle_up(total, 1);
    //! [before]
    if (lane == 0) return;
#pragma unroll
    for (int k = 0; k < N; ++k) v[k] = add(before, v[k]);
  }
};

// ---- The kernels ----

inline constexpr int kShortRowThreads = 256;

/// y = op(x), rows of whole packs, columns <= lanes packs: a pack for each lane, of kRows rows.
template <int kRows, class Acc, class Op, class T>
__global__ void __launch_bounds__(kShortRowThreads)
    ShortRowsOfPacks(const T* x, T* y, std::int64_t rows, int columns, int log_lanes) {
  constexpr int kWidth = kPackWidth<T>;
  const int lanes = 1 << log_lanes;
  const int lane = static_cast<int>(threadIdx.x) & (lanes - 1), column = lane * kWidth;
  const int at_once = static_cast<int>(blockDim.x) >> log_lanes;
  const std::int64_t first =
      std::int64_t{blockIdx.x} * at_once * kRows + (static_cast<int>(threadIdx.x) >> log_lanes);
  wait_for_previous_grid();
  let_next_grid_begin();
  Acc v[kRows][kWidth];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const std::int64_t row = first + r * at_once;
    Init(v[r], Op::identity());
    if (row >= rows || column >= columns) continue;
    const Pack<T, kWidth> pack = load_pack<kWidth>(x + row * columns + column);
#pragma unroll
    for (int k = 0; k < kWidth; ++k) v[r][k] = Convert<Acc>(pack.at[k]);
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const std::int64_t row = first + r * at_once;
    Op{}(v[r], lanes);
    if constexpr (Op::kOneResult) {
      if (lane == 0 && row < rows) y[row] = Convert<T>(v[r][0]);
    } else {
      if (row >= rows || column >= columns) continue;
      Pack<T, kWidth> pack;
#pragma unroll
      for (int k = 0; k < kWidth; ++k) pack.at[k] = Convert<T>(v[r][k]);
      store_pack(y + row * columns + column, pack);
    }
  }
}

/// The threads of a block of ShortRowsInShared, the most elements of a row that a lane holds, and of a tile.
inline constexpr int kShortTileThreads = 128, kShortTileEach = 8,
                     kShortTile = kShortTileThreads * kShortTileEach;

/// to[i] = from[i] for i in [0, n), by the block, one of the two in shared memory and aligned to sixteen bytes.
/// `in_memory`: the other.
template <class T>
__device__ __forceinline__ void copy_tile(T* to, const T* from, int n, const T* in_memory) {
  constexpr int kWidth = kPackWidth<T>;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(in_memory) % 16 == 0;
  const int packed = is_aligned ? n / kWidth * kWidth : 0;
  for (int i = thread * kWidth; i < packed; i += threads * kWidth) {
    store_pack(to + i, load_pack<kWidth>(from + i));
  }
  for (int i = packed + thread; i < n; i += threads) to[i] = from[i];
}

/// The first `count` of the `rows_each` rows in the tile, whose lanes have `each` elements, at most N. Results that are as many
/// as the elements go back to the tile.
template <int N, class Acc, class Op, class T>
__device__ __forceinline__ void short_rows_of_tile(T* tile, T* y, int rows_each, int count,
                                                   int columns, int each, int log_lanes) {
  const int lanes = 1 << log_lanes;
  const int lane = static_cast<int>(threadIdx.x) & (lanes - 1), column = lane * each;
  const int mine = columns - column < each ? columns - column : each;
  const int at_once = static_cast<int>(blockDim.x) >> log_lanes;
  for (int row = static_cast<int>(threadIdx.x) >> log_lanes; row < rows_each; row += at_once) {
    const int begin = row * columns + column, held = row < count ? mine : 0;
    Acc v[N];
#pragma unroll
    for (int k = 0; k < N; ++k) v[k] = k < held ? Convert<Acc>(tile[begin + k]) : Op::identity();
    Op{}(v, lanes);
    if constexpr (Op::kOneResult) {
      if (lane == 0 && row < count) y[row] = Convert<T>(v[0]);
    } else {
#pragma unroll
      for (int k = 0; k < N; ++k) {
        if (k < held) tile[begin + k] = Convert<T>(v[k]);
      }
    }
  }
}

/// y = op(x), rows of any length and alignment, columns <= lanes * kShortTileEach. A block has `rows_each` rows: a multiple of
/// eight, so that all blocks' rows begin like the first one's, and of the rows that its lanes have at once.
template <class Acc, class Op, class T>
__global__ void __launch_bounds__(kShortTileThreads)
    ShortRowsInShared(const T* x, T* y, std::int64_t rows, int columns, int log_lanes,
                      int rows_each) {
  alignas(16) __shared__ T tile[kShortTile];
  const std::int64_t first = std::int64_t{blockIdx.x} * rows_each, begin = first * columns;
  const int count = rows - first < rows_each ? static_cast<int>(rows - first) : rows_each;
  const int each = (columns + (1 << log_lanes) - 1) >> log_lanes;
  wait_for_previous_grid();
  copy_tile(tile, x + begin, count * columns, x + begin);
  __syncthreads();
  const auto run = [&](auto most) {
    short_rows_of_tile<decltype(most)::value, Acc, Op>(tile, y + first, rows_each, count, columns,
                                                       each, log_lanes);
  };
  // Registers that hold the identity cost as much as others.
  if (each <= 2) {
    run(std::integral_constant<int, 2>{});
  } else if (each <= 4) {
    run(std::integral_constant<int, 4>{});
  } else {
    run(std::integral_constant<int, kShortTileEach>{});
  }
  if constexpr (!Op::kOneResult) {
    __syncthreads();
    copy_tile(y + begin, tile, count * columns, y + begin);
  }
}

// ---- Short columns ----

/// Columns of a thread of ReduceShortestColumns that are no packs, blockDim.x apart; rows that are loaded at once.
inline constexpr int kShortestEach = 4, kShortestRows = 4;

/// y[c] = op over the few rows of column c: a pack of columns for each thread, which walks down them; of columns that do
/// not lie alike kWidth is 1, and a thread has kShortestEach.
template <int kWidth, class Acc, class Op, class T>
__global__ void ReduceShortestColumns(const T* x, T* y, int rows, std::int64_t columns) {
  constexpr int kSlots = kWidth == 1 ? kShortestEach : 1;
  const std::int64_t first =
      (std::int64_t{blockIdx.x} * blockDim.x * kSlots + threadIdx.x) * kWidth;
  const auto column = [first](int s) { return first + s * static_cast<int>(blockDim.x); };
  wait_for_previous_grid();
  Acc total[kSlots][kWidth];
#pragma unroll
  for (int s = 0; s < kSlots; ++s) Init(total[s], Op::identity());
  for (int begin = 0; begin < rows; begin += kShortestRows) {
    Pack<T, kWidth> pack[kShortestRows][kSlots];
#pragma unroll
    for (int r = 0; r < kShortestRows; ++r) {
#pragma unroll
      for (int s = 0; s < kSlots; ++s) {
        if (begin + r < rows && column(s) < columns) {
          pack[r][s] = load_pack<kWidth>(x + (begin + r) * columns + column(s));
        }
      }
    }
#pragma unroll
    for (int r = 0; r < kShortestRows; ++r) {
      if (begin + r >= rows) break;
#pragma unroll
      for (int s = 0; s < kSlots; ++s) {
        if (column(s) >= columns) continue;
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
          total[s][k] = Op{}(total[s][k], Convert<Acc>(pack[r][s].at[k]));
        }
      }
    }
  }
#pragma unroll
  for (int s = 0; s < kSlots; ++s) {
    if (column(s) >= columns) continue;
    Pack<T, kWidth> pack;
#pragma unroll
    for (int k = 0; k < kWidth; ++k) pack.at[k] = Convert<T>(total[s][k]);
    store_pack(y + column(s), pack);
  }
}

}  // namespace tutorial::primitives
