// Kernels on matrices, put together from primitives and nothing else: bias, sums along either
// dimension, softmax, running sums, sorted rows.
//
// A matrix is row-major, `rows` x `columns`, without gaps. In most kernels the threads of one
// threadIdx.y share a row: a block of 32 x 4 threads works on four rows at once, a warp on each; a
// block of 256 x 1 works on one row. Threads whose row does not exist read and write nothing, but
// reach every barrier.
#pragma once

#include <cstdint>
#include <type_traits>

#include "06_primitives/ladders/primitives_kernels.cuh"
#include "common/cluster.cuh"
#include "common/warp_max.cuh"

namespace tutorial::primitives {

/// The row that the calling thread works on.
__device__ __forceinline__ std::int64_t row_of_thread() {
  return std::int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
}

// ---- Bias -------------------------------------------------------------------------------------

/// y[r][c] = x[r][c] + bias[c]. A block has a tile of NX * blockDim.x columns and NY * blockDim.y
/// rows; a thread reads its NX values of the bias once, and uses them for NY rows.
///
/// column_tiles: tiles side by side; the grid has that many times as many as fit below each other.
template <int NX, int NY, class Layout, class T>
__global__ void BiasAddCycle(const T* x, const T* bias, T* y, std::int64_t rows,
                             std::int64_t columns, unsigned column_tiles) {
  wait_for_previous_grid();
  const std::int64_t tile_x = std::int64_t{blockDim.x} * NX, tile_y = std::int64_t{blockDim.y} * NY;
  const std::int64_t column = blockIdx.x % column_tiles * tile_x;
  const std::int64_t row = blockIdx.x / column_tiles * tile_y;
  const std::int64_t size_x = columns - column, size_y = rows - row;
  x += row * columns + column;
  y += row * columns + column;
  T arg[NY][NX], cycle[NX];
  if (size_x >= tile_x && size_y >= tile_y) {
    ReadData<false, Layout>(cycle, bias + column, size_x);
    ReadData<false, Layout>(arg, x, size_x, size_y, columns);
    CycleBinary(arg, cycle, arg, AddFunctor<T>{});
    WriteData<false, Layout>(y, arg, size_x, size_y, columns);
  } else {
    Init(cycle, 0.0f);
    Init(arg, 0.0f);
    ReadData<true, Layout>(cycle, bias + column, size_x);
    ReadData<true, Layout>(arg, x, size_x, size_y, columns);
    CycleBinary(arg, cycle, arg, AddFunctor<T>{});
    WriteData<true, Layout>(y, arg, size_x, size_y, columns);
  }
}

/// The same for few rows of whole packs: a pack for each thread, and blockIdx.y is the row. `kFew`: each
/// block lets the next launch begin.
template <class T, bool kFew>
__global__ void BiasAddFewRows(const T* x, const T* bias, T* y, std::int64_t columns) {
  constexpr int kWidth = 16 / static_cast<int>(sizeof(T));
  wait_for_previous_grid();
  if constexpr (kFew) let_next_grid_begin(kEveryBlock);
  const std::int64_t column = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kWidth;
  if (column >= columns) return;
  const std::int64_t at = blockIdx.y * columns + column;
  const Pack<T, kWidth> value = load_pack<kWidth>(x + at), term = load_pack<kWidth>(bias + column);
  Pack<T, kWidth> sum;
  ElementwiseBinary(sum.at, value.at, term.at, AddFunctor<T>{});
  store_pack(y + at, sum);
}

/// y[i] = x[i] + bias[map.offset(i)] for i in [0, size), size <= 2^32: the matrix as one list, and
/// the bias through a map from the element to its column.
template <int VecSize, class Layout, class T>
__global__ void BiasAddBroadcast(const T* x, const T* bias, T* y, std::int64_t size,
                                 IndexMap<2> map) {
  wait_for_previous_grid();
  const std::int64_t tile = std::int64_t{blockDim.x} * VecSize;
  const std::int64_t offset = blockIdx.x * tile, num = size - offset;
  const auto first = static_cast<std::uint32_t>(offset);
  T arg[VecSize], term[VecSize];
  if (num >= tile) {
    ReadData<false, Layout>(arg, x + offset, num);
    ReadDataBc<false, Layout>(term, bias, first, map, num);
    ElementwiseBinary(arg, arg, term, AddFunctor<T>{});
    WriteData<false, Layout>(y + offset, arg, num);
  } else {
    Init(arg, 0.0f);
    Init(term, 0.0f);
    ReadData<true, Layout>(arg, x + offset, num);
    ReadDataBc<true, Layout>(term, bias, first, map, num);
    ElementwiseBinary(arg, arg, term, AddFunctor<T>{});
    WriteData<true, Layout>(y + offset, arg, num);
  }
}

// ---- Reductions -------------------------------------------------------------------------------

/// y[r][s] = op over the columns [s * chunk, (s + 1) * chunk) of x[r]: the inner dimension. Acc is
/// what is computed in. blockIdx.x counts the `splits` parts of a group of blockDim.y rows first.
//! [ReduceInner]
template <int VecSize, class Layout, class Acc, class InT, class OutT, class Op>
__global__ void ReduceInner(const InT* x, OutT* y, std::int64_t rows, std::int64_t columns,
                            std::int64_t chunk, unsigned splits, Op op) {
  wait_for_previous_grid();
  const unsigned split = blockIdx.x % splits;
  const std::int64_t row = std::int64_t{blockIdx.x / splits} * blockDim.y + threadIdx.y;
  const std::int64_t tile = std::int64_t{blockDim.x} * VecSize;
  const std::int64_t end = chunk < columns - split * chunk ? (split + 1) * chunk : columns;
  Acc total = Op::identity();
  if (row < rows) {
    const InT* from = x + row * columns;
    std::int64_t column = split * chunk;
    Acc arg[VecSize];
    for (; column + tile <= end; column += tile) {
      ReadData<false, Layout>(arg, from + column, tile);
      total = op(total, Reduce<kLocalMode>(arg, op));
    }
    if (column < end) {
      Init(arg, Op::identity());
      ReadData<true, Layout>(arg, from + column, end - column);
      total = op(total, Reduce<kLocalMode>(arg, op));
    }
  }
  const Acc result[1] = {Reduce<kGlobalMode>(total, op)};
  WriteData<true>(y + row * splits + split, result, row < rows ? 1 : 0);
}
//! [ReduceInner]

/// So few blocks that there is room for those of the next launch beside them (notes/few_rows.md).
inline constexpr int kFewBlocks = 64;
inline constexpr int kFewClusterBlocks = 128;

/// Lets the next launch begin, if this one has at most so many.
__device__ __forceinline__ void let_next_grid_begin_if_few(int blocks) {
  if (static_cast<int>(gridDim.x) <= blocks) let_next_grid_begin(blocks);
}

/// The threads of a block of ReduceLongRows, and the blocks that an SM has registers for.
inline constexpr int kReduceLongThreads = 512, kReduceLongBlocks = 2;

/// y[r] = op over x[r], for long rows that are whole tiles: a block for each, no parts, no guards
/// (which would need a register for each of VecSize elements). Without launch bounds ptxas keeps to
/// 32 registers, and has room for half of 8 loads: the others wait for the first additions.
template <int VecSize, class Layout, class Acc, class T, class Op>
__global__ void __launch_bounds__(kReduceLongThreads, kReduceLongBlocks)
    ReduceLongRows(const T* x, T* y, std::int64_t columns, Op op) {
  wait_for_previous_grid();
  let_next_grid_begin_if_few(kFewBlocks);
  x += blockIdx.x * columns;
  const std::int64_t tile = std::int64_t{blockDim.x} * VecSize;
  Acc total = Op::identity();
  for (std::int64_t column = 0; column < columns; column += tile) {
    Acc arg[VecSize];
    ReadData<false, Layout>(arg, x + column, tile);
    total = op(total, Reduce<kLocalMode>(arg, op));
  }
  const Acc result[1] = {Reduce<kGlobalMode>(total, op)};
  WriteData<true>(y + blockIdx.x, result, 1);
}

/// The same for rows of whole packs, as many as they are: a thread has kPacks at a time, blockDim.x apart, and asks of each
/// whether the row has it. So a block may have as many warps as the row needs, and no tile is half empty.
//! [ReduceRowsOfPacks]
template <int kPacks, class Acc, class T, class Op>
__global__ void __launch_bounds__(kReduceLongThreads, kReduceLongBlocks)
    ReduceRowsOfPacks(const T* x, T* y, int packs, Op op) {
  constexpr int kWidth = 16 / static_cast<int>(sizeof(T));
  wait_for_previous_grid();
  let_next_grid_begin_if_few(kFewBlocks);
  x += std::int64_t{blockIdx.x} * packs * kWidth;
  const int threads = static_cast<int>(blockDim.x);
  Acc total = Op::identity();
  for (int first = static_cast<int>(threadIdx.x); first < packs; first += kPacks * threads) {
    Pack<T, kWidth> held[kPacks];
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      const int pack = first + k * threads;
      if (pack < packs) held[k] = load_pack<kWidth>(x + std::int64_t{pack} * kWidth);
    }
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      Acc arg[kWidth];
#pragma unroll
      for (int j = 0; j < kWidth; ++j) {
        arg[j] = first + k * threads < packs ? Convert<Acc>(held[k].at[j]) : Op::identity();
      }
      total = op(total, Reduce<kLocalMode>(arg, op));
    }
  }
  const Acc result[1] = {Reduce<kGlobalMode>(total, op)};
  WriteData<true>(y + blockIdx.x, result, 1);
}
//! [ReduceRowsOfPacks]

