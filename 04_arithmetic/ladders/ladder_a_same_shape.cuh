// Ladder A: y[i] = op(a[i], b[i]) for arrays of the same shape.
//
// Read from the top. Each rung changes one thing over the rung before it; notes/same_shape.md says
// what was predicted and what was measured. Every kernel is right for every n >= 0 and computes its own
// tail. What is computed for each element stands in arithmetic_math.cuh.
#pragma once

#include <cstdint>

#include "04_arithmetic/arithmetic_math.cuh"
#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/pack.cuh"

namespace tutorial {

// A1 · f16: one thread, one element, of any type. The block's index is widened to 64 bits before
// the multiplication; `blockIdx.x * blockDim.x` alone has 32 bits and wraps.
//! [nobroadcast]
template <class T, class Op>
__global__ void arithmetic_nobroadcast_kernel(const T* a, const T* b, T* y, std::int64_t n, Op op) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = op(a[i], b[i]);
  }
}
//! [nobroadcast]

// A2 · f16x8_unaligned: a structure of eight halves for each thread. It looks like a 16-byte
// access, but a structure has the alignment of its members, here 2 bytes, so the compiler may not
// load more than 2 bytes at once.
struct Half8Unaligned {
  half x0, y0, z0, w0, x1, y1, z1, w1;
};
static_assert(sizeof(Half8Unaligned) == 16 && alignof(Half8Unaligned) == 2);

template <class Op>
__device__ __forceinline__ Half8Unaligned for_each_half(const Half8Unaligned& a,
                                                        const Half8Unaligned& b, Op op) {
  return {op(a.x0, b.x0), op(a.y0, b.y0), op(a.z0, b.z0), op(a.w0, b.w0),
          op(a.x1, b.x1), op(a.y1, b.y1), op(a.z1, b.z1), op(a.w1, b.w1)};
}

template <class Op>
__global__ void arithmetic_half8_unaligned_kernel(const half* a, const half* b, half* y,
                                                  std::int64_t n, Op op) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i + 8 <= n) {
    const Half8Unaligned pack_a = reinterpret_cast<const Half8Unaligned&>(a[i]);
    const Half8Unaligned pack_b = reinterpret_cast<const Half8Unaligned&>(b[i]);
    reinterpret_cast<Half8Unaligned&>(y[i]) = for_each_half(pack_a, pack_b, op);
  } else {
#pragma unroll 1
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = op(a[k], b[k]);
    }
  }
}

// A3 · f16x8_shared: the same structure, filled through shared memory. 16 bytes arrive as a float4,
// are stored as a float4 and read back as eight halves. A block has 2 * blockDim.x slots of 16
// bytes; the slots of the second operand begin at blockDim.x. The library that this chapter follows
// does the same for one block size.
//
// Each thread reads only its own slots, so the block needs no barrier.
template <class Op>
__global__ void arithmetic_fp16_kernel(const half* a, const half* b, half* y, std::int64_t n,
                                       Op op) {
  DYNAMIC_SHARED(float4, slots);
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i + 8 <= n) {
    float4& slot_a = slots[threadIdx.x];
    float4& slot_b = slots[threadIdx.x + blockDim.x];
    slot_a = FLOAT4(a[i]);
    slot_b = FLOAT4(b[i]);
    auto& pack_a = reinterpret_cast<Half8Unaligned&>(slot_a);
    const auto& pack_b = reinterpret_cast<const Half8Unaligned&>(slot_b);
    pack_a = for_each_half(pack_a, pack_b, op);
    FLOAT4(y[i]) = slot_a;
  } else {
#pragma unroll 1
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = op(a[k], b[k]);
    }
  }
}

// A4 · f16x8_h2: what the structure lacks is alignas. Now the compiler may load all of it at once,
// and two of its halves at a time fit the instructions that compute two halves.
//
// The members are halves and not half2: half2 has a copy constructor of its own, so a structure of
// half2, aligned or not, is copied member by member, 32 bits at a time.
struct alignas(16) Half8 {
  half at[8];
};

template <class Op>
__global__ void arithmetic_half8_kernel(const half* a, const half* b, half* y, std::int64_t n,
                                        Op op) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i + 8 <= n) {
    Half8 pack_a = reinterpret_cast<const Half8&>(a[i]);
    const Half8 pack_b = reinterpret_cast<const Half8&>(b[i]);
#pragma unroll
    for (int k = 0; k < 8; k += 2) {
      HALF2(pack_a.at[k]) = op(HALF2(pack_a.at[k]), HALF2(pack_b.at[k]));
    }
    reinterpret_cast<Half8&>(y[i]) = pack_a;
  } else {
#pragma unroll 1
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = op(half2{a[k], a[k]}, half2{b[k], b[k]}).x;
    }
  }
}

// A5 · f16x8_pack: the structure for every type, 16 bytes of whatever T is (Pack, in
// common/pack.cuh), and an operation on one element.
//
// A6 · f16x8_pdl is the same kernel, launched with Overlap::previous_kernel in blocks of 256 threads,
// or of 704 where the arrays do not fit the L2.
template <class T>
inline constexpr int kPackWidth = 16 / sizeof(T);

template <class T, class Op>
__global__ void arithmetic_pack_kernel(const T* a, const T* b, T* y, std::int64_t n, Op op) {
  wait_for_previous_grid();
  constexpr int kWidth = kPackWidth<T>;
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t i = thread * kWidth;
  if (i + kWidth <= n) {
    const Pack<T, kWidth> pack_a = load_pack<kWidth>(a + i), pack_b = load_pack<kWidth>(b + i);
    store_pack(y + i, apply<T>(op, pack_a, pack_b));
  } else if (const std::int64_t k = tail_element<kWidth>(thread, n); k < n) {
    y[k] = op(a[k], b[k]);
  }
}

}  // namespace tutorial
