// Reductions along one dimension, in one kernel or in two: of matrices without gaps, and of tensors of any
// strides.
//
// A ReduceLoop goes over the results, and a Plan cuts it into blocks. Where the elements of a result lie side by
// side, threads go along rows (ReduceInner, ReduceAnyRows); where results do, each thread has columns
// (ReduceOuter, ReduceAnyColumns). Where that makes too few blocks, each result has parts, which a second kernel
// reduces. ReducePolicy has the numbers. Short rows, columns of few rows, rows of whole packs, and matrices one behind the
// other (a middle dimension) have kernels of their own, where those are faster.
//
// How the work is cut depends on the sizes, the strides and the pointers' alignment, not on the GPU: a
// sum has the same bits on all of them.
#include <algorithm>
#include <limits>

#include "06_primitives/ladders/primitives_any_rows_kernels.cuh"
#include "06_primitives/launchers/launch.h"
#include "06_primitives/launchers/short_rows.cuh"
#include "06_primitives/primitives.h"

namespace tutorial {

using namespace primitives;

namespace {

/// A reduction as a loop over its results (tensor 0 is y, tensor 1 is x), each of `length` elements that
/// are `step` apart in x.
struct ReduceLoop {
  StridedLoop results;
  std::int64_t length, step;
  int columns;  ///< the dimension in which neighbours in x are reduced side by side; -1: there is none

  std::int64_t width() const { return results.extent[columns]; }
};

/// The loop over a matrix without gaps.
ReduceLoop matrix_loop(Dimension dimension, std::int64_t rows, std::int64_t columns) {
  const bool inner = dimension == Dimension::inner;
  ReduceLoop loop{{}, inner ? columns : rows, inner ? 1 : columns, inner ? -1 : 0};
  loop.results.rank = 1;
  loop.results.extent[0] = loop.results.elements = inner ? rows : columns;
  loop.results.stride[0][0] = 1;
  loop.results.stride[1][0] = inner ? columns : 1;
  return loop;
}

/// Whether the loop is that, of x.
bool is_matrix(const ReduceLoop& loop) {
  const StridedLoop& results = loop.results;
  if (results.rank > 1) return false;
  if (loop.columns >= 0) return results.stride[1][0] == 1 && loop.step == results.elements;
  return loop.step == 1 && (results.rank == 0 || results.stride[1][0] == loop.length);
}

/// Whether the rows of x all begin on a multiple of sixteen bytes if x does.
template <class T>
bool lie_alike(const ReduceLoop& loop) {
  bool alike = loop.columns < 0 ? loop.step == 1 : loop.step % kPackWidth<T> == 0;
  for (int d = 0; d < loop.results.rank; ++d) {
    alike = alike && (d == loop.columns || loop.results.stride[1][d] % kPackWidth<T> == 0);
  }
  return alike;
}

/// The dimension that `columns` is. Where elements of a result lie closer together than results do,
/// threads share a result.
int columns_of(const StridedLoop& results, std::int64_t step) {
  const auto distance = [](std::int64_t stride) {
    return stride > 0 ? stride : std::numeric_limits<std::int64_t>::max();
  };
  int best = -1;
  std::int64_t least = distance(step);
  for (int d = 0; d < results.rank; ++d) {
    if (distance(results.stride[1][d]) >= least) continue;
    least = distance(results.stride[1][d]);
    best = d;
  }
  return best;
}

/// How a reduction is cut: the block, the groups that do not meet (of rows, or of columns), and the
/// `splits` parts that each result is reduced in; inner parts have `chunk` elements.
struct Plan {
  std::int64_t across, down;  ///< threads
  std::int64_t groups, splits, chunk;
  std::int64_t each = 1;  ///< columns of a thread of ReduceAnyColumns
};

/// The columns that two blocks of it have in common: a pack, where rows begin anywhere.
std::int64_t overlap_of(const Plan& plan, bool alike) {
  return alike || plan.each == 1 ? 0 : plan.each;
}

/// The numbers that were tuned for elements of T, in trials on an H200 (of few rows: on an H100), and the page of
/// notes/ that tells of the trial. Where none is named, the trial was not written down.
template <class T>
struct ReducePolicy {
  static constexpr bool kTwoBytes = sizeof(T) == 2;

  // Loads that a thread has under way before it adds: each hides the wait for the others.
  /// Elements along a row: four packs; eight where rows are whole tiles of a block (outer_sums.md).
  static constexpr int kFourPacks = 4 * kPackWidth<T>, kEightPacks = 8 * kPackWidth<T>;
  /// Packs of ReduceRowsOfPacks. Eight of halves take up to a fifth longer (outer_sums.md).
  static constexpr int kPacksOfRows = kTwoBytes ? 4 : 8;
  /// Rows of ReduceOuter. A pack of halves takes as long to add up as two of floats, and wants more loads
  /// behind it; fewer are slower (outer_sums.md).
  static constexpr int kRowsEach = kTwoBytes ? 8 : 4;
  /// Packs and elements of ReduceAnyColumns. Eight packs are slower along a middle dimension (any_row.md).
  static constexpr int kPacksOfAny = 4, kElementsOfAny = kTwoBytes ? 16 : 8;
  /// Rows of ReduceShortColumns. Twice as many were up to a tenth slower in trials of up to 64 rows on an H200.
  static constexpr int kShortRows = 4;

