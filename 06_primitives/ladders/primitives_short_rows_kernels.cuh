// Rows so short that a warp has several, or holds one: reductions, softmax, running sums.
//
// Of a warp for a row of four elements most lanes have nothing. Here a row has as few lanes as hold it in registers, a
// power of two of them. Lanes load packs where rows are whole packs, or packs hold whole rows, and else elements.
#pragma once

#include <cstdint>
#include <type_traits>

#include "06_primitives/ladders/primitives_rows_kernels.cuh"
#include "06_primitives/primitives/any_row.cuh"
#include "common/fast_division.h"

namespace tutorial::primitives {

// ---- What is done with a row ----
// A lane has N elements in registers, of a kInOrder operation side by side in the row; `lanes` neighbouring lanes have a
// row, and what lies behind its end is the identity. `lanes` is the same in the whole launch, an int or OneLane. Unless it
// is OneLane, every lane of a warp calls.

struct OneLane {
  __device__ __forceinline__ constexpr operator int() const { return 1; }
};

/// v[0] = op over the row, which begins with the identity: -0 and nothing else adds up to +0.
template <class Op>
struct ReduceShort {
  static constexpr bool kOneResult = true, kInOrder = false;

  __device__ __forceinline__ static auto identity() { return Op::identity(); }
  template <class Acc, int N>
  __device__ __forceinline__ void operator()(Acc (&v)[N], int lanes) const {
    v[0] = Op{}(identity(), detail::reduce_lanes(Reduce<kLocalMode>(v, Op{}), Op{}, lanes));
  }
};

//! [SoftmaxShort]
struct SoftmaxShort {
  static constexpr bool kOneResult = false, kInOrder = false;

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
  static constexpr bool kOneResult = false, kInOrder = true;

  __device__ __forceinline__ static Acc identity() { return AddFunctor<Acc>::identity(); }
  template <int N, class Lanes>
  __device__ __forceinline__ void operator()(Acc (&v)[N], Lanes lanes) const {
    const AddFunctor<Acc> add;
    v[0] = add(identity(), v[0]);
#pragma unroll
    for (int k = 1; k < N; ++k) v[k] = add(v[k - 1], v[k]);
    if constexpr (std::is_same_v<Lanes, OneLane>) return;
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
    // No return for the first lane, which would go on alone: a warp would store twice.
    const Acc begin = lane == 0 ? identity() : before;
#pragma unroll
    for (int k = 0; k < N; ++k) v[k] = add(begin, v[k]);
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

/// y = op(x), rows of kColumns elements, of which a pack has several: a pack for each thread.
template <int kColumns, class Acc, class Op, class T>
__global__ void __launch_bounds__(kShortRowThreads)
    RowsInPacks(const T* x, T* y, std::int64_t rows) {
  wait_for_previous_grid();
  let_next_grid_begin();
  constexpr int kWidth = kPackWidth<T>, kRows = kWidth / kColumns;
  const std::int64_t first = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kRows;
  if (first >= rows) return;
  const int count = rows - first < kRows ? static_cast<int>(rows - first) : kRows;
  x += first * kColumns;
  y += first * (Op::kOneResult ? 1 : kColumns);
  Pack<T, kWidth> pack{};
  if (count == kRows) {
    pack = load_pack<kWidth>(x);
  } else {
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
      if (k < count * kColumns) pack.at[k] = x[k];
    }
  }
  Acc v[kRows][kColumns];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int k = 0; k < kColumns; ++k) v[r][k] = Convert<Acc>(pack.at[r * kColumns + k]);
    Op{}(v[r], OneLane{});
  }
  constexpr int kEach = Op::kOneResult ? 1 : kColumns, kResults = kRows * kEach;
  Pack<T, kResults> results;
#pragma unroll
  for (int k = 0; k < kResults; ++k) results.at[k] = Convert<T>(v[k / kEach][k % kEach]);
  if (count == kRows) {
    store_pack(y, results);
  } else {
#pragma unroll
    for (int k = 0; k < kResults; ++k) {
      if (k < count * kEach) y[k] = results.at[k];
    }
  }
}

/// The elements of a row that a lane of ShortRowsByElement holds, at most; kInOrderEach of running sums. Of kShortStaged and
/// more the results go through shared memory, for the lanes' stores would be far apart; of a row in one lane already of one
/// fewer.
inline constexpr int kShortEach = 9, kInOrderEach = 17, kShortStaged = 6;

