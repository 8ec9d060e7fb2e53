// The kernels for rows that begin anywhere (primitives/any_row.cuh), and for reductions of tensors of any
// strides. What lies where packs want it has kernels of its own: primitives_rows_kernels.cuh.
#pragma once

#include <cstdint>
#include <type_traits>

#include "06_primitives/ladders/primitives_rows_kernels.cuh"
#include "06_primitives/primitives/any_row.cuh"
#include "common/broadcast.h"
#include "common/fast_division.h"

namespace tutorial::primitives {

// ---- Reductions -------------------------------------------------------------------------------

/// How far a step moves in x and in y.
struct Offsets {
  std::int64_t x = 0, y = 0;
};

/// What a launch reduces: `length` elements for each result, `step` apart in x, in `splits` parts, whose
/// results are `part_step` apart in y. The dimensions of the results, innermost first, come last: so
/// a thread reads few of the launch's parameters before it can load.
struct AnyReduction {
  struct Dimension {
    Offsets stride;
    FastDivisor size;
  };
  std::int64_t length, step, part_step;
  unsigned splits;
  int rank;
  Dimension dimension[kMaxDimensions];

  /// The places of result `index`: a division for each dimension but the last. Several dimensions have
  /// fewer than 2^32 results.
  __device__ __forceinline__ Offsets at(std::int64_t index) const {
    Offsets sum;
#pragma unroll
    for (int d = 0; d < kMaxDimensions; ++d) {
      if (d >= rank) break;
      std::int64_t here = index;
      if (d < rank - 1) {
        const DivMod parts = dimension[d].size.divmod(static_cast<std::uint32_t>(index));
        here = parts.remainder;
        index = parts.quotient;
      }
      sum.x += here * dimension[d].stride.x;
      sum.y += here * dimension[d].stride.y;
    }
    return sum;
  }
};

/// Adds to total the packs i, i + next, i + 2 next ... below `end`, which are `step` elements apart. NY
/// loads are under way at once, and a pointer that moves on saves each of them a multiplication of 64 bits.
//! [reduce_apart]
template <int NY, int NX, class Acc, class T, class Op>
__device__ __forceinline__ void reduce_apart(Acc (&total)[NX], const T* x, std::int64_t i,
                                             std::int64_t end, std::int64_t next, std::int64_t step,
                                             Op op) {
  const std::int64_t stride = next * step;
  x += i * step;
  Pack<T, NX> held[NY];
  Acc arg[NY];
  for (; i + (NY - 1) * next < end; i += NY * next) {
#pragma unroll
    for (int j = 0; j < NY; ++j, x += stride) held[j] = load_pack<NX>(x);
#pragma unroll
    for (int k = 0; k < NX; ++k) {
#pragma unroll
      for (int j = 0; j < NY; ++j) arg[j] = Convert<Acc>(held[j].at[k]);
      total[k] = op(total[k], Reduce<kLocalMode>(arg, op));
    }
  }
  if (i >= end) return;
#pragma unroll
  for (int j = 0; j < NY; ++j) {  // no branch: the last pack again in place of those behind it
    held[j] = load_pack<NX>(x);
    x += i + (j + 1) * next < end ? stride : 0;
  }
#pragma unroll
  for (int k = 0; k < NX; ++k) {
#pragma unroll
    for (int j = 0; j < NY; ++j) {
      arg[j] = i + j * next < end ? Convert<Acc>(held[j].at[k]) : Op::identity();
    }
    total[k] = op(total[k], Reduce<kLocalMode>(arg, op));
  }
}
//! [reduce_apart]

/// Where a reduction's addresses are known, and its first load is next: the wait, and the trigger in the
/// last blocks (of each matrix, where blockIdx.y counts those), so that the next launch computes its
/// addresses while this one reads.
__device__ __forceinline__ void begin_reduction() {
  wait_for_previous_grid();
  let_next_grid_begin(1024);
}

/// How the elements of a result lie: side by side, every part on a multiple of sixteen bytes; side by
/// side, from anywhere; or apart, and loaded one by one.
enum class Lie { alike, anywhere, apart };

/// A row of threads for each result, as ReduceInner, whose parts have `chunk` elements. Rows that lie alike have
/// launch bounds, for the reason that ReduceLongRows tells; 0 is none.
template <int VecSize, Lie kLie, class Acc, class InT, class OutT, class Op>
__global__ void __launch_bounds__(kLie == Lie::alike ? kReduceLongThreads : 0,
                                  kLie == Lie::alike ? kReduceLongBlocks : 0)
    ReduceAnyRows(const InT* x, OutT* y, std::int64_t rows, std::int64_t chunk, AnyReduction of,
                  Op op) {
  const unsigned split = blockIdx.x % of.splits;
  const std::int64_t row = std::int64_t{blockIdx.x / of.splits} * blockDim.y + threadIdx.y;
  const Offsets at = of.at(row < rows ? row : 0);
  const std::int64_t begin = split * chunk, left = of.length - begin;
  const std::int64_t length = row < rows ? (chunk < left ? chunk : left) : 0;
  const std::int64_t tile = std::int64_t{blockDim.x} * VecSize;
  const InT* const from = x + at.x + begin * of.step;
  begin_reduction();
  Acc total[1] = {Op::identity()}, arg[VecSize];
  std::int64_t column = 0;
  const auto add_tile = [&](const InT* first) {
    ReadData<false, Interleaved<InT>>(arg, first + column, tile);
    total[0] = op(total[0], Reduce<kLocalMode>(arg, op));
  };
  if constexpr (kLie == Lie::alike) {
    for (; column + tile <= length; column += tile) add_tile(from);
    if (column < length) {
      constexpr int kWidth = kPackWidth<InT>;
      const int rest = static_cast<int>(length - column);
      const int single = rest / kWidth * kWidth + static_cast<int>(threadIdx.x);
      if (single < rest) total[0] = op(total[0], Convert<Acc>(from[column + single]));
      Init(arg, Op::identity());
#pragma unroll
      for (int k = 0; k < VecSize; k += kWidth) {
        const int i = ElementIndex<InT, VecSize>(k);
        if (i + kWidth <= rest) detail::read_vector<kWidth>(arg + k, from + column + i);
      }
      total[0] = op(total[0], Reduce<kLocalMode>(arg, op));
    }
  } else if constexpr (kLie == Lie::anywhere) {
    const AnyRow<InT> here(from, length);
    if (here.single() >= 0) total[0] = Convert<Acc>(from[here.single()]);
    for (; column + tile <= here.packed(); column += tile) add_tile(from + here.head());
    if (column < here.packed()) {
      Init(arg, Op::identity());
      here.template ReadAligned<VecSize>(arg, column);
      total[0] = op(total[0], Reduce<kLocalMode>(arg, op));
    }
  } else {
    reduce_apart<VecSize / 2>(total, from, threadIdx.x, length, blockDim.x, of.step, op);
  }
  Reduce<kGlobalMode>(total, total, op);
  WriteData<true>(y + at.y + split * of.part_step, total, row < rows ? 1 : 0);
}

/// What ReduceAnyColumns has besides: results that are neighbours in x, or lie closest together there.
struct AnyColumns {
  std::int64_t columns;
  Offsets stride;    ///< from one to the next
  unsigned tiles;    ///< blocks side by side
  unsigned overlap;  ///< columns at the end of a block that the next one begins with
};

/// The most threads of a block of ReduceAnyColumns.
inline constexpr int kColumnThreads = 512;

/// blockDim.x results a block, less the overlap, and blockDim.y threads for each.
///
/// NX > 1, for columns side by side in rows that begin anywhere, at least NX apart: rows that are a
/// multiple of NX apart all lie alike. So a row of blockDim.x / NX threads takes such rows, in aligned
/// packs, which begin `shift` columns before the block's. They may hold elements of the row before or of
/// the next; those are added up and not used. The first and the last row, which have no such neighbour, are
/// added one by one. When all is read, a thread takes one column, each total from where the shift left it.
template <int NX, int NY, class Acc, class InT, class OutT, class Op>
__global__ void __launch_bounds__(kColumnThreads)
    ReduceAnyColumns(const InT* x, OutT* y, AnyReduction of, AnyColumns across, Op op) {
  constexpr int kEnds = NX > 1 ? 1 : 0;
  const unsigned tile = blockIdx.x % across.tiles, rest = blockIdx.x / across.tiles;
  const unsigned part = rest % of.splits, packs = blockDim.x / NX, down = blockDim.y * NX;
  const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
  const int kept = static_cast<int>(blockDim.x - across.overlap);
  const Offsets at = of.at(rest / of.splits);
  const std::int64_t first = std::int64_t{tile} * kept, left = across.columns - first;
  const InT* const begin = x + at.x + first * across.stride.x;
  const auto shift_of = [&](std::int64_t row) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(begin + row * of.step) / sizeof(InT) %
                            NX);
  };
  const std::int64_t row = kEnds + std::int64_t{part} * down + thread / packs;
  const int column = static_cast<int>(thread % packs) * NX - shift_of(row);
  const std::int64_t end = column + NX > 0 && column < left ? of.length - kEnds : 0;
  const int mine = static_cast<int>(threadIdx.x);
  const bool exists = mine < kept && mine < left;
  begin_reduction();
  Acc total[NX], result[1] = {Op::identity()};
  Init(total, Op::identity());
  if (NX > 1 && exists && part == 0 && threadIdx.y == 0) {
    result[0] =
        op(Convert<Acc>(begin[mine]), Convert<Acc>(begin[mine + (of.length - 1) * of.step]));
  }
  reduce_apart<NY>(total, begin + column * across.stride.x, row, end,
                   std::int64_t{of.splits} * down, of.step, op);
  if constexpr (NX == 1) {
    result[0] = total[0];
  } else {
    alignas(16) __shared__ Acc sums[kColumnThreads * NX];
#pragma unroll
    for (int k = 0; k < NX; ++k) sums[thread * NX + k] = total[k];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < NX; ++j) {
      const unsigned from = (threadIdx.y * NX + j) * blockDim.x + threadIdx.x;
      if (mine < kept) result[0] = op(result[0], sums[from + shift_of(kEnds + j)]);
    }
  }
  Reduce<kGlobalMode, Axis::y, kColumnThreads>(result, result, op);
  if (threadIdx.y != 0 || !exists) return;
  y[at.y + part * of.part_step + (first + mine) * across.stride.y] = Convert<OutT>(result[0]);
}