/// y[s][c] = op over the rows of x[.][c] that part s has: the outer ("higher") dimension. A block
/// has NX * blockDim.x columns and one of the parts; it reads NY * blockDim.y rows at a time, every
/// `parts`-th such tile, so that all blocks together go through memory from its beginning to its
/// end. The threads of a column meet when all is read. blockIdx.x counts the `column_tiles` tiles
/// of a row first; the grid has that many times as many blocks as there are parts. With a layout
/// that keeps a thread's columns side by side, `columns` is a multiple of NX.
template <int NX, int NY, class Layout, class Acc, class InT, class OutT, class Op>
__global__ void ReduceOuter(const InT* x, OutT* y, std::int64_t rows, std::int64_t columns,
                            unsigned column_tiles, Op op) {
  wait_for_previous_grid();
  constexpr int kMaxThreads = 512;
  const std::int64_t tile_x = std::int64_t{blockDim.x} * NX, tile_y = std::int64_t{blockDim.y} * NY;
  const std::int64_t part = blockIdx.x / column_tiles, parts = gridDim.x / column_tiles;
  const std::int64_t column = blockIdx.x % column_tiles * tile_x, size_x = columns - column;
  std::int64_t row = part * tile_y;
  Acc total[NX], tile[NX], arg[NY][NX];
  Init(total, Op::identity());
  // Columns side by side, and a multiple of NX in all: of a thread's columns all exist, or none.
  constexpr bool kAllOrNone = detail::kWidth<Layout, NX, InT> == NX;
  const bool exists = ElementIndex<InT, NX, Layout>(0) < size_x;
  if (kAllOrNone || size_x >= tile_x) {
    for (; row + tile_y <= rows; row += parts * tile_y) {
      if (!exists) continue;
      ReadData<false, Layout>(arg, x + row * columns + column, size_x, tile_y, columns);
      Reduce<kLocalMode, Axis::y>(tile, arg, op);
      ElementwiseBinary(total, total, tile, op);
    }
  }
  // At the edges two rows at a time: guards for a whole tile would take registers, and those are
  // given to a kernel as a whole.
  for (; row < rows; row += parts * tile_y) {
    const std::int64_t end = row + tile_y < rows ? row + tile_y : rows;
    Acc edge[2][NX];
    for (std::int64_t first = row; first < end; first += std::int64_t{blockDim.y} * 2) {
      Init(edge, Op::identity());
      ReadData<true, Layout>(edge, x + first * columns + column, size_x, end - first, columns);
      Reduce<kLocalMode, Axis::y>(tile, edge, op);
      ElementwiseBinary(total, total, tile, op);
    }
  }
  Reduce<kGlobalMode, Axis::y, kMaxThreads>(total, total, op);
  if (threadIdx.y != 0) return;
  y += part * columns + column;
  if (size_x >= tile_x) {
    WriteData<false, Layout>(y, total, size_x);
  } else {
    WriteData<true, Layout>(y, total, size_x);
  }
}