/// The registers for them.
template <int N>
using Most = std::integral_constant<int, N>;

/// to[k] = op(from)[k] for k in [0, stored), of a row of which this lane has from[0], ..., from[held - 1], held <= N.
template <int N, class Acc, class Op, class T, class Lanes>
__device__ __forceinline__ void short_row(const T* from, int held, T* to, int stored, Lanes lanes) {
  T loaded[N];
#pragma unroll
  for (int k = 0; k < N; ++k) {
    if (k < held) loaded[k] = from[k];
  }
  Acc v[N];
#pragma unroll
  for (int k = 0; k < N; ++k) v[k] = k < held ? Convert<Acc>(loaded[k]) : Op::identity();
  Op{}(v, lanes);
#pragma unroll
  for (int k = 0; k < (Op::kOneResult ? 1 : N); ++k) {
    if (k < stored) to[k] = Convert<T>(v[k]);
  }
}

/// to[i] = tile[i] for i in [0, n), by the block. `tile` is aligned to sixteen bytes.
template <class T>
__device__ __forceinline__ void store_tile(T* to, const T* tile, int n) {
  constexpr int kWidth = kPackWidth<T>;
  const int thread = static_cast<int>(threadIdx.x);
  const int packed = reinterpret_cast<std::uintptr_t>(to) % 16 == 0 ? n / kWidth * kWidth : 0;
  for (int i = thread * kWidth; i < packed; i += kShortRowThreads * kWidth) {
    store_pack(to + i, load_pack<kWidth>(tile + i));
  }
  for (int i = packed + thread; i < n; i += kShortRowThreads) to[i] = tile[i];
}

/// The elements of each of a row's lanes. In a tile an odd number, of halves where they would be sixteen: the lanes of a row
/// meet in no bank.
template <class Op, class T>
constexpr int short_each(int columns, int lanes) {
  const int each = (columns + lanes - 1) / lanes;
  const int odd_from = sizeof(T) == 2 ? kInOrderEach - 1 : kShortStaged;
  return !Op::kOneResult && lanes > 1 && each >= odd_from ? each | 1 : each;
}

/// y = op(x), rows of any length and alignment; a lane has `each` elements, short_each(), at most kMost, and more than
/// kShortEach if that is more. A block has eight rows or more, a power of two: all blocks' rows begin like the first one's.
template <int kMost, class Acc, class Op, class T>
__global__ void __launch_bounds__(kShortRowThreads)
    ShortRowsByElement(const T* x, T* y, std::int64_t rows, int columns, int each, int log_lanes) {
  const int lanes = 1 << log_lanes, rows_each = kShortRowThreads >> log_lanes;
  const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  const int in_block = static_cast<int>(threadIdx.x) >> log_lanes;
  const std::int64_t first = std::int64_t{blockIdx.x} * rows_each, row = first + in_block;
  const int column = lane * each < columns ? lane * each : columns, left = columns - column;
  const int held = row >= rows ? 0 : left < each ? left : each;
  const int stored = !Op::kOneResult ? held : lane == 0 && held > 0 ? 1 : 0;
  const std::int64_t begin = row * columns + column;
  const T* const from = x + begin;
  T* const direct = y + (Op::kOneResult ? row : begin);
  wait_for_previous_grid();
  let_next_grid_begin();
  // Registers that hold the identity cost as much as others.
  const auto run = [&](auto most, T* to) {
    constexpr int N = decltype(most)::value;
    if (kMost > kShortEach || lanes > 1) {
      short_row<N, Acc, Op>(from, held, to, stored, lanes);
    } else {
      short_row<N, Acc, Op>(from, held, to, stored, OneLane{});
    }
  };
  if constexpr (kMost == kShortEach) {
    if (each <= 2) return run(Most<2>{}, direct);
    if (each <= 4) return run(Most<4>{}, direct);
    if (each < kShortStaged && (Op::kOneResult || lanes > 1)) {
      return short_row<kShortStaged - 1, Acc, Op>(from, held, direct, stored, lanes);
    }
  }
  if constexpr (Op::kOneResult) {
    run(Most<kMost>{}, direct);
  } else {
    alignas(16) __shared__ T tile[kShortRowThreads * kMost];
    T* const staged = tile + in_block * columns + column;
    constexpr int kFewer = kMost > kShortEach ? 13 : sizeof(T) == 2 ? 8 : 7;
    if (each <= kFewer) {
      run(Most<kFewer>{}, staged);
    } else {
      run(Most<kMost>{}, staged);
    }
    __syncthreads();
    const int count = rows - first < rows_each ? static_cast<int>(rows - first) : rows_each;
    store_tile(y + first * columns, tile, count * columns);
  }
}