/// op along columns, of few rows or in parts; NX columns of a thread lie alike in all rows, or NX is 1. A block has
/// NX * kAcross columns and all rows, NY * kDown at a time; or, if kParts, blockIdx.y says which `rows_each` rows, whose
/// results are a row of y. The rows of a warp meet by shuffles, the warps behind one barrier.
template <int NX, int NY, int kAcross, int kDown, bool kParts, class Acc, class InT, class OutT,
          class Op>
__global__ void __launch_bounds__(kAcross* kDown == 1024 ? 1024 : 0)
    ReduceShortColumns(const InT* x, OutT* y, std::int64_t rows, std::int64_t columns,
                       int rows_each, Op op) {
  constexpr int kWide = NX * kAcross, kWarps = kAcross * kDown / 32;
  static_assert(kAcross <= 32 && kWide <= kAcross * kDown);
  if constexpr (kParts) {
    const std::int64_t row = std::int64_t{blockIdx.y} * rows_each;
    x += row * columns;
    y += blockIdx.y * columns;
    rows = rows - row < rows_each ? rows - row : rows_each;
  }
  const std::int64_t first = std::int64_t{blockIdx.x} * kWide;
  const int mine = static_cast<int>(threadIdx.x) * NX, thread = detail::thread_in_block();
  begin_reduction();
  Acc total[NX], of_warp[kWarps];
  Init(total, Op::identity());
  reduce_apart<NY>(total, x + first + mine, threadIdx.y, first + mine < columns ? rows : 0, kDown,
                   columns, op);
  __shared__ Acc sums[kWarps][kWide];
#pragma unroll
  for (int k = 0; k < NX; ++k) {
#pragma unroll
    for (int mask = kAcross; mask < 32; mask *= 2) {
      total[k] = op(total[k], detail::shuffle_xor(total[k], mask));
    }
    if (thread % 32 < kAcross) sums[thread / 32][mine + k] = total[k];
  }
  __syncthreads();
  if (thread >= kWide || first + thread >= columns) return;
#pragma unroll
  for (int k = 0; k < kWarps; ++k) of_warp[k] = sums[k][thread];
  y[first + thread] = Convert<OutT>(Reduce<kLocalMode>(of_warp, op));
}

