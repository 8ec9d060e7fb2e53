// Which stores of a warp are merged before the L2? Each lane loads 16 bytes at once and writes them
// in pieces; the pieces follow each other at once, or some cycles later. And what does a sector of 32
// bytes cost of which only a part is stored?

#include "common/controls/row.cuh"
#include "common/macros.cuh"

namespace tutorial::controls {

namespace {

constexpr int kBlock = 128;

/// Lets `cycles` cycles pass. A loop, for across one the assembler moves no store: in a first version,
/// which had a chain of dependent multiplications here, it did all of them first and left the four
/// stores next to each other.
__device__ __forceinline__ void wait(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

__device__ __forceinline__ void store_word(half* y, unsigned word) {
  asm volatile("st.global.b32 [%0], %1;" ::"l"(y), "r"(word) : "memory");
}
__device__ __forceinline__ void store_element(half* y, unsigned bits) {
  asm volatile("st.global.b16 [%0], %1;" ::"l"(y), "h"(static_cast<unsigned short>(bits))
               : "memory");
}

/// kApart: the cycles that each store but the first waits for; 0, and they follow at once.
template <int kApart>
__global__ void control_store_words_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i >= n) return;
  alignas(16) unsigned word[4];
  LDST128BITS(word[0]) = LDST128BITS(x[i]);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (k > 0 && kApart > 0) wait(kApart);
    store_word(y + i + 2 * k, word[k]);
  }
}

/// What leaves a word as it is, and the compiler does not know.
struct Idle {
  unsigned zero, all;
};

/// kBetween instructions between two stores, and no branch. The first of them reads the clock, which
/// stays behind the store before it; each needs the result of the one before, and the next store that
/// of the last.
template <int kBetween>
__global__ void control_store_words_between_kernel(const half* x, half* y, std::int64_t n,
                                                   Idle idle) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i >= n) return;
  alignas(16) unsigned word[4];
  LDST128BITS(word[0]) = LDST128BITS(x[i]);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (k > 0) {
      unsigned chain;
      asm volatile("mov.u32 %0, %%clock;" : "=r"(chain)::"memory");
#pragma unroll
      for (int j = 1; j < kBetween; ++j) {
        asm volatile("lop3.b32 %0, %0, %1, %2, 0xe2;"
                     : "+r"(chain)
                     : "r"(idle.zero), "r"(idle.all));
      }
      word[k] ^= chain & idle.zero;
    }
    store_word(y + i + 2 * k, word[k]);
  }
}

/// The four stores of a lane, all of which the warp's other lanes wait for at a barrier.
__global__ void control_store_words_synced_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i >= n) return;
  alignas(16) unsigned word[4];
  LDST128BITS(word[0]) = LDST128BITS(x[i]);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    store_word(y + i + 2 * k, word[k]);
    __syncthreads();
  }
}

__global__ void control_store_elements_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i >= n) return;
  alignas(16) unsigned word[4];
  LDST128BITS(word[0]) = LDST128BITS(x[i]);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    store_element(y + i + 2 * k, word[k]);
    store_element(y + i + 2 * k + 1, word[k] >> 16);
  }
}

__global__ void control_store_pack_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i < n) LDST128BITS(y[i]) = LDST128BITS(x[i]);
}

/// Stores the first kStored of the kRow halves of a row: the packs that count in part by elements.
template <int kStored>
__global__ void control_store_rows_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i >= n) return;
  const int first = static_cast<int>(i % kRow);
  alignas(16) unsigned word[4];
  LDST128BITS(word[0]) = LDST128BITS(x[i]);
  if (first + 8 <= kStored) {
    LDST128BITS(y[i]) = LDST128BITS(word[0]);
  } else {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      if (first + k < kStored) store_element(y + i + k, word[k / 2] >> (16 * (k % 2)));
    }
  }
}

/// The last half of a row is loaded from `y`, and the last pack stored whole.
__global__ void control_store_rows_kept_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i >= n) return;
  const bool is_last = i % kRow + 8 == kRow;
  alignas(16) unsigned word[4], kept[4] = {};
  LDST128BITS(word[0]) = LDST128BITS(x[i]);
  if (is_last) LDST128BITS(kept[0]) = LDST128BITS(y[i]);
  if (is_last) word[3] = (word[3] & 0xffff) | (kept[3] & 0xffff0000);
  LDST128BITS(y[i]) = LDST128BITS(word[0]);
}

}  // namespace

std::vector<OneInput<half>> half_copies() {
  return {row("store_pack", control_store_pack_kernel, 8, {kBlock}),
          row("store_words", control_store_words_kernel<0>, 8, {kBlock}),
          row("store_words_apart_8", control_store_words_kernel<8>, 8, {kBlock}),
          row("store_words_apart_128", control_store_words_kernel<128>, 8, {kBlock}),
          row("store_words_synced", control_store_words_synced_kernel, 8, {kBlock}),
          row("store_elements", control_store_elements_kernel, 8, {kBlock}),
          row("store_words_between_1", control_store_words_between_kernel<1>, 8, {kBlock},
              Idle{0u, ~0u}),
          row("store_words_between_17", control_store_words_between_kernel<17>, 8, {kBlock},
              Idle{0u, ~0u})};
}

std::vector<RowCopy> row_copies() {
  return {{row("store_rows_256", control_store_rows_kernel<256>, 8, {kBlock}), 256},
          {row("store_rows_255", control_store_rows_kernel<255>, 8, {kBlock}), 255},
          {row("store_rows_249", control_store_rows_kernel<249>, 8, {kBlock}), 249},
          {row("store_rows_240", control_store_rows_kernel<240>, 8, {kBlock}), 240},
          {row("store_rows_kept", control_store_rows_kept_kernel, 8, {kBlock}), 255}};
}

}  // namespace tutorial::controls
