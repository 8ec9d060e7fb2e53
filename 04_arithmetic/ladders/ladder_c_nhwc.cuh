// Ladder C: two operands in NHWC8 storage, the channel innermost and padded to a multiple of eight.
// notes/nhwc8.md tells what was predicted and measured.
#pragma once

#include <cstdint>

#include "04_arithmetic/arithmetic_math.cuh"
#include "04_arithmetic/launchers/nhwc.h"
#include "common/fast_division.h"
#include "common/launch.cuh"
#include "common/pack.cuh"

namespace tutorial {

// C1 · limit_nhwc: threads count elements in NDARRAY order, as if there were no padding, so every
// thread has work. The coordinates then lead to three offsets in storage. Neighbouring threads hold
// neighbouring columns, which lie C8 elements apart.
template <class T, class Op>
__global__ void arithmetic_limit_nhwc_kernel(NhwcBroadcast at, const T* in0, const T* in1, T* out,
                                             Op op) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < at.elements) {
    std::int64_t rest = i, offset0 = 0, offset1 = 0, offset = 0;
    for (int d = 0; d < at.rank; ++d) {
      const std::int64_t along = rest / at.stride_ndarray[d];
      rest = rest % at.stride_ndarray[d];
      offset0 += along * at.stride0[d];
      offset1 += along * at.stride1[d];
      offset += along * at.stride_out[d];
    }
    out[offset] = op(in0[offset0], in1[offset1]);
  }
}

// C2 · nhwc_pack: in storage order the result is contiguous, and with its channels taken by packs
// it is a broadcast like those of ladder B: dimensions merge, the host prepares the divisions. A
// pack never leaves a group of eight, so an operand gives it as one wide load, or as one element
// where it has a single channel. The last group may hold fewer than eight channels. Its threads
// compute all eight at once and store whole packs, with zeros as padding: if only the channels were
// stored, sectors of `out` would be written in part, which is slow (notes/nhwc8.md).
enum class NhwcAccess { splat, pack };

struct NhwcPacks {
  std::uint32_t packs;     ///< of the whole result
  std::uint32_t channels;  ///< C
  FastDivisor per_pixel;   ///< packs for the channels of one pixel
  int rank;                ///< of the walk over packs, merged; 1 or more
  FastDivisor extent[kMaxDimensions];
  std::uint32_t stride0[kMaxDimensions];
  std::uint32_t stride1[kMaxDimensions];
  NhwcAccess access0, access1;
};

/// The channels that a thread takes: sixteen bytes of them, but at most eight.
template <class T>
inline constexpr int kNhwcWidth = sizeof(T) == 1 ? 8 : 16 / static_cast<int>(sizeof(T));

template <int W, class T>
__device__ __forceinline__ Pack<T, W> load_channels(const T* from, NhwcAccess access) {
  return access == NhwcAccess::pack ? load_pack<W>(from) : splat<W>(*from);
}

template <class T, class Op>
__global__ void arithmetic_nhwc_pack_kernel(NhwcPacks at, const T* in0, const T* in1, T* out,
                                            Op op) {
  constexpr int kWidth = kNhwcWidth<T>;
  wait_for_previous_grid();
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= at.packs) return;
  std::uint32_t rest = i, offset0 = 0, offset1 = 0;
#pragma unroll
  for (int d = kMaxDimensions - 1; d > 0; --d) {
    if (d >= at.rank) continue;
    const DivMod along = at.extent[d].divmod(rest);
    rest = along.quotient;
    offset0 += along.remainder * at.stride0[d];
    offset1 += along.remainder * at.stride1[d];
  }
  const T* from0 = in0 + (offset0 + rest * at.stride0[0]);
  const T* from1 = in1 + (offset1 + rest * at.stride1[0]);

  const std::uint32_t first = at.per_pixel.divmod(i).remainder * kWidth;
  const bool has_padding = first + kWidth > at.channels;
  const Pack<T, kWidth> a = load_channels<kWidth>(from0, at.access0);
  const Pack<T, kWidth> b = load_channels<kWidth>(from1, at.access1);
  Pack<T, kWidth> pack = apply<T>(op, a, b);
  if (has_padding) {
#pragma unroll
    for (std::uint32_t k = 0; k < kWidth; ++k) {
      if (first + k >= at.channels) pack.at[k] = T{};
    }
  }
  store_pack(out + i * kWidth, pack);
}

// What the operator runs after C1: C1 leaves the padding alone. A thread for each of the `n`
// elements of padding, the last `padding` of every `group`.
template <class T>
__global__ void nhwc_zero_padding_kernel(std::int64_t n, std::int64_t padding, std::int64_t group,
                                         T* out) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[(i / padding + 1) * group - 1 - i % padding] = T{};
}

}  // namespace tutorial
