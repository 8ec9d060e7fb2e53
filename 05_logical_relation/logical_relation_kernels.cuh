// The two ladders of this chapter, and what masks are for.
//
// Read from the top. Each rung changes one thing over the rung below; the README says what was
// predicted and what was measured. Every kernel is right for every n >= 0: the tail is done here,
// not by the caller. Vector accesses need pointers aligned to their width, which the launchers
// check. What is computed for each element stands in logical_relation_math.cuh.
#pragma once

#include <cstdint>

#include "05_logical_relation/logical_relation_math.cuh"
#include "common/launch.cuh"
#include "common/macros.cuh"

namespace tutorial {

// ---- Ladder A: logic on bytes ------------------------------------------------------------------

// Rung 1. One thread, one element: two bytes in, one byte out.
//! [logical_u8]
template <class Op>
__global__ void logical_u8_kernel(const Byte* a, const Byte* b, Byte* y, std::int64_t n,
                                  OnBytes<Op> op) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = op(a[i], b[i]);
  }
}
//! [logical_u8]

// Rung 2. Eight bytes a thread in a struct. Its alignment is that of its members, 1: so the
// compiler may not load more than a byte at a time, and does not.
//! [logical_bool8]
struct bool8_ {
  Byte x0;
  Byte y0;
  Byte z0;
  Byte w0;
  Byte x1;
  Byte y1;
  Byte z1;
  Byte w1;
};
static_assert(sizeof(bool8_) == 8 && alignof(bool8_) == 1);

template <class Op>
__global__ void logical_bool8_kernel(const Byte* a, const Byte* b, Byte* y, std::int64_t n,
                                     OnBytes<Op> op) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i + 8 <= n) {
    const bool8_ left = *reinterpret_cast<const bool8_*>(a + i);
    const bool8_ right = *reinterpret_cast<const bool8_*>(b + i);
    bool8_ result;
    result.x0 = op(left.x0, right.x0);
    result.y0 = op(left.y0, right.y0);
    result.z0 = op(left.z0, right.z0);
    result.w0 = op(left.w0, right.w0);
    result.x1 = op(left.x1, right.x1);
    result.y1 = op(left.y1, right.y1);
    result.z1 = op(left.z1, right.z1);
    result.w1 = op(left.w1, right.w1);
    *reinterpret_cast<bool8_*>(y + i) = result;
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = op(a[k], b[k]);
    }
  }
}
//! [logical_bool8]

// Rung 3. Sixteen bytes a thread, in four registers: a 32-bit operation works on four of them.
//! [logical_u8x16]
template <class Op>
__global__ void logical_u8x16_kernel(const Byte* a, const Byte* b, Byte* y, std::int64_t n, Op op) {
  wait_for_previous_grid();
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 16;
  if (i + 16 <= n) {
    alignas(16) unsigned left[4], right[4];
    LDST128BITS(left[0]) = LDST128BITS(a[i]);
    LDST128BITS(right[0]) = LDST128BITS(b[i]);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      left[k] = logical_four(op, left[k], right[k]);
    }
    LDST128BITS(y[i]) = LDST128BITS(left[0]);
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = OnBytes<Op>{op}(a[k], b[k]);
    }
  }
}
//! [logical_u8x16]

// The same two with one input: Not moves two bytes an element in place of three.
template <class Op>
__global__ void logical_one_u8_kernel(const Byte* a, Byte* y, std::int64_t n, OnBytes<Op> op) {
  wait_for_previous_grid();
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = op(a[i]);
  }
}

template <class Op>
__global__ void logical_one_u8x16_kernel(const Byte* a, Byte* y, std::int64_t n, Op op) {
  wait_for_previous_grid();
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 16;
  if (i + 16 <= n) {
    alignas(16) unsigned pack[4];
    LDST128BITS(pack[0]) = LDST128BITS(a[i]);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      pack[k] = logical_four(op, pack[k]);
    }
    LDST128BITS(y[i]) = LDST128BITS(pack[0]);
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = OnBytes<Op>{op}(a[k]);
    }
  }
}

// Strided. Any two shapes that broadcast: the place of an element in each operand, worked out by a
// division and a remainder for each dimension.
//! [strided]
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
//! [strided]

// ---- Ladder B: relations -----------------------------------------------------------------------

// Rung 1. One thread, one comparison.
//! [relation]
template <class T, class Op>
__global__ void relation_kernel(const T* a, const T* b, Byte* y, std::int64_t n, Op op) {
  wait_for_previous_grid();
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = op(a[i], b[i]) ? 1 : 0;
  }
}
//! [relation]

