// Elementwise operations on two tensors that broadcast, as fast as memory allows: what
// launch_broadcast() does with a Broadcast (broadcast.h) and any `Out op(In, In)`.
//
// Three kernels, in the order in which they are tried.
// - elementwise_pack_binary_kernel: nothing is broadcast.
// - broadcast_pack_kernel: the innermost dimension is a whole number of packs, so that a pack lies
//   within one row: an operand gives a pack as one wide load, or one element for all of it.
// - broadcast_any_kernel: rows of any length, pointers of any alignment.
// All indices have 32 bits; what is larger is cut into parts on the host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "common/broadcast.h"
#include "common/fast_division.h"
#include "common/launch.cuh"
#include "common/pack.cuh"
#include "common/refusal.h"

namespace tutorial {

/// out[i] = op(in0[i], in1[i]) for i in [0, n), W elements a thread.
///
/// Aligned: in0 and in1 to kPackAlignment<In, W>, out to kPackAlignment<Out, W>. The thread that
/// holds the tail does it one element at a time.
//! [elementwise_pack_binary_kernel]
template <int W, class In, class Out, class Op>
__global__ void elementwise_pack_binary_kernel(const In* in0, const In* in1, Out* out,
                                               std::int64_t n, Op op) {
  wait_for_previous_grid();
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * W;
  if (i + W <= n) {
    const Pack<In, W> a = load_pack<W>(in0 + i);
    const Pack<In, W> b = load_pack<W>(in1 + i);
    store_pack(out + i, apply<Out>(op, a, b));
  } else {
    for (std::int64_t k = i; k < n; ++k) out[k] = op(in0[k], in1[k]);
  }
}
//! [elementwise_pack_binary_kernel]

/// The dimensions of a Broadcast as a kernel walks them: innermost first, sizes ready for division,
/// strides in elements for one step of the walk. Fits 32 bits: fewer than 2^31 elements.
struct BroadcastWalk {
  int rank = 0;  ///< 1 or more
  FastDivisor size[kMaxDimensions];
  std::uint32_t in0[kMaxDimensions] = {};
  std::uint32_t in1[kMaxDimensions] = {};
  std::uint32_t out[kMaxDimensions] = {};
};

/// Where one element or pack lies: offsets in elements.
struct BroadcastOffsets {
  std::uint32_t in0 = 0;
  std::uint32_t in1 = 0;
  std::uint32_t out = 0;
  std::uint32_t outermost = 0;  ///< the coordinate in the walk's last dimension
};

/// The offsets of the `index`-th step of the walk: a division for each dimension but the last.
//! [locate]
__device__ __forceinline__ BroadcastOffsets locate(const BroadcastWalk& walk, std::uint32_t index) {
  BroadcastOffsets at;
  // Unrolled, so that each dimension's numbers are operands in constant memory.
#pragma unroll
  for (int d = 0; d < kMaxDimensions; ++d) {
    const bool last = d == walk.rank - 1;
    const DivMod step = last ? DivMod{0, index} : walk.size[d].divmod(index);
    at.in0 += step.remainder * walk.in0[d];
    at.in1 += step.remainder * walk.in1[d];
    at.out += step.remainder * walk.out[d];
    if (last) break;
    index = step.quotient;
  }
  at.outermost = index;
  return at;
}
//! [locate]

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

/// What broadcast_pack_kernel repeats along the walk's last dimension. `steps` is how many of its
/// `extent` elements a thread does, `in0`, `in1` and `out` what one of them is in memory.
struct BroadcastSteps {
  std::uint32_t steps = 1;
  std::uint32_t extent = 1;
  std::uint32_t in0 = 0;
  std::uint32_t in1 = 0;
  std::uint32_t out = 0;
};

/// One pack of W results per step; a thread finds its place once and takes `steps` of them along
/// the walk's last dimension. An operand that is broadcast along it stays in registers.
//! [broadcast_pack_kernel]
template <int W, Along along0, Along along1, class In, class Out, class Op>
__global__ void broadcast_pack_kernel(const In* in0, const In* in1, Out* out, std::uint32_t threads,
                                      BroadcastWalk walk, BroadcastSteps step, Op op) {
  wait_for_previous_grid();
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  BroadcastOffsets at = locate(walk, thread);
  Pack<In, W> a = load_along<W, along0>(in0 + at.in0);
  Pack<In, W> b = load_along<W, along1>(in1 + at.in1);
  const std::uint32_t left = step.extent - at.outermost * step.steps;
  const std::uint32_t count = left < step.steps ? left : step.steps;
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
//! [broadcast_pack_kernel]

/// W elements of one operand, the first of them at coordinate `column` of row `row`. Steps along
/// the row, and finds the next row's offset where one ends.
//! [gather_pack]
template <int W, class In>
__device__ __forceinline__ Pack<In, W> gather_pack(const In* in, const FastDivisor& columns,
                                                   std::uint32_t stride, const BroadcastWalk& rows,
                                                   std::uint32_t BroadcastOffsets::*operand,
                                                   DivMod first, std::uint32_t count) {
  std::uint32_t row = first.quotient, column = first.remainder;
  std::uint32_t begin = locate(rows, row).*operand;
  Pack<In, W> pack = {};
#pragma unroll
  for (std::uint32_t k = 0; k < W; ++k) {
    if (k >= count) break;
    pack.at[k] = in[begin + column * stride];
    if (++column == columns.divisor() && k + 1 < count) {
      column = 0;
      begin = locate(rows, ++row).*operand;
    }
  }
  return pack;
}
//! [gather_pack]

/// One dimension of broadcast_any_kernel's rows, and which operands are read as the result is
/// written, element after element.
struct BroadcastRow {
  FastDivisor columns;
  std::uint32_t in0 = 0;  ///< an operand's stride along the row: 0 or 1
  std::uint32_t in1 = 0;
  bool whole0 = false;  ///< the operand is not broadcast, and aligned to the pack
  bool whole1 = false;
};

/// W consecutive results a thread, wherever the rows begin and end. An operand that is not
/// broadcast is read as packs, the other one element at a time.
//! [broadcast_any_kernel]
template <int W, class In, class Out, class Op>
__global__ void broadcast_any_kernel(const In* in0, const In* in1, Out* out, std::uint32_t n,
                                     BroadcastWalk rows, BroadcastRow row, Op op) {
  wait_for_previous_grid();
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= (n - 1) / W + 1) return;
  const std::uint32_t i = thread * W;
  const std::uint32_t count = n - i < W ? n - i : W;
  const DivMod first = row.columns.divmod(i);
  const Pack<In, W> a =
      row.whole0 && count == W
          ? load_pack<W>(in0 + i)
          : gather_pack<W>(in0, row.columns, row.in0, rows, &BroadcastOffsets::in0, first, count);
  const Pack<In, W> b =
      row.whole1 && count == W
          ? load_pack<W>(in1 + i)
          : gather_pack<W>(in1, row.columns, row.in1, rows, &BroadcastOffsets::in1, first, count);
  const Pack<Out, W> result = apply<Out>(op, a, b);
  if (count == W) {
    store_pack(out + i, result);
  } else {
#pragma unroll
    for (std::uint32_t k = 0; k < W; ++k) {
      if (k < count) out[i + k] = result.at[k];
    }
  }
}
//! [broadcast_any_kernel]

namespace detail {

/// A thread's elements: a result of 16 bytes, and at most 64 bytes (32 where nothing is broadcast,
/// so that a warp's loads lie closer together) of each operand.
template <class In, class Out>
inline constexpr int kBroadcastWidth = std::min(16 / static_cast<int>(sizeof(Out)),
                                                64 / static_cast<int>(sizeof(In)));
template <class In, class Out>
inline constexpr int kContiguousWidth = std::min(16 / static_cast<int>(sizeof(Out)),
                                                 32 / static_cast<int>(sizeof(In)));

/// The most elements of a launch with 32-bit indices.
inline constexpr std::int64_t kMostElements = (std::int64_t{1} << 31) - 1;

/// The strides of the contiguous result.
inline void strides_of_result(const Broadcast& broadcast, std::int64_t* strides) {
  std::int64_t step = 1;
  for (int d = broadcast.rank - 1; d >= 0; --d) {
    strides[d] = step;
    step *= broadcast.extent[d];
  }
}

/// Whether the operand with these strides is not broadcast: it has an element for each result.
inline bool is_whole(const Broadcast& broadcast, const std::int64_t* strides) {
  std::int64_t result[kMaxDimensions];
  strides_of_result(broadcast, result);
  return std::equal(result, result + broadcast.rank, strides);
}

/// Appends dimension `d` of the broadcast to the walk.
inline void append(BroadcastWalk& walk, const Broadcast& broadcast, int d) {
  std::int64_t result[kMaxDimensions];
  strides_of_result(broadcast, result);
  const int at = walk.rank++;
  walk.size[at] = FastDivisor(static_cast<std::uint32_t>(broadcast.extent[d]));
  walk.in0[at] = static_cast<std::uint32_t>(broadcast.stride0[d]);
  walk.in1[at] = static_cast<std::uint32_t>(broadcast.stride1[d]);
  walk.out[at] = static_cast<std::uint32_t>(result[d]);
}

/// The dimension along which a thread of broadcast_pack_kernel takes several steps: the outermost
/// one in which an operand that is loaded as vectors is broadcast, so that it is loaded once. Where
/// an operand is whole there is nothing to save, and the answer is the outermost dimension.
inline int step_dimension(const Broadcast& broadcast) {
  const int inner = broadcast.rank - 1;
  for (int d = 0; d < inner; ++d) {
    if (broadcast.stride0[inner] != 0 && broadcast.stride0[d] == 0) return d;
    if (broadcast.stride1[inner] != 0 && broadcast.stride1[d] == 0) return d;
  }
  return 0;
}

template <int W, Along along0, Along along1, class In, class Out, class Op>
cudaError_t launch_broadcast_pack(const Broadcast& broadcast, const In* in0, const In* in1,
                                  Out* out, Op op, cudaStream_t stream) {
  const int inner = broadcast.rank - 1, along = step_dimension(broadcast);
  BroadcastWalk walk;
  for (int d = inner; d >= 0; --d) {
    if (d != along) append(walk, broadcast, d);
  }
  append(walk, broadcast, along);
  const int last = walk.rank - 1;

  // The innermost dimension goes by packs.
  const auto columns = static_cast<std::uint32_t>(broadcast.extent[inner] / W);
  walk.size[0] = FastDivisor(columns);
  walk.in0[0] *= W;
  walk.in1[0] *= W;
  walk.out[0] *= W;

  // With a whole operand there is nothing to keep in registers; without, a thread takes up to
  // eight steps, if that leaves the GPU enough threads.
  BroadcastSteps step;
  std::int64_t packs = broadcast.elements / W;
  if (last > 0) {
    const bool whole =
        is_whole(broadcast, broadcast.stride0) || is_whole(broadcast, broadcast.stride1);
    constexpr std::int64_t kEnoughThreads = std::int64_t{1} << 18;
    step.steps =
        whole ? 1u
              : static_cast<std::uint32_t>(std::clamp<std::int64_t>(packs / kEnoughThreads, 1, 8));
    step.extent = walk.size[last].divisor();
    step.in0 = walk.in0[last];
    step.in1 = walk.in1[last];
    step.out = walk.out[last];
    walk.in0[last] *= step.steps;
    walk.in1[last] *= step.steps;
    walk.out[last] *= step.steps;
    const std::uint32_t groups = (step.extent - 1) / step.steps + 1;
    packs = packs / step.extent * groups;
  } else {
    step.extent = columns;
  }
  const auto threads = static_cast<std::uint32_t>(packs);
  const LaunchShape shape{grid_1d(packs, kThreads), dim3(kThreads), 0, Overlap::previous_kernel};
  return launch(broadcast_pack_kernel<W, along0, along1, In, Out, Op>, shape, stream, in0, in1, out,
                threads, walk, step, op);
}

template <int W, class In, class Out, class Op>
cudaError_t launch_broadcast_any(const Broadcast& broadcast, const In* in0, const In* in1, Out* out,
                                 Op op, cudaStream_t stream) {
  const int inner = broadcast.rank - 1;
  const auto n = static_cast<std::uint32_t>(broadcast.elements);
  BroadcastRow row;
  row.columns = FastDivisor(static_cast<std::uint32_t>(broadcast.extent[inner]));
  row.in0 = static_cast<std::uint32_t>(broadcast.stride0[inner]);
  row.in1 = static_cast<std::uint32_t>(broadcast.stride1[inner]);
  row.whole0 = is_whole(broadcast, broadcast.stride0) && is_aligned(in0, kPackAlignment<In, W>);
  row.whole1 = is_whole(broadcast, broadcast.stride1) && is_aligned(in1, kPackAlignment<In, W>);
  BroadcastWalk rows;
  for (int d = inner - 1; d >= 0; --d) append(rows, broadcast, d);
  if (rows.rank == 0) rows.rank = 1;  // a single row, at offset 0
  const LaunchShape shape{grid_1d((std::int64_t{n} - 1) / W + 1, kThreads), dim3(kThreads), 0,
                          Overlap::previous_kernel};
  return launch(broadcast_any_kernel<W, In, Out, Op>, shape, stream, in0, in1, out, n, rows, row,
                op);
}

/// One launch; broadcast.elements in [1, kMostElements], or anything if nothing is broadcast.
template <class In, class Out, class Op>
cudaError_t launch_broadcast_part(const Broadcast& broadcast, const In* in0, const In* in1,
                                  Out* out, Op op, cudaStream_t stream) {
  constexpr int kWide = kContiguousWidth<In, Out>, kWidth = kBroadcastWidth<In, Out>;
  if (is_whole(broadcast, broadcast.stride0) && is_whole(broadcast, broadcast.stride1) &&
      is_aligned(in0, kPackAlignment<In, kWide>) && is_aligned(in1, kPackAlignment<In, kWide>) &&
      is_aligned(out, kPackAlignment<Out, kWide>)) {
    const LaunchShape shape{grid_1d(broadcast.elements, std::int64_t{kThreads} * kWide),
                            dim3(kThreads), 0, Overlap::previous_kernel};
    return launch(elementwise_pack_binary_kernel<kWide, In, Out, Op>, shape, stream, in0, in1, out,
                  broadcast.elements, op);
  }

  const int inner = broadcast.rank - 1;
  const bool vector0 = broadcast.stride0[inner] != 0, vector1 = broadcast.stride1[inner] != 0;
  constexpr std::size_t kAlignment = kPackAlignment<In, kWidth>;
  const bool aligned = is_aligned(out, kPackAlignment<Out, kWidth>);
  if (broadcast.extent[inner] % kWidth == 0 && aligned &&
      (!vector0 || is_aligned(in0, kAlignment)) && (!vector1 || is_aligned(in1, kAlignment))) {
    constexpr Along kVector = Along::vector, kSingle = Along::single;
    if (vector0 && vector1) {
      return launch_broadcast_pack<kWidth, kVector, kVector>(broadcast, in0, in1, out, op, stream);
    }
    return vector0 ? launch_broadcast_pack<kWidth, kVector, kSingle>(broadcast, in0, in1, out, op,
                                                                     stream)
                   : launch_broadcast_pack<kWidth, kSingle, kVector>(broadcast, in0, in1, out, op,
                                                                     stream);
  }
  return aligned ? launch_broadcast_any<kWidth>(broadcast, in0, in1, out, op, stream)
                 : launch_broadcast_any<1>(broadcast, in0, in1, out, op, stream);
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

/// The checks of an operation on two tensors: a null pointer, and a pointer that is not aligned to
/// its element, each with its sentence in last_refusal(). With elements == 0 the pointers do not
/// matter.
template <class In, class Out>
cudaError_t check_operands(std::int64_t elements, const In* in0, const In* in1, const Out* out) {
  if (elements == 0) return cudaSuccess;
  const struct {
    const char* name;
    const void* pointer;
    std::size_t alignment;
  } operands[] = {{"in0", in0, alignof(In)}, {"in1", in1, alignof(In)}, {"out", out, alignof(Out)}};
  for (const auto& operand : operands) {
    if (operand.pointer == nullptr) {
      return refuse(cudaErrorInvalidValue, std::string(operand.name) + " is a null pointer");
    }
  }
  for (const auto& operand : operands) {
    if (!is_aligned(operand.pointer, operand.alignment)) {
      return refuse(cudaErrorMisalignedAddress, std::string(operand.name) +
                                                    " is not aligned to its elements of " +
                                                    std::to_string(operand.alignment) + " bytes");
    }
  }
  return cudaSuccess;
}

/// out[...] = op(in0[...], in1[...]) over the broadcast, for any Broadcast that make_broadcast() or
/// broadcast_strides() made. In and Out: 1, 2, 4 or 8 bytes. `op` is callable in a kernel as
/// `Out op(In, In)`; it travels as a kernel parameter.
///
/// Pointers need the alignment of their elements; the kernels are faster where they have 16 bytes.
/// `out` may be an operand if that operand has the result's shape and In is Out; no other overlap.
/// Several launches on `stream` where there are more than 2^31 - 1 elements. Errors: those of
/// check_operands() and launch(); nothing is written then.
template <class In, class Out, class Op>
cudaError_t launch_broadcast(const Broadcast& broadcast, const In* in0, const In* in1, Out* out,
                             Op op, cudaStream_t stream) {
  if (const cudaError_t error = check_operands(broadcast.elements, in0, in1, out);
      error != cudaSuccess || broadcast.elements == 0) {
    return error;
  }
  Broadcast merged = merge_dimensions(broadcast);
  if (merged.rank == 0) merged = {1, {1}, {0}, {0}, 1};  // a single element is a row of one
  const bool contiguous =
      detail::is_whole(merged, merged.stride0) && detail::is_whole(merged, merged.stride1);
  if (merged.elements <= detail::kMostElements || contiguous) {
    return detail::launch_broadcast_part(merged, in0, in1, out, op, stream);
  }
  // Cut the outermost dimension, at multiples of 16 where it is long enough, which keeps every
  // part's alignment.
  const std::int64_t inner = merged.elements / merged.extent[0];
  std::int64_t most = std::max<std::int64_t>(detail::kMostElements / inner, 1);
  if (most > 16) most -= most % 16;
  for (std::int64_t begin = 0; begin < merged.extent[0]; begin += most) {
    const std::int64_t end = std::min(begin + most, merged.extent[0]);
    const cudaError_t error =
        launch_broadcast(detail::slice(merged, begin, end), in0 + begin * merged.stride0[0],
                         in1 + begin * merged.stride1[0], out + begin * inner, op, stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace tutorial
