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

// Six kernels, in the order in which they are tried.
// - elementwise_pack_binary_kernel: nothing is broadcast.
// - elementwise_any_address_kernel (any_address.cuh): the same, but a pointer does not fit its packs.
// - broadcast_pack_kernel: the innermost dimension is a whole number of packs, so that a pack lies
//   within one row: an operand gives a pack as one wide load, or one element for all of it. One
//   pack a thread, in up to three dimensions.
// - broadcast_steps_kernel: the same, several packs a thread or more dimensions.
// - strided_flat_kernel (strided.cuh): rows that are no whole packs, of which one operand has an
//   element each, and the other lies as the result does.
// - broadcast_any_kernel: rows of any length, pointers of any alignment.
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

/// The dimensions of a Broadcast as a kernel walks them: innermost first, sizes ready for division,
/// strides in elements for one step of the walk. Fits 32 bits: fewer than 2^31 elements.
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

/// Sizes at which launch_broadcast() changes its method; a test sets them lower.
struct BroadcastLimits {
  std::int64_t most_elements = (std::int64_t{1} << 31) - 1;  ///< of a launch; at most this
  std::int64_t enough_threads = std::int64_t{1} << 18;  ///< beyond them, a thread takes more packs
};

namespace detail {

/// Threads a block: more than 128, of which let_next_grid_begin() triggers nothing.
inline constexpr int kBroadcastThreads = 256;

/// Twice as many where so many threads fill at most half of the GPU. Measured: up to 30 % faster,
/// but a warm mask slower (05_logical_relation/notes/broadcasting.md).
inline int broadcast_block(std::int64_t threads) {
  return threads <= resident_threads() / 2 ? 2 * kBroadcastThreads : kBroadcastThreads;
}

inline LaunchShape grid_of(std::int64_t threads, int block) {
  return {grid_1d(threads, block), dim3(static_cast<unsigned>(block)), 0, Overlap::previous_kernel};
}

/// The launch of so many threads.
inline LaunchShape grid_of(std::int64_t threads) {
  return grid_of(threads, broadcast_block(threads));
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

struct Strides {
  std::int64_t at[kMaxDimensions] = {};
};

/// The strides of the contiguous result.
inline Strides strides_of_result(const Broadcast& broadcast) {
  Strides strides;
  std::int64_t step = 1;
  for (int d = broadcast.rank - 1; d >= 0; --d) {
    strides.at[d] = step;
    step *= broadcast.extent[d];
  }
  return strides;
}

/// Whether the operand with these strides is not broadcast: it has an element for each result.
inline bool is_whole(const Broadcast& broadcast, const std::int64_t* strides) {
  const Strides result = strides_of_result(broadcast);
  return std::equal(result.at, result.at + broadcast.rank, strides);
}

/// Appends dimension `d` of the broadcast to the walk.
inline void append(BroadcastWalk& walk, const Broadcast& broadcast, int d) {
  walk.at[walk.rank++] = {FastDivisor(static_cast<std::uint32_t>(broadcast.extent[d])),
                          static_cast<std::uint32_t>(broadcast.stride0[d]),
                          static_cast<std::uint32_t>(broadcast.stride1[d]),
                          static_cast<std::uint32_t>(strides_of_result(broadcast).at[d])};
}

/// How many packs a thread takes, at most `most`, where both operands are broadcast. The GPU then
/// writes much more than it reads, and computing the offsets takes longer than storing 16 bytes; but
/// a small result should still occupy every multiprocessor. (One pack where an operand is not
/// broadcast: its load takes longer than computing its offset, and DRAM is fastest in the order of
/// its addresses.)
inline std::int64_t steps_for(std::int64_t packs, const BroadcastLimits& limits, int most = 8) {
  return std::clamp<std::int64_t>(packs / limits.enough_threads, 1, most);
}

/// The dimension along which it takes them there: the outermost one in which an
/// operand that is loaded as vectors is broadcast, so that it is loaded once.
inline int step_dimension(const Broadcast& broadcast) {
  const int inner = broadcast.rank - 1;
  for (int d = 0; d < inner; ++d) {
    if (broadcast.stride0[inner] != 0 && broadcast.stride0[d] == 0) return d;
    if (broadcast.stride1[inner] != 0 && broadcast.stride1[d] == 0) return d;
  }
  return 0;
}

/// The walk by packs of W, in the result's order but for dimension `along`, which comes last.
template <int W>
BroadcastWalk walk_by_packs(const Broadcast& broadcast, int along) {
  BroadcastWalk walk;
  for (int d = broadcast.rank - 1; d >= 0; --d) {
    if (d != along) append(walk, broadcast, d);
  }
  append(walk, broadcast, along);
  BroadcastWalk::Dimension& columns = walk.at[0];
  columns.size = FastDivisor(columns.size.divisor() / W);
  columns.in0 *= W;
  columns.in1 *= W;
  columns.out *= W;
  return walk;
}

template <int W, Along along0, Along along1, class In, class Out, class Op>
cudaError_t launch_broadcast_steps(const Broadcast& broadcast, const In* in0, const In* in1,
                                   Out* out, Op op, cudaStream_t stream, std::int64_t steps) {
  BroadcastWalk walk = walk_by_packs<W>(broadcast, steps > 1 ? step_dimension(broadcast) : 0);
  BroadcastWalk::Dimension& last = walk.at[walk.rank - 1];
  BroadcastSteps step;
  step.extent = last.size.divisor();
  std::int64_t threads = broadcast.elements / W;
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
cudaError_t launch_broadcast_pack_along(const Broadcast& broadcast, const In* in0, const In* in1,
                                        Out* out, Op op, cudaStream_t stream,
                                        const BroadcastLimits& limits) {
  const bool whole =
      is_whole(broadcast, broadcast.stride0) || is_whole(broadcast, broadcast.stride1);
  const std::int64_t packs = broadcast.elements / W;
  const std::int64_t steps = whole ? 1 : steps_for(packs, limits, kMostSteps<W, Out>);
  // Known ranks only for the widest packs: each is a kernel.
  if constexpr (W == kBroadcastWidth<In, Out>) {
    if (broadcast.rank <= 3 && (steps == 1 || broadcast.rank == 1)) {
      const BroadcastWalk walk = walk_by_packs<W>(broadcast, 0);
      return Op::Packs::template with_known<In>(op, [&](auto known) {
        using Known = decltype(known);
        auto* const kernel = broadcast.rank == 3
                                 ? broadcast_pack_kernel<W, along0, along1, 3, In, Out, Known>
                                 : broadcast_pack_kernel<W, along0, along1, 2, In, Out, Known>;
        return launch(kernel, grid_of(packs), stream, in0, in1, out,
                      static_cast<std::uint32_t>(packs), known, walk);
      });
    }
  }
  return launch_broadcast_steps<W, along0, along1>(broadcast, in0, in1, out, op, stream, steps);
}

/// Whether the innermost dimension is a whole number of packs of W, and the pointers fit them.
template <int W, class In, class Out>
bool is_in_packs(const Broadcast& broadcast, const In* in0, const In* in1, const Out* out) {
  const int inner = broadcast.rank - 1;
  constexpr std::size_t kAlignment = kPackAlignment<In, W>;
  return broadcast.extent[inner] % W == 0 && is_aligned(out, kPackAlignment<Out, W>) &&
         (broadcast.stride0[inner] == 0 || is_aligned(in0, kAlignment)) &&
         (broadcast.stride1[inner] == 0 || is_aligned(in1, kAlignment));
}

/// The kernel for how the operands lie along the innermost dimension, in which at least one of them
/// is not broadcast.
template <int W, class In, class Out, class Op>
cudaError_t launch_broadcast_pack(const Broadcast& broadcast, const In* in0, const In* in1,
                                  Out* out, Op op, cudaStream_t stream,
                                  const BroadcastLimits& limits) {
  constexpr Along kVector = Along::vector, kSingle = Along::single;
  const int inner = broadcast.rank - 1;
  auto* const launch_along = broadcast.stride0[inner] == 0
                                 ? launch_broadcast_pack_along<W, kSingle, kVector, In, Out, Op>
                             : broadcast.stride1[inner] == 0
                                 ? launch_broadcast_pack_along<W, kVector, kSingle, In, Out, Op>
                                 : launch_broadcast_pack_along<W, kVector, kVector, In, Out, Op>;
  return launch_along(broadcast, in0, in1, out, op, stream, limits);
}

template <int W, template <int> class Rows, class In, class Out, class Op>
cudaError_t launch_broadcast_any(const Broadcast& broadcast, const In* in0, const In* in1, Out* out,
                                 Op op, cudaStream_t stream, const BroadcastLimits& limits) {
  const int inner = broadcast.rank - 1;
  const std::int64_t n = broadcast.elements;
  BroadcastRows rows;
  for (int d = inner - 1; d >= 0; --d) append(rows.outer, broadcast, d);
  if (inner == 0) rows.outer.rank = 1;  // a single row, at offset 0
  rows.columns = FastDivisor(static_cast<std::uint32_t>(broadcast.extent[inner]));
  rows.stride0 = static_cast<std::uint32_t>(broadcast.stride0[inner]);
  rows.stride1 = static_cast<std::uint32_t>(broadcast.stride1[inner]);
  rows.whole0 = is_whole(broadcast, broadcast.stride0) && is_aligned(in0, kPackAlignment<In, W>);
  rows.whole1 = is_whole(broadcast, broadcast.stride1) && is_aligned(in1, kPackAlignment<In, W>);

  // A slab: as many steps of the outermost dimension as make a whole number of packs, and a block's
  // worth of them, so that neighbours write to one place.
  const std::int64_t outer = n / broadcast.extent[0];
  std::int64_t slab_extent = W / std::gcd(outer, std::int64_t{W});
  slab_extent *= (kThreads - 1) / (outer * slab_extent / W) + 1;
  std::int64_t packs = (n - 1) / W + 1;
  // With a whole operand several steps pay only where a pack has many elements to find.
  const bool several = !(rows.whole0 || rows.whole1) || W >= 8;
  const std::int64_t steps = several ? steps_for(packs, limits) : 1;
  rows.period = FastDivisor(static_cast<std::uint32_t>(packs));
  rows.step.out = static_cast<std::uint32_t>(packs * W);
  if (inner > 0 && steps > 1 && broadcast.extent[0] > slab_extent) {
    const std::int64_t slab = outer * slab_extent;
    const std::int64_t slabs = (broadcast.extent[0] - 1) / slab_extent + 1;
    rows.period = FastDivisor(static_cast<std::uint32_t>(slab / W));
    rows.step.packs = static_cast<std::uint32_t>(steps);
    rows.step.in0 = static_cast<std::uint32_t>(broadcast.stride0[0] * slab_extent);
    rows.step.in1 = static_cast<std::uint32_t>(broadcast.stride1[0] * slab_extent);
    rows.step.out = static_cast<std::uint32_t>(slab);
    packs = slab / W * ((slabs - 1) / steps + 1);
  }
  // The last block's other threads must not repeat a pack: `out` may be an operand. Their `i` would
  // not tell, because it can exceed 32 bits.
  rows.threads = static_cast<std::uint32_t>(packs);
  const LaunchShape shape{grid_1d(packs, kThreads), dim3(kThreads), 0, Overlap::previous_kernel};
  return launch(broadcast_any_kernel<W, Rows, In, Out, Op>, shape, stream, in0, in1, out,
                static_cast<std::uint32_t>(n), rows, op);
}

/// Whether nothing is broadcast. The two kernels for that count in 64 bits; the others in 32.
inline bool is_contiguous(const Broadcast& broadcast) {
  return is_whole(broadcast, broadcast.stride0) && is_whole(broadcast, broadcast.stride1);
}

template <class In, class Out, class Op>
cudaError_t launch_contiguous(const In* in0, const In* in1, Out* out, std::int64_t n, Op op,
                              cudaStream_t stream) {
  constexpr int kWidth = kBroadcastWidth<In, Out>, kAny = kAnyWidth<In, Out>;
  constexpr bool kSixteenBytes = kWidth * sizeof(In) == 16;
  const int block =
      kSixteenBytes ? two_inputs(n, 2 * sizeof(In) + sizeof(Out)).threads : kBroadcastThreads;
  if (is_aligned(in0, kPackAlignment<In, kWidth>) && is_aligned(in1, kPackAlignment<In, kWidth>) &&
      is_aligned(out, kPackAlignment<Out, kWidth>)) {
    return launch(elementwise_pack_binary_kernel<kWidth, In, Out, Op>,
                  grid_of(threads_for(n / kWidth, n % kWidth), block), stream, in0, in1, out, n,
                  op);
  }
  const int threads = std::max(block, broadcast_block(n / kAny));
  return launch_any_address<kAny>(OnElements<Out, Op>{op}, out, n, stream,
                                  {threads, Overlap::previous_kernel}, in0, in1);
}

/// One launch; broadcast.elements in [1, 2^31 - 1], or anything if is_contiguous().
template <class In, class Out, class Op>
cudaError_t launch_broadcast_part(const Broadcast& broadcast, const In* in0, const In* in1,
                                  Out* out, Op op, cudaStream_t stream,
                                  const BroadcastLimits& limits) {
  constexpr int kWidth = kBroadcastWidth<In, Out>;
  if (is_contiguous(broadcast)) {
    return launch_contiguous(in0, in1, out, broadcast.elements, op, stream);
  }
  if (is_in_packs<kWidth>(broadcast, in0, in1, out)) {
    return launch_broadcast_pack<kWidth>(broadcast, in0, in1, out, op, stream, limits);
  }
  // A pack of 16 single-byte results seldom fits a row; a pack of 8 fits many more rows.
  constexpr int kHalf = sizeof(Out) == 1 ? kWidth / 2 : kWidth;
  if (kHalf < kWidth && is_in_packs<kHalf>(broadcast, in0, in1, out)) {
    return launch_broadcast_pack<kHalf>(broadcast, in0, in1, out, op, stream, limits);
  }
  constexpr int kAny = std::min(kWidth, 8);
  if (!is_aligned(out, kPackAlignment<Out, kAny>)) {
    return launch_broadcast_any<1, LongRows>(broadcast, in0, in1, out, op, stream, limits);
  }
  if constexpr (sizeof(In) == sizeof(Out)) {
    const StridedLoop loop = to_loop(broadcast);
    FlatLoad load[3] = {};
    if (is_flat_in_packs<kAny>(loop, {}, load, out, in0, in1)) {
      return launch_strided_flat<kAny, false>(loop, load, OnElements<Out, Op>{op}, stream,
                                              threads_of_packs(loop.elements * sizeof(Out)), out,
                                              in0, in1);
    }
  }
  return broadcast.extent[broadcast.rank - 1] >= kAny
             ? launch_broadcast_any<kAny, LongRows>(broadcast, in0, in1, out, op, stream, limits)
             : launch_broadcast_any<kAny, ShortRows>(broadcast, in0, in1, out, op, stream, limits);
}

/// The elements that lie `begin` to `end` (excluded) along the outermost dimension.
inline Broadcast slice(const Broadcast& whole, std::int64_t begin, std::int64_t end) {
  Broadcast part = whole;
  part.elements = whole.elements / whole.extent[0] * (end - begin);
  part.extent[0] = end - begin;
  if (end - begin > 1) return part;
  part.rank = whole.rank - 1;
  for (int d = 0; d < part.rank; ++d) {
    part.extent[d] = whole.extent[d + 1];
    part.stride0[d] = whole.stride0[d + 1];
    part.stride1[d] = whole.stride1[d + 1];
  }
  return part;
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

/// launch_broadcast() of a Broadcast from make_broadcast() or merge_dimensions(), after
/// check_operands().
template <class In, class Out, class Op>
cudaError_t launch_merged_broadcast(Broadcast broadcast, const In* in0, const In* in1, Out* out,
                                    Op op, cudaStream_t stream,
                                    const BroadcastLimits& limits = {}) {
  if (broadcast.elements == 0) return cudaSuccess;
  if (broadcast.rank == 0) broadcast = {1, {1}, {0}, {0}, 1};  // a single element: a row of one
  if (broadcast.elements <= limits.most_elements || detail::is_contiguous(broadcast)) {
    return detail::launch_broadcast_part(broadcast, in0, in1, out, op, stream, limits);
  }
  // Cut the outermost dimension, at multiples of 16 where it is long enough, which keeps every
  // part's alignment.
  const std::int64_t inner = broadcast.elements / broadcast.extent[0];
  std::int64_t most = std::max<std::int64_t>(limits.most_elements / inner, 1);
  if (most > 16) most -= most % 16;
  for (std::int64_t begin = 0; begin < broadcast.extent[0]; begin += most) {
    const std::int64_t end = std::min(begin + most, broadcast.extent[0]);
    const cudaError_t error = launch_merged_broadcast(
        detail::slice(broadcast, begin, end), in0 + begin * broadcast.stride0[0],
        in1 + begin * broadcast.stride1[0], out + begin * inner, op, stream, limits);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
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
  return launch_merged_broadcast(merge_dimensions(broadcast), in0, in1, out, op, stream, limits);
}

}  // namespace tutorial