// Rung 2. The library's structs: half8_ has the alignment of a half, 2, and bool8_ that of a byte.
//! [relation_half8]
struct half8_ {
  half x0;
  half y0;
  half z0;
  half w0;
  half x1;
  half y1;
  half z1;
  half w1;
};
static_assert(sizeof(half8_) == 16 && alignof(half8_) == 2);

template <class Op>
__global__ void relation_half8_kernel(const half* a, const half* b, Byte* y, std::int64_t n,
                                      Op op) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i + 8 <= n) {
    const half8_ left = *reinterpret_cast<const half8_*>(a + i);
    const half8_ right = *reinterpret_cast<const half8_*>(b + i);
    bool8_ result;
    result.x0 = op(left.x0, right.x0) ? 1 : 0;
    result.y0 = op(left.y0, right.y0) ? 1 : 0;
    result.z0 = op(left.z0, right.z0) ? 1 : 0;
    result.w0 = op(left.w0, right.w0) ? 1 : 0;
    result.x1 = op(left.x1, right.x1) ? 1 : 0;
    result.y1 = op(left.y1, right.y1) ? 1 : 0;
    result.z1 = op(left.z1, right.z1) ? 1 : 0;
    result.w1 = op(left.w1, right.w1) ? 1 : 0;
    *reinterpret_cast<bool8_*>(y + i) = result;
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = op(a[k], b[k]) ? 1 : 0;
    }
  }
}
//! [relation_half8]

/// Stores N bytes (2, 4, 8 or 16) that lie in words, as one access. y is aligned to N.
template <int N>
__device__ __forceinline__ void store_answers(Byte* y, const unsigned* words) {
  if constexpr (N == 16) {
    LDST128BITS(*y) = LDST128BITS(*words);
  } else if constexpr (N == 8) {
    LDST64BITS(*y) = LDST64BITS(*words);
  } else if constexpr (N == 4) {
    LDST32BITS(*y) = *words;
  } else {
    static_assert(N == 2);
    *reinterpret_cast<unsigned short*>(y) = static_cast<unsigned short>(*words);
  }
}

// Rungs 3 and 4. Sixteen bytes of each operand a thread, and what that gives in answers: four for
// floats, eight for halves, in one store. `answers` is OneByOne or, for 16-bit floats, TwoByTwo.
//! [relation_pack]
template <class T, class Answers>
__global__ void relation_pack_kernel(const T* a, const T* b, Byte* y, std::int64_t n,
                                     Answers answers) {
  wait_for_previous_grid();
  constexpr int kWidth = 16 / sizeof(T);
  constexpr int kGroup = kWidth < 4 ? kWidth : 4;  // answers in a word
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kWidth;
  if (i + kWidth <= n) {
    alignas(16) T left[kWidth], right[kWidth];
    LDST128BITS(left[0]) = LDST128BITS(a[i]);
    LDST128BITS(right[0]) = LDST128BITS(b[i]);
    alignas(16) unsigned words[kWidth / kGroup];
#pragma unroll
    for (int k = 0; k < kWidth / kGroup; ++k) {
      words[k] = answers.template answers<kGroup>(&left[kGroup * k], &right[kGroup * k]);
    }
    store_answers<kWidth>(y + i, words);
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = answers.one(a[k], b[k]) ? 1 : 0;
    }
  }
}
//! [relation_pack]

// Between the rungs: sixteen adjacent elements a thread, so that its answers fill a 16-byte store.
// The loads pay for it: neighbouring lanes are 16 elements apart.
//! [relation_adjacent]
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
      words[k] = answers.template answers<4>(&left[4 * k], &right[4 * k]);
    }
    store_answers<16>(y + i, words);
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = answers.one(a[k], b[k]) ? 1 : 0;
    }
  }
}
//! [relation_adjacent]

/// piece[j] = what piece[(j + by) % K] was. `by` differs from lane to lane, and registers have no
/// index: so a step of 1, or not, and a step of 2, or not.
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

/// A transposition within the warp. Before: piece[j] of lane s is piece number 32 j + s of the
/// warp's 32 K pieces. After: piece[j] of lane s is number K s + j, so a lane's K pieces are
/// neighbours. K is 2 or 4, a piece W words. All 32 lanes must call.
///
/// In turn r each lane hands out one piece and takes one. The lane that shall end up with pieces
/// K s to K s + K - 1 finds them in row s / (32 / K), at K neighbouring lanes; it asks them in an
/// order that depends on its row, so that in each turn every lane is asked for exactly one piece.
//! [transpose_in_warp]
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
//! [transpose_in_warp]

