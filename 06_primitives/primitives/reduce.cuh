// Reduce: many values to one, within a thread's registers or across a block.
//
// The functor is associative and commutative, and has an identity() (functors.cuh). Float addition
// is not associative, so the order matters: it is a tree that depends on the shape of the block
// alone, and the same launch gives the same bits every time. A tree over n values has ceil(log2 n)
// levels, and a sum's error is at most about that many roundings of the sum of magnitudes; a loop
// has n - 1.
//
// Across a block: first within each warp by shuffles, which need neither memory nor a barrier; then
// the warps' results through 32 words of shared memory, which every warp reduces for itself, so that
// all threads have the result after two barriers (one before the memory is written: an earlier call
// may still be reading it). A row of at most 32 threads needs neither memory nor barriers.
//
// The names and the two modes are PaddlePaddle's; the algorithm is that of CUB's
// BLOCK_REDUCE_WARP_REDUCTIONS. See M. Harris, "Optimizing Parallel Reduction in CUDA", 2007.
#pragma once

#include <cstdint>
#include <type_traits>

#include "06_primitives/primitives/layout.cuh"

namespace tutorial::primitives {

enum ReduceMode {
  kLocalMode,   ///< a thread's own registers; threads do not meet
  kGlobalMode,  ///< across the threads of a block; every thread must call, and gets the result
};

/// What is reduced away: along x, neighbouring registers or threads of a row (same threadIdx.y);
/// along y, registers [y] or threads of a column (same threadIdx.x).
enum class Axis { x, y };

namespace detail {

/// Shuffles for every type that the primitives know. Those that CUDA has no overload for travel as
/// an int.
template <class T, class Shuffle>
__device__ __forceinline__ T shuffle_as_word(T value, Shuffle shuffle) {
  if constexpr (std::is_integral_v<T> && sizeof(T) < 4) {
    return static_cast<T>(shuffle(static_cast<int>(value)));
  } else {
    return shuffle(value);
  }
}
template <class T>
__device__ __forceinline__ T shuffle_xor(T value, int lane_mask) {
  return shuffle_as_word(value, [&](auto v) { return __shfl_xor_sync(0xffffffffU, v, lane_mask); });
}
template <class T>
__device__ __forceinline__ T shuffle_up(T value, unsigned delta) {
  return shuffle_as_word(value, [&](auto v) { return __shfl_up_sync(0xffffffffU, v, delta); });
}
template <class T>
__device__ __forceinline__ T shuffle_from(T value, int lane) {
  return shuffle_as_word(value, [&](auto v) { return __shfl_sync(0xffffffffU, v, lane); });
}

/// Reduces over groups of min(width, 32) neighbouring lanes; width is a power of two or at
/// least 32. Partners exchange their values in each step, so all lanes end with
/// the same bits.
//! [reduce_lanes]
template <class T, class Op>
__device__ __forceinline__ T reduce_lanes(T value, Op op, int width = 32) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) {
    if (mask < width) value = op(value, shuffle_xor(value, mask));
  }
  return value;
}
//! [reduce_lanes]

/// A tree over N registers, at any N.
template <class T, int N, class Op>
__device__ __forceinline__ T reduce_registers(const T (&in)[N], Op op) {
  T x[N];
#pragma unroll
  for (int k = 0; k < N; ++k) x[k] = in[k];
#pragma unroll
  for (int distance = 1; distance < N; distance *= 2) {
#pragma unroll
    for (int k = 0; k + distance < N; k += 2 * distance) x[k] = op(x[k], x[k + distance]);
  }
  return x[0];
}

template <class T, int N, class Op>
__device__ __forceinline__ void reduce_block_x(T (&x)[N], Op op) {
  const int width = static_cast<int>(blockDim.x);
#pragma unroll
  for (int k = 0; k < N; ++k) x[k] = reduce_lanes(x[k], op, width);
  if (width <= 32) return;

  __shared__ T of_warp[N][32];
  const int warp = thread_in_block() / 32;
  const int lane = thread_in_block() % 32;
  const int warps = width / 32;  // in this row
  const int first = static_cast<int>(threadIdx.y) * warps;
  __syncthreads();  // an earlier call may still be reading
  if (lane == 0) {
#pragma unroll
    for (int k = 0; k < N; ++k) of_warp[k][warp] = x[k];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < N; ++k) {
    x[k] = reduce_lanes(lane < warps ? of_warp[k][first + lane] : Op::identity(), op);
  }
}

