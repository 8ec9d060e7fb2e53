// The kernels beside the two ladders, which notes/ explains: wide stores, any two shapes by
// division, and where.
#pragma once

#include <cstdint>

#include "05_logical_relation/ladders/ladder_b_relation.cuh"
#include "05_logical_relation/logical_relation_math.cuh"
#include "common/launch.cuh"
#include "common/macros.cuh"

namespace tutorial {

// ---- Wide stores (notes/wide_stores.md) --------------------------------------------------------

// f16x16_adjacent, f32x16_adjacent: sixteen adjacent elements a thread, so that its answers fill a
// 16-byte store. In exchange, the loads of neighbouring lanes are 16 elements apart.
template <class T, class Answers>
__global__ void relation_adjacent_kernel(const T* a, const T* b, Byte* y, std::int64_t n,
                                         Answers answers) {
  wait_for_previous_grid();
  constexpr int kWidth = 16 / sizeof(T);
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 16;
  if (i + 16 <= n) {
    alignas(16) T left[16], right[16];
#pragma unroll
    for (int k = 0; k < 16; k += kWidth) {
      LDST128BITS(left[k]) = LDST128BITS(a[i + k]);
      LDST128BITS(right[k]) = LDST128BITS(b[i + k]);
    }
    alignas(16) unsigned words[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      words[k] = answers.template compare<4>(&left[4 * k], &right[4 * k]);
    }
    store_answers<16>(y + i, words);
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = answers.one(a[k], b[k]) ? 1 : 0;
    }
  }
}

/// Rotates: piece[j] becomes the old piece[(j + by) % K]. `by` differs between lanes, and registers
/// cannot be indexed at run time; so each lane moves by 1 or not, and then by 2 or not.
template <int K, int W>
__device__ __forceinline__ void rotate(unsigned (&piece)[K][W], int by) {
#pragma unroll
  for (int step = 1; step < K; step *= 2) {
    const bool move = (by & step) != 0;
    unsigned before[K][W];
#pragma unroll
    for (int j = 0; j < K; ++j) {
#pragma unroll
      for (int w = 0; w < W; ++w) before[j][w] = piece[j][w];
    }
#pragma unroll
    for (int j = 0; j < K; ++j) {
#pragma unroll
      for (int w = 0; w < W; ++w) {
        piece[j][w] = move ? before[(j + step) % K][w] : before[j][w];
      }
    }
  }
}

/// Transposes within the warp. Before: piece[j] of lane s is number 32 j + s of the warp's 32 K
/// pieces. After: piece[j] of lane s is number K s + j, so each lane holds K consecutive pieces.
/// K is 2 or 4; a piece has W words. All 32 lanes must call.
///
/// In each turn every lane gives one piece and takes one. The lane that will hold pieces K s to
/// K s + K - 1 finds them in row s / (32 / K), at K neighbouring lanes. The order in which it asks
/// them depends on its row, so that in each turn every lane is asked for exactly one piece.
template <int K, int W>
__device__ __forceinline__ void transpose_in_warp(unsigned (&piece)[K][W]) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  constexpr int kLanes = 32 / K;  // how many lanes end up with the pieces of one row
  const int row = lane / kLanes;
  rotate(piece, lane % K);
#pragma unroll
  for (int turn = 0; turn < K; ++turn) {
    const int from = lane % kLanes * K + ((row - turn) & (K - 1));
#pragma unroll
    for (int w = 0; w < W; ++w) {
      piece[turn][w] = __shfl_sync(0xffffffffu, piece[turn][w], from);
    }
  }
  unsigned backwards[K][W];  // the turns went down from `row`
#pragma unroll
  for (int j = 0; j < K; ++j) {
#pragma unroll
    for (int w = 0; w < W; ++w) backwards[j][w] = piece[(K - j) % K][w];
  }
  rotate(backwards, K - row);
#pragma unroll
  for (int j = 0; j < K; ++j) {
#pragma unroll
    for (int w = 0; w < W; ++w) piece[j][w] = backwards[j][w];
  }
}