// ---- Softmax ----------------------------------------------------------------------------------

/// e^(x - max).
struct ExpAbove {
  float max;
  __device__ __forceinline__ float operator()(float x) const {
    return exp2_approx((x - max) * kLog2E);
  }
};

/// x * factor.
struct Times {
  float factor;
  __device__ __forceinline__ float operator()(float x) const { return x * factor; }
};

/// y[r] = softmax(x[r]) for rows that the threads of a row hold at once, columns <= VecSize *
/// blockDim.x. First the maximum, then the sum: two reductions, four barriers.
//! [SoftmaxTwoReductions]
template <int VecSize, bool IsBoundary, class Layout, class T>
__global__ void SoftmaxTwoReductions(const T* x, T* y, std::int64_t rows, std::int64_t columns) {
  wait_for_previous_grid();
  const std::int64_t row = row_of_thread();
  float arg[VecSize];
  Init(arg, MaxFunctor<float>::identity());
  if (row < rows) ReadData<IsBoundary, Layout>(arg, x + row * columns, columns);
  const MaxFunctor<float> max;
  const AddFunctor<float> add;
  const float row_max = Reduce<kGlobalMode>(Reduce<kLocalMode>(arg, max), max);
  ElementwiseUnary(arg, arg, ExpAbove{row_max});
  const float sum = Reduce<kGlobalMode>(Reduce<kLocalMode>(arg, add), add);
  ElementwiseUnary(arg, arg, Times{1.0f / sum});
  if (row < rows) WriteData<IsBoundary, Layout>(y + row * columns, arg, columns);
}
//! [SoftmaxTwoReductions]

