// The data movement of a one-input elementwise kernel, written once.
#pragma once

#include <cstdint>

#include "common/any_address.cuh"
#include "common/launch.cuh"
#include "common/macros.cuh"

// From the pack rung of chapter 01 on, every kernel of the one-input chapters moves its data in the
// same way and differs only in arithmetic. So the movement is here, and the arithmetic comes in as
// an operation on pairs: half2, __nv_bfloat162 or float2.

namespace tutorial {

/// The two-element vector type of T: half2, __nv_bfloat162, float2.
template <class T>
struct PairOf;
template <>
struct PairOf<float> {
  using type = float2;
};
template <>
struct PairOf<half> {
  using type = half2;
};
template <>
struct PairOf<__nv_bfloat16> {
  using type = __nv_bfloat162;
};
template <class T>
using Pair = typename PairOf<T>::type;

__device__ __forceinline__ float2 to_float2(float2 v) { return v; }
__device__ __forceinline__ float2 to_float2(half2 v) { return __half22float2(v); }
__device__ __forceinline__ float2 to_float2(__nv_bfloat162 v) { return __bfloat1622float2(v); }

/// Rounds two floats to the pair type P, to nearest even.
template <class P>
__device__ __forceinline__ P from_float2(float2 v);
template <>
__device__ __forceinline__ float2 from_float2<float2>(float2 v) {
  return v;
}
template <>
__device__ __forceinline__ half2 from_float2<half2>(float2 v) {
  return __float22half2_rn(v);
}
template <>
__device__ __forceinline__ __nv_bfloat162 from_float2<__nv_bfloat162>(float2 v) {
  return __float22bfloat162_rn(v);
}

/// {v.x < 0 ? a.x : b.x, v.y < 0 ? a.y : b.y}, without a branch. A NaN in v chooses b.
///
/// For the 16-bit types one comparison makes the mask for both halves and one three-input logic
/// instruction (LOP3) blends them.
__device__ __forceinline__ float2 select_negative(float2 v, float2 a, float2 b) {
  return {v.x < 0.0f ? a.x : b.x, v.y < 0.0f ? a.y : b.y};
}
template <class P>
__device__ __forceinline__ P blend(unsigned mask, P a, P b) {
  P result;
  LDST32BITS(result) = (mask & LDST32BITS(a)) | (~mask & LDST32BITS(b));
  return result;
}
__device__ __forceinline__ half2 select_negative(half2 v, half2 a, half2 b) {
  return blend(__hlt2_mask(v, __float2half2_rn(0.0f)), a, b);
}
__device__ __forceinline__ __nv_bfloat162 select_negative(__nv_bfloat162 v, __nv_bfloat162 a,
                                                          __nv_bfloat162 b) {
  return blend(__hlt2_mask(v, __float2bfloat162_rn(0.0f)), a, b);
}

/// Makes an operation on pairs out of an operation on floats: widen, compute, round once.
template <class F>
struct FloatInside {
  F f;
  template <class P>
  __device__ __forceinline__ P operator()(P v) const {
    const float2 wide = to_float2(v);
    return from_float2<P>({f(wide.x), f(wide.y)});
  }
};

/// y[i] = op(x[i]) for i in [0, n), sixteen bytes a thread: one 128-bit load, one 128-bit store.
///
/// x and y: 16-byte aligned, in place (y == x) allowed. `op` maps Pair<T> to Pair<T>, element by
/// element. Each element of the tail has a thread of its own (tail_element()).
template <class T, class Op>
__global__ void elementwise_pack_kernel(const T* x, T* y, std::int64_t n, Op op) {
  wait_for_previous_grid();
  constexpr int kWidth = 16 / sizeof(T);
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t i = thread * kWidth;
  if (i + kWidth <= n) {
    alignas(16) Pair<T> pack[kWidth / 2];
    LDST128BITS(pack[0]) = LDST128BITS(x[i]);
#pragma unroll
    for (int k = 0; k < kWidth / 2; ++k) {
      pack[k] = op(pack[k]);
    }
    LDST128BITS(y[i]) = LDST128BITS(pack[0]);
  } else if (const std::int64_t k = tail_element<kWidth>(thread, n); k < n) {
    y[k] = op(Pair<T>{x[k], x[k]}).x;
  }
}

/// elementwise_pack_kernel() for launches of few blocks (is_few()): when its loads have been sent, a thread lets the
/// next launch begin. (The compiler may move a load behind that; nvcc 13.0 does not.)
template <class T, class Op>
__global__ void elementwise_few_packs_kernel(const T* x, T* y, std::int64_t n, Op op) {
  wait_for_previous_grid();
  constexpr int kWidth = 16 / sizeof(T);
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t i = thread * kWidth;
  if (i + kWidth <= n) {
    alignas(16) Pair<T> pack[kWidth / 2];
    LDST128BITS(pack[0]) = LDST128BITS(x[i]);
    let_next_grid_begin(kEveryBlock);
#pragma unroll
    for (int k = 0; k < kWidth / 2; ++k) pack[k] = op(pack[k]);
    LDST128BITS(y[i]) = LDST128BITS(pack[0]);
  } else if (const std::int64_t k = tail_element<kWidth>(thread, n); k < n) {
    const T last = x[k];
    let_next_grid_begin(kEveryBlock);
    y[k] = op(Pair<T>{last, last}).x;
  }
}

/// An operation on pairs as one on packs, of one element too.
template <class Op>
struct OnPairs {
  Op op;

  template <class T, int N, class... More>
  __device__ __forceinline__ Pack<T, N> operator()(const Pack<T, N>& x, const More&... more) const {
    Pack<T, N> y;
    if constexpr (N == 1) {
      y.at[0] = op(Pair<T>{x.at[0], x.at[0]}, Pair<T>{more.at[0], more.at[0]}...).x;
    } else {
#pragma unroll
      for (int k = 0; k < N; k += 2) {
        detail::storage_as<Pair<T>>(y.at[k]) =
            op(detail::storage_as<Pair<T>>(x.at[k]), detail::storage_as<Pair<T>>(more.at[k])...);
      }
    }
    return y;
  }
};

/// y[i] = op(x[i]) by the pack kernel where both pointers are 16-byte aligned, and by
/// elementwise_any_address_kernel where they are not: the dispatch of every one-input operator.
/// Errors as launch_unary.
template <class T, class Op>
cudaError_t launch_elementwise(const T* x, T* y, std::int64_t n, Op op, cudaStream_t stream,
                               LaunchOptions options) {
  constexpr int kWidth = 16 / sizeof(T);
  if (is_aligned(x, 16) && is_aligned(y, 16)) {
    const bool few = is_few(n / kWidth, options);
    auto* const kernel = few ? elementwise_few_packs_kernel<T, Op> : elementwise_pack_kernel<T, Op>;
    if (few) options.threads = kThreads;
    return launch_unary(kernel, x, y, n, kWidth, 16, stream, options, op);
  }
  return launch_any_address<kWidth>(OnPairs<Op>{op}, y, n, stream, {kThreads, options.overlap}, x);
}

}  // namespace tutorial
