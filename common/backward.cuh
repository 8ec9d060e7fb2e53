// The frame of a backward ladder: dx[i] = f'(x[i]) dy[i], where y = f(x) was computed and dy, the
// gradient of y, comes back.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/elementwise_binary.cuh"
#include "common/fast_division.h"
#include "common/ptx.cuh"
#include "common/rung.h"

namespace tutorial {

// ---- The first two rungs: the textbook's formula ----------------------------------------------

/// f'(x) rounded to T, and then its product with dy. F{}(x) is f'(x) in float.
///
/// A derivative that is small has few digits as a T, or none, and a large dy does not bring them back.
template <class F>
struct RoundedDerivative {
  template <class T>
  __device__ __forceinline__ static T of(T x, T dy) {
    const T derivative = T(F{}(static_cast<float>(x)));
    return T(static_cast<float>(derivative) * static_cast<float>(dy));
  }
  template <class P>
  __device__ __forceinline__ P operator()(P x, P dy) const {
    return {of(x.x, dy.x), of(x.y, dy.y)};
  }
};

/// Rung 1: one thread, one element.
template <class T, class F>
__global__ void backward_scalar_kernel(const T* x, const T* dy, T* dx, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    dx[i] = RoundedDerivative<F>::of(x[i], dy[i]);
  }
}

/// A rung of kernel(const T* x, const T* dy, T* dx, std::int64_t n, extra...).
template <class T, class... Params, class... Extra>
BinaryRung<T> backward_rung(std::string name, void (*kernel)(const T*, const T*, T*, Params...),
                            int per_thread, std::size_t alignment, double max_ulp, Extra... extra) {
  const auto launch = [=](const T* x, const T* dy, T* dx, std::int64_t n, cudaStream_t stream) {
    return launch_binary(kernel, x, dy, dx, n, per_thread, alignment, stream, {}, extra...);
  };
  return {std::move(name), launch, per_thread, alignment, max_ulp};
}

/// "f32x4", "f16x8_pack": how a rung of sixteen bytes a thread is called.
template <class T>
std::string pack_name() {
  const std::string width = dtype_name<T>() + ("x" + std::to_string(16 / sizeof(T)));
  return sizeof(T) == 4 ? width : width + "_pack";
}

/// The ladder: F, the textbook's derivative, one element a thread; F in packs; and `op`, which has the
/// digits, in packs. textbook_ulp: the error allowed to the first two.
template <class F, class T, class Op>
std::vector<BinaryRung<T>> backward_ladder(const std::string& prefix, Op op, double textbook_ulp,
                                           double max_ulp) {
  using Textbook = RoundedDerivative<F>;
  constexpr int kWidth = 16 / sizeof(T);
  const std::string pack = prefix + pack_name<T>();
  return {
      backward_rung<T>(prefix + dtype_name<T>(), backward_scalar_kernel<T, F>, 1, sizeof(T),
                       textbook_ulp),
      backward_rung<T>(pack, elementwise_pack2_kernel<T, Textbook>, kWidth, 16, textbook_ulp,
                       Textbook{}),
      backward_rung<T>(pack + "_digits", elementwise_pack2_kernel<T, Op>, kWidth, 16, max_ulp, op)};
}

/// The launch of a gradient that moves `bytes` for each of n elements: blocks of 256 threads where that
/// fits the L2 (of kThreads where they are few: is_few()), and of kThreads beyond. Two blocks of
/// two_inputs() leave a third of the thread slots empty, which is best for an addition; here the arithmetic
/// wants them. (On an H200, Swish in half: 94 % of a copy in blocks of 128, 86 % in blocks of 704; the notes
/// on backward kernels have the others.)
inline LaunchOptions gradient_blocks(std::int64_t n, std::size_t bytes) {
  LaunchOptions options = two_inputs(n, bytes);
  if (options.threads > 256) options.threads = kThreads;
  return options;
}

/// dx[i] = op(x[i], dy[i]): the dispatch of every gradient of one input.
template <class T, class Op>
cudaError_t launch_gradient(const T* x, const T* dy, T* dx, std::int64_t n, Op op,
                            cudaStream_t stream) {
  return launch_elementwise(x, dy, dx, n, op, stream, gradient_blocks(n, 3 * sizeof(T)));
}

// ---- The digits -------------------------------------------------------------------------------