/// The largest of some numbers and the sum of e^(x - max) over them, in one word that shuffles.
struct MaxAndSum {
  float max, sum;
};
__device__ __forceinline__ std::uint64_t pack_max_and_sum(MaxAndSum v) {
  return std::uint64_t{__float_as_uint(v.max)} << 32 | __float_as_uint(v.sum);
}
__device__ __forceinline__ MaxAndSum unpack_max_and_sum(std::uint64_t word) {
  return {__uint_as_float(static_cast<unsigned>(word >> 32)),
          __uint_as_float(static_cast<unsigned>(word))};
}

/// Puts two such pairs together: the sum below the smaller maximum is brought up to the larger one.
/// Associative and commutative but for rounding. Equal maxima are not subtracted: two of minus
/// infinity would make a NaN.
struct OnlineSoftmaxFunctor {
  __device__ __forceinline__ std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    const MaxAndSum u = unpack_max_and_sum(a), v = unpack_max_and_sum(b);
    const float max = MaxFunctor<float>{}(u.max, v.max);
    const float scale = u.max == v.max ? 1.0f : ExpAbove{max}(fminf(u.max, v.max));
    const bool u_leads = u.max == max;
    const float sum = fmaf(u_leads ? v.sum : u.sum, scale, u_leads ? u.sum : v.sum);
    return pack_max_and_sum({max, sum});
  }
  __device__ __forceinline__ static std::uint64_t identity() {
    return pack_max_and_sum({MaxFunctor<float>::identity(), 0.0f});
  }
};

/// What the exponent is taken above: a thread that holds nothing but minus infinity (or nothing at
/// all) has no maximum to subtract.
__device__ __forceinline__ float finite_base(float max) {
  return max == MaxFunctor<float>::identity() ? 0.0f : max;
}

/// The same in one reduction: every thread takes its exponentials above a maximum of its own, and
/// corrects them by one factor when the row's is known. One exponential an element, two barriers.
template <int VecSize, bool IsBoundary, class Layout, class T>
__global__ void SoftmaxOnline(const T* x, T* y, std::int64_t rows, std::int64_t columns) {
  wait_for_previous_grid();
  const std::int64_t row = row_of_thread();
  float arg[VecSize];
  Init(arg, MaxFunctor<float>::identity());
  if (row < rows) ReadData<IsBoundary, Layout>(arg, x + row * columns, columns);
  const float mine = Reduce<kLocalMode>(arg, MaxFunctor<float>{});
  ElementwiseUnary(arg, arg, ExpAbove{finite_base(mine)});
  const float sum = Reduce<kLocalMode>(arg, AddFunctor<float>{});
  const MaxAndSum all = unpack_max_and_sum(
      Reduce<kGlobalMode>(pack_max_and_sum({mine, sum}), OnlineSoftmaxFunctor{}));
  ElementwiseUnary(arg, arg, Times{ExpAbove{all.max}(mine) / all.sum});
  if (row < rows) WriteData<IsBoundary, Layout>(y + row * columns, arg, columns);
}

