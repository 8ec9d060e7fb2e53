// Elementwise kernels for arrays that begin anywhere: the packs follow the result's addresses, and an
// operand that lies otherwise is loaded as aligned pieces and shifted into place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/launch.cuh"
#include "common/pack.cuh"

// A load or store of sixteen bytes needs an address that is a multiple of sixteen. In y = f(x) with y
// two bytes further on than x, one of them never has it:
//
//     x   ....abcdefgh|ijklmnop|qr      | every sixteen bytes
//     y   ......abcdef|ghijklmn|opqr
//
// So a thread stores the aligned sixteen bytes `ghijklmn`. It loads the two aligned pieces of x in
// which they lie, `abcdefgh` and `ijklmnop`, and shifts. Its neighbour loads `ijklmnop` as well, in
// the same instruction of the same warp or a moment later; the L1 has it then, and memory sends it
// once. Elements that no such pack holds, at both ends, go one to a thread.

namespace tutorial {

/// The aligned pieces in which W elements of T lie, wherever they begin: pieces of sixteen bytes, or
/// one of as many as the elements have.
template <class T, int W>
struct Pieces {
  static constexpr int kPack = static_cast<int>(W * sizeof(T));  ///< bytes of the elements
  static constexpr int kBytes = std::min(16, kPack);             ///< of a piece
  static_assert(kBytes % 4 == 0 && kPack % kBytes == 0, "4, 8 or a multiple of 16 bytes");

  /// The last piece is loaded only where shift is not 0.
  alignas(16) unsigned word[(kPack + kBytes) / 4];
  unsigned shift;  ///< bytes of the first piece before the first element

  /// The shift for elements that begin at `first`.
  static __host__ __device__ __forceinline__ unsigned shift_of(const void* first) {
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(first) % kBytes);
  }
};

/// Loads the pieces of pack `index` of the array whose first pack begins at `first`.
template <int W, class T>
__device__ __forceinline__ Pieces<T, W> load_pieces(const T* first, std::int64_t index) {
  using Of = Pieces<T, W>;
  Of pieces{};  // the last piece is zero, and no copy of another, for whose load it would wait
  pieces.shift = Of::shift_of(first);
  const auto* const from =
      reinterpret_cast<const unsigned char*>(first) - pieces.shift + index * Of::kPack;
  detail::move_bits<Of::kPack>(pieces.word, from);
  if (pieces.shift != 0) {
    detail::move_bits<Of::kBytes>(pieces.word + Of::kPack / 4, from + Of::kPack);
  }
  return pieces;
}

/// A pack as pieces that need no shift.
template <class T, int W>
__device__ __forceinline__ Pieces<T, W> as_pieces(const Pack<T, W>& pack) {
  Pieces<T, W> pieces{};
  detail::move_bits<Pieces<T, W>::kPack>(pieces.word, pack.at);
  return pieces;
}

/// `to`: the kWords words that begin `shift` bytes behind `from`, which most warps have in common. kUnit:
/// what the shift is a multiple of. `from` has as many words again.
template <int kUnit, int kWords>
__device__ __forceinline__ void shift_words(unsigned* to, const unsigned* from, unsigned shift) {
  unsigned word[2 * kWords];
#pragma unroll
  for (int k = 0; k < 2 * kWords; ++k) word[k] = from[k];
  if (kWords > 2 && (shift & 8) != 0) {
#pragma unroll
    for (int k = 0; k < 2 * kWords - 2; ++k) word[k] = word[k + 2];
  }
  if (kWords > 1 && kUnit <= 4 && (shift & 4) != 0) {
#pragma unroll
    for (int k = 0; k < 2 * kWords - 1; ++k) word[k] = word[k + 1];
  }
#pragma unroll
  for (int k = 0; k < kWords; ++k) {
    to[k] = kUnit < 4 ? __funnelshift_r(word[k], word[k + 1], shift % 4 * 8) : word[k];
  }
}

template <class T, int W>
__device__ __forceinline__ Pack<T, W> pack_of(const Pieces<T, W>& pieces) {
  using Of = Pieces<T, W>;
  constexpr int kWords = Of::kBytes / 4;
  alignas(16) unsigned word[Of::kPack / 4];
#pragma unroll
  for (int k = 0; k < Of::kPack / 4; k += kWords) {
    shift_words<sizeof(T), kWords>(word + k, pieces.word + k, pieces.shift);
  }
  Pack<T, W> pack;
  detail::move_bits<Of::kPack>(pack.at, word);
  return pack;
}

/// pack_of(), where most arrays need no shift.
template <class T, int W>
__device__ __forceinline__ Pack<T, W> shifted(const Pieces<T, W>& pieces) {
  if (pieces.shift != 0) return pack_of(pieces);
  Pack<T, W> pack;
  detail::move_bits<Pieces<T, W>::kPack>(pack.at, pieces.word);
  return pack;
}