/// A number as a product whose factors do not leave the range of a float before dy has come in:
/// first (second dy).
struct TwoFactors {
  float first, second;
};

/// f'(x) dy, where f'(a) = 1 - f'(-a), as those of GELU and Swish are; d is f'(-|x|).
__device__ __forceinline__ float mirrored(bool is_negative, TwoFactors d, float dy) {
  const float slope = is_negative ? d.first : fmaf(-d.first, d.second, 1.0f);
  return is_negative ? slope * dy * d.second : slope * dy;
}

/// 2^t as two factors. The results of a half end at 2^-25, and its gradients are below 2^16, so t stays
/// above -42 and one exponential does. Types with a float's range take its root twice: q is a normal
/// number down to t = -252. Of t the function gets this share.
template <class T>
inline constexpr float kShareOfExponent = std::is_same_v<T, half> ? 1.0f : 0.5f;
template <class T>
__device__ __forceinline__ TwoFactors exp2_factors(float share) {
  const float q = exp2_approx(share);
  return {q, std::is_same_v<T, half> ? 1.0f : q};
}

/// 2^(2 (high + low)) as two factors, with the error of the special-function unit, twice; high from -126 to 0,
/// low a rounding error of it. Below -126 both are 0.
__device__ __forceinline__ TwoFactors exp2_sum(float high, float low) {
  const float q = exp2_approx(high);
  return {fmaf(q * 1.38629436f, low, q), q};
}

/// e^(high + low) is (1 + rest) power.first power.second, to the last bits of a float; high from
/// -175.4 to 0, low a rounding error of it. Below -175.1, power.first is 0.
///
/// high = k ln 2 + r with |r| <= ln(2)/2. ln 2 comes in two parts; k times the upper one, of 16 bits,
/// is exact. Adding 1.5 * 2^23 rounds to an integer, and the lowest bits of the sum are k. Of it 2^(k/2)
/// is taken twice, which has no digits to lose.
struct ExpParts {
  float rest;
  TwoFactors power;
};
__device__ __forceinline__ float power_of_two(int exponent) {  // -127 and up; of -127 it is 0
  return __uint_as_float((static_cast<unsigned>(exponent) << 23) + 0x3f800000u);
}
__device__ __forceinline__ ExpParts exp_parts(float high, float low) {
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23
  const float shifted = fmaf(high, 1.44269504f, kRound);
  const float k = shifted - kRound;
  const float r = fmaf(k, -1.4286068e-6f, fmaf(k, -0.69314575f, high) + low);
  float p = fmaf(r, 0.0013882507f, 0.008366596f);
  p = fmaf(r, p, 0.041667200f);
  p = fmaf(r, p, 0.16666543f);
  p = fmaf(r, p, 0.49999997f);
  p = fmaf(r * r, p, r);
  const int whole = __float_as_int(shifted) - 0x4b400000, half_of_it = whole >> 1;
  return {p, {power_of_two(half_of_it), power_of_two(whole - half_of_it)}};
}

/// to_float2(), for bf16 in one instruction an element where nvcc makes three of a pair.
template <class P>
__device__ __forceinline__ float2 widened(P v) {
  return to_float2(v);
}
__device__ __forceinline__ float2 widened(__nv_bfloat162 v) {
  const unsigned bits = LDST32BITS(v);
  return {__uint_as_float(bits << 16), __uint_as_float(bits & 0xffff0000u)};
}

/// Makes an operation on pairs out of f(x, dy, T{}) on floats: widen, compute, round once.
template <class F>
struct GradientInside {
  F f;
  template <class P>
  __device__ __forceinline__ P operator()(P x, P dy) const {
    const float2 v = widened(x), w = widened(dy);
    return from_float2<P>({f(v.x, w.x, x.x), f(v.y, w.y, x.y)});
  }
};

// ---- Two gradients ----------------------------------------------------------------------------

/// Of a product y = f(a) b: the gradients of a and of b, for a pair or a pack of elements.
template <class P>
struct TwoGradients {
  P a, b;
};