/// What a thread takes its exponentials above, from tile to tile: a maximum, until another exceeds it by more than
/// kMost. A sum that followed each rising maximum would be rounded once more for every tile; so it is for those
/// alone that leave e^-kMost of it.
struct Base {
  static constexpr float kMost = 1.0f;
  float value = MaxFunctor<float>::identity();
  __device__ __forceinline__ float above(float max) {
    return value = max > value + kMost ? max : value;
  }
};

/// The lanes' pairs put together: the maximum first, so that each sum is brought up to it once (notes/few_rows.md).
__device__ __forceinline__ std::uint64_t reduce_pairs_in_warp(std::uint64_t mine) {
  const MaxAndSum v = unpack_max_and_sum(mine);
  const auto in_order = [](int bits) { return bits ^ (bits >> 31 & 0x7fffffff); };  // as the floats
  const float max = __int_as_float(in_order(warp_max(in_order(__float_as_int(v.max)))));
  const float sum = v.max == max ? v.sum : v.sum * ExpAbove{max}(v.max);
  return pack_max_and_sum({max, detail::reduce_lanes(sum, AddFunctor<float>{})});
}

/// The same of a block of whole warps, once in a kernel.
__device__ __forceinline__ std::uint64_t reduce_pairs_in_block(std::uint64_t mine) {
  __shared__ std::uint64_t of_warp[32];
  const unsigned lane = threadIdx.x % 32, warps = blockDim.x / 32;
  mine = reduce_pairs_in_warp(mine);
  if (lane == 0) of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  return reduce_pairs_in_warp(lane < warps ? of_warp[lane] : OnlineSoftmaxFunctor::identity());
}

/// The same of a row of threads: a warp, of perhaps several in a block, or a block.
__device__ __forceinline__ MaxAndSum reduce_pairs_of_row(std::uint64_t mine) {
  return unpack_max_and_sum(blockDim.x == 32 ? reduce_pairs_in_warp(mine)
                                             : reduce_pairs_in_block(mine));
}

/// The pair of maximum and sum of a row that a cluster has, from those of its threads, all of which came to
/// exchange.begin() before.
__device__ __forceinline__ MaxAndSum combine_in_cluster(std::uint64_t mine,
                                                        Exchange<std::uint64_t>& exchange) {
  exchange.all(reduce_pairs_in_block(mine));
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t one =
      lane < cluster_blocks() ? exchange.of_blocks[lane] : OnlineSoftmaxFunctor::identity();
  return unpack_max_and_sum(reduce_pairs_in_warp(one));
}

