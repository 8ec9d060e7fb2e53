// Ladder B: comparisons of numbers, answered in bytes and then in bits.
//
// Read from the top; notes/ladder.md has the prediction and the outcome of each rung. Every
// kernel is right for every n >= 0: it handles the tail itself. A vector access needs pointers
// aligned to its width, which the launchers check. The comparisons are in
// logical_relation_math.cuh.
#pragma once

#include <cstdint>

#include "05_logical_relation/ladders/ladder_a_logical.cuh"
#include "05_logical_relation/logical_relation_math.cuh"
#include "common/launch.cuh"
#include "common/macros.cuh"

namespace tutorial {

// ---- One byte an answer ------------------------------------------------------------------------

// B1 · f16, f32, bf16: one thread, one comparison.
template <class T, class Op>
__global__ void relation_kernel(const T* a, const T* b, Byte* y, std::int64_t n, Op op) {
  wait_for_previous_grid();
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = op(a[i], b[i]) ? 1 : 0;
  }
}

// B2 · half8: eight halves a thread in a struct, which is aligned as a half is, to 2 bytes. The
// answers go into the bool8_ of rung A2.
struct half8_ {
  half x0, y0, z0, w0, x1, y1, z1, w1;
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

// B3 · f16x8_pack, f32x4_pack: 16 bytes of each operand a thread, and their answers in one store
// of 8 bytes (halves) or 4 bytes (floats). `answers` is OneByOne.
// B4 · f16x8_pack_h2: the same kernel with TwoByTwo, which compares two halves an instruction.
// B5 · f16x8_pdl, f32x4_pdl: the best of these with 256 threads a block and an early start.
template <class T, class Answers>
__global__ void relation_pack_kernel(const T* a, const T* b, Byte* y, std::int64_t n,
                                     Answers answers) {
  wait_for_previous_grid();
  constexpr int kWidth = 16 / sizeof(T);
  constexpr int kGroup = kWidth < 4 ? kWidth : 4;  // answers in a word
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t i = thread * kWidth;
  if (i + kWidth <= n) {
    alignas(16) T left[kWidth], right[kWidth];
    LDST128BITS(left[0]) = LDST128BITS(a[i]);
    LDST128BITS(right[0]) = LDST128BITS(b[i]);
    alignas(16) unsigned words[kWidth / kGroup];
#pragma unroll
    for (int k = 0; k < kWidth / kGroup; ++k) {
      words[k] = answers.template compare<kGroup>(&left[kGroup * k], &right[kGroup * k]);
    }
    store_answers<kWidth>(y + i, words);
  } else if (const std::int64_t k = tail_element<kWidth>(thread, n); k < n) {
    y[k] = answers.one(a[k], b[k]) ? 1 : 0;
  }
}

// ---- One bit an answer -------------------------------------------------------------------------
// Answer i is bit i % 32 of word i / 32; the last word's unused bits are 0.

// B6 · f16_ballot, f32_ballot: a vote. Each lane contributes one answer, and all 32 lanes receive
// the word of 32 answers. No lane branches around the vote; lanes past the end vote false.
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

// B7 · f16x16_ballot, f32x8_ballot: kVotes votes a warp, so that a thread has more loads in
// flight. Lane k keeps the word of vote k, so the words leave in one coalesced store.
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

// B8 · f16x8_bits: no vote. The eight answers of a 16-byte load are the eight bits of one byte.
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
    const unsigned low = answers.template compare<4>(&left[0], &right[0]);
    const unsigned high = answers.template compare<4>(&left[4], &right[4]);
    bytes[byte] = static_cast<Byte>(four_bits(low) | four_bits(high) << 4);
  } else if (i < (n + 31) / 32 * 32) {  // the last answers, and the rest of the last word
    unsigned bits = 0;
    for (std::int64_t k = i; k < n; ++k) {
      bits |= answers.one(a[k], b[k]) ? 1u << (k - i) : 0u;
    }
    bytes[byte] = static_cast<Byte>(bits);
  }
}

}  // namespace tutorial