/// `op` maps three Pair<T> to a TwoGradients<Pair<T>>; this does so for a pack, of one element too.
template <class Op, class T, int N>
__device__ __forceinline__ TwoGradients<Pack<T, N>> gradients_of(Op op, const Pack<T, N>& a,
                                                                 const Pack<T, N>& b,
                                                                 const Pack<T, N>& dy) {
  TwoGradients<Pack<T, N>> d;
  if constexpr (N == 1) {
    const TwoGradients<Pair<T>> pair =
        op(Pair<T>{a.at[0], a.at[0]}, Pair<T>{b.at[0], b.at[0]}, Pair<T>{dy.at[0], dy.at[0]});
    d = {{pair.a.x}, {pair.b.x}};
  } else {
#pragma unroll
    for (int k = 0; k < N; k += 2) {
      const TwoGradients<Pair<T>> pair =
          op(detail::storage_as<Pair<T>>(a.at[k]), detail::storage_as<Pair<T>>(b.at[k]),
             detail::storage_as<Pair<T>>(dy.at[k]));
      detail::storage_as<Pair<T>>(d.a.at[k]) = pair.a;
      detail::storage_as<Pair<T>>(d.b.at[k]) = pair.b;
    }
  }
  return d;
}

/// da[i], db[i] = op(a[i], b[i], dy[i]) for i in [0, n), W elements a thread: three loads and two
/// stores. All five arrays are aligned to W elements; da and db may each be one of the others, and
/// not the same. A thread has read its elements of all three before it writes.
template <int W, class T, class Op>
__global__ void two_gradients_kernel(const T* a, const T* b, const T* dy, T* da, T* db,
                                     std::int64_t n, Op op) {
  wait_for_previous_grid();
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t i = thread * W;
  if (i + W <= n) {
    const auto d = gradients_of(op, load_pack<W>(a + i), load_pack<W>(b + i), load_pack<W>(dy + i));
    store_pack(da + i, d.a);
    store_pack(db + i, d.b);
  } else if (const std::int64_t k = tail_element<W>(thread, n); k < n) {
    const auto d = gradients_of(op, load_pack<1>(a + k), load_pack<1>(b + k), load_pack<1>(dy + k));
    da[k] = d.a.at[0];
    db[k] = d.b.at[0];
  }
}

/// The same for inputs that lie anywhere (any_address.cuh): packs begin where da and db are both
/// aligned to sixteen bytes.
template <int W, class T, class Op>
__global__ void two_gradients_any_address_kernel(const T* a, const T* b, const T* dy, T* da, T* db,
                                                 std::int64_t n, AnyAddress parts, Op op) {
  wait_for_previous_grid();
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const auto store = [&](std::int64_t at, const auto& d) {
    store_pack(da + at, d.a);
    store_pack(db + at, d.b);
  };
  if (thread < parts.packs) {
    const auto apply = [op](const auto&... pack) { return gradients_of(op, pack...); };
    store(parts.head + thread * W, apply_to_pieces(apply, load_pieces<W>(a + parts.head, thread),
                                                   load_pieces<W>(b + parts.head, thread),
                                                   load_pieces<W>(dy + parts.head, thread)));
  } else {
    std::int64_t i = thread - first_single(parts.packs);
    if (i < 0 || i >= n - parts.packs * W) return;
    if (i >= parts.head) i += parts.packs * W;
    store(i, gradients_of(op, load_pack<1>(a + i), load_pack<1>(b + i), load_pack<1>(dy + i)));
  }
}

/// The same for rows whose a and b are the halves: [rows, 2 d] elements, from which [rows, 2 d] of
/// gradients are made with dy of [rows, d]. `packs` divides by the packs of a row of dy, of which
/// there are `count`. dab may be ab.
template <int W, class T, class Op>
__global__ void two_gradients_halves_kernel(const T* ab, const T* dy, T* dab, std::uint32_t count,
                                            FastDivisor packs, Op op) {
  wait_for_previous_grid();
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= count) return;
  const DivMod at = packs.divmod(thread);
  const std::int64_t d = std::int64_t{packs.divisor()} * W, i = at.remainder * std::int64_t{W};
  const std::int64_t half = at.quotient * 2 * d + i;
  const auto gradients = gradients_of(op, load_pack<W>(ab + half), load_pack<W>(ab + half + d),
                                      load_pack<W>(dy + at.quotient * d + i));
  store_pack(dab + half, gradients.a);
  store_pack(dab + half + d, gradients.b);
}

