// The kernels for rows that begin anywhere (primitives/any_row.cuh), and for reductions of tensors of any
// strides. What lies where packs want it has kernels of its own: primitives_rows_kernels.cuh.
#pragma once

#include <cstdint>
#include <type_traits>

#include "06_primitives/primitives/any_row.cuh"
#include "06_primitives/primitives_rows_kernels.cuh"
#include "common/broadcast.h"
#include "common/fast_division.h"

namespace tutorial::primitives {

// ---- Reductions -------------------------------------------------------------------------------

/// The dimensions of results, innermost first, and how far a step along each moves in x and in y.
struct ResultWalk {
  struct Offsets {
    std::int64_t x = 0, y = 0;
  };
  int rank = 0;
  FastDivisor size[kMaxDimensions];
  Offsets stride[kMaxDimensions];

  /// Those of result `index`: a division for each dimension but the last. Several dimensions have fewer
  /// than 2^32 results.
  __device__ __forceinline__ Offsets at(std::int64_t index) const {
    Offsets sum;
#pragma unroll
    for (int d = 0; d < kMaxDimensions; ++d) {
      if (d >= rank) break;
      std::int64_t here = index;
      if (d < rank - 1) {
        const DivMod step = size[d].divmod(static_cast<std::uint32_t>(index));
        here = step.remainder;
        index = step.quotient;
      }
      sum.x += here * stride[d].x;
      sum.y += here * stride[d].y;
    }
    return sum;
  }
};

/// What a launch reduces: `length` elements for each result, `step` apart in x. Each result is reduced
/// in `splits` parts, whose results are `part_step` apart in y.
struct AnyReduction {
  ResultWalk walk;
  std::int64_t length, step;
  unsigned splits;
  std::int64_t part_step;
};

/// A row of threads for each result, as ReduceInner, whose parts have `chunk` elements. The elements of
/// a result lie side by side (step 1), or are loaded one by one.
template <int VecSize, class Acc, class InT, class OutT, class Op>
__global__ void ReduceAnyRows(const InT* x, OutT* y, std::int64_t rows, std::int64_t chunk,
                              AnyReduction of, Op op) {
  wait_for_previous_grid();
  const unsigned split = blockIdx.x % of.splits;
  const std::int64_t row = std::int64_t{blockIdx.x / of.splits} * blockDim.y + threadIdx.y;
  const ResultWalk::Offsets at = of.walk.at(row < rows ? row : 0);
  const std::int64_t begin = split * chunk, left = of.length - begin;
  const std::int64_t length = row < rows ? (chunk < left ? chunk : left) : 0;
  const InT* const from = x + at.x + begin * of.step;
  Acc total = Op::identity();
  if (of.step == 1) {
    const std::int64_t tile = std::int64_t{blockDim.x} * VecSize;
    const AnyRow<InT> here(from, length);
    if (here.single() >= 0) total = Convert<Acc>(from[here.single()]);
    std::int64_t column = 0;
    Acc arg[VecSize];
    for (; column + tile <= here.packed(); column += tile) {
      ReadData<false, Interleaved<InT>>(arg, from + here.head() + column, tile);
      total = op(total, Reduce<kLocalMode>(arg, op));
    }
    if (column < here.packed()) {
      Init(arg, Op::identity());
      here.template ReadPacks<VecSize>(arg, column);
      total = op(total, Reduce<kLocalMode>(arg, op));
    }
  } else {
#pragma unroll 4
    for (std::int64_t i = threadIdx.x; i < length; i += blockDim.x) {
      total = op(total, Convert<Acc>(from[i * of.step]));
    }
  }
  const Acc result[1] = {Reduce<kGlobalMode>(total, op)};
  WriteData<true>(y + at.y + split * of.part_step, result, row < rows ? 1 : 0);
}

/// What ReduceAnyColumns has besides: results that are neighbours in x, or lie closest together there.
struct AnyColumns {
  std::int64_t columns;
  ResultWalk::Offsets stride;  ///< from one to the next
  unsigned tiles;              ///< blocks side by side
  std::int64_t span;           ///< elements from x to the last that it has
};

/// NX elements from x + place on, `stride` apart; of those, `count` are wanted.
template <int NX, class T>
__device__ __forceinline__ Pieces<T, NX> load_columns(const T* x, std::int64_t place,
                                                      std::int64_t stride, std::int64_t count,
                                                      std::int64_t span) {
  const auto before = static_cast<int>(Pieces<T, NX>::shift_of(x + place) / sizeof(T));
  const int behind = before == 0 ? 0 : NX - before;
  if (stride == 1 && place >= before && place + NX + behind <= span) {
    return load_pieces<NX>(x + place, 0);
  }
  Pack<T, NX> pack{};
#pragma unroll
  for (int k = 0; k < NX; ++k) {
    if (k < count) pack.at[k] = x[place + k * stride];
  }
  return as_pieces(pack);
}

/// A thread for NX neighbouring results, and blockDim.y threads of a block that share their elements: as
/// ReduceOuter, of a row that begins anywhere. The packs that contain a row's end have results that are
/// not written.
template <int NX, int NY, class Acc, class InT, class OutT, class Op>
__global__ void ReduceAnyColumns(const InT* x, OutT* y, AnyReduction of, AnyColumns across, Op op) {
  wait_for_previous_grid();
  constexpr int kMaxThreads = 512;
  const unsigned tile = blockIdx.x % across.tiles, part = blockIdx.x / across.tiles % of.splits;
  const ResultWalk::Offsets at = of.walk.at(blockIdx.x / across.tiles / of.splits);
  const std::int64_t column = (std::int64_t{tile} * blockDim.x + threadIdx.x) * NX;
  const std::int64_t left = across.columns - column;
  const std::int64_t next = std::int64_t{of.splits} * blockDim.y;
  const std::int64_t place = at.x + column * across.stride.x;
  Acc total[NX];
  Init(total, Op::identity());
  std::int64_t row = std::int64_t{part} * blockDim.y + threadIdx.y;
  for (; left > 0 && row < of.length; row += NY * next) {
    Pieces<InT, NX> pieces[NY] = {};
#pragma unroll
    for (int j = 0; j < NY; ++j) {
      const std::int64_t r = row + j * next;
      if (r >= of.length) break;
      pieces[j] = load_columns<NX>(x, place + r * of.step, across.stride.x, left, across.span);
    }
#pragma unroll
    for (int j = 0; j < NY; ++j) {
      if (row + j * next >= of.length) break;
      const Pack<InT, NX> pack = shifted(pieces[j]);
#pragma unroll
      for (int k = 0; k < NX; ++k) total[k] = op(total[k], Convert<Acc>(pack.at[k]));
    }
  }
  Reduce<kGlobalMode, Axis::y, kMaxThreads>(total, total, op);
  if (threadIdx.y != 0) return;
  y += at.y + part * of.part_step + column * across.stride.y;
#pragma unroll
  for (int k = 0; k < NX; ++k) {
    if (k < left) y[k * across.stride.y] = Convert<OutT>(total[k]);
  }
}

// ---- Softmax ----------------------------------------------------------------------------------

/// Elements from one row to the next, in x, in y and in a second result.
struct RowPitch {
  std::int64_t x, y, index;
};

/// The most elements that a block of SoftmaxAnyRows holds.
inline constexpr int kAnyRowTile = 16384;

/// What SoftmaxOnline does, along rows of any length if IsLong, and else of a tile at most: a tile at a
/// time forwards for the maximum and the sum, and backwards to write. The last tile is still in registers
/// then, so a row of one is read once.
template <int VecSize, bool IsLong, class T>
__global__ void __launch_bounds__(kAnyRowTile / VecSize)
    SoftmaxAnyRows(const T* x, T* y, std::int64_t rows, std::int64_t columns, RowPitch pitch) {
  wait_for_previous_grid();
  const std::int64_t row = row_of_thread(), tile = std::int64_t{blockDim.x} * VecSize;
  const AnyRow<T> here(x + row * pitch.x, y + row * pitch.y, row < rows ? columns : 0);
  const std::int64_t last = IsLong && here.packed() > 0 ? (here.packed() - 1) / tile * tile : 0;
  const OnlineSoftmaxFunctor online;
  float arg[VecSize + 1], mine = 0.0f;
  const auto read = [&](std::int64_t column) {
    Init(arg, MaxFunctor<float>::identity());
    here.Read(arg, column);
    mine = Reduce<kLocalMode>(arg, MaxFunctor<float>{});
    ElementwiseUnary(arg, arg, ExpAbove{finite_base(mine)});
  };
  std::uint64_t running = OnlineSoftmaxFunctor::identity();
  for (std::int64_t column = 0; column <= last; column += tile) {
    read(column);
    running =
        online(running, pack_max_and_sum({mine, Reduce<kLocalMode>(arg, AddFunctor<float>{})}));
  }
  const MaxAndSum all = unpack_max_and_sum(Reduce<kGlobalMode>(running, online));
  for (std::int64_t column = last; column >= 0; column -= tile) {
    if (column != last) read(column);
    ElementwiseUnary(arg, arg, Times{ExpAbove{all.max}(mine) / all.sum});
    here.Write(arg, column);
  }
}

// ---- Running sums -----------------------------------------------------------------------------

/// As CumsumRows: the elements before the packs, tile after tile of packs, the elements behind them. Those
/// are read before anything is written, for they wait for no sum.
template <int VecSize, class Acc, class T>
__global__ void CumsumAnyRows(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                              RowPitch pitch) {
  wait_for_previous_grid();
  const std::int64_t row = row_of_thread(), tile = std::int64_t{blockDim.x} * VecSize;
  if (row >= rows) columns = 0;
  x += row * pitch.x;
  y += row * pitch.y;
  const AnyRow<T> here(x, y, columns);
  const AddFunctor<Acc> add;
  Acc before[1] = {add.identity()}, behind[1] = {add.identity()};
  ReadData<true, Striped>(before, x, here.head());
  ReadData<true, Striped>(behind, x + here.behind(), columns - here.behind());
  Acc carry = Cumsum<Striped>(before, before, add);
  WriteData<true, Striped>(y, before, here.head());
  for (std::int64_t column = 0; column < here.packed(); column += tile) {
    Acc arg[VecSize];
    Init(arg, add.identity());
    here.template ReadPacks<VecSize>(arg, column);
    carry = Cumsum<Interleaved<T>>(arg, arg, add, carry);
    here.template WritePacks<VecSize>(arg, column);
  }
  Cumsum<Striped>(behind, behind, add, carry);
  WriteData<true, Striped>(y + here.behind(), behind, columns - here.behind());
}

// ---- Sorted rows ------------------------------------------------------------------------------

/// As SortRows, and SortRowsWithIndex if there is an index. A row is sorted as it was read, with keys that
/// stand behind all where the threads lack a tile, and moves on to where the result's vectors want it.
template <int VecSize, int SortThreads, int BlockThreads, bool WithIndex, class T>
__global__ void SortAnyRows(const T* x, T* y, std::int32_t* index, std::int64_t rows,
                            std::int64_t columns, RowPitch pitch) {
  wait_for_previous_grid();
  const std::int64_t row = row_of_thread();
  const int length = row < rows ? static_cast<int>(columns) : 0;
  const RowOnTile<VecSize, const T> from(x + row * pitch.x, length);
  T keys[VecSize];
  std::int32_t places[VecSize];
  Init(keys, 0);
  from.template Read<Interleaved<T>>(keys);
  const auto element = [&](int k) { return from.element(ElementIndex<T, VecSize>(k)); };
  if constexpr (WithIndex) {
    SortFrom<false, SortThreads>(keys, places, length, element);
  } else {
    SortFrom<false, SortThreads>(keys, length, element);
  }
  const auto write = [&](auto* to, auto& values) {
    using Out = std::remove_pointer_t<decltype(to)>;
    using Written = SortedLayout<SortThreads, Interleaved<Out>>;
    const RowOnTile<VecSize, Out> result(to, length);
    MoveOn<RowOnTile<VecSize, Out>::kWidth, BlockThreads>(values, result.first());
    Rearrange<Adjacent, Written, BlockThreads>(values);
    result.template Write<Written>(values);
  };
  write(y + row * pitch.y, keys);
  if constexpr (WithIndex) write(index + row * pitch.index, places);
}

}  // namespace tutorial::primitives