// ---- Softmax ----------------------------------------------------------------------------------

/// Elements from one row to the next, in x, in y and in a second result.
struct RowPitch {
  std::int64_t x, y, index;
};

/// The most elements that a block of SoftmaxAnyRows holds; and its threads, if each has so many.
inline constexpr int kAnyRowTile = 16384;
constexpr int any_row_threads(int elements) {
  const int threads = (kAnyRowTile + elements - 1) / elements;
  return threads < 1024 ? (threads + 31) / 32 * 32 : 1024;
}

/// What SoftmaxOnline does, along rows of any length if IsLong, and else of a tile at most: a tile at a
/// time forwards for the maximum and the sum, and backwards to write. The last tile is still in registers
/// then, so a row of one is read once.
template <int VecSize, bool IsLong, class T>
__global__ void __launch_bounds__(any_row_threads(VecSize))
    SoftmaxAnyRows(const T* x, T* y, std::int64_t rows, std::int64_t columns, RowPitch pitch) {
  wait_for_previous_grid();
  const std::int64_t row = row_of_thread(), tile = std::int64_t{blockDim.x} * VecSize;
  const AnyRow<T> here(x + row * pitch.x, y + row * pitch.y, row < rows ? columns : 0);
  Base base;
  float arg[VecSize + 1], mine = 0.0f;
  const auto read = [&](std::int64_t column) {
    Init(arg, MaxFunctor<float>::identity());
    here.Read(arg, column);
    mine = base.above(Reduce<kLocalMode>(arg, MaxFunctor<float>{}));
    ElementwiseUnary(arg, arg, ExpAbove{finite_base(mine)});
    return pack_max_and_sum({mine, Reduce<kLocalMode>(arg, AddFunctor<float>{})});
  };
  const auto write = [&](const MaxAndSum& all, std::int64_t column) {
    ElementwiseUnary(arg, arg, Times{ExpAbove{all.max}(mine) / all.sum});
    here.Write(arg, column);
  };
  if constexpr (IsLong) {
    const std::int64_t last = here.packed() > 0 ? (here.packed() - 1) / tile * tile : 0;
    std::uint64_t running = OnlineSoftmaxFunctor::identity();
    for (std::int64_t column = 0; column <= last; column += tile) {
      running = OnlineSoftmaxFunctor{}(running, read(column));
    }
    const MaxAndSum all = reduce_pairs_of_row(running);
    for (std::int64_t column = last; column >= 0; column -= tile) {
      if (column != last) read(column);
      write(all, column);
    }
  } else {
    write(reduce_pairs_of_row(read(0)), 0);
  }
}

