// Elementwise operations on two tensors that broadcast, as fast as memory allows: what
// launch_broadcast() does with a Broadcast (broadcast.h) and any `Out op(In, In)`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "common/any_address.cuh"
#include "common/broadcast.h"
#include "common/fast_division.h"
#include "common/launch.cuh"
#include "common/pack.cuh"
#include "common/refusal.h"
#include "common/strided.cuh"

// Eight kernels, in the order in which they are tried. (The last comes first where the result is not aligned to its packs,
// or a row is shorter than one.)
// - elementwise_pack_binary_kernel: nothing is broadcast.
// - elementwise_any_address_kernel (any_address.cuh): the same, but a pointer does not fit its packs.
// - broadcast_pack_kernel: the innermost dimension is a whole number of packs, so that a pack lies
//   within one row: an operand gives a pack as one wide load, or one element for all of it. One
//   pack a thread, in up to three dimensions.
// - broadcast_steps_kernel: the same, several packs a thread or more dimensions.
// - broadcast_row_kernel: rows that are no whole packs, elements of two bytes or results of one. One operand
//   lies as the result does, the other is a single row.
// - strided_flat_kernel (strided.cuh): other rows that are no whole packs. An operand lies as the result
//   does, has one element for a row, or a row's elements side by side, which are loaded one by one.
// - strided_pieces_kernel (strided.cuh): the same of large tensors. They are loaded in pieces.
// - broadcast_any_kernel: rows of any length, pointers of any alignment; and rows that are no packs
//   where several packs a thread pay (pays_by_steps()).
// All indices have 32 bits; what is larger is cut into parts on the host.

namespace tutorial {

/// out[i] = op(in0[i], in1[i]) for i in [0, n), W elements a thread.
///
/// Aligned: in0 and in1 to kPackAlignment<In, W>, out to kPackAlignment<Out, W>. Each element of the
/// tail has a thread of its own.
template <int W, class In, class Out, class Op>
__global__ void elementwise_pack_binary_kernel(const In* in0, const In* in1, Out* out,
                                               std::int64_t n, Op op) {
  wait_for_previous_grid();
  let_next_grid_begin();
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t i = thread * W;
  if (i + W <= n) {
    const Pack<In, W> a = load_pack<W>(in0 + i);
    const Pack<In, W> b = load_pack<W>(in1 + i);
    store_pack(out + i, apply<Out>(op, a, b));
  } else if (const std::int64_t k = tail_element<W>(thread, n); k < n) {
    out[k] = op(in0[k], in1[k]);
  }
}

/// The dimensions as a kernel walks them: innermost first, strides in elements for one step. Fewer than
/// 2^31 elements. (Why it is no StridedWalk: 04_arithmetic/notes/any_stride.md, "Two loops".)
struct BroadcastWalk {
  /// Side by side, because kernel parameters come through a cache, 64 bytes at a time.
  struct Dimension {
    FastDivisor size;
    std::uint32_t in0 = 0, in1 = 0, out = 0;
  };
  int rank = 0;  ///< 1 or more
  Dimension at[kMaxDimensions];
};

/// Where one element or pack lies: offsets in elements.
struct BroadcastOffsets {
  std::uint32_t in0 = 0;
  std::uint32_t in1 = 0;
  std::uint32_t out = 0;
  std::uint32_t outermost = 0;  ///< the coordinate in the walk's last dimension
};

/// The offsets of the `index`-th step of the walk: a division for each dimension but the last.
/// `known`: the walk's rank where the compiler knows it, else 0.
template <int known = 0>
__device__ __forceinline__ BroadcastOffsets locate(const BroadcastWalk& walk, std::uint32_t index) {
  BroadcastOffsets at;
  // Unrolled, so that each dimension's numbers are operands in constant memory.
#pragma unroll
  for (int d = 0; d < kMaxDimensions; ++d) {
    const bool last = d == (known > 0 ? known : walk.rank) - 1;
    const DivMod step = last ? DivMod{0, index} : walk.at[d].size.divmod(index);
    at.in0 += step.remainder * walk.at[d].in0;
    at.in1 += step.remainder * walk.at[d].in1;
    at.out += step.remainder * walk.at[d].out;
    if (last) break;
    index = step.quotient;
  }
  at.outermost = index;
  return at;
}

/// Whether two addresses differ in bit 63, which no two of one process do.
__device__ __forceinline__ bool differ_in_top_bit(const void* a, const void* b) {
  return ((reinterpret_cast<std::uint64_t>(a) ^ reinterpret_cast<std::uint64_t>(b)) >> 63) != 0;
}

/// How an operand gives a pack: `vector`, W elements that lie side by side; `single`, one element
/// for all W, because it is broadcast along the innermost dimension.
enum class Along { vector, single };

template <int W, Along along, class In>
__device__ __forceinline__ Pack<In, W> load_along(const In* from) {
  if constexpr (along == Along::vector) {
    return load_pack<W>(from);
  } else {
    return splat<W>(*from);
  }
}

/// One pack of W results a thread, the walk in the result's order. `rank`: that of the walk, or 2 for
/// a walk of one dimension, whose index has no quotient.
template <int W, Along along0, Along along1, int rank, class In, class Out, class Op>
__global__ void broadcast_pack_kernel(const In* in0, const In* in1, Out* out, std::uint32_t packs,
                                      Op op, BroadcastWalk walk) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= packs) return;
  const BroadcastOffsets at = locate<rank>(walk, i);
  const In* const from0 = in0 + at.in0;
  const In* const from1 = in1 + at.in1;
  // Never so. But it needs the addresses; without it, the compiler fetches the pointers after the
  // wait, and a launch of 2^20 results takes 0.1 us more.
  if (differ_in_top_bit(from0, from1)) return;
  wait_for_previous_grid();
  let_next_grid_begin();
  const Pack<In, W> a = load_along<W, along0>(from0);
  const Pack<In, W> b = load_along<W, along1>(from1);
  store_pack(out + i * W, apply<Out>(op, a, b));
}