  // Blocks.
  /// Threads of one that goes along rows; the argument `blocks` counts such (outer_sums.md).
  static constexpr std::int64_t kBlockThreads = 256;
  /// Of ReduceOuter: 256 bytes of a row across, and as many rows of threads as that leaves. The narrower and the
  /// taller a block, the fewer parts a column is cut into (outer_sums.md).
  static constexpr std::int64_t kOuterThreads = 512, kOuterAcross = 16;
  /// Columns of ReduceAnyColumns by elements; fewer, down to the least, where blocks are few.
  static constexpr std::int64_t kColumnsAcross = 64, kLeastAcross = 16;
  /// As many blocks, or rows, have work for every multiprocessor; an H200 has 132.
  static constexpr std::int64_t kEnoughBlocks = 256;
  /// So few rows have blocks of twice kBlockThreads up to two tiles of such a block, more rows up to one (few_rows.md).
  static constexpr std::int64_t kFewestRows = 128;

  // Parts of a result: more blocks, but the second launch has its price.
  /// Tiles that a part has at least, so that the second kernel has little to do.
  static constexpr std::int64_t kTilesEach = 4;
  /// Of few long rows a part may have one tile, for up to so many parts: a tile more is a wait more (few_rows.md).
  static constexpr std::int64_t kFewRowsParts = 128;
  /// ReduceAnyColumns by packs: so many quarters of `blocks`, no more than an H200 has registers for at once; and
  /// parts only where they make so many times the blocks.
  static constexpr std::int64_t kQuartersOfPacks = kTwoBytes ? 2 : 3, kLeastGain = 3;