/// The most threads of a block of SoftmaxPackedRows, and for how many such blocks a multiprocessor must have registers.
template <int kPacks, bool kEdges, class T>
inline constexpr int softmax_threads = kPacks == 2                     ? 512
                                       : kEdges                        ? (kPacks == 3 ? 544 : 640)
                                       : kPacks == 4 && sizeof(T) == 4 ? 768
                                                                       : 512;
template <int kPacks, bool kEdges>
inline constexpr int softmax_blocks = kPacks != 2 ? 2
                                      : kEdges    ? 3
                                                  : 4;

/// The same for rows of which x and y begin alike, or which are whole packs without gaps: PackedRow. A row of one warp is in a
/// block with others; longer ones have a block each. The distance of rows without gaps is not loaded: it takes registers.
//! [SoftmaxPackedRows]
template <int kPacks, bool kEdges, class T>
__global__ void __launch_bounds__(softmax_threads<kPacks, kEdges, T>,
                                  softmax_blocks<kPacks, kEdges>)
    SoftmaxPackedRows(const T* x, T* y, std::int64_t rows, int columns, RowPitch pitch) {
  using Row = PackedRow<kPacks, kEdges, T>;
  wait_for_previous_grid();
  const std::int64_t row = row_of_thread();
  const Row here(x + row * (kEdges ? pitch.x : columns), y + row * (kEdges ? pitch.y : columns),
                 row < rows ? columns : 0);
  float arg[Row::kElements];
  here.Read(arg, here.begin(), MaxFunctor<float>::identity());
  const float mine = Reduce<kLocalMode>(arg, MaxFunctor<float>{});
  ElementwiseUnary(arg, arg, ExpAbove{finite_base(mine)});
  const float sum = Reduce<kLocalMode>(arg, AddFunctor<float>{});
  const MaxAndSum all = reduce_pairs_of_row(pack_max_and_sum({mine, sum}));
  ElementwiseUnary(arg, arg, Times{ExpAbove{all.max}(mine) / all.sum});
  here.Write(arg, here.begin());
}
//! [SoftmaxPackedRows]