/// y = op(x), rows of any length and alignment by a warp each, columns <= 32 * N: lane l has the elements l, l + 32 ...
template <int N, class Acc, class Op, class T>
__global__ void __launch_bounds__(kShortRowThreads)
    ShortRowsByWarp(const T* x, T* y, std::int64_t rows, int columns) {
  static_assert(!Op::kInOrder);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t row =
      std::int64_t{blockIdx.x} * (kShortRowThreads / 32) + static_cast<int>(threadIdx.x) / 32;
  if (row >= rows) return;
  const std::int64_t begin = row * columns + lane;
  wait_for_previous_grid();
  let_next_grid_begin();
  // The identity before the load: asked for behind it, the compiler keeps an answer for each element, runs out of predicates
  // and uses the first loads before it issues the last.
  T loaded[N];
#pragma unroll
  for (int k = 0; k < N; ++k) {
    loaded[k] = Convert<T>(Op::identity());
    if (32 * k + lane < columns) loaded[k] = x[begin + 32 * k];
  }
  Acc v[N];
#pragma unroll
  for (int k = 0; k < N; ++k) v[k] = Convert<Acc>(loaded[k]);
  Op{}(v, 32);
  if constexpr (Op::kOneResult) {
    if (lane == 0) y[row] = Convert<T>(v[0]);
  } else {
#pragma unroll
    for (int k = 0; k < N; ++k) {
      if (32 * k + lane < columns) y[begin + 32 * k] = Convert<T>(v[k]);
    }
  }
}

// ---- Short columns ----

/// y[c] = op over the few rows of column c, which are `step` apart; or, if kMatrices, y[m][c] over those of matrix m, one
/// behind the other: each has `columns` columns, and step is as many; all have `results`. A thread walks down kSlots packs
/// of kWidth columns, blockDim.x apart, and loads kRows rows of them at a time.
//! [ReduceShortestColumns]
template <int kWidth, int kRows, int kSlots, bool kMatrices, class Acc, class Op, class T>
__global__ void ReduceShortestColumns(const T* x, T* y, int rows, std::int64_t step,
                                      std::int64_t results, FastDivisor columns) {
  const std::int64_t first =
      (std::int64_t{blockIdx.x} * blockDim.x * kSlots + threadIdx.x) * kWidth;
  const auto place = [first](int s) { return first + s * static_cast<int>(blockDim.x) * kWidth; };
  const T* from[kSlots];
#pragma unroll
  for (int s = 0; s < kSlots; ++s) {
    from[s] = x + place(s);
    if constexpr (kMatrices) {  // each matrix before it has one row of results, and rows - 1 more
      const std::int64_t before = columns.divide(static_cast<std::uint32_t>(place(s)));
      from[s] += before * (rows - 1) * step;
    }
  }
  wait_for_previous_grid();
  if constexpr (kMatrices) let_next_grid_begin(1024);
  Acc total[kSlots][kWidth];
#pragma unroll
  for (int s = 0; s < kSlots; ++s) Init(total[s], Op::identity());
  for (int begin = 0; begin < rows; begin += kRows) {
    Pack<T, kWidth> pack[kRows][kSlots];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int s = 0; s < kSlots; ++s) {
        if (begin + r < rows && place(s) < results) pack[r][s] = load_pack<kWidth>(from[s]);
        from[s] += step;
      }
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      if (begin + r >= rows) break;
#pragma unroll
      for (int s = 0; s < kSlots; ++s) {
        if (place(s) >= results) continue;
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
          total[s][k] = Op{}(total[s][k], Convert<Acc>(pack[r][s].at[k]));
        }
      }
    }
  }
#pragma unroll
  for (int s = 0; s < kSlots; ++s) {
    if (place(s) >= results) continue;
    Pack<T, kWidth> pack;
#pragma unroll
    for (int k = 0; k < kWidth; ++k) pack.at[k] = Convert<T>(total[s][k]);
    store_pack(y + place(s), pack);
  }
}
//! [ReduceShortestColumns]

}  // namespace tutorial::primitives
