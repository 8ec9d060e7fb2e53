// Several elements of any type that move together.
#pragma once

#include <type_traits>

#include "common/macros.cuh"

// LDST128BITS and its kin (macros.cuh) say what an access is; a Pack says what it holds, for
// kernels whose element type is a parameter.

namespace tutorial {

/// N elements of T, as they lie in memory, aligned so that they load and store in the widest
/// accesses there are. N * sizeof(T): a power of two.
template <class T, int N>
struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) Pack {
  T at[N];
};

/// The alignment in bytes that load_pack() and store_pack() need.
template <class T, int N>
inline constexpr std::size_t kPackAlignment = alignof(Pack<T, N>);

namespace detail {
/// Copies kBytes, both ends aligned to min(kBytes, 16), in as few accesses as there can be.
template <int kBytes>
__device__ __forceinline__ void move_bits(void* to, const void* from) {
  if constexpr (kBytes >= 16) {
#pragma unroll
    for (int i = 0; i < kBytes / 16; ++i) {
      static_cast<int4*>(to)[i] = static_cast<const int4*>(from)[i];
    }
  } else if constexpr (kBytes == 8) {
    *static_cast<int2*>(to) = *static_cast<const int2*>(from);
  } else if constexpr (kBytes == 4) {
    *static_cast<int*>(to) = *static_cast<const int*>(from);
  } else if constexpr (kBytes == 2) {
    *static_cast<short*>(to) = *static_cast<const short*>(from);
  } else {
    static_assert(kBytes == 1, "a pack has 1, 2, 4, 8 or a multiple of 16 bytes");
    *static_cast<char*>(to) = *static_cast<const char*>(from);
  }
}
}  // namespace detail

/// N elements from `from`, aligned to kPackAlignment<T, N>.
template <int N, class T>
__device__ __forceinline__ Pack<T, N> load_pack(const T* from) {
  Pack<T, N> pack;
  detail::move_bits<N * sizeof(T)>(pack.at, from);
  return pack;
}

/// The same of sixteen bytes, past the L1 cache, which may hold what they were before another multiprocessor wrote.
template <int N, class T>
__device__ __forceinline__ Pack<T, N> load_pack_from_l2(const T* from) {
#ifdef __CUDA_ARCH__
  static_assert(N * sizeof(T) == 16);
  Pack<T, N> pack;
  *reinterpret_cast<uint4*>(pack.at) = __ldcg(reinterpret_cast<const uint4*>(from));
  return pack;
#else
  return load_pack<N>(from);
#endif
}

/// N elements to `to`, aligned to kPackAlignment<T, N>.
template <class T, int N>
__device__ __forceinline__ void store_pack(T* to, const Pack<T, N>& pack) {
  detail::move_bits<N * sizeof(T)>(to, pack.at);
}

/// N times the same element.
template <int N, class T>
__device__ __forceinline__ Pack<T, N> splat(T value) {
  Pack<T, N> pack;
#pragma unroll
  for (int k = 0; k < N; ++k) pack.at[k] = value;
  return pack;
}

/// What an operation of two packs is. Every operation that apply() takes names its own, as its member
/// type Packs: this one, or a type with the same functions.
struct ElementByElement {
  /// {op(a[0], b[0]), op(a[1], b[1]), ...}
  template <class Out, class Op, class In, int N>
  __device__ __forceinline__ static Pack<Out, N> apply(Op op, const Pack<In, N>& a,
                                                       const Pack<In, N>& b) {
    Pack<Out, N> result;
#pragma unroll
    for (int k = 0; k < N; ++k) result.at[k] = op(a.at[k], b.at[k]);
    return result;
  }

  /// f(op). An operation that chooses at run time what it does passes on one whose choice the
  /// compiler knows.
  template <class In, class Op, class F>
  static cudaError_t with_known(Op op, F&& f) {
    return f(op);
  }
};

/// Whether Op has a member type Packs.
template <class Op, class = void>
inline constexpr bool kHasPacks = false;
template <class Op>
inline constexpr bool kHasPacks<Op, std::void_t<typename Op::Packs>> = true;

/// {op(a[0], b[0]), op(a[1], b[1]), ...}, in the way of Op::Packs.
template <class Out, class In, int N, class Op>
__device__ __forceinline__ Pack<Out, N> apply(Op op, const Pack<In, N>& a, const Pack<In, N>& b) {
  static_assert(kHasPacks<Op>, "the operation lacks `using Packs = ElementByElement;`");
  return Op::Packs::template apply<Out>(op, a, b);
}

}  // namespace tutorial