/// A row as AnyRow reads and writes it, of whole packs: x and y begin on multiples of sixteen bytes. Read from the
/// L2, for who reads before the wait.
template <class T>
class VectorRow {
 public:
  static constexpr int kWidth = kPackWidth<T>, kSingles = 0;
  static constexpr bool kFromL2 = true;

  __device__ __forceinline__ VectorRow(const T* x, T* y, std::int64_t columns)
      : x_(x), y_(y), columns_(columns) {}
  __device__ __forceinline__ std::int64_t packed() const { return columns_; }

  template <int VecSize>
  __device__ __forceinline__ void Read(float (&x)[VecSize], std::int64_t column) const {
    constexpr int kPacks = VecSize / kWidth;
    const int count = packs_from<kPacks>(column);
    Pack<T, kWidth> held[kPacks] = {};
#pragma unroll
    for (int v = 0; v < kPacks; ++v) {
      const T* const pack = x_ + column + place(v) * kWidth;
      if (place(v) < count) held[v] = load_pack_from_l2<kWidth>(pack);
    }
#pragma unroll
    for (int k = 0; k < VecSize; ++k) {
      if (place(k / kWidth) < count) x[k] = Convert<float>(held[k / kWidth].at[k % kWidth]);
    }
  }
  template <int VecSize>
  __device__ __forceinline__ void Write(const float (&x)[VecSize], std::int64_t column) const {
    constexpr int kPacks = VecSize / kWidth;
    const int count = packs_from<kPacks>(column);
#pragma unroll
    for (int v = 0; v < kPacks; ++v) {
      T* const to = y_ + column + place(v) * kWidth;
      if (place(v) < count) detail::write_vector<kWidth>(to, x + v * kWidth);
    }
  }

 private:
  /// The packs from there on, and at most those of a tile.
  template <int kPacks>
  __device__ __forceinline__ int packs_from(std::int64_t column) const {
    const std::int64_t left = (columns_ - column) / kWidth;
    const int tile = kPacks * static_cast<int>(blockDim.x);
    return static_cast<int>(left < tile ? left : tile);
  }
  /// Of the thread's pack v in the tile.
  __device__ __forceinline__ static int place(int v) {
    return v * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x);
  }

  const T* x_;
  T* y_;
  std::int64_t columns_;
};

