// Cumsum: the running total of a tile, across a block.
//
// A layout deals vectors of W adjacent elements to the threads (layout.cuh), so the tile is
// VecSize / W *rounds* of blockDim.x vectors. One algorithm serves every layout:
// 1. Each thread scans each of its vectors.
// 2. Each warp scans the vectors' totals by shuffles, all rounds at once.
// 3. The last lane writes the warp's totals to shared memory, in the order of the elements (round by
//    round, in each round warp by warp).
// 4. Every warp scans those too, and adds to each of its vectors what lies before it.
// Two barriers, as in Reduce; a row of 32 threads needs none. Nothing is rearranged: the elements of
// an Interleaved tile are scanned where they are.
//
// The functor is associative and has an identity(); it need not be commutative: everything is
// combined from left to right. Floats are added in a tree of the block's shape: the error of an
// output is at most about W + log2(32) + (rounds * warps / 32) + log2(32) roundings of the sum of
// magnitudes up to there.
//
// The name is PaddlePaddle's; warp scans by shuffles as in M. Harris, M. Garland, "Optimizing
// Parallel Prefix Operations for the Fermi Architecture", GPU Computing Gems, 2012.
#pragma once

#include <cstdint>

#include "06_primitives/primitives/layout.cuh"
#include "06_primitives/primitives/reduce.cuh"

namespace tutorial::primitives {

namespace detail {

/// Inclusive scan over the 32 lanes.
//! [scan_lanes]
template <class T, class Op>
__device__ __forceinline__ T scan_lanes(T value, Op op) {
  const int lane = thread_in_block() % 32;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const T before = shuffle_up(value, static_cast<unsigned>(distance));
    if (lane >= distance) value = op(before, value);
  }
  return value;
}
//! [scan_lanes]

/// What lies before each round of the calling warp, given the totals of the warp's rounds (in every
/// lane): prefix[v] = op over all rounds before v, and over the warps before this one in round v.
/// Returns the total of the tile.
template <class T, int Rounds, class Op>
__device__ __forceinline__ T scan_warps(T (&prefix)[Rounds], const T (&total)[Rounds], Op op) {
  const int warps = static_cast<int>(blockDim.x) / 32;  // in this row
  if (warps == 1) {
    T sum = Op::identity();
#pragma unroll
    for (int v = 0; v < Rounds; ++v) {
      prefix[v] = sum;
      sum = op(sum, total[v]);
    }
    return sum;
  }

  __shared__ T of_warp[Rounds * 32];  // [row][round][warp]
  const int lane = thread_in_block() % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int first = static_cast<int>(threadIdx.y) * warps * Rounds;
  __syncthreads();  // an earlier call may still be reading
  if (lane == 0) {
#pragma unroll
    for (int v = 0; v < Rounds; ++v) of_warp[first + v * warps + warp] = total[v];
  }
  __syncthreads();
  T sum = Op::identity();
  const int count = Rounds * warps;
#pragma unroll
  for (int v = 0; v < Rounds; ++v) prefix[v] = sum;
  for (int begin = 0; begin < count; begin += 32) {
    const int i = begin + lane;
    const T scanned = op(sum, scan_lanes(i < count ? of_warp[first + i] : Op::identity(), op));
#pragma unroll
    for (int v = 0; v < Rounds; ++v) {
      const int before = v * warps + warp - 1 - begin;  // the same in the whole warp
      if (before >= 0 && before < 32) prefix[v] = shuffle_from(scanned, before);
    }
    sum = shuffle_from(scanned, 31);
  }
  return sum;
}

}  // namespace detail

/// out = the inclusive scan of the tile `in`: the element in register k becomes the op of all the
/// tile's elements up to and including it. Returns the total of the tile, in every thread. out may
/// be in.
///
/// Template parameters: Layout: where the elements lie, and no default, because there is no memory
/// here whose type could choose: the layout that they were read with, e.g. Interleaved<half>.
///
/// - Elements beyond a tail come after all others, so they change no result that is kept; Init them
///   with Op::identity() if the returned total matters.
/// - carry: what comes before the tile, for rows that are longer than it:
///   carry = Cumsum<L>(x, x, op, carry) walks along a row tile by tile. The total that is returned
///   includes the carry.
/// - All threads of the block call. blockDim.x is a multiple of 32; each row of threads (same
///   threadIdx.y) scans a tile of its own; at most 1024 threads.
/// - Shared memory: 32 * VecSize / W elements.
template <class Layout, class T, int VecSize, class Op>
__device__ __forceinline__ T Cumsum(T (&out)[VecSize], const T (&in)[VecSize], Op op, T carry) {
  constexpr int kWidth = Layout::template width<VecSize>;
  static_assert(VecSize % kWidth == 0, "a thread holds whole vectors");
  constexpr int kRounds = VecSize / kWidth;
  const int lane = detail::thread_in_block() % 32;

  T x[VecSize];       // the scan within each vector
  T before[kRounds];  // what the lanes before this one hold of each round
  T total[kRounds];   // what the whole warp holds
#pragma unroll
  for (int v = 0; v < kRounds; ++v) {
#pragma unroll
    for (int k = v * kWidth; k < (v + 1) * kWidth; ++k) {
      x[k] = k == v * kWidth ? in[k] : op(x[k - 1], in[k]);
    }
    const T scanned = detail::scan_lanes(x[(v + 1) * kWidth - 1], op);
    total[v] = detail::shuffle_from(scanned, 31);
    before[v] = detail::shuffle_up(scanned, 1);
    if (lane == 0) before[v] = Op::identity();
  }
  T prefix[kRounds];
  const T sum = detail::scan_warps(prefix, total, op);
#pragma unroll
  for (int v = 0; v < kRounds; ++v) {
    const T all_before = op(op(carry, prefix[v]), before[v]);
#pragma unroll
    for (int k = v * kWidth; k < (v + 1) * kWidth; ++k) out[k] = op(all_before, x[k]);
  }
  return op(carry, sum);
}

template <class Layout, class T, int VecSize, class Op>
__device__ __forceinline__ T Cumsum(T (&out)[VecSize], const T (&in)[VecSize], Op op) {
  return Cumsum<Layout>(out, in, op, Op::identity());
}

}  // namespace tutorial::primitives