/// What broadcast_steps_kernel repeats along the walk's last dimension. `packs` is how many of its
/// `extent` elements a thread does, `in0`, `in1` and `out` what one of them is in memory.
struct BroadcastSteps {
  std::uint32_t packs = 1;
  std::uint32_t extent = 1;
  std::uint32_t in0 = 0;
  std::uint32_t in1 = 0;
  std::uint32_t out = 0;
};

/// How many packs a thread of broadcast_steps_kernel takes at most: two where a pack has 16 bytes of
/// results (of four, only halves gain, on one GPU of two), else up to eight and 64 bytes.
template <int W, class Out>
inline constexpr int kMostSteps = W * sizeof(Out) >= 16 ? 2
                                                        : std::min(8, 64 / (W * int{sizeof(Out)}));

/// One pack of W results per step; a thread computes its offsets once and takes `packs` of them
/// along the walk's last dimension. An operand that is broadcast along it stays in registers, or in
/// the L1. Two packs are loaded before the first store, which the compiler must not exchange: it
/// does not know that `out` is no operand.
template <int W, Along along0, Along along1, class In, class Out, class Op>
__global__ void broadcast_steps_kernel(const In* in0, const In* in1, Out* out,
                                       std::uint32_t threads, Op op, BroadcastSteps step,
                                       BroadcastWalk walk) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  BroadcastOffsets at = locate(walk, thread);
  wait_for_previous_grid();  // arithmetic need not wait
  let_next_grid_begin();
  const std::uint32_t left = step.extent - at.outermost * step.packs;
  const std::uint32_t count = left < step.packs ? left : step.packs;
  Pack<In, W> a = load_along<W, along0>(in0 + at.in0);
  Pack<In, W> b = load_along<W, along1>(in1 + at.in1);
  if constexpr (kMostSteps<W, Out> == 2) {
    Pack<In, W> next_a{}, next_b{};
    if (count == 2) next_a = load_along<W, along0>(in0 + at.in0 + step.in0);
    if (count == 2) next_b = load_along<W, along1>(in1 + at.in1 + step.in1);
    store_pack(out + at.out, apply<Out>(op, a, b));
    if (count == 2) store_pack(out + at.out + step.out, apply<Out>(op, next_a, next_b));
  } else {
    for (std::uint32_t s = 1;; ++s) {
      store_pack(out + at.out, apply<Out>(op, a, b));
      if (s == count) break;
      at.out += step.out;
      at.in0 += step.in0;
      at.in1 += step.in1;
      if (step.in0 != 0) a = load_along<W, along0>(in0 + at.in0);
      if (step.in1 != 0) b = load_along<W, along1>(in1 + at.in1);
    }
  }
}

/// How broadcast_any_kernel finds its elements.
struct BroadcastRows {
  BroadcastWalk outer;        ///< the dimensions above the innermost, for one row
  FastDivisor columns;        ///< the innermost extent
  std::uint32_t stride0 = 0;  ///< an operand's stride along a row: 0 or 1
  std::uint32_t stride1 = 0;
  bool whole0 = false;  ///< the operand is not broadcast, and aligned to the pack
  bool whole1 = false;
  FastDivisor period;         ///< packs in a slab, below
  BroadcastSteps step;        ///< how far a thread's packs lie apart
  std::uint32_t threads = 0;  ///< those that have a pack
};

/// Where W consecutive results, from the `i`-th on, find one operand: rows of W columns or more, of
/// which a pack meets the end of at most one.
template <int W>
struct LongRows {
  std::uint32_t begin, next;  ///< offset of the first element; of the next row, less what precedes
  std::uint32_t left;         ///< elements until the row ends
  std::uint32_t stride;