  // Which kernel.
  /// ReduceAnyColumns reads packs from so many bytes a block on: halves from 2^23 elements, floats from 2^25, by
  /// default; below kSmallEach more threads hide more of what they wait for (any_row.md).
  static constexpr double kPacksFrom = kTwoBytes ? 1 << 15 : 1 << 18, kSmallEach = 1 << 15;
  /// From twice the bytes on, where blocks across have a fifth more columns than x, of several matrices of at most so
  /// many rows that begin anywhere (outer_sums.md).
  static constexpr std::int64_t kTallMatrix = 512;
  /// So few rows begin sooner in the kernel for any rows; their parts in matrices of so many elements, for the next
  /// launch, which begins while they read, would slow larger ones (any_row.md).
  static constexpr std::int64_t kSoonerRows = kTwoBytes ? 1024 : 4096;
  static constexpr std::int64_t kSoonerElements = std::int64_t{1} << 24;
};

/// Cuts `length` into whole tiles, as many parts as bring the blocks up to `blocks`; up to `soon` parts may have
/// a single tile.
template <class T>
void cut(Plan& plan, std::int64_t length, std::int64_t tile, std::int64_t blocks,
         std::int64_t soon = 1) {
  const std::int64_t wanted = plan.groups < blocks ? blocks / plan.groups : 1;
  const std::int64_t most = std::max(length / (ReducePolicy<T>::kTilesEach * tile),
                                     std::min(ceil_div(length, tile), soon));
  const std::int64_t parts = std::clamp<std::int64_t>(most, 1, wanted);
  plan.chunk = ceil_div(std::max<std::int64_t>(length, 1), parts);
  if (parts > 1) plan.chunk = ceil_div(plan.chunk, tile) * tile;
  plan.splits = std::max<std::int64_t>(ceil_div(length, plan.chunk), 1);
}

/// A row of threads for each row: as many as have a full tile, or half of one where rows are few, and a
/// warp at least.
template <class T>
Plan plan_inner(std::int64_t rows, std::int64_t columns, std::int64_t blocks) {
  using Policy = ReducePolicy<T>;
  Plan plan{32, 0, 0, 1, columns};
  const bool few = rows < Policy::kEnoughBlocks;
  const std::int64_t tile = few ? Policy::kFourPacks + 1 : 2 * Policy::kFourPacks;
  constexpr std::int64_t kThreads = Policy::kBlockThreads;
  // By twice the threads: in one tile, or of fewer rows in two (few_rows.md).
  const std::int64_t tiles = rows <= Policy::kFewestRows ? 2 : 1;
  const bool held = few && columns <= tiles * 2 * kThreads * Policy::kFourPacks;
  while (plan.across < (held ? 2 : 1) * kThreads && plan.across * tile <= columns) plan.across *= 2;
  plan.down = ceil_div(kThreads, plan.across);
  plan.groups = ceil_div(rows, plan.down);
  const bool long_rows = columns > kReduceLongThreads * Policy::kEightPacks;
  cut<T>(plan, columns, plan.across * Policy::kFourPacks, blocks,
         few && long_rows ? Policy::kFewRowsParts : 1);
  return plan;
}

/// A pack of columns for each thread; no more rows of threads than have rows to read.
template <class T>
Plan plan_outer(std::int64_t rows, std::int64_t columns, std::int64_t blocks) {
  using Policy = ReducePolicy<T>;
  Plan plan{power_of_two(ceil_div(columns, kPackWidth<T>), Policy::kOuterAcross), 0, 0, 1, rows};
  plan.down = 32 / plan.across;
  while (plan.across * plan.down < Policy::kOuterThreads &&
         plan.down * 2 * Policy::kRowsEach <= rows) {
    plan.down *= 2;
  }
  plan.groups = ceil_div(columns, plan.across * kPackWidth<T>);
  cut<T>(plan, rows, plan.down * Policy::kRowsEach,
         ceil_div(blocks, Policy::kOuterThreads / Policy::kBlockThreads));
  return plan;
}

/// A block of ReduceAnyColumns: 32 packs across and 16 rows; or elements, 64 and 4, or as many as make
/// enough blocks. No more rows of threads than have rows to read.
template <class T>
Plan plan_columns(const ReduceLoop& loop, std::int64_t blocks) {
  using Policy = ReducePolicy<T>;
  const std::int64_t width = loop.width(), matrices = loop.results.elements / width;
  const double bytes_each = static_cast<double>(loop.results.elements) *
                            static_cast<double>(loop.length) * sizeof(T) /
                            static_cast<double>(blocks);
  constexpr std::int64_t kEach = kPackWidth<T>;
  const std::int64_t across = power_of_two(ceil_div(width + kEach, kEach), 32) * kEach;
  const bool wasteful = matrices > 1 && loop.length <= Policy::kTallMatrix && !lie_alike<T>(loop) &&
                        ceil_div(width, across - kEach) * across * 5 >= width * 6;
  const bool large = bytes_each >= Policy::kPacksFrom * (wasteful ? 2 : 1);
  const bool packs = loop.results.stride[1][loop.columns] == 1 && loop.step >= kPackWidth<T> &&
                     loop.length >= kColumnThreads / 32 * Policy::kPacksOfAny && large;
  Plan plan{Policy::kColumnsAcross, 1, 0, 1, loop.length, packs ? kPackWidth<T> : 1};
  std::int64_t threads = kColumnThreads, rows = Policy::kElementsOfAny;  // of a thread, at least
  if (packs) {
    plan.across = across;
    rows = Policy::kPacksOfAny * plan.each;
  } else {
    if (bytes_each >= Policy::kSmallEach) threads = Policy::kBlockThreads;
    while (plan.across > Policy::kLeastAcross &&
           ceil_div(width, plan.across) * matrices < Policy::kEnoughBlocks) {
      plan.across /= 2;
    }
    plan.across = power_of_two(width, plan.across);
  }
  while (plan.across * plan.down < 32 ||
         (plan.across * plan.down < threads && plan.down * 2 * rows <= loop.length)) {
    plan.down *= 2;
  }
  plan.groups = ceil_div(width, plan.across - overlap_of(plan, lie_alike<T>(loop))) * matrices;
  std::int64_t most = packs ? blocks / 4 * Policy::kQuartersOfPacks : blocks;
  if (packs && plan.groups > most / Policy::kLeastGain) most = 1;
  cut<T>(plan, loop.length, plan.down * rows, most);
  return plan;
}

/// Of a reduction of at least one result. Not of the pointers, which a workspace does not depend on.
template <class T>
Plan plan_for(const ReduceLoop& loop, std::int64_t blocks) {
  if (loop.columns < 0) return plan_inner<T>(loop.results.elements, loop.length, blocks);
  return is_matrix(loop) && lie_alike<T>(loop) ? plan_outer<T>(loop.length, loop.width(), blocks)
                                               : plan_columns<T>(loop, blocks);
}

/// The blocks of ReduceShortColumns, packs across and rows down; `none`: other kernels add up the columns.
enum class ColumnBlock { none, of_16x16, of_8x32, of_4x64, of_8x64, of_4x128, of_2x256, in_parts };

/// The rows of a part, by blocks of 2 x 256. Matrices of more than kMostColumnParts parts are not cut so.
constexpr int kPartRows = 1024, kMostColumnParts = 64;

/// The block for a matrix in vectors. Of trials on an H200 (notes/outer_sums.md): the more rows, the narrower, so that a
/// thread has few; but wide matrices, which have blocks enough, want more of a row in each.
template <class T>
ColumnBlock column_block(std::int64_t rows, std::int64_t columns) {
  constexpr bool kTwoBytes = sizeof(T) == 2;
  const std::int64_t row_bytes = columns * std::int64_t{sizeof(T)}, bytes = rows * row_bytes;
  constexpr std::int64_t kKiB = 1 << 10, kMiB = 1 << 20;
  if (row_bytes > 256 * kKiB) return ColumnBlock::none;
  if (rows <= 64) return ColumnBlock::of_16x16;
  if (rows <= 128) {
    return kTwoBytes || row_bytes <= 32 * kKiB ? ColumnBlock::of_8x32 : ColumnBlock::of_16x16;
  }
  if (rows <= 256 && kTwoBytes) {
    return row_bytes <= 16 * kKiB ? ColumnBlock::of_4x64 : ColumnBlock::of_8x32;
  }
  if (rows > 256 && bytes > 32 * kMiB) return ColumnBlock::none;
  if (rows > 2 * kPartRows && (rows > 4 * kPartRows || columns <= 512)) {
    const bool few = columns <= 1024 && rows <= kPartRows * kMostColumnParts && bytes <= 10 * kMiB;
    if (few) return ColumnBlock::in_parts;
    if (rows > 4 * kPartRows) return ColumnBlock::none;
  }
  if (columns <= 1024) {
    return rows > 512   ? ColumnBlock::of_2x256
           : rows > 256 ? ColumnBlock::of_4x128
                        : ColumnBlock::of_8x64;
  }
  if (kTwoBytes ? columns <= 8192 : rows > 512 && columns <= 3072) return ColumnBlock::of_4x128;
  return !kTwoBytes && columns > 4096 && columns <= 8192 ? ColumnBlock::of_8x32
                                                         : ColumnBlock::of_8x64;
}

/// The same of a loop, but for the pointers. Fewer `blocks` than the default are the caller's wish.
template <class T>
ColumnBlock column_block(const ReduceLoop& loop, std::int64_t blocks) {
  const bool may = blocks >= kReduceBlocks && loop.columns >= 0 && is_matrix(loop) &&
                   loop.results.stride[0][0] == 1 && loop.width() % kPackWidth<T> == 0;
  return may ? column_block<T>(loop.length, loop.width()) : ColumnBlock::none;
}

/// The same of a matrix that is not in vectors, a column a lane. of_4x8: four loads of a thread under way, eight rows of 32
/// threads. Of trials on an H200 (notes/outer_sums.md); none where ReduceAnyColumns is as fast.
enum class LaneBlock { none, of_4x8, of_16x8, of_8x16, of_8x32 };

template <class T>
LaneBlock lane_block(const ReduceLoop& loop, std::int64_t blocks) {
  constexpr bool kTwoBytes = sizeof(T) == 2;
  const bool may = blocks >= kReduceBlocks && loop.columns >= 0 && is_matrix(loop) &&
                   loop.results.stride[0][0] == 1 && loop.width() >= 256;
  const std::int64_t rows = loop.length, columns = may ? loop.width() : 0;
  const std::int64_t most = rows <= 16    ? 6144
                            : rows <= 32  ? (kTwoBytes ? 8192 : 16384)
                            : rows <= 64  ? (kTwoBytes ? 0 : 6144)
                            : rows <= 128 ? 16384
                                          : (kTwoBytes || rows > 1024 ? 0 : 8192);
  if (!may || columns > most) return LaneBlock::none;
  if (rows <= 32) return LaneBlock::of_4x8;
  if (rows > 128) return LaneBlock::of_8x32;
  return kTwoBytes ? LaneBlock::of_16x8 : LaneBlock::of_8x16;
}

/// Whether the loop is along the columns of matrices without gaps, one behind the other: a middle dimension.
bool are_matrices(const ReduceLoop& loop) {
  const StridedLoop& results = loop.results;
  return results.rank == 2 && loop.columns == 1 && results.stride[1][1] == 1 &&
         loop.step == loop.width() && results.stride[1][0] == loop.length * loop.step &&
         results.stride[0][1] == 1 && results.stride[0][0] == loop.width();
}

/// What adds up their columns: ReduceShortestColumns, in packs, half packs or words of four bytes, or in one element of as
/// many rows at a time, or of four columns; blocks of ReduceShortColumns; `none`: other kernels.
enum class MatrixColumns {
  none,
  packs,
  half_packs,
  words,
  four_by_2_rows,
  four_by_4_rows,
  one_by_8_rows,
  one_by_16_rows,
  of_16x16,
  of_8x32,
  of_4x64,
  of_8x64,
  of_4x128
};

/// `vectors`: of x and y. Of trials on an H200 (notes/outer_sums.md).
template <class T>
MatrixColumns matrix_columns(const ReduceLoop& loop, bool vectors) {
  constexpr bool kTwoBytes = sizeof(T) == 2;
  constexpr std::int64_t kWidth = kPackWidth<T>, kOne = 1;
  const std::int64_t rows = loop.length, columns = loop.width(), results = loop.results.elements;
  const bool many = results >= kOne << 17;
  if (rows > 12 && rows <= 16 && results < kOne << 15) return MatrixColumns::none;
  if (!vectors) {
    if (rows <= 4 && results >= kOne << 16) {
      return rows <= 2 ? MatrixColumns::four_by_2_rows : MatrixColumns::four_by_4_rows;
    }
    if (rows <= 8 || (rows <= 16 && many)) return MatrixColumns::one_by_8_rows;
    return rows <= 16 || (rows <= 64 && many) ? MatrixColumns::one_by_16_rows : MatrixColumns::none;
  }
  if (rows <= 4) return MatrixColumns::packs;
  if (rows <= 8 || (rows <= 16 && many)) return MatrixColumns::half_packs;
  if (rows <= 16 || (rows <= 32 && results >= kOne << 16)) return MatrixColumns::words;
  const bool narrow = columns < 8 * kWidth, middling = columns < 16 * kWidth;
  if (rows <= 64 && ((middling && many) || (narrow && results >= kOne << 15))) {
    return MatrixColumns::words;
  }
  const std::int64_t matrices = results / columns;
  if (rows <= 32 || rows > 1024 || narrow || matrices > 65535) return MatrixColumns::none;
  const std::int64_t blocks = matrices * ceil_div(columns, 8 * kWidth);
  if (rows > 512 && blocks <= 32) return MatrixColumns::of_4x128;
  if (rows > 128 && blocks <= 128) return MatrixColumns::of_4x64;
  if (!kTwoBytes && rows > 256 && (rows > 512 || blocks > 512)) return MatrixColumns::of_8x64;
  const std::int64_t few = rows <= 64 ? 0 : kTwoBytes ? 64 : 1024;
  return middling || blocks <= few ? MatrixColumns::of_8x32 : MatrixColumns::of_16x16;
}

/// The threads of a block of ReduceRowsOfPacks, or of ReduceLongRows, of rows that are whole tiles of that one; both want
/// whole packs. 0: other kernels go along the rows. Of trials on an H200 (notes/outer_sums.md).
template <class T>
int threads_of_rows(const ReduceLoop& loop, const Plan& plan, std::int64_t blocks) {
  using Policy = ReducePolicy<T>;
  constexpr bool kTwoBytes = sizeof(T) == 2;
  constexpr std::int64_t kMost = kReduceLongThreads, kTile = kMost * Policy::kEightPacks;
  const std::int64_t rows = loop.results.elements, columns = loop.length, elements = rows * columns;
  const bool dense = loop.results.rank == 0 || loop.results.stride[0][0] == 1;
  if (loop.columns >= 0 || !is_matrix(loop) || !dense) return 0;
  const bool whole = columns > 0 && columns % kTile == 0;
  if (whole && plan.splits == 1) return kReduceLongThreads;
  if (blocks < kReduceBlocks || rows < 8 || rows > 0x7fffffff || columns < 1536 ||
      columns > std::int64_t{1} << 30) {
    return 0;
  }
  if (plan.splits > 1) {
    if (rows < 12 * ceil_div(columns, kTile) || (kTwoBytes && !whole)) return 0;
  } else if (columns % (plan.across * Policy::kFourPacks) == 0) {  // whole tiles of ReduceInner
    if (columns < 4096 || elements < 1 << 21 || elements >= 1 << 26) return 0;
  } else if (elements < (!kTwoBytes && columns < 2560 ? 1 << 22 : 1 << 20) && columns < 10240) {
    return 0;
  }
  if (whole) return kReduceLongThreads;
  const std::int64_t each = Policy::kPacksOfRows * kPackWidth<T>;
  const std::int64_t tiles = ceil_div(columns, kMost * each);
  return static_cast<int>(ceil_div(columns, tiles * each * 32) * 32);
}

LaunchShape shape_of(const Plan& plan) {
  const bool fits = plan.groups <= 0x7fffffff / plan.splits;
  return {grid_1d(fits ? plan.groups * plan.splits : std::int64_t{1} << 32, 1),
          dim3(static_cast<unsigned>(plan.across), static_cast<unsigned>(plan.down)), 0,
          Overlap::previous_kernel};
}

/// The kernels for any rows and any columns. The parts of a result are `part_step` apart in y.
template <class InT, class OutT, class Op>
cudaError_t launch_any(const ReduceLoop& loop, const Plan& plan, const InT* x, OutT* y,
                       std::int64_t part_step, std::int64_t blocks, Op op, cudaStream_t stream) {
  using Acc = AccOf<InT>;
  using Policy = ReducePolicy<InT>;
  constexpr int kFour = Policy::kFourPacks, kPack = kPackWidth<InT>;
  const StridedLoop& results = loop.results;
  AnyReduction of{loop.length, loop.step, part_step, static_cast<unsigned>(plan.splits), 0, {}};
  for (int d = results.rank - 1; d >= 0; --d) {
    if (d == loop.columns) continue;
    AnyReduction::Dimension& one = of.dimension[of.rank++];
    one.stride = {results.stride[1][d], results.stride[0][d]};
    if (d > 0) {  // nothing is divided by the outermost, which may have 2^32 and more
      one.size = FastDivisor(static_cast<std::uint32_t>(results.extent[d]));
    }
  }
  const bool alike = lie_alike<InT>(loop) && is_aligned(x, 16);
  if (loop.columns < 0) {
    const auto kernel = alike            ? ReduceAnyRows<kFour, Lie::alike, Acc, InT, OutT, Op>
                        : loop.step == 1 ? ReduceAnyRows<kFour, Lie::anywhere, Acc, InT, OutT, Op>
                                         : ReduceAnyRows<kFour, Lie::apart, Acc, InT, OutT, Op>;
    Plan shape = plan;
    if (plan.across >= 128) {  // a row has a block: no other waits for its end
      shape.down = 1;
      shape.groups = results.elements;
    }
    return launch(kernel, shape_of(shape), stream, x, y, results.elements, plan.chunk, of, op);
  }
  Plan shape = plan_columns<InT>(loop, blocks);
  const std::int64_t wide =
      ceil_div(loop.width(), shape.across) * (results.elements / loop.width());
  if (shape.each > 1 && shape.across >= 32 * shape.each &&
      wide * plan.splits < Policy::kEnoughBlocks * 3 / 4) {
    shape.across /= 2;  // x is not aligned, and was cut for blocks that are narrower
    shape.down *= 2;
  }
  const std::int64_t overlap = overlap_of(shape, alike), width = loop.width();
  const std::int64_t tiles = ceil_div(width, shape.across - overlap);
  shape.groups = tiles * (results.elements / width);
  shape.splits = plan.splits;
  const int d = loop.columns;
  const AnyColumns across{width,
                          {results.stride[1][d], results.stride[0][d]},
                          static_cast<unsigned>(tiles),
                          static_cast<unsigned>(overlap)};
  return launch(shape.each > 1 ? ReduceAnyColumns<kPack, Policy::kPacksOfAny, Acc, InT, OutT, Op>
                               : ReduceAnyColumns<1, Policy::kElementsOfAny, Acc, InT, OutT, Op>,
                shape_of(shape), stream, x, y, of, across, op);
}

/// y = op along the columns of a matrix, kWidth columns a thread, which loads kRows rows at a time; if kParts, along those
/// of each `rows_each` rows.
template <int kWidth, int kRows, int kAcross, int kDown, bool kParts = false, class InT, class OutT,
          class Op>
cudaError_t launch_columns(const InT* x, OutT* y, std::int64_t rows, std::int64_t columns, Op op,
                           cudaStream_t stream, std::int64_t rows_each = kPartRows) {
  LaunchShape shape{grid_1d(columns, kAcross * kWidth), dim3(kAcross, kDown), 0,
                    Overlap::previous_kernel};
  if (kParts) shape.grid.y = static_cast<unsigned>(ceil_div(rows, rows_each));
  return launch(
      ReduceShortColumns<kWidth, kRows, kAcross, kDown, kParts, AccOf<InT>, InT, OutT, Op>, shape,
      stream, x, y, rows, columns, static_cast<int>(rows_each), op);
}

/// The same in vectors.
template <int kAcross, int kDown, bool kParts = false, class InT, class OutT, class Op>
cudaError_t launch_column_blocks(const InT* x, OutT* y, std::int64_t rows, std::int64_t columns,
                                 Op op, cudaStream_t stream, std::int64_t rows_each = kPartRows) {
  return launch_columns<kPackWidth<InT>, ReducePolicy<InT>::kShortRows, kAcross, kDown, kParts>(
      x, y, rows, columns, op, stream, rows_each);
}

/// The same by blocks that are not none.
template <class T, class Op>
cudaError_t launch_short_columns(ColumnBlock block, const T* x, T* y, void* workspace,
                                 std::int64_t rows, std::int64_t columns, Op op,
                                 cudaStream_t stream) {
  switch (block) {
    case ColumnBlock::of_16x16:
      return launch_column_blocks<16, 16>(x, y, rows, columns, op, stream);
    case ColumnBlock::of_8x32:
      return launch_column_blocks<8, 32>(x, y, rows, columns, op, stream);
    case ColumnBlock::of_4x64:
      return launch_column_blocks<4, 64>(x, y, rows, columns, op, stream);
    case ColumnBlock::of_8x64:
      return launch_column_blocks<8, 64>(x, y, rows, columns, op, stream);
    case ColumnBlock::of_4x128:
      return launch_column_blocks<4, 128>(x, y, rows, columns, op, stream);
    case ColumnBlock::of_2x256:
      return launch_column_blocks<2, 256>(x, y, rows, columns, op, stream);
    default:
      break;
  }
  auto* const partial = static_cast<AccOf<T>*>(workspace);
  const cudaError_t error =
      launch_column_blocks<2, 256, true>(x, partial, rows, columns, op, stream);
  if (error != cudaSuccess) return error;
  const AccOf<T>* const parts = partial;
  return launch_column_blocks<16, 16>(parts, y, ceil_div(rows, kPartRows), columns, op, stream);
}

/// A column a lane, by blocks that are not none.
template <class T, class Op>
cudaError_t launch_lane_columns(LaneBlock block, const T* x, T* y, std::int64_t rows,
                                std::int64_t columns, Op op, cudaStream_t stream) {
  if (block == LaneBlock::of_4x8) {
    return launch_columns<1, 4, 32, 8>(x, y, rows, columns, op, stream);
  }
  if constexpr (sizeof(T) == 2) {
    return launch_columns<1, 16, 32, 8>(x, y, rows, columns, op, stream);
  } else {
    return block == LaneBlock::of_8x16
               ? launch_columns<1, 8, 32, 16>(x, y, rows, columns, op, stream)
               : launch_columns<1, 8, 32, 32>(x, y, rows, columns, op, stream);
  }
}

/// Matrices one behind the other, by what is not none.
template <class T, class Op>
cudaError_t launch_matrix_columns(MatrixColumns by, const ReduceLoop& loop, const T* x, T* y, Op op,
                                  cudaStream_t stream) {
  using Acc = AccOf<T>;
  constexpr int kWidth = kPackWidth<T>, kWord = sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1;
  const std::int64_t each = loop.length, columns = loop.width();
  const std::int64_t matrices = loop.results.elements / columns, rows = matrices * each;
  switch (by) {
    case MatrixColumns::packs:
      return launch_down_columns<kWidth, 2, 1, 512, true, Op, Acc>(x, y, matrices, each, columns,
                                                                   stream);
    case MatrixColumns::half_packs:
      return launch_down_columns<kWidth / 2, 8, 1, 256, true, Op, Acc>(x, y, matrices, each,
                                                                       columns, stream);
    case MatrixColumns::words:
      return launch_down_columns<kWord, 16, 1, 256, true, Op, Acc>(x, y, matrices, each, columns,
                                                                   stream);
    case MatrixColumns::four_by_2_rows:
      return launch_down_columns<1, 2, 4, 256, true, Op, Acc>(x, y, matrices, each, columns,
                                                              stream);
    case MatrixColumns::four_by_4_rows:
      return launch_down_columns<1, 4, 4, 128, true, Op, Acc>(x, y, matrices, each, columns,
                                                              stream);
    case MatrixColumns::one_by_8_rows:
      return launch_down_columns<1, 8, 1, 256, true, Op, Acc>(x, y, matrices, each, columns,
                                                              stream);
    case MatrixColumns::one_by_16_rows:
      return launch_down_columns<1, 16, 1, 256, true, Op, Acc>(x, y, matrices, each, columns,
                                                               stream);
    case MatrixColumns::of_8x32:
      return launch_column_blocks<8, 32, true>(x, y, rows, columns, op, stream, each);
    case MatrixColumns::of_4x64:
      return launch_column_blocks<4, 64, true>(x, y, rows, columns, op, stream, each);
    case MatrixColumns::of_8x64:
      return launch_column_blocks<8, 64, true>(x, y, rows, columns, op, stream, each);
    case MatrixColumns::of_4x128:
      return launch_column_blocks<4, 128, true>(x, y, rows, columns, op, stream, each);
    default:
      break;
  }
  if constexpr (sizeof(T) == 2) {
    if (each > 128) {
      return launch_columns<kWidth, 8, 16, 16, true>(x, y, rows, columns, op, stream, each);
    }
  }
  return launch_column_blocks<16, 16, true>(x, y, rows, columns, op, stream, each);
}

/// Rows of whole packs, by so many threads each.
template <class T, class Op>
cudaError_t launch_long_rows(int threads, const T* x, T* y, std::int64_t rows, std::int64_t columns,
                             Op op, cudaStream_t stream) {
  using Acc = AccOf<T>;
  constexpr int kEight = ReducePolicy<T>::kEightPacks;
  const LaunchShape shape = rows_shape(rows, threads, 1);
  // Measured faster for rows of 32,768 elements (notes/outer_sums.md).
  if (columns % (kReduceLongThreads * kEight) == 0) {
    return launch(ReduceLongRows<kEight, Interleaved<T>, Acc, T, Op>, shape, stream, x, y, columns,
                  op);
  }
  return launch(ReduceRowsOfPacks<ReducePolicy<T>::kPacksOfRows, Acc, T, Op>, shape, stream, x, y,
                static_cast<int>(columns / kPackWidth<T>), op);
}

/// One kernel, whose parts of a result are `part_step` apart in y: of a matrix in vectors, or any.
template <class InT, class OutT, class Op>
cudaError_t launch_plan(const ReduceLoop& loop, const Plan& plan, const InT* x, OutT* y,
                        std::int64_t part_step, std::int64_t blocks, Op op, cudaStream_t stream) {
  using Acc = AccOf<InT>;
  using Policy = ReducePolicy<InT>;
  const StridedLoop& results = loop.results;
  const bool by_rows = loop.columns < 0;
  const std::int64_t rows = results.elements, columns = loop.length;
  if constexpr (std::is_same_v<InT, OutT>) {
    // Not for the parts of a sum (blocks is 1): their kernel begins sooner.
    if (blocks > 1 && is_matrix(loop) && plan.splits == 1 && results.stride[0][0] == 1) {
      const bool as_columns = !by_rows || columns == 1;  // rows of one element are a row of columns
      const bool vectors = in_vectors<InT>(as_columns ? rows : columns, {x});
      const bool both = vectors && is_aligned(y, 16);
      if (as_columns && are_shortest(columns, rows, both)) {
        return launch_shortest_columns<Op, Acc>(x, y, columns, rows, both, stream);
      }
      const ShortRows by = short_rows<ReduceShort<Op>, InT>(rows, columns, vectors);
      if (by_rows && by != ShortRows::none) {
        return launch_short_rows<ReduceShort<Op>, Acc>(by, x, y, rows, columns, stream);
      }
    }
  }
  if (!is_matrix(loop) || !in_vectors<InT>(by_rows ? columns : rows, {x}) ||
      (results.rank == 1 && results.stride[0][0] != (by_rows ? plan.splits : 1))) {
    return launch_any(loop, plan, x, y, part_step, blocks, op, stream);
  }
  if (!by_rows) {
    if (!is_aligned(y, 16)) return launch_any(loop, plan, x, y, part_step, blocks, op, stream);
    return launch(
        ReduceOuter<kPackWidth<InT>, Policy::kRowsEach, Interleaved<InT>, Acc, InT, OutT, Op>,
        shape_of(plan), stream, x, y, loop.length, loop.width(), static_cast<unsigned>(plan.groups),
        op);
  }
  if (rows <= Policy::kSoonerRows &&
      (plan.splits == 1 || rows * columns <= Policy::kSoonerElements)) {
    return launch_any(loop, plan, x, y, part_step, blocks, op, stream);
  }
  return launch(ReduceInner<Policy::kFourPacks, Interleaved<InT>, Acc, InT, OutT, Op>,
                shape_of(plan), stream, x, y, rows, columns, plan.chunk,
                static_cast<unsigned>(plan.splits), op);
}

/// One kernel, or one that writes a partial result for each part and one that reduces those. Partial
/// results lie in the loop's order: side by side where threads share a result, else part after part.
template <class T, class Op>
cudaError_t launch_reduce(const ReduceLoop& loop, const T* x, T* y, void* workspace,
                          std::int64_t blocks, Op op, cudaStream_t stream) {
  using Acc = AccOf<T>;
  const std::int64_t rows = loop.length, columns = loop.results.elements;
  if (const ColumnBlock block = column_block<T>(loop, blocks);
      block != ColumnBlock::none && is_aligned(x, 16) &&
      !are_shortest(rows, columns, is_aligned(y, 16))) {
    return launch_short_columns(block, x, y, workspace, rows, columns, op, stream);
  }
  if (const LaneBlock block = lane_block<T>(loop, blocks); block != LaneBlock::none &&
                                                           !in_vectors<T>(columns, {x}) &&
                                                           !are_shortest(rows, columns, false)) {
    return launch_lane_columns(block, x, y, rows, columns, op, stream);
  }
  if (blocks >= kReduceBlocks && are_matrices(loop)) {
    const bool vectors = in_vectors<T>(loop.width(), {x, y});
    const MatrixColumns by = matrix_columns<T>(loop, vectors);
    if (by != MatrixColumns::none) {
      return launch_matrix_columns(by, loop, x, y, op, stream);
    }
  }
  const Plan plan = plan_for<T>(loop, blocks);
  if (const int threads = threads_of_rows<T>(loop, plan, blocks);
      threads > 0 && in_vectors<T>(rows, {x})) {
    return launch_long_rows(threads, x, y, columns, rows, op, stream);
  }
  if (plan.splits == 1) return launch_plan(loop, plan, x, y, 0, blocks, op, stream);
  const bool by_rows = loop.columns < 0;
  const std::int64_t part_step = by_rows ? 1 : loop.results.elements;
  ReduceLoop first = loop, last = loop;
  last.length = plan.splits;
  last.step = part_step;
  std::int64_t place = by_rows ? plan.splits : 1;
  for (int d = loop.results.rank - 1; d >= 0; --d) {
    first.results.stride[0][d] = last.results.stride[1][d] = place;
    place *= loop.results.extent[d];
  }
  auto* const partial = static_cast<Acc*>(workspace);
  const cudaError_t error = launch_plan(first, plan, x, partial, part_step, blocks, op, stream);
  if (error != cudaSuccess) return error;
  const Acc* partial_in = partial;
  return launch_plan(last, plan_for<Acc>(last, 1), partial_in, y, 0, 1, op, stream);
}

/// The loop that reduces dimension `dim` of x into y.
cudaError_t make_reduce_loop(const TensorLayout& x, std::int64_t dim, const TensorLayout& y,
                             ReduceLoop* out) {
  if (const cudaError_t error = check_layout(x, "x"); error != cudaSuccess) return error;
  const auto rank = static_cast<std::int64_t>(x.shape.size());
  if (dim < 0 || dim >= rank) {
    return refuse(cudaErrorInvalidValue, "x has " + std::to_string(rank) +
                                             " dimensions, and none with the number " +
                                             std::to_string(dim));
  }
  TensorLayout rest = x;
  rest.shape.erase(rest.shape.begin() + dim);
  rest.strides.erase(rest.strides.begin() + dim);
  if (y.shape != rest.shape) {
    return refuse(cudaErrorInvalidValue, "the result has the shape " + to_string(y.shape) +
                                             ", and the reduction gives " + to_string(rest.shape));
  }
  ReduceLoop loop{
      {}, x.shape[static_cast<std::size_t>(dim)], x.strides[static_cast<std::size_t>(dim)], -1};
  if (const cudaError_t error = make_strided_loop(y, {rest}, &loop.results); error != cudaSuccess) {
    return error;
  }
  if (loop.results.rank > 1 && loop.results.elements >= std::int64_t{1} << 32) {
    return refuse(cudaErrorInvalidValue,
                  "the reduction has 2^32 results or more: reduce parts of x one by one");
  }
  if (loop.length == 1) loop.step = 1;
  loop.columns = columns_of(loop.results, loop.step);
  *out = loop;
  return cudaSuccess;
}

/// f(functor) for the reduction.
template <class T, class F>
cudaError_t with_functor(Reduction reduction, F f) {
  using Acc = AccOf<T>;
  return reduction == Reduction::sum ? f(AddFunctor<Acc>{}) : f(MaxFunctor<Acc>{});
}

cudaError_t check_blocks(std::int64_t blocks) {
  if (blocks >= 1) return cudaSuccess;
  return refuse(cudaErrorInvalidValue, std::to_string(blocks) + " blocks cannot reduce anything");
}

/// The checks of pointers and workspace.
template <class T>
cudaError_t check_operands(const T* x, bool any_x, const T* y, bool any_y, const void* workspace,
                           std::size_t workspace_bytes, std::size_t needed) {
  const cudaError_t error = check_buffers({{x, alignof(T), "x", any_x},
                                           {y, alignof(T), "y", any_y},
                                           {workspace, 16, "the workspace", needed > 0}});
  return error != cudaSuccess ? error : check_workspace(workspace_bytes, needed);
}

/// The workspace of a loop.
template <class T>
std::size_t workspace_of(const ReduceLoop& loop, std::int64_t blocks) {
  if (blocks < 1 || loop.results.elements == 0) return 0;
  std::int64_t parts = plan_for<T>(loop, blocks).splits;
  if (column_block<T>(loop, blocks) == ColumnBlock::in_parts) {
    parts = std::max(parts, ceil_div(loop.length, kPartRows));
  }
  return parts == 1 ? 0
                    : static_cast<std::size_t>(loop.results.elements * parts) * sizeof(AccOf<T>);
}

/// reduce() of a loop.
template <class T>
cudaError_t reduce_loop(Reduction reduction, const ReduceLoop& loop, const T* x, T* y,
                        void* workspace, std::size_t workspace_bytes, cudaStream_t stream,
                        std::int64_t blocks) {
  if (const cudaError_t error = check_blocks(blocks); error != cudaSuccess) return error;
  const bool any = loop.results.elements > 0;
  const cudaError_t error = check_operands(x, any && loop.length > 0, y, any, workspace,
                                           workspace_bytes, workspace_of<T>(loop, blocks));
  if (error != cudaSuccess || !any) return error;
  return with_functor<T>(
      reduction, [&](auto op) { return launch_reduce(loop, x, y, workspace, blocks, op, stream); });
}

}  // namespace

template <class T>
std::size_t reduce_workspace(Dimension dimension, std::int64_t rows, std::int64_t columns,
                             std::int64_t blocks) {
  if (check_matrix(rows, columns) != cudaSuccess) return 0;
  return workspace_of<T>(matrix_loop(dimension, rows, columns), blocks);
}

template <class T>
cudaError_t reduce(Reduction reduction, Dimension dimension, const T* x, T* y, std::int64_t rows,
                   std::int64_t columns, void* workspace, std::size_t workspace_bytes,
                   cudaStream_t stream, std::int64_t blocks) {
  if (const cudaError_t error = check_matrix(rows, columns); error != cudaSuccess) return error;
  return reduce_loop(reduction, matrix_loop(dimension, rows, columns), x, y, workspace,
                     workspace_bytes, stream, blocks);
}

template <class T>
std::size_t reduce_workspace(const TensorLayout& x, std::int64_t dim, const TensorLayout& y,
                             std::int64_t blocks) {
  ReduceLoop loop{};
  if (make_reduce_loop(x, dim, y, &loop) != cudaSuccess) return 0;
  return workspace_of<T>(loop, blocks);
}

template <class T>
cudaError_t reduce(Reduction reduction, const TensorView<const T>& x, std::int64_t dim,
                   const TensorView<T>& y, void* workspace, std::size_t workspace_bytes,
                   cudaStream_t stream, std::int64_t blocks) {
  ReduceLoop loop{};
  const cudaError_t error = make_reduce_loop(x.layout, dim, y.layout, &loop);
  if (error != cudaSuccess) return error;
  return reduce_loop(reduction, loop, x.data, y.data, workspace, workspace_bytes, stream, blocks);
}

#define TUTORIAL_INSTANTIATE(T)                                                                    \
  template std::size_t reduce_workspace<T>(Dimension, std::int64_t, std::int64_t, std::int64_t);   \
  template cudaError_t reduce(Reduction, Dimension, const T*, T*, std::int64_t, std::int64_t,      \
                              void*, std::size_t, cudaStream_t, std::int64_t);                     \
  template std::size_t reduce_workspace<T>(const TensorLayout&, std::int64_t, const TensorLayout&, \
                                           std::int64_t);                                          \
  template cudaError_t reduce(Reduction, const TensorView<const T>&, std::int64_t,                 \
                              const TensorView<T>&, void*, std::size_t, cudaStream_t,              \
                              std::int64_t);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
TUTORIAL_INSTANTIATE(std::int32_t)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial
