// Elementwise kernels on eight-bit floats, sixteen a thread: the arithmetic in float, or a table.
#pragma once

#include "common/ladder.cuh"

namespace tutorial {

// ---- Arithmetic in float ----------------------------------------------------------------------
// With a pair, and its conversions to and from two floats, elementwise_pack_kernel takes eight-bit
// floats as they are.

/// Two eight-bit floats in 16 bits, the first in the lower byte. (As two members of a byte each, nvcc
/// takes every pair apart and puts it together again.)
template <class T>
struct Fp8Pair {
  union {
    unsigned short bits;
    T x;
  };

  Fp8Pair() = default;
  __device__ __forceinline__ explicit Fp8Pair(unsigned pair)
      : bits(static_cast<unsigned short>(pair)) {}
  __device__ __forceinline__ Fp8Pair(T first, T second)
      : Fp8Pair(first.__x | unsigned{second.__x} << 8) {}
};
template <>
struct PairOf<E4m3> {
  using type = Fp8Pair<E4m3>;
};
template <>
struct PairOf<E5m2> {
  using type = Fp8Pair<E5m2>;
};

template <class T>
inline constexpr __nv_fp8_interpretation_t kFp8Format =
    std::is_same_v<T, E4m3> ? __NV_E4M3 : __NV_E5M2;

//! [fp8_conversions]
/// Exact: both formats are parts of a half's.
template <class T>
__device__ __forceinline__ float2 to_float2(Fp8Pair<T> v) {
  return __half22float2(half2(__nv_cvt_fp8x2_to_halfraw2(v.bits, kFp8Format<T>)));
}

template <class T>
__device__ __forceinline__ Fp8Pair<T> saturated_to(float2 v) {
  return Fp8Pair<T>(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kFp8Format<T>));
}
//! [fp8_conversions]

template <>
__device__ __forceinline__ Fp8Pair<E4m3> from_float2<Fp8Pair<E4m3>>(float2 v) {
  return saturated_to<E4m3>(v);
}
template <>
__device__ __forceinline__ Fp8Pair<E5m2> from_float2<Fp8Pair<E5m2>>(float2 v) {
  return saturated_to<E5m2>(v);
}

// ---- A table ----------------------------------------------------------------------------------

/// Fills the table, two codes a step: byte `code` becomes op() of that code's number. All threads of
/// the block call it.
///
/// An entry is a byte, so the table is 64 words, two in each of the 32 banks: a lookup of a warp takes
/// two passes at most. With entries of four bytes it could take eight.
template <class T, class Op>
__device__ __forceinline__ void fill_table(unsigned short* table, Op op) {
  for (unsigned k = threadIdx.x; k < 128; k += blockDim.x) {
    table[k] = op(Pair<T>(2 * k | (2 * k + 1) << 8)).bits;
  }
}

/// elementwise_pack_kernel for eight-bit floats, with a lookup in place of `op`, which is computed 256
/// times a block. The load is issued before the table is filled, and arrives meanwhile.
template <class T, class Op>
__global__ void elementwise_table_kernel(const T* x, T* y, std::int64_t n, Op op) {
  __shared__ unsigned short pairs[128];
  const auto* const table = reinterpret_cast<const unsigned char*>(pairs);
  wait_for_previous_grid();
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t i = thread * 16;
  const bool is_whole = i + 16 <= n;
  alignas(16) unsigned char pack[16];
  if (is_whole) {
    LDST128BITS(pack[0]) = LDST128BITS(x[i]);
  }
  fill_table<T>(pairs, op);
  __syncthreads();
  if (is_whole) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      pack[k] = table[pack[k]];
    }
    LDST128BITS(y[i]) = LDST128BITS(pack[0]);
  } else if (const std::int64_t k = tail_element<16>(thread, n); k < n) {
    y[k].__x = table[x[k].__x];
  }
}

// ---- The rungs --------------------------------------------------------------------------------

/// The two rungs that every one-input chapter has for E4m3 and for E5m2: "e4m3x16_pack" computes in
/// float, "e4m3x16_table" looks up. 0.5 ULP: every result is the nearest value. Launched as chapter
/// 01's sweep recommends: 256 threads a block, and overlap with the launch before.
template <class T, class Op>
Ladder<T> fp8_rungs(const std::string& prefix, Op op) {
  constexpr LaunchOptions kBest{256, Overlap::previous_kernel};
  const std::string name = prefix + dtype_name<T>() + "x16_";
  return {pack_rung<T>(name + "pack", op, 0.5, kBest),
          rung(name + "table", elementwise_table_kernel<T, Op>, 16, 16, 0.5, kBest, op)};
}

}  // namespace tutorial