/// The softmax of a row that a cluster of blocks holds, which is read once: x and y are where the block's share of the row
/// begins, `count` packs. Each thread holds kHeld of them in its registers, which all blocks must have, and copies others to
/// shared memory for itself, all at once; so nobody waits until the pairs of maximum and sum meet: in a block, and then in
/// the cluster. `single`: an element of the row beside all packs that the calling thread has too, or null; its result goes
/// to `to`.
template <int kThreads, int kHeld, class T>
__device__ __forceinline__ void softmax_of_share(const T* x, T* y, int count,
                                                 const T* single = nullptr, T* to = nullptr) {
  static_assert(kHeld % 2 == 0);
  using Packed = Pack<T, 16 / sizeof(T)>;
  constexpr int kWidth = 16 / sizeof(T);
  DYNAMIC_SHARED(Packed, shared);
  __shared__ Exchange<std::uint64_t> exchange;
  const int mine = static_cast<int>(threadIdx.x);
  const int in_shared = count - kHeld * kThreads;  // the packs behind them are in registers
  Packed held[kHeld + 2];                          // an array has at least one
#pragma unroll
  for (int v = 0; v < kHeld; ++v) {
    held[v] = load_pack<kWidth>(x + (in_shared + v * kThreads + mine) * kWidth);
  }
  for (int i = mine; i < in_shared; i += kThreads) copy_async(shared + i, x + i * kWidth);
  float of_single = MaxFunctor<float>::identity();
  if (single != nullptr) of_single = Convert<float>(*single);
  exchange.begin();
  // Two packs at a time, the second perhaps not there: use(a, b, the place of a, whether b is there).
  const auto each_two = [&](auto use) {
#pragma unroll
    for (int v = 0; v < kHeld; v += 2) {
      use(held[v], held[v + 1], in_shared + v * kThreads + mine, true);
    }
    for (int i = mine; i < in_shared; i += 2 * kThreads) {
      const bool both = i + kThreads < in_shared;
      const Packed a = shared[i], b = shared[both ? i + kThreads : i];  // whole packs
      use(a, b, i, both);
    }
  };
  const auto floats_of = [](const Packed& a, const Packed& b, bool both, float(&arg)[2 * kWidth]) {
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
      arg[k] = Convert<float>(a.at[k]);
      arg[kWidth + k] = both ? Convert<float>(b.at[k]) : MaxFunctor<float>::identity();
    }
  };
  const OnlineSoftmaxFunctor online;
  std::uint64_t running = online.identity();
  Base base;
  float arg[2 * kWidth];
  if (single != nullptr) {
    const float above = base.above(of_single);
    running = pack_max_and_sum({above, ExpAbove{finite_base(above)}(of_single)});
  }
  wait_for_copies();
  each_two([&](const Packed& a, const Packed& b, int, bool both) {
    floats_of(a, b, both, arg);
    const float above = base.above(Reduce<kLocalMode>(arg, MaxFunctor<float>{}));
    ElementwiseUnary(arg, arg, ExpAbove{finite_base(above)});
    running =
        online(running, pack_max_and_sum({above, Reduce<kLocalMode>(arg, AddFunctor<float>{})}));
  });
  const MaxAndSum all = combine_in_cluster(running, exchange);
  const Times scale{1.0f / all.sum};
  if (single != nullptr) *to = Convert<T>(scale(ExpAbove{all.max}(of_single)));
  each_two([&](const Packed& a, const Packed& b, int at, bool both) {
    floats_of(a, b, both, arg);
    ElementwiseUnary(arg, arg, ExpAbove{all.max});
    ElementwiseUnary(arg, arg, scale);
    Packed result[2];
#pragma unroll
    for (int k = 0; k < 2 * kWidth; ++k) result[k / kWidth].at[k % kWidth] = Convert<T>(arg[k]);
    store_pack(y + at * kWidth, result[0]);
    if (both) store_pack(y + (at + kThreads) * kWidth, result[1]);
  });
}

/// Long rows that are whole packs, by a cluster each. A block has `share` of the packs, the last one perhaps less. A
/// multiprocessor has registers for kBlocks blocks.
template <int kThreads, int kHeld, int kBlocks, class T>
__global__ void __launch_bounds__(kThreads, kBlocks)
    SoftmaxCluster(const T* x, T* y, int packs, int share) {
  constexpr int kWidth = 16 / sizeof(T);
  const int first = static_cast<int>(cluster_rank()) * share, left = packs - first;
  const std::int64_t begin = (std::int64_t{blockIdx.x / cluster_blocks()} * packs + first) * kWidth;
  wait_for_previous_grid();
  softmax_of_share<kThreads, kHeld>(x + begin, y + begin, left < share ? left : share);
}

/// The most threads of a block of SoftmaxHeldCluster.
inline constexpr int kHeldClusterThreads = 512;