// f16x16_wide, f32x16_wide: the same 16-byte store with coalesced loads. A warp takes 512 elements;
// load j of its lanes covers 512 consecutive bytes. The answers are then in the wrong lanes, and
// transpose_in_warp() moves them.
template <class T, class Answers>
__global__ void relation_wide_kernel(const T* a, const T* b, Byte* y, std::int64_t n,
                                     Answers answers) {
  wait_for_previous_grid();
  constexpr int kWidth = 16 / sizeof(T);  // elements in a load
  constexpr int kLoads = 16 / kWidth;     // loads of each operand
  constexpr int kWords = kWidth / 4;      // words of answers to a load
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t first = (thread - lane) * 16;  // of the warp's 512 elements
  if (first + 512 <= n) {                           // the same for all of its lanes
    alignas(16) T left[kLoads][kWidth], right[kLoads][kWidth];
#pragma unroll
    for (int j = 0; j < kLoads; ++j) {
      const std::int64_t i = first + (j * 32 + lane) * kWidth;
      LDST128BITS(left[j][0]) = LDST128BITS(a[i]);
      LDST128BITS(right[j][0]) = LDST128BITS(b[i]);
    }
    alignas(16) unsigned piece[kLoads][kWords];
#pragma unroll
    for (int j = 0; j < kLoads; ++j) {
#pragma unroll
      for (int w = 0; w < kWords; ++w) {
        piece[j][w] = answers.template compare<4>(&left[j][4 * w], &right[j][4 * w]);
      }
    }
    transpose_in_warp(piece);
    store_answers<16>(y + first + 16 * lane, &piece[0][0]);
  } else {
    for (std::int64_t k = first + lane; k < n; k += 32) {
      y[k] = answers.one(a[k], b[k]) ? 1 : 0;
    }
  }
}

// ---- Any two shapes that broadcast (notes/broadcasting.md) -------------------------------------

// strided: for each dimension a thread divides its index by the stride. The quotient is the
// coordinate; coordinates times strides give the offsets of the two operands.
struct StridedParam {
  std::uint64_t num_elems;
  int dim_count;
  std::uint64_t stride_in0[7];
  std::uint64_t stride_in1[7];
  std::uint64_t stride_out[7];
};

template <class In, class Op>
__global__ void strided_kernel(StridedParam param, const In* in0, const In* in1, Byte* out, Op op) {
  std::uint64_t index = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (index >= param.num_elems) return;
  const std::uint64_t out_index = index;
  std::uint64_t offset0 = 0;
  std::uint64_t offset1 = 0;
  for (int i = 0; i < param.dim_count; ++i) {
    const std::uint64_t dim_off = index / param.stride_out[i];
    offset0 += dim_off * param.stride_in0[i];
    offset1 += dim_off * param.stride_in1[i];
    index = index % param.stride_out[i];
  }
  out[out_index] = op(in0[offset0], in1[offset1]) ? 1 : 0;
}

// ---- y = c ? a : b (notes/where.md) ------------------------------------------------------------

// where_f16, where_f32: one thread, one element. c is a mask of bytes.
template <class T>
__global__ void where_kernel(const Byte* c, const T* a, const T* b, T* y, std::int64_t n) {
  wait_for_previous_grid();
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = c[i] != 0 ? a[i] : b[i];
  }
}

// where_f16x8_pack, where_f32x4_pack: 16 bytes of each operand a thread, and the bytes of the mask
// that belong to them.
template <class T>
__global__ void where_pack_kernel(const Byte* c, const T* a, const T* b, T* y, std::int64_t n) {
  wait_for_previous_grid();
  constexpr int kWidth = 16 / sizeof(T);
  static_assert(kWidth == 8 || kWidth == 4);
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kWidth;
  if (i + kWidth <= n) {
    alignas(16) T left[kWidth], right[kWidth];
    alignas(8) Byte mask[kWidth];
    if constexpr (kWidth == 8) {
      LDST64BITS(mask[0]) = LDST64BITS(c[i]);
    } else {
      LDST32BITS(mask[0]) = LDST32BITS(c[i]);
    }
    LDST128BITS(left[0]) = LDST128BITS(a[i]);
    LDST128BITS(right[0]) = LDST128BITS(b[i]);
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
      left[k] = mask[k] != 0 ? left[k] : right[k];
    }
    LDST128BITS(y[i]) = LDST128BITS(left[0]);
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = c[k] != 0 ? a[k] : b[k];
    }
  }
}

}  // namespace tutorial