  __device__ __forceinline__ LongRows(const BroadcastRows& rows, std::uint32_t i,
                                      std::uint32_t BroadcastOffsets::*operand, std::uint32_t along)
      : stride(along) {
    const DivMod place = rows.columns.divmod(i);
    begin = locate(rows.outer, place.quotient).*operand + place.remainder * stride;
    left = rows.columns.divisor() - place.remainder;
    next = begin;
    if (left < W) next = locate(rows.outer, place.quotient + 1).*operand - left * stride;
  }

  template <class In>
  __device__ __forceinline__ Pack<In, W> gather(const In* in) const {
    Pack<In, W> pack;
    if (stride == 0) {
      const In first = in[begin], second = in[next];
#pragma unroll
      for (std::uint32_t k = 0; k < W; ++k) pack.at[k] = k < left ? first : second;
    } else {
#pragma unroll
      for (std::uint32_t k = 0; k < W; ++k) pack.at[k] = in[(k < left ? begin : next) + k];
    }
    return pack;
  }
};

/// The same for rows of fewer than W columns: an offset for each element.
template <int W>
struct ShortRows {
  std::uint32_t at[W];

  __device__ __forceinline__ ShortRows(const BroadcastRows& rows, std::uint32_t i,
                                       std::uint32_t BroadcastOffsets::*operand,
                                       std::uint32_t stride) {
#pragma unroll
    for (std::uint32_t k = 0; k < W; ++k) {
      const DivMod place = rows.columns.divmod(i + k);
      at[k] = locate(rows.outer, place.quotient).*operand + place.remainder * stride;
    }
  }

  template <class In>
  __device__ __forceinline__ Pack<In, W> gather(const In* in) const {
    Pack<In, W> pack;
#pragma unroll
    for (int k = 0; k < W; ++k) pack.at[k] = in[at[k]];
    return pack;
  }
};

/// W consecutive results, wherever the rows begin and end. An operand that is not broadcast is read
/// as packs, the other one element at a time. A thread takes several packs, each one slab (as many
/// steps of the outermost dimension as make a whole number of packs) from the one before: they meet
/// the ends of rows in the same places, which it finds once.
template <int W, template <int> class Rows, class In, class Out, class Op>
__global__ void broadcast_any_kernel(const In* in0, const In* in1, Out* out, std::uint32_t n,
                                     BroadcastRows rows, Op op) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= rows.threads) return;
  wait_for_previous_grid();
  const DivMod place = rows.period.divmod(thread);
  std::uint32_t i = place.quotient * rows.step.packs * rows.step.out + place.remainder * W;
  std::uint32_t s = 0;
  if (i + W <= n) {
    const Rows<W> rows0(rows, i, &BroadcastOffsets::in0, rows.stride0);
    const Rows<W> rows1(rows, i, &BroadcastOffsets::in1, rows.stride1);
    Pack<In, W> a = rows.whole0 ? load_pack<W>(in0 + i) : rows0.gather(in0);
    Pack<In, W> b = rows.whole1 ? load_pack<W>(in1 + i) : rows1.gather(in1);
    while (true) {
      store_pack(out + i, apply<Out>(op, a, b));
      ++s;
      i += rows.step.out;
      if (s == rows.step.packs || i + W > n) break;
      if (rows.whole0) {
        a = load_pack<W>(in0 + i);
      } else if (rows.step.in0 != 0) {
        a = rows0.gather(in0 + s * rows.step.in0);
      }
      if (rows.whole1) {
        b = load_pack<W>(in1 + i);
      } else if (rows.step.in1 != 0) {
        b = rows1.gather(in1 + s * rows.step.in1);
      }
    }
  }
  if (s == rows.step.packs) return;
  for (; i < n; ++i) {  // the tail: one pack of the whole launch
    const LongRows<1> at0(rows, i, &BroadcastOffsets::in0, rows.stride0);
    const LongRows<1> at1(rows, i, &BroadcastOffsets::in1, rows.stride1);
    out[i] = op(in0[at0.begin], in1[at1.begin]);
  }
}

/// W elements of a row of `columns`, from `column` on; behind its end it begins anew.
template <int W, class In>
__device__ __forceinline__ Pack<In, W> load_around(const In* row, std::uint32_t column,
                                                   std::uint32_t columns) {
  if constexpr (sizeof(In) > 1) {  // bytes take less time one by one
    const In* const first = row + column;
    if (is_inside<In, W>(column, Pieces<In, W>::shift_of(first), columns)) {
      return pack_of(load_pieces<W>(first, 0));
    }
  }
  Pack<In, W> pack;
#pragma unroll
  for (int k = 0; k < W; ++k) {
    pack.at[k] = row[column];
    if (++column == columns) column = 0;
  }
  return pack;
}