/// Launches two_gradients_kernel<W>. Errors: those of launch_elements(), of pointers that lack the
/// alignment of W elements too, and cudaErrorInvalidValue for da == db.
template <int W, class T, class Op>
cudaError_t launch_two_gradients(const T* a, const T* b, const T* dy, T* da, T* db, std::int64_t n,
                                 Op op, cudaStream_t stream, LaunchOptions options) {
  if (da == db && n > 0) return cudaErrorInvalidValue;
  constexpr std::size_t kAlign = W * sizeof(T);
  return launch_elements(two_gradients_kernel<W, T, Op>, n, W,
                         {{a, kAlign}, {b, kAlign}, {dy, kAlign}, {da, kAlign}, {db, kAlign}},
                         stream, options, a, b, dy, da, db, n, op);
}

/// The dispatch of an operator: packs where all five pointers are 16-byte aligned, packs that are put
/// together where da and db are equally far from such a boundary, and single elements elsewhere.
template <class T, class Op>
cudaError_t launch_two_gradients(const T* a, const T* b, const T* dy, T* da, T* db, std::int64_t n,
                                 Op op, cudaStream_t stream) {
  constexpr int kWidth = 16 / sizeof(T);
  const LaunchOptions options = gradient_blocks(n, 5 * sizeof(T));
  const auto all = {static_cast<const T*>(da), static_cast<const T*>(db), a, b, dy};
  if (std::all_of(all.begin(), all.end(), [](const T* p) { return is_aligned(p, 16); })) {
    return launch_two_gradients<kWidth>(a, b, dy, da, db, n, op, stream, options);
  }
  const auto distance = reinterpret_cast<std::uintptr_t>(da) - reinterpret_cast<std::uintptr_t>(db);
  if (da == db || distance % 16 != 0) {
    return launch_two_gradients<1>(a, b, dy, da, db, n, op, stream, options);
  }
  const cudaError_t error = check_arguments(
      n, {{a, alignof(T)}, {b, alignof(T)}, {dy, alignof(T)}, {da, alignof(T)}, {db, alignof(T)}});
  if (error != cudaSuccess || n == 0) return error;
  const AnyAddress parts = divide<kWidth>(da, n, a, b, dy);
  return launch(two_gradients_any_address_kernel<kWidth, T, Op>,
                {grid_1d(threads_for(parts.packs, n - parts.packs * kWidth), options.threads),
                 dim3(static_cast<unsigned>(options.threads)), 0, options.overlap},
                stream, a, b, dy, da, db, n, parts, op);
}

/// Launches two_gradients_halves_kernel: packs where rows of dy are whole packs and the pointers are
/// 16-byte aligned, single elements elsewhere. 32 bits count the packs: more of them are several
/// launches.
template <class T, class Op>
cudaError_t launch_two_gradients_halves(const T* ab, const T* dy, T* dab, std::int64_t rows,
                                        std::int64_t d, Op op, cudaStream_t stream) {
  constexpr std::int64_t kWidth = 16 / sizeof(T), kMost = std::int64_t{1} << 31;
  if (rows < 0 || d < 0 || d >= kMost || rows >= kMost) return cudaErrorInvalidValue;
  const std::int64_t n = rows * d;
  const cudaError_t error =
      check_arguments(n, {{ab, alignof(T)}, {dy, alignof(T)}, {dab, alignof(T)}});
  if (error != cudaSuccess || n == 0) return error;
  const bool in_packs =
      d % kWidth == 0 && is_aligned(ab, 16) && is_aligned(dy, 16) && is_aligned(dab, 16);
  const LaunchOptions options = gradient_blocks(n, 5 * sizeof(T));
  const auto with = [&](auto kernel, std::int64_t packs) {  // of a row
    const FastDivisor divisor(static_cast<std::uint32_t>(packs));
    const std::int64_t at_once = kMost / packs;  // rows
    for (std::int64_t row = 0; row < rows; row += at_once) {
      const std::int64_t count = std::min(at_once, rows - row) * packs;
      const cudaError_t failed =
          launch(kernel,
                 {grid_1d(count, options.threads), dim3(static_cast<unsigned>(options.threads)), 0,
                  options.overlap},
                 stream, ab + row * 2 * d, dy + row * d, dab + row * 2 * d,
                 static_cast<std::uint32_t>(count), divisor, op);
      if (failed != cudaSuccess) return failed;
    }
    return cudaSuccess;
  };
  return in_packs ? with(two_gradients_halves_kernel<kWidth, T, Op>, d / kWidth)
                  : with(two_gradients_halves_kernel<1, T, Op>, d);
}

}  // namespace tutorial