/// The arguments are loaded before any of them is shifted: so all loads are under way at once.
template <class F, class... Operand>
__device__ __forceinline__ auto apply_to_pieces(F f, const Operand&... operand) {
  return f(pack_of(operand)...);
}

/// An operation on elements as one on packs.
template <class Out, class Op>
struct OnElements {
  Op op;

  template <class In, int N, class... More>
  __device__ __forceinline__ Pack<Out, N> operator()(const Pack<In, N>& x,
                                                     const More&... more) const {
    if constexpr (sizeof...(More) == 1 && kHasPacks<Op>) {
      return apply<Out>(op, x, more...);
    } else {
      Pack<Out, N> y;
#pragma unroll
      for (int k = 0; k < N; ++k) y.at[k] = op(x.at[k], more.at[k]...);
      return y;
    }
  }
};

/// How a launch divides its elements: `head` before the first pack, then `packs` packs.
struct AnyAddress {
  std::int64_t head = 0;
  std::int64_t packs = 0;
};

/// y[i] = f(in[i]...) for i in [0, n), W elements a thread. Each array is aligned to its elements;
/// pack(y + head) to its W elements, and the pieces of all packs lie inside the arrays.
///
/// `f` maps a Pack<In, N> of each operand to a Pack<Out, N>, N being W or 1. y may be an operand.
template <int W, class Out, class F, class... In>
__global__ void elementwise_any_address_kernel(Out* y, std::int64_t n, AnyAddress parts, F f,
                                               const In*... in) {
  wait_for_previous_grid();
  let_next_grid_begin();
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (thread < parts.packs) {
    store_pack(y + parts.head + thread * W,
               apply_to_pieces(f, load_pieces<W>(in + parts.head, thread)...));
  } else {
    std::int64_t i = thread - first_single(parts.packs);
    if (i < 0 || i >= n - parts.packs * W) return;
    if (i >= parts.head) i += parts.packs * W;
    y[i] = f(load_pack<1>(in + i)...).at[0];
  }
}

/// The first pack begins where y reaches a multiple of so many bytes: a line of the caches, so that a
/// warp stores whole lines.
inline constexpr std::size_t kStoreBoundary = 128;

/// The division for these arrays. It leaves out, at either end, a pack whose pieces reach beyond an
/// operand.
template <int W, std::size_t kBoundary = kStoreBoundary, class Out, class... In>
__host__ __device__ AnyAddress divide(const Out* y, std::int64_t n, const In*... in) {
  constexpr auto kStep = static_cast<std::int64_t>(kBoundary / sizeof(Out));
  AnyAddress parts;
  const auto past = reinterpret_cast<std::uintptr_t>(y) % kBoundary;
  parts.head = static_cast<std::int64_t>((kBoundary - past) % kBoundary / sizeof(Out));
  [[maybe_unused]] const auto begins_before = [&](const auto* operand, unsigned shift) {
    return shift > static_cast<std::size_t>(parts.head) * sizeof(*operand);
  };
  if ((begins_before(in, Pieces<In, W>::shift_of(in + parts.head)) || ...)) parts.head += kStep;
  if (parts.head > n) parts.head = n;
  parts.packs = (n - parts.head) / W;
  const auto rest = static_cast<std::size_t>(n - parts.head - parts.packs * W);
  [[maybe_unused]] const auto ends_behind = [&](const auto* operand, unsigned shift,
                                                std::size_t piece) {
    return shift != 0 && shift + rest * sizeof(*operand) < piece;
  };
  if (parts.packs > 0 &&
      (ends_behind(in, Pieces<In, W>::shift_of(in + parts.head), Pieces<In, W>::kBytes) || ...)) {
    --parts.packs;
  }
  return parts;
}

/// Launches elementwise_any_address_kernel. Errors: as launch_elements().
template <int W, class Out, class F, class... In>
cudaError_t launch_any_address(F f, Out* y, std::int64_t n, cudaStream_t stream,
                               LaunchOptions options, const In*... in) {
  const cudaError_t error = check_arguments(n, {{in, alignof(In)}..., {y, alignof(Out)}});
  if (error != cudaSuccess || n == 0) return error;
  const AnyAddress parts = divide<W>(y, n, in...);
  return launch(elementwise_any_address_kernel<W, Out, F, In...>,
                {grid_1d(threads_for(parts.packs, n - parts.packs * W), options.threads),
                 dim3(static_cast<unsigned>(options.threads)), 0, options.overlap},
                stream, y, n, parts, f, in...);
}

}  // namespace tutorial