/// What a block of a cluster has of a row of which x and y begin alike, anywhere: `count` of its aligned packs from x on,
/// and in the first block a single element before or behind all packs for some of the threads.
template <class T>
struct ShareOfAnyRow {
  const T* x;
  T* y;
  int count;
  const T* single = nullptr;
  T* to = nullptr;

  /// of_x, of_y: the row's `columns` elements, of which a block has `share` packs, the last one perhaps less.
  __device__ __forceinline__ ShareOfAnyRow(const T* of_x, T* of_y, int columns, int share) {
    constexpr int kWidth = kPackWidth<T>;
    const int past = static_cast<int>(reinterpret_cast<std::uintptr_t>(of_x) % 16 / sizeof(T));
    const int head = (kWidth - past) % kWidth, packs = (columns - head) / kWidth;
    const int first = static_cast<int>(cluster_rank()) * share, left = packs - first;
    count = left < share ? left : share;
    x = of_x + head + first * kWidth;
    y = of_y + head + first * kWidth;
    const int mine = static_cast<int>(threadIdx.x);
    if (cluster_rank() == 0 && mine < columns - packs * kWidth) {
      const int i = mine < head ? mine : mine + packs * kWidth;
      single = of_x + i;
      to = of_y + i;
    }
  }
};

/// As SoftmaxCluster and SoftmaxHeldCluster, of rows of which x and y begin alike, anywhere.
template <int kThreads, int kHeld, int kBlocks, class T>
__global__ void __launch_bounds__(kThreads, kBlocks)
    SoftmaxAnyCluster(const T* x, T* y, int columns, int share, RowPitch pitch) {
  const std::int64_t row = blockIdx.x / cluster_blocks();
  const ShareOfAnyRow<T> of(x + row * pitch.x, y + row * pitch.y, columns, share);
  wait_for_previous_grid();
  softmax_of_share<kThreads, kHeld>(of.x, of.y, of.count, of.single, of.to);
}
template <int kPacks, class T>
__global__ void __launch_bounds__(kHeldClusterThreads)
    SoftmaxHeldAnyCluster(const T* x, T* y, int columns, int share, RowPitch pitch) {
  const std::int64_t row = blockIdx.x / cluster_blocks();
  const ShareOfAnyRow<T> of(x + row * pitch.x, y + row * pitch.y, columns, share);
  wait_for_previous_grid();
  softmax_of_held<kPacks, true>(of.x, of.y, of.count, of.single, of.to);
}

/// How few long rows are cut: into `parts` parts of `chunk` elements, with a block for each.
struct RowParts {
  std::int64_t columns, chunk;
  unsigned parts;
  RowPitch pitch;

  /// The part that the calling block has, as a Row.
  template <class Row, class T>
  __device__ __forceinline__ Row mine(const T* x, T* y) const {
    const std::int64_t row = blockIdx.x / parts, begin = blockIdx.x % parts * chunk;
    const std::int64_t left = columns - begin;
    return {x + row * pitch.x + begin, y + row * pitch.y + begin, left < chunk ? left : chunk};
  }
};

/// The most parts of a row.
inline constexpr std::int64_t kMostParts = 256;

/// What the first `parts` have for the calling lane, every 32nd, put together; all are loaded before the first is used.
template <int kMost, class Word, class Op>
__device__ __forceinline__ Word of_lane(const Word* words, unsigned parts, Op op) {
  Word of_parts[kMost];
#pragma unroll
  for (int v = 0; v < kMost; ++v) {
    const unsigned part = threadIdx.x % 32 + 32 * v;
    of_parts[v] = part < parts ? words[part] : op.identity();
  }
  return detail::reduce_registers(of_parts, op);
}