// Rung 5. Wide in, narrow out: sixteen answers in one 16-byte store, and loads of 16 bytes that
// coalesce. A warp takes 512 elements; load j of all lanes together covers 512 neighbouring bytes.
// The answers then lie in the wrong lanes, and change places.
//! [relation_wide]
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
        piece[j][w] = answers.template answers<4>(&left[j][4 * w], &right[j][4 * w]);
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
//! [relation_wide]

// ---- One bit an answer -------------------------------------------------------------------------
// Answer i is bit i % 32 of word i / 32; the last word's unused bits are 0.

// The vote: every lane brings one answer, and all get the 32 of them in a word. No lane may leave
// before it.
//! [relation_ballot]
template <class T, class Op>
__global__ void relation_ballot_kernel(const T* a, const T* b, unsigned* words, std::int64_t n,
                                       Op op) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const bool answer = i < n && op(a[i], b[i]);
  const unsigned word = __ballot_sync(0xffffffffu, answer);
  if (threadIdx.x % 32 == 0 && i < n) {
    words[i / 32] = word;
  }
}
//! [relation_ballot]

// The same with more bytes in flight: a warp takes kVotes times 32 neighbours, and lane k keeps the
// word of vote k, so that the words leave in one coalesced store.
//! [relation_ballot_wide]
template <class T, int kVotes, class Op>
__global__ void relation_ballot_wide_kernel(const T* a, const T* b, unsigned* words, std::int64_t n,
                                            Op op) {
  wait_for_previous_grid();
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t first = (thread - lane) * kVotes;  // of the warp's 32 kVotes elements
  bool answer[kVotes];
  if (first + 32 * kVotes <= n) {
#pragma unroll
    for (int k = 0; k < kVotes; ++k) {
      answer[k] = op(a[first + 32 * k + lane], b[first + 32 * k + lane]);
    }
  } else {
#pragma unroll
    for (int k = 0; k < kVotes; ++k) {
      const std::int64_t i = first + 32 * k + lane;
      answer[k] = i < n && op(a[i], b[i]);
    }
  }
  unsigned mine = 0;
#pragma unroll
  for (int k = 0; k < kVotes; ++k) {
    const unsigned word = __ballot_sync(0xffffffffu, answer[k]);
    if (lane == k) mine = word;
  }
  if (lane < kVotes && first + 32 * lane < n) {
    words[first / 32 + lane] = mine;
  }
}
//! [relation_ballot_wide]

// Without a vote: the eight answers of a 16-byte load are the eight bits of a byte.
//! [relation_bits]
template <class T, class Answers>
__global__ void relation_bits_kernel(const T* a, const T* b, unsigned* words, std::int64_t n,
                                     Answers answers) {
  static_assert(sizeof(T) == 2, "eight answers to a load");
  wait_for_previous_grid();
  const std::int64_t byte = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t i = byte * 8;
  Byte* const bytes = reinterpret_cast<Byte*>(words);
  if (i + 8 <= n) {
    alignas(16) T left[8], right[8];
    LDST128BITS(left[0]) = LDST128BITS(a[i]);
    LDST128BITS(right[0]) = LDST128BITS(b[i]);
    const unsigned low = answers.template answers<4>(&left[0], &right[0]);
    const unsigned high = answers.template answers<4>(&left[4], &right[4]);
    bytes[byte] = static_cast<Byte>(four_bits(low) | four_bits(high) << 4);
  } else if (i < (n + 31) / 32 * 32) {  // the last answers, and the rest of the last word
    unsigned bits = 0;
    for (std::int64_t k = i; k < n; ++k) {
      bits |= answers.one(a[k], b[k]) ? 1u << (k - i) : 0u;
    }
    bytes[byte] = static_cast<Byte>(bits);
  }
}
//! [relation_bits]

// ---- What masks are for ------------------------------------------------------------------------

// Last rung. y = c ? a : b: three inputs, one of them a mask of bytes.
//! [where]
template <class T>
__global__ void where_kernel(const Byte* c, const T* a, const T* b, T* y, std::int64_t n) {
  wait_for_previous_grid();
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = c[i] != 0 ? a[i] : b[i];
  }
}
//! [where]

//! [where_pack]
template <class T>
__global__ void where_pack_kernel(const Byte* c, const T* a, const T* b, T* y, std::int64_t n) {
  wait_for_previous_grid();
  constexpr int kWidth = 16 / sizeof(T);
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kWidth;
  if (i + kWidth <= n) {
    alignas(16) T left[kWidth], right[kWidth];
    alignas(8) Byte mask[kWidth];
    if constexpr (kWidth == 8) {
      LDST64BITS(mask[0]) = LDST64BITS(c[i]);
    } else {
      static_assert(kWidth == 4);
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
//! [where_pack]

}  // namespace tutorial