/// As softmax_of_share, with all packs of the share in registers: kPacks a thread. A thread takes its exponentials above its
/// own maximum, and corrects them by one factor when the pairs have met. kSingle: whether there may be a single element; known
/// to the compiler, it saves registers.
template <int kPacks, bool kSingle = false, class T>
__device__ __forceinline__ void softmax_of_held(const T* x, T* y, int count,
                                                const T* single = nullptr, T* to = nullptr) {
  constexpr int kWidth = 16 / sizeof(T);
  __shared__ Exchange<std::uint64_t> exchange;
  const bool has_single = kSingle && single != nullptr;
  const auto place = [](int v) { return static_cast<int>(v * blockDim.x + threadIdx.x); };
  Pack<T, kWidth> held[kPacks];
  // No branch: the first pack again in place of what is not there.
#pragma unroll
  for (int v = 0; v < kPacks; ++v) {
    held[v] = load_pack<kWidth>(x + (place(v) < count ? place(v) : 0) * kWidth);
  }
  float of_single = MaxFunctor<float>::identity();
  if (has_single) of_single = Convert<float>(*single);
  let_next_grid_begin_if_few(kFewClusterBlocks);
  exchange.begin();
  float arg[kPacks * kWidth];
#pragma unroll
  for (int k = 0; k < kPacks * kWidth; ++k) {
    arg[k] = place(k / kWidth) < count ? Convert<float>(held[k / kWidth].at[k % kWidth])
                                       : MaxFunctor<float>::identity();
  }
  float mine = Reduce<kLocalMode>(arg, MaxFunctor<float>{});
  if (has_single) mine = MaxFunctor<float>{}(mine, of_single);
  ElementwiseUnary(arg, arg, ExpAbove{finite_base(mine)});
  float sum = Reduce<kLocalMode>(arg, AddFunctor<float>{});
  if (has_single) sum += of_single = ExpAbove{finite_base(mine)}(of_single);
  const MaxAndSum all = combine_in_cluster(pack_max_and_sum({mine, sum}), exchange);
  const Times scale{ExpAbove{all.max}(mine) / all.sum};
  ElementwiseUnary(arg, arg, scale);
  if (has_single) *to = Convert<T>(scale(of_single));
#pragma unroll
  for (int v = 0; v < kPacks; ++v) {
    if (place(v) < count) {
      detail::write_vector<kWidth>(y + place(v) * kWidth, arg + v * kWidth);
    }
  }
}

/// Few rows that are whole packs, by a cluster each.
template <int kPacks, class T>
__global__ void __launch_bounds__(kHeldClusterThreads)
    SoftmaxHeldCluster(const T* x, T* y, int packs, int share) {
  constexpr int kWidth = 16 / sizeof(T);
  const int first = static_cast<int>(cluster_rank()) * share, left = packs - first;
  const std::int64_t begin = (std::int64_t{blockIdx.x / cluster_blocks()} * packs + first) * kWidth;
  wait_for_previous_grid();
  softmax_of_held<kPacks>(x + begin, y + begin, left < share ? left : share);
}

// ---- Running sums -----------------------------------------------------------------------------

/// y[r][c] = x[r][0] + ... + x[r][c], for rows that fill the registers of their threads. Acc is what is computed in.
//! [CumsumRows]
template <int VecSize, class Layout, class Acc, class T>
__global__ void CumsumRows(const T* x, T* y, std::int64_t rows, std::int64_t columns) {
  wait_for_previous_grid();
  const std::int64_t row = row_of_thread();
  Acc arg[VecSize];
  Init(arg, AddFunctor<Acc>::identity());
  if (row < rows) ReadData<false, Layout>(arg, x + row * columns, columns);
  Cumsum<Layout>(arg, arg, AddFunctor<Acc>{});
  if (row < rows) WriteData<false, Layout>(y + row * columns, arg, columns);
}
//! [CumsumRows]

/// The threads of a block of CumsumCluster, and the packs of a tile that each has.
inline constexpr int kCumsumClusterThreads = 256, kCumsumClusterPacks = 4;