/// The first launch of two: the maximum and the sum of every part.
template <int VecSize, class Row, class T>
__global__ void SoftmaxPairs(const T* x, std::uint64_t* pairs, RowParts of) {
  const Row here = of.mine<Row, T>(x, nullptr);
  const OnlineSoftmaxFunctor online;
  begin_reduction();
  std::uint64_t running[1] = {online.identity()};
  Base base;
  float arg[VecSize + Row::kSingles];
  for (std::int64_t column = 0; column == 0 || column < here.packed();
       column += std::int64_t{blockDim.x} * VecSize) {
    Init(arg, MaxFunctor<float>::identity());
    here.Read(arg, column);
    const float mine = base.above(Reduce<kLocalMode>(arg, MaxFunctor<float>{}));
    ElementwiseUnary(arg, arg, ExpAbove{finite_base(mine)});
    running[0] =
        online(running[0], pack_max_and_sum({mine, Reduce<kLocalMode>(arg, AddFunctor<float>{})}));
  }
  running[0] = reduce_pairs_in_block(running[0]);
  WriteData<true>(pairs + blockIdx.x, running, 1);
}

/// The second: a block reads its part once more, if it can while the first launch still works, and each of its
/// warps puts all pairs of the row together, in the same order.
template <int VecSize, class Row, class T>
__global__ void SoftmaxFromPairs(const T* x, T* y, const std::uint64_t* pairs, RowParts of) {
  const Row here = of.mine<Row, T>(x, y);
  const OnlineSoftmaxFunctor online;
  pairs += blockIdx.x / of.parts * of.parts;
  float arg[VecSize + Row::kSingles], mine = 0.0f;
  const auto read = [&](std::int64_t column) {
    Init(arg, MaxFunctor<float>::identity());
    here.Read(arg, column);
    mine = Reduce<kLocalMode>(arg, MaxFunctor<float>{});
    ElementwiseUnary(arg, arg, ExpAbove{finite_base(mine)});
  };
  if constexpr (Row::kFromL2) {
    reads_what_previous_grid_reads();
    read(0);
    begin_reduction();
  } else {
    begin_reduction();
    read(0);
  }
  const std::uint64_t pair = of.parts <= 64 ? of_lane<2>(pairs, of.parts, online)
                                            : of_lane<kMostParts / 32>(pairs, of.parts, online);
  const MaxAndSum all = unpack_max_and_sum(reduce_pairs_in_warp(pair));
  for (std::int64_t column = 0; column == 0 || column < here.packed();
       column += std::int64_t{blockDim.x} * VecSize) {
    if (column > 0) read(column);
    ElementwiseUnary(arg, arg, Times{ExpAbove{all.max}(mine) / all.sum});
    here.Write(arg, column);
  }
}

// ---- Running sums -----------------------------------------------------------------------------

/// The most threads of a block of CumsumPackedRows, and for how many such blocks a multiprocessor must have registers.
inline constexpr int kCumsumPackedThreads = 512;
template <int kPacks, bool kEdges, class T>
inline constexpr int cumsum_blocks = !kEdges ? (kPacks == 4 ? 2 : 5 - kPacks)
                                     : kPacks == 4 && sizeof(T) == 4 ? 2
                                                                     : 1;

/// Rows of which x and y begin alike, or which are whole packs, as CumsumRows: PackedRow.
//! [CumsumPackedRows]
template <int kPacks, bool kEdges, class Acc, class T>
__global__ void __launch_bounds__(kCumsumPackedThreads, cumsum_blocks<kPacks, kEdges, T>)
    CumsumPackedRows(const T* x, T* y, std::int64_t rows, int columns, RowPitch pitch) {
  using Row = PackedRow<kPacks, kEdges, T>;
  wait_for_previous_grid();
  const std::int64_t row = row_of_thread();
  const Row here(x + row * (kEdges ? pitch.x : columns), y + row * (kEdges ? pitch.y : columns),
                 row < rows ? columns : 0);
  const AddFunctor<Acc> add;
  Acc carry = add.identity();
  for (int tile = here.begin(); tile < columns; tile += here.tile()) {
    Acc arg[Row::kElements];
    here.Read(arg, tile, add.identity());
    carry = Cumsum<Interleaved<T>>(arg, arg, add, carry);
    here.Write(arg, tile);
  }
}
//! [CumsumPackedRows]