/// One pack of W results a thread. One operand lies as the result does; the other, in0 if kRowFirst,
/// is a row that repeats.
///
/// `out` and the operand that lies as it does are aligned to their packs; they may be the same.
template <int W, bool kRowFirst, class In, class Out, class Op>
__global__ void broadcast_row_kernel(const In* in0, const In* in1, Out* out, std::uint32_t n,
                                     FastDivisor columns, Op op) {
  const In* const dense = kRowFirst ? in1 : in0;
  const In* const row = kRowFirst ? in0 : in1;
  std::uint32_t i = (blockIdx.x * blockDim.x + threadIdx.x) * W;
  if (i >= n) return;
  std::uint32_t column = columns.divmod(i).remainder;
  wait_for_previous_grid();  // arithmetic need not wait
  let_next_grid_begin(kEveryBlock);
  if (i + W <= n) {
    const Pack<In, W> a = load_pack<W>(dense + i);
    const Pack<In, W> b = load_around<W>(row, column, columns.divisor());
    store_pack(out + i, kRowFirst ? apply<Out>(op, b, a) : apply<Out>(op, a, b));
    return;
  }
  // The tail ends with the last row, so that only a row shorter than it ends within it.
  for (; i < n; ++i) {
    out[i] = kRowFirst ? op(row[column], dense[i]) : op(dense[i], row[column]);
    if (++column == columns.divisor()) column = 0;
  }
}

/// Sizes at which launch_broadcast() changes its method; a test sets them lower.
struct BroadcastLimits {
  std::int64_t most_elements = (std::int64_t{1} << 31) - 1;  ///< of a launch; at most this
  std::int64_t enough_threads = std::int64_t{1} << 18;  ///< beyond them, a thread takes more packs
  /// From so many elements and so long a row on, strided_pieces_kernel loads pieces; below, strided_flat_kernel element by
  /// element. (H200, bf16, when a row's end was one thread's own: at 917,440 elements they are equal, at rows of 333 pieces
  /// are slower; at 2.9 million elements in rows of 2,815 they take 9 % less time. Not asked again.)
  std::int64_t pieces = std::int64_t{1} << 20;
  std::int64_t pieces_row = 1024;
  /// From so many results of a byte on, a thread of broadcast_row_kernel takes 16 elements of two bytes, below 8.
  std::int64_t wide_row = std::int64_t{1} << 22;
};