/// Rows that are whole packs, by a cluster of blocks each, which read it once: a block has `share` of its packs, one tile
/// in registers, or in shared memory as many as fit. It adds them up, tells all blocks the total, and scans with the
/// totals of those before it as the carry.
template <bool kInRegisters, class Acc, class T>
__global__ void __launch_bounds__(kCumsumClusterThreads)
    CumsumCluster(const T* x, T* y, int packs, int share) {
  using Packed = Pack<T, 16 / sizeof(T)>;
  constexpr int kWidth = 16 / sizeof(T), kThreads = kCumsumClusterThreads;
  constexpr int kPacks = kCumsumClusterPacks, kTile = kThreads * kPacks;
  DYNAMIC_SHARED(Packed, held);
  __shared__ Exchange<Acc> totals;
  const unsigned blocks = cluster_blocks(), rank = cluster_rank();
  const int first = static_cast<int>(rank) * share, left = packs - first;
  const int count = left < share ? left : share, mine = static_cast<int>(threadIdx.x);
  const std::int64_t begin = (std::int64_t{blockIdx.x / blocks} * packs + first) * kWidth;
  const AddFunctor<Acc> add;
  Acc arg[kPacks * kWidth];
  // The tile as Interleaved deals it; of packs that are not there, zeros.
  const auto read = [&](int tile, auto pack_at) {
#pragma unroll
    for (int v = 0; v < kPacks; ++v) {
      const int i = tile + v * kThreads + mine;
      Packed pack = {};
      if (i < count) pack = pack_at(i);
#pragma unroll
      for (int k = 0; k < kWidth; ++k) arg[v * kWidth + k] = Convert<Acc>(pack.at[k]);
    }
  };
  const auto of_shared = [&](int i) { return held[i]; };
  wait_for_previous_grid();
  Acc total = add.identity();
  if constexpr (kInRegisters) {
    read(0, [&](int i) { return load_pack<kWidth>(x + begin + i * kWidth); });
    let_next_grid_begin_if_few(kFewClusterBlocks);
    totals.begin();
    total = Reduce<kLocalMode>(arg, add);
  } else {
    for (int i = mine; i < count; i += kThreads) copy_async(held + i, x + begin + i * kWidth);
    totals.begin();
    wait_for_copies();
    for (int tile = 0; tile < count; tile += kTile) {
      read(tile, of_shared);
      total = add(total, Reduce<kLocalMode>(arg, add));
    }
  }
  totals.all(Reduce<kGlobalMode>(total, add));
  Acc carry = add.identity();
  for (unsigned before = 0; before < rank; ++before) carry = add(carry, totals.of_blocks[before]);
  for (int tile = 0; tile < count; tile += kTile) {
    if constexpr (!kInRegisters) read(tile, of_shared);
    carry = Cumsum<Interleaved<T>>(arg, arg, add, carry);
#pragma unroll
    for (int v = 0; v < kPacks; ++v) {
      const int i = tile + v * kThreads + mine;
      Packed pack;
#pragma unroll
      for (int k = 0; k < kWidth; ++k) pack.at[k] = Convert<T>(arg[v * kWidth + k]);
      if (i < count) store_pack(y + begin + i * kWidth, pack);
    }
  }
}

// ---- Sorted rows ------------------------------------------------------------------------------

/// The layout in which a sorted row is written. A row of one warp is rearranged through shared
/// memory, so that a warp's stores are contiguous. The tile of a larger block would not fit beside
/// the sort's own shared memory; its threads write 16 bytes at a time, with gaps between the lanes.
template <int SortThreads, class Layout>
using SortedLayout = std::conditional_t<SortThreads == 32, Layout, Adjacent>;

/// y[r] = x[r] in ascending order, for rows that the threads of a row hold at once. SortThreads:
/// 32 where each row has one warp, in blocks of BlockThreads; else BlockThreads.
//! [SortRows]
template <int VecSize, int SortThreads, int BlockThreads, bool IsBoundary, class Layout, class T>
__global__ void SortRows(const T* x, T* y, std::int64_t rows, std::int64_t columns) {
  wait_for_previous_grid();
  using Written = SortedLayout<SortThreads, Layout>;
  const std::int64_t row = row_of_thread();
  T keys[VecSize];
  Init(keys, 0);
  if (row < rows) ReadData<IsBoundary, Layout>(keys, x + row * columns, columns);
  Sort<Layout, false, SortThreads>(keys, columns);
  Rearrange<Adjacent, Written, BlockThreads>(keys);
  if (row < rows) WriteData<IsBoundary, Written>(y + row * columns, keys, columns);
}
//! [SortRows]

/// The same, and index[r] says which column each came from; equal keys keep their order.
template <int VecSize, int SortThreads, int BlockThreads, bool IsBoundary, class Layout, class T>
__global__ void SortRowsWithIndex(const T* x, T* y, std::int32_t* index, std::int64_t rows,
                                  std::int64_t columns) {
  wait_for_previous_grid();
  using Written = SortedLayout<SortThreads, Layout>;
  const std::int64_t row = row_of_thread();
  T keys[VecSize];
  std::int32_t from[VecSize];
  Init(keys, 0);
  if (row < rows) ReadData<IsBoundary, Layout>(keys, x + row * columns, columns);
  Sort<Layout, false, SortThreads>(keys, from, columns);
  Rearrange<Adjacent, Written, BlockThreads>(keys);
  Rearrange<Adjacent, Written, BlockThreads>(from);
  if (row >= rows) return;
  WriteData<IsBoundary, Written>(y + row * columns, keys, columns);
  WriteData<IsBoundary, Written>(index + row * columns, from, columns);
}

}  // namespace tutorial::primitives