/// y[c] = carry + x[0] + ... + x[c], as CumsumRows: the elements before the packs, tile after tile of packs, the
/// elements behind them. Every warp adds up the single elements for itself; so that y may be x, they are stored when a
/// tile's scan has shown that all warps have read them.
template <int VecSize, bool kAlike, class Acc, class T>
__device__ __forceinline__ void cumsum_row(const T* x, T* y, std::int64_t columns, Acc carry) {
  const std::int64_t tile = std::int64_t{blockDim.x} * VecSize;
  const AnyRow<T> here(x, y, columns);
  const AddFunctor<Acc> add;
  const int mine = static_cast<int>(threadIdx.x), lane = mine % 32;
  const int head = here.head(), rest = static_cast<int>(columns - here.behind());
  Acc before = add.identity(), behind = add.identity();
  if (lane < head) before = Convert<Acc>(x[lane]);
  if (lane < rest) behind = Convert<Acc>(x[here.behind() + lane]);
  for (std::int64_t column = 0; column == 0 || column < here.packed(); column += tile) {
    Acc arg[VecSize];
    Init(arg, add.identity());
    if constexpr (kAlike) {
      here.template ReadAligned<VecSize>(arg, column);
    } else {
      here.template ReadPieces<VecSize, VecSize / AnyRow<T>::kWidth>(arg, column);
    }
    if (column == 0 && head > 0) {
      before = add(carry, detail::scan_lanes(before, add));
      carry = detail::shuffle_from(before, 31);
    }
    carry = Cumsum<Interleaved<T>>(arg, arg, add, carry);
    here.template WritePacks<VecSize>(arg, column);
  }
  if (mine < head) y[mine] = Convert<T>(before);
  if (rest == 0) return;
  behind = add(carry, detail::scan_lanes(behind, add));
  if (mine < rest) y[here.behind() + mine] = Convert<T>(behind);
}

template <int VecSize, bool kAlike, class Acc, class T>
__global__ void CumsumAnyRows(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                              RowPitch pitch) {
  wait_for_previous_grid();
  const std::int64_t row = row_of_thread();
  cumsum_row<VecSize, kAlike>(x + row * pitch.x, y + row * pitch.y, row < rows ? columns : 0,
                              AddFunctor<Acc>::identity());
}

/// A part of a row, of RowParts.
template <class T>
struct Part {
  const T* x;
  T* y;
  std::int64_t columns;
};

/// Few long rows, in parts. The first launch of two: the sum of every part.
template <int VecSize, class Acc, class T>
__global__ void CumsumTotals(const T* x, Acc* totals, RowParts of) {
  const Part<T> part = of.mine<Part<T>, T>(x, nullptr);
  const AnyRow<T> here(part.x, part.columns);
  const AddFunctor<Acc> add;
  begin_reduction();
  Acc total[1] = {add.identity()}, arg[VecSize];
  if (here.single() >= 0) total[0] = Convert<Acc>(part.x[here.single()]);
  for (std::int64_t column = 0; column < here.packed();
       column += std::int64_t{blockDim.x} * VecSize) {
    Init(arg, add.identity());
    here.template ReadAligned<VecSize>(arg, column);
    total[0] = add(total[0], Reduce<kLocalMode>(arg, add));
  }
  Reduce<kGlobalMode>(total, total, add);
  WriteData<true>(totals + blockIdx.x, total, 1);
}

/// The second: each warp adds up the totals of the parts before its own, in the same order.
template <int VecSize, bool kAlike, class Acc, class T>
__global__ void CumsumFromTotals(const T* x, T* y, const Acc* totals, RowParts of) {
  const Part<T> part = of.mine<Part<T>, T>(x, y);
  const AddFunctor<Acc> add;
  totals += blockIdx.x / of.parts * of.parts;
  begin_reduction();
  const Acc before = of_lane<kMostParts / 32>(totals, blockIdx.x % of.parts, add);
  const Acc carry = detail::reduce_lanes(before, add);
  cumsum_row<VecSize, kAlike>(part.x, part.y, part.columns, carry);
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