namespace detail {

/// Threads a block: twice as many where so many threads fill at most half of the GPU. Measured: up to
/// 30 % faster, but a warm mask slower (05_logical_relation/notes/broadcasting.md).
inline int broadcast_block(std::int64_t threads) {
  return threads <= resident_threads() / 2 ? 2 * kStridedThreads : kStridedThreads;
}

/// The launch of so many threads.
inline LaunchShape grid_of(std::int64_t threads) {
  return strided_shape(threads, broadcast_block(threads));
}

/// A thread's elements: a result of 16 bytes, and at most 32 bytes of each operand, so that a warp's
/// loads lie close together.
template <class In, class Out>
inline constexpr int kBroadcastWidth = std::min(16 / static_cast<int>(sizeof(Out)),
                                                32 / static_cast<int>(sizeof(In)));

/// The same of kernels whose operands lie anyhow. Of elements of four bytes a pack is sixteen bytes:
/// answers of one byte gain nothing by more, and small results lose threads.
template <class In, class Out>
inline constexpr int kAnyWidth = sizeof(In) == 4 ? 4 : kBroadcastWidth<In, Out>;

/// The same of arrays that begin anywhere: of two bytes, sixteen bytes too. (H200, answers on two halves: 16 a thread take
/// 2 and 8 % longer at 2^20, from memory and from the cache, 15 and 23 at 2^16, and at 2^28 as long.)
template <class In, class Out>
inline constexpr int kAnyAddressWidth = sizeof(In) == 2 ? std::min(8, kAnyWidth<In, Out>)
                                                        : kAnyWidth<In, Out>;

/// Appends dimension `d` of the loop to the walk.
inline void append(BroadcastWalk& walk, const StridedLoop& loop, int d) {
  walk.at[walk.rank++] = {FastDivisor(static_cast<std::uint32_t>(loop.extent[d])),
                          static_cast<std::uint32_t>(loop.stride[1][d]),
                          static_cast<std::uint32_t>(loop.stride[2][d]),
                          static_cast<std::uint32_t>(loop.stride[0][d])};
}

/// How many packs a thread takes, at most `most`, where both operands are broadcast. The GPU then
/// writes much more than it reads, and computing the offsets takes longer than storing 16 bytes; but
/// a small result should still occupy every multiprocessor. (One pack where an operand is not
/// broadcast: its load takes longer than computing its offset, and DRAM is fastest in the order of
/// its addresses.)
inline std::int64_t steps_for(std::int64_t packs, const BroadcastLimits& limits, int most = 8) {
  return std::clamp<std::int64_t>(packs / limits.enough_threads, 1, most);
}

/// So many elements of a pack are many, in steps_of_any().
inline constexpr int kManyInPack = 8;

/// How many packs of W a thread of broadcast_any_kernel takes. With an operand that is read as packs,
/// several pay only where a pack has many elements to find.
template <int W>
std::int64_t steps_of_any(std::int64_t elements, bool has_whole, const BroadcastLimits& limits) {
  const bool several = !has_whole || W >= kManyInPack;
  return several ? steps_for((elements - 1) / W + 1, limits) : 1;
}

/// The dimension along which broadcast_steps_kernel takes them: the outermost one in which an
/// operand that is loaded as vectors is broadcast, so that it is loaded once.
inline int step_dimension(const StridedLoop& loop) {
  const int inner = loop.rank - 1;
  for (int d = 0; d < inner; ++d) {
    if (loop.stride[1][inner] != 0 && loop.stride[1][d] == 0) return d;
    if (loop.stride[2][inner] != 0 && loop.stride[2][d] == 0) return d;
  }
  return 0;
}

/// The walk by packs of W, in the result's order but for dimension `along`, which comes last.
template <int W>
BroadcastWalk walk_by_packs(const StridedLoop& loop, int along) {
  BroadcastWalk walk;
  for (int d = loop.rank - 1; d >= 0; --d) {
    if (d != along) append(walk, loop, d);
  }
  append(walk, loop, along);
  BroadcastWalk::Dimension& columns = walk.at[0];
  columns.size = FastDivisor(columns.size.divisor() / W);
  columns.in0 *= W;
  columns.in1 *= W;
  columns.out *= W;
  return walk;
}

template <int W, Along along0, Along along1, class In, class Out, class Op>
cudaError_t launch_broadcast_steps(const StridedLoop& loop, const In* in0, const In* in1, Out* out,
                                   Op op, cudaStream_t stream, std::int64_t steps) {
  BroadcastWalk walk = walk_by_packs<W>(loop, steps > 1 ? step_dimension(loop) : 0);
  BroadcastWalk::Dimension& last = walk.at[walk.rank - 1];
  BroadcastSteps step;
  step.extent = last.size.divisor();
  std::int64_t threads = loop.elements / W;
  if (walk.rank > 1) {
    step.packs = static_cast<std::uint32_t>(steps);
    step.in0 = last.in0;
    step.in1 = last.in1;
    step.out = last.out;
    last.in0 *= step.packs;
    last.in1 *= step.packs;
    last.out *= step.packs;
    threads = threads / step.extent * ((step.extent - 1) / step.packs + 1);
  }
  return launch(broadcast_steps_kernel<W, along0, along1, In, Out, Op>, grid_of(threads), stream,
                in0, in1, out, static_cast<std::uint32_t>(threads), op, step, walk);
}

template <int W, Along along0, Along along1, class In, class Out, class Op>
cudaError_t launch_broadcast_pack_along(const StridedLoop& loop, const In* in0, const In* in1,
                                        Out* out, Op op, cudaStream_t stream,
                                        const BroadcastLimits& limits) {
  const bool whole = lies_as_result(loop, 1) || lies_as_result(loop, 2);
  const std::int64_t packs = loop.elements / W;
  const std::int64_t steps = whole ? 1 : steps_for(packs, limits, kMostSteps<W, Out>);
  // Known ranks only for the widest packs: each is a kernel.
  if constexpr (W == kBroadcastWidth<In, Out>) {
    if (loop.rank <= 3 && (steps == 1 || loop.rank == 1)) {
      const BroadcastWalk walk = walk_by_packs<W>(loop, 0);
      return Op::Packs::template with_known<In>(op, [&](auto known) {
        using Known = decltype(known);
        auto* const kernel = loop.rank == 3
                                 ? broadcast_pack_kernel<W, along0, along1, 3, In, Out, Known>
                                 : broadcast_pack_kernel<W, along0, along1, 2, In, Out, Known>;
        return launch(kernel, grid_of(packs), stream, in0, in1, out,
                      static_cast<std::uint32_t>(packs), known, walk);
      });
    }
  }
  return launch_broadcast_steps<W, along0, along1>(loop, in0, in1, out, op, stream, steps);
}

/// The kernel for how the operands lie along the innermost dimension, in which at least one of them
/// is not broadcast.
template <int W, class In, class Out, class Op>
cudaError_t launch_broadcast_pack(const StridedLoop& loop, const In* in0, const In* in1, Out* out,
                                  Op op, cudaStream_t stream, const BroadcastLimits& limits) {
  constexpr Along kVector = Along::vector, kSingle = Along::single;
  const int inner = loop.rank - 1;
  auto* const launch_along =
      loop.stride[1][inner] == 0   ? launch_broadcast_pack_along<W, kSingle, kVector, In, Out, Op>
      : loop.stride[2][inner] == 0 ? launch_broadcast_pack_along<W, kVector, kSingle, In, Out, Op>
                                   : launch_broadcast_pack_along<W, kVector, kVector, In, Out, Op>;
  return launch_along(loop, in0, in1, out, op, stream, limits);
}

template <int W, template <int> class Rows, class In, class Out, class Op>
cudaError_t launch_broadcast_any(const StridedLoop& loop, const In* in0, const In* in1, Out* out,
                                 Op op, cudaStream_t stream, const BroadcastLimits& limits) {
  const int inner = loop.rank - 1;
  const std::int64_t n = loop.elements;
  BroadcastRows rows;
  for (int d = inner - 1; d >= 0; --d) append(rows.outer, loop, d);
  if (inner == 0) rows.outer.rank = 1;  // a single row, at offset 0
  rows.columns = FastDivisor(static_cast<std::uint32_t>(loop.extent[inner]));
  rows.stride0 = static_cast<std::uint32_t>(loop.stride[1][inner]);
  rows.stride1 = static_cast<std::uint32_t>(loop.stride[2][inner]);
  rows.whole0 = lies_as_result(loop, 1) && is_aligned(in0, kPackAlignment<In, W>);
  rows.whole1 = lies_as_result(loop, 2) && is_aligned(in1, kPackAlignment<In, W>);

  // A slab: as many steps of the outermost dimension as make a whole number of packs, and a block's
  // worth of them, so that neighbours write to one place.
  const std::int64_t outer = n / loop.extent[0];
  std::int64_t slab_extent = W / std::gcd(outer, std::int64_t{W});
  slab_extent *= (kThreads - 1) / (outer * slab_extent / W) + 1;
  std::int64_t packs = (n - 1) / W + 1;
  const std::int64_t steps = steps_of_any<W>(n, rows.whole0 || rows.whole1, limits);
  rows.period = FastDivisor(static_cast<std::uint32_t>(packs));
  rows.step.out = static_cast<std::uint32_t>(packs * W);
  if (inner > 0 && steps > 1 && loop.extent[0] > slab_extent) {
    const std::int64_t slab = outer * slab_extent;
    const std::int64_t slabs = (loop.extent[0] - 1) / slab_extent + 1;
    rows.period = FastDivisor(static_cast<std::uint32_t>(slab / W));
    rows.step.packs = static_cast<std::uint32_t>(steps);
    rows.step.in0 = static_cast<std::uint32_t>(loop.stride[1][0] * slab_extent);
    rows.step.in1 = static_cast<std::uint32_t>(loop.stride[2][0] * slab_extent);
    rows.step.out = static_cast<std::uint32_t>(slab);
    packs = slab / W * ((slabs - 1) / steps + 1);
  }
  // The last block's other threads must not repeat a pack: `out` may be an operand. Their `i` would
  // not tell, because it can exceed 32 bits.
  rows.threads = static_cast<std::uint32_t>(packs);
  return launch(broadcast_any_kernel<W, Rows, In, Out, Op>, strided_shape(packs, kThreads), stream,
                in0, in1, out, static_cast<std::uint32_t>(n), rows, op);
}

/// Operands and results of which broadcast_row_kernel is faster than the other kernels.
template <class In, class Out>
inline constexpr bool kHasRowKernel = sizeof(In) == 2 || (sizeof(Out) == 1 && sizeof(In) <= 4);

/// Fewer rows stay with the other kernels. (H200, floats: 2 rows of 14,335 are slower, 16 rows faster.)
inline constexpr std::int64_t kFewestRows = 3;

/// Whether operand t is a row that repeats, and the other one lies as the result does.
inline bool is_one_row(const StridedLoop& loop, int t) {
  return loop.rank == 2 && loop.stride[t][0] == 0 && loop.stride[t][1] == 1 &&
         lies_as_result(loop, 3 - t);
}

/// Whether broadcast_row_kernel takes the loop.
template <int W, class In, class Out>
bool is_with_row(const StridedLoop& loop, const In* in0, const In* in1, const Out* out) {
  const bool is_first = is_one_row(loop, 1);
  return (is_first || is_one_row(loop, 2)) && loop.extent[0] >= kFewestRows &&
         is_aligned(is_first ? in1 : in0, kPackAlignment<In, W>) &&
         is_aligned(out, kPackAlignment<Out, W>);
}

template <int W, class In, class Out, class Op>
cudaError_t launch_broadcast_row(const StridedLoop& loop, const In* in0, const In* in1, Out* out,
                                 Op op, cudaStream_t stream) {
  auto* const kernel = is_one_row(loop, 1) ? broadcast_row_kernel<W, true, In, Out, Op>
                                           : broadcast_row_kernel<W, false, In, Out, Op>;
  return launch(kernel, strided_shape((loop.elements - 1) / W + 1, kStridedThreads), stream, in0,
                in1, out, static_cast<std::uint32_t>(loop.elements),
                FastDivisor(static_cast<std::uint32_t>(loop.extent[1])), op);
}

/// Whether broadcast_any_kernel is faster at rows that are no packs than strided_flat_kernel, because a
/// thread takes several packs, whose places it finds once. From memory, on an H200: masks of 4,095 x
/// 4,095 by a factor of 1.1 to 1.4; 14,335 columns and a row by 2 to 13 % where operands have one byte,
/// or four and the results one. (Of one row, broadcast_row_kernel is faster still; what remains is a row
/// for each image.) Of two bytes it is slower, and where an operand has one element a row.
template <int W, class In>
bool pays_by_steps(const StridedLoop& loop, const BroadcastLimits& limits) {
  const int inner = loop.rank - 1;
  const bool has_whole = lies_as_result(loop, 1) || lies_as_result(loop, 2);
  const bool along_row = loop.stride[1][inner] != 0 && loop.stride[2][inner] != 0;
  return steps_of_any<W>(loop.elements, has_whole, limits) > 1 &&
         (!has_whole || (along_row && sizeof(In) != 2));
}

/// Rows that are no packs, by strided_flat_kernel or strided_pieces_kernel. Pieces pay where elements have two bytes at
/// most, or the results are narrower; floats with results of four bytes took up to 8 % more time than by element (H200,
/// when a row's end was one thread's own).
template <int W, class In, class Out, class Op>
cudaError_t launch_broadcast_flat(const StridedLoop& loop, const FlatLoad (&load)[3], const In* in0,
                                  const In* in1, Out* out, Op op, cudaStream_t stream,
                                  const BroadcastLimits& limits) {
  using F = OnElements<Out, Op>;
  auto* kernel = strided_flat_kernel<W, Out, F, In, In>;
  if constexpr (kAllNarrow<Out, In> || sizeof(Out) < sizeof(In)) {
    const bool is_long =
        loop.elements >= limits.pieces && loop.extent[loop.rank - 1] >= limits.pieces_row;
    if (is_long && count_loads(load, FlatLoad::pieces) > 0) {
      kernel = strided_pieces_kernel<W, 1, Out, F, In, In>;
    }
  }
  return launch_strided_flat<W>(kernel, loop, load, F{op}, stream,
                                threads_of_packs(loop.elements * sizeof(Out)), out, in0, in1);
}

template <class In, class Out, class Op>
cudaError_t launch_contiguous(const In* in0, const In* in1, Out* out, std::int64_t n, Op op,
                              cudaStream_t stream) {
  constexpr int kWidth = kBroadcastWidth<In, Out>, kAny = kAnyAddressWidth<In, Out>;
  constexpr bool kSixteenBytes = kWidth * sizeof(In) == 16;
  const int block =
      kSixteenBytes ? two_inputs(n, 2 * sizeof(In) + sizeof(Out)).threads : kStridedThreads;
  if (is_aligned(in0, kPackAlignment<In, kWidth>) && is_aligned(in1, kPackAlignment<In, kWidth>) &&
      is_aligned(out, kPackAlignment<Out, kWidth>)) {
    return launch(elementwise_pack_binary_kernel<kWidth, In, Out, Op>,
                  strided_shape(threads_for(n / kWidth, n % kWidth), block), stream, in0, in1, out,
                  n, op);
  }
  const int threads = std::max(block, broadcast_block(n / kAny));
  return launch_any_address<kAny>(OnElements<Out, Op>{op}, out, n, stream,
                                  {threads, Overlap::previous_kernel}, in0, in1);
}

/// One launch; loop.elements in [1, 2^31 - 1], or anything if is_contiguous(): the two kernels for that
/// count in 64 bits.
template <class In, class Out, class Op>
cudaError_t launch_broadcast_part(const StridedLoop& loop, const In* in0, const In* in1, Out* out,
                                  Op op, cudaStream_t stream, const BroadcastLimits& limits) {
  constexpr int kWidth = kBroadcastWidth<In, Out>;
  if (is_contiguous(loop)) {
    return launch_contiguous(in0, in1, out, loop.elements, op, stream);
  }
  if (is_in_packs<kWidth>(loop, out, in0, in1)) {
    return launch_broadcast_pack<kWidth>(loop, in0, in1, out, op, stream, limits);
  }
  // A pack of 16 single-byte results seldom fits a row; a pack of 8 fits many more rows.
  constexpr int kHalf = sizeof(Out) == 1 ? kWidth / 2 : kWidth;
  if (kHalf < kWidth && is_in_packs<kHalf>(loop, out, in0, in1)) {
    return launch_broadcast_pack<kHalf>(loop, in0, in1, out, op, stream, limits);
  }
  constexpr int kAny = std::min(kWidth, 8);
  if (!is_aligned(out, kPackAlignment<Out, kAny>)) {
    return launch_broadcast_any<1, LongRows>(loop, in0, in1, out, op, stream, limits);
  }
  const std::int64_t columns = loop.extent[loop.rank - 1];
  if (columns < kAny) {
    return launch_broadcast_any<kAny, ShortRows>(loop, in0, in1, out, op, stream, limits);
  }
  if constexpr (kHasRowKernel<In, Out>) {
    constexpr int kWide = sizeof(In) == 2 && sizeof(Out) == 1 ? 16 : kAny;
    const bool is_odd = columns % kAny != 0;
    if (kWide > kAny && is_odd && loop.elements >= limits.wide_row &&
        is_with_row<kWide>(loop, in0, in1, out)) {
      return launch_broadcast_row<kWide>(loop, in0, in1, out, op, stream);
    }
    if (is_odd && is_with_row<kAny>(loop, in0, in1, out)) {
      return launch_broadcast_row<kAny>(loop, in0, in1, out, op, stream);
    }
  }
  if constexpr (kAny * sizeof(In) % 4 == 0) {  // PackWords
    FlatLoad load[3] = {};
    if (columns % kAny != 0 && !pays_by_steps<kAny, In>(loop, limits) &&
        is_flat_in_packs<kAny>(loop, load, out, in0, in1)) {
      return launch_broadcast_flat<kAny>(loop, load, in0, in1, out, op, stream, limits);
    }
  }
  return launch_broadcast_any<kAny, LongRows>(loop, in0, in1, out, op, stream, limits);
}

}  // namespace detail