template <int MaxThreads, class T, int N, class Op>
__device__ __forceinline__ void reduce_block_y(T (&x)[N], Op op) {
  static_assert(MaxThreads * N * sizeof(T) <= 48 * 1024,
                "more than a block's static shared memory");
  __shared__ T column[N][MaxThreads];
  const int slot = thread_in_block();
  __syncthreads();  // an earlier call may still be reading
#pragma unroll
  for (int k = 0; k < N; ++k) column[k][slot] = x[k];
  // Each round folds the upper part of the remaining rows onto the lower, at any number of rows.
  for (unsigned rows = blockDim.y; rows > 1; rows = (rows + 1) / 2) {
    const unsigned kept = (rows + 1) / 2;
    __syncthreads();
    if (threadIdx.y + kept < rows) {
#pragma unroll
      for (int k = 0; k < N; ++k) {
        x[k] = op(x[k], column[k][slot + static_cast<int>(kept * blockDim.x)]);
        column[k][slot] = x[k];
      }
    }
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < N; ++k) x[k] = column[k][threadIdx.x];
}

template <ReduceMode Mode>
using IfLocal = std::enable_if_t<Mode == kLocalMode, int>;
template <ReduceMode Mode>
using IfGlobal = std::enable_if_t<Mode == kGlobalMode, int>;

}  // namespace detail

/// Reduce<kLocalMode>(x, op): all of a thread's registers to one value.
template <ReduceMode Mode, class T, int VecSize, class Op, detail::IfLocal<Mode> = 0>
__device__ __forceinline__ T Reduce(const T (&x)[VecSize], Op op) {
  return detail::reduce_registers(x, op);
}

/// Reduce<kLocalMode, Axis::x>(out, x, op): each row of registers to one, out[y] = op over x of
/// x[y][x].
/// Reduce<kLocalMode, Axis::y>(out, x, op): each column to one, out[x] = op over y of x[y][x].
template <ReduceMode Mode, Axis Along, class T, int N, int NX, int NY, class Op,
          detail::IfLocal<Mode> = 0>
__device__ __forceinline__ void Reduce(T (&out)[N], const T (&x)[NY][NX], Op op) {
  if constexpr (Along == Axis::x) {
    static_assert(N == NY, "one result for each row");
#pragma unroll
    for (int j = 0; j < NY; ++j) out[j] = detail::reduce_registers(x[j], op);
  } else {
    static_assert(N == NX, "one result for each column");
#pragma unroll
    for (int i = 0; i < NX; ++i) {
      T column[NY];
#pragma unroll
      for (int j = 0; j < NY; ++j) column[j] = x[j][i];
      out[i] = detail::reduce_registers(column, op);
    }
  }
}

/// Reduce<kGlobalMode>(out, in, op): VecSize reductions side by side, out[k] = op over the threads
/// of in[k]. They share their barriers. out may be in.
///
/// - Axis::x: over the threads of a row. blockDim.x is a power of two or a multiple of 32. Shared
///   memory: 32 * VecSize elements. Barriers: two, none if blockDim.x <= 32.
/// - Axis::y: over the threads of a column, any blockDim. Shared memory: MaxThreads * VecSize
///   elements; MaxThreads >= blockDim.x * blockDim.y. Barriers: 2 + ceil(log2 blockDim.y).
///
/// All threads of the block call, blockDim.x * blockDim.y is a multiple of 32, blockDim.z is 1.
template <ReduceMode Mode, Axis Along = Axis::x, int MaxThreads = 1024, class T, int VecSize,
          class Op, detail::IfGlobal<Mode> = 0>
__device__ __forceinline__ void Reduce(T (&out)[VecSize], const T (&in)[VecSize], Op op) {
  T x[VecSize];
#pragma unroll
  for (int k = 0; k < VecSize; ++k) x[k] = in[k];
  if constexpr (Along == Axis::x) {
    detail::reduce_block_x(x, op);
  } else {
    detail::reduce_block_y<MaxThreads>(x, op);
  }
#pragma unroll
  for (int k = 0; k < VecSize; ++k) out[k] = x[k];
}

/// Reduce<kGlobalMode>(value, op): one value of each thread. A tile is reduced by
///
///     Reduce<kGlobalMode>(Reduce<kLocalMode>(x, op), op)
template <ReduceMode Mode, Axis Along = Axis::x, int MaxThreads = 1024, class T, class Op,
          detail::IfGlobal<Mode> = 0>
__device__ __forceinline__ T Reduce(T value, Op op) {
  static_assert(!std::is_pointer_v<T>, "an array of results: Reduce<kGlobalMode>(out, in, op)");
  T x[1] = {value};
  Reduce<Mode, Along, MaxThreads>(x, x, op);
  return x[0];
}

}  // namespace tutorial::primitives
