// The data movement of elementwise.cuh with two packs a thread, for operations beside which the
// index arithmetic costs time.
#pragma once

#include <cstdint>

#include "common/elementwise.cuh"

namespace tutorial {

/// y[i] = op(x[i]) for i in [0, n), twice sixteen bytes a thread, a block's width apart: each
/// access of a warp is as coalesced as with one pack, and the index arithmetic and the bounds check
/// are paid once for twice the elements.
///
/// x and y: 16-byte aligned, in place (y == x) allowed. `op` maps Pair<T> to Pair<T>, element by
/// element. The last block does what it has of packs and, an element a thread, the tail.
template <class T, class Op>
__global__ void elementwise_two_packs_kernel(const T* x, T* y, std::int64_t n, Op op) {
  wait_for_previous_grid();
  constexpr int kWidth = 16 / sizeof(T);
  const std::int64_t distance = std::int64_t{blockDim.x} * kWidth;
  const std::int64_t begin = std::int64_t{blockIdx.x} * 2 * distance;
  const std::int64_t i = begin + threadIdx.x * kWidth;
  const std::int64_t j = i + distance;
  alignas(16) Pair<T> pack[2][kWidth / 2];
  if (begin + 2 * distance <= n) {
    LDST128BITS(pack[0][0]) = LDST128BITS(x[i]);
    LDST128BITS(pack[1][0]) = LDST128BITS(x[j]);
#pragma unroll
    for (int k = 0; k < kWidth / 2; ++k) {
      pack[0][k] = op(pack[0][k]);
      pack[1][k] = op(pack[1][k]);
    }
    LDST128BITS(y[i]) = LDST128BITS(pack[0][0]);
    LDST128BITS(y[j]) = LDST128BITS(pack[1][0]);
  } else if (begin < n) {
#pragma unroll 1  // less code than a second copy for each pack, and the loads above stay side by side
    for (std::int64_t k = i; k <= j; k += distance) {
      if (k + kWidth > n) continue;
      LDST128BITS(pack[0][0]) = LDST128BITS(x[k]);
#pragma unroll
      for (int pair = 0; pair < kWidth / 2; ++pair) pack[0][pair] = op(pack[0][pair]);
      LDST128BITS(y[k]) = LDST128BITS(pack[0][0]);
    }
    const std::int64_t tail = n / kWidth * kWidth + threadIdx.x;
    if (tail < n) y[tail] = op(Pair<T>{x[tail], x[tail]}).x;
  }
}

/// launch_elementwise() with two packs a thread where both pointers are 16-byte aligned.
template <class T, class Op>
cudaError_t launch_elementwise_two_packs(const T* x, T* y, std::int64_t n, Op op,
                                         cudaStream_t stream, LaunchOptions options) {
  if (is_aligned(x, 16) && is_aligned(y, 16)) {
    return launch_unary(elementwise_two_packs_kernel<T, Op>, x, y, n, 32 / sizeof(T), 16, stream,
                        options, op);
  }
  return launch_elementwise(x, y, n, op, stream, options);
}

/// launch_elementwise(); but with two packs a thread, in blocks of kThreads, where that is one wave
/// of blocks and one pack a thread would be two. The second wave starts late, and is seldom full.
//! [launch_elementwise_one_wave]
template <class T, class Op>
cudaError_t launch_elementwise_one_wave(const T* x, T* y, std::int64_t n, Op op,
                                        cudaStream_t stream, LaunchOptions options) {
  constexpr std::int64_t kWidth = 16 / sizeof(T);
  const std::int64_t wave = resident_threads();
  if (n > wave * kWidth && n <= wave * 2 * kWidth) {
    return launch_elementwise_two_packs(x, y, n, op, stream, {kThreads, options.overlap});
  }
  return launch_elementwise(x, y, n, op, stream, options);
}
//! [launch_elementwise_one_wave]

}  // namespace tutorial