/// The checks of an operation on two tensors: check_arguments(), each refusal with its sentence in
/// last_refusal(). `alignment`: of all three in bytes, where a kernel needs more than that of the
/// elements.
template <class In, class Out>
cudaError_t check_operands(std::int64_t elements, const In* in0, const In* in1, const Out* out,
                           std::size_t alignment = 1) {
  const std::size_t of_in = std::max(alignof(In), alignment);
  const std::size_t of_out = std::max(alignof(Out), alignment);
  return check_arguments(elements,
                         {{in0, of_in, "in0"}, {in1, of_in, "in1"}, {out, of_out, "out"}});
}

/// launch_broadcast() of the loop of a broadcast whose dimensions are merged, after check_operands().
template <class In, class Out, class Op>
cudaError_t launch_broadcast_loop(StridedLoop loop, const In* in0, const In* in1, Out* out, Op op,
                                  cudaStream_t stream, const BroadcastLimits& limits = {}) {
  if (loop.elements == 0) return cudaSuccess;
  if (loop.rank == 0) loop.extent[loop.rank++] = loop.stride[0][0] = 1;  // a row of one
  if (loop.elements <= limits.most_elements || is_contiguous(loop)) {
    return detail::launch_broadcast_part(loop, in0, in1, out, op, stream, limits);
  }
  // Multiples of 16 keep every part's alignment.
  const std::int64_t inner = loop.elements / loop.extent[0];
  std::int64_t most = std::max<std::int64_t>(limits.most_elements / inner, 1);
  if (most > 16) most -= most % 16;
  const auto launch_part = [&](const StridedLoop& part, Out* to, const In* from0, const In* from1) {
    return launch_broadcast_loop(part, from0, from1, to, op, stream, limits);
  };
  return detail::launch_parts(loop, most, launch_part, out, in0, in1);
}

/// out[...] = op(in0[...], in1[...]) over the broadcast, for any Broadcast that make_broadcast() or
/// broadcast_strides() made. In and Out: 1, 2, 4 or 8 bytes. `op` is callable in a kernel as
/// `Out op(In, In)`, and names its Packs (pack.cuh); it travels as a kernel parameter.
///
/// Pointers need the alignment of their elements; where an operand is broadcast, the kernels are
/// faster if they have 16 bytes.
/// `out` may be an operand if that operand has the result's shape and In is Out; no other overlap.
/// Several launches on `stream` where there are more than 2^31 - 1 elements. Errors: those of
/// check_operands() and launch(); nothing is written then.
template <class In, class Out, class Op>
cudaError_t launch_broadcast(const Broadcast& broadcast, const In* in0, const In* in1, Out* out,
                             Op op, cudaStream_t stream, const BroadcastLimits& limits = {}) {
  const cudaError_t error = check_operands(broadcast.elements, in0, in1, out);
  if (error != cudaSuccess || broadcast.elements == 0) return error;
  return launch_broadcast_loop(to_loop(merge_dimensions(broadcast)), in0, in1, out, op, stream,
                               limits);
}

}  // namespace tutorial
