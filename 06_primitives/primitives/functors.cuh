// The functors that reduce, callable on the host and on the device. The kernels use AddFunctor and
// MaxFunctor.
//
// T is float, double, half, bf16, bool or an integer. In every functor:
// - half and bf16 are rounded once, to nearest even: Add and Mul do what the type's `+` and `*` do.
// - Integers wrap (two's complement).
// - Max and Min propagate NaN: if either operand is NaN, so is the result.
//
// A functor that reduces has a static identity(): the value e with f(e, x) == x for every x,
// infinities and MIN included. A reduction starts from it, and the elements beyond a tail are set to
// it. A wrong identity is a classic fault: std::numeric_limits<float>::min() is the smallest
// *positive* float, and a minimum of booleans that starts from false is always false.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "06_primitives/primitives/layout.cuh"
#include "common/pack.cuh"

namespace tutorial::primitives {

namespace detail {

template <class T>
inline constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// The unsigned type in which T's arithmetic wraps without undefined behaviour; at least 32 bits,
/// because narrower operands would be promoted to int.
template <class T, bool = is_integer<T>>
struct WrapOf;
template <class T>
struct WrapOf<T, true> {
  using type =
      std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;
};
template <class T>
using Wrap = typename WrapOf<T>::type;

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
template <class T>
inline constexpr T kLowest = std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T kHighest = std::numeric_limits<T>::max();

/// The larger (or smaller) number, or a NaN if there is one.
template <bool Larger, class T>
__host__ __device__ __forceinline__ T extreme(T a, T b) {
  if constexpr (is_16_bit_float<T>) {
    return Convert<T>(extreme<Larger>(Convert<float>(a), Convert<float>(b)));
  } else if constexpr (is_float<T>) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<T, float>) {
      float y;
      if constexpr (Larger) {
        asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
      } else {
        asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
      }
      return y;
    }
#endif
    return b != b || (Larger ? a < b : b < a) ? b : a;  // a NaN in a fails every comparison
  } else {
    return (Larger ? a < b : b < a) ? b : a;
  }
}

}  // namespace detail

/// a + b; for bool, a or b.
template <class T>
struct AddFunctor {
  using Packs = ElementByElement;
  __host__ __device__ __forceinline__ T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a || b;
    } else if constexpr (detail::is_integer<T>) {
      return static_cast<T>(static_cast<detail::Wrap<T>>(a) + static_cast<detail::Wrap<T>>(b));
    } else {
      return a + b;
    }
  }
  /// 0. (-0 + 0 is +0: a sum of nothing but -0 comes out as +0.)
  __host__ __device__ static T identity() { return Convert<T>(0); }
};

/// The larger of a and b; NaN if either is.
template <class T>
struct MaxFunctor {
  __host__ __device__ __forceinline__ T operator()(T a, T b) const {
    return detail::extreme<true>(a, b);
  }
  /// Minus infinity; the smallest integer; false.
  __host__ __device__ static T identity() {
    if constexpr (detail::is_float<T>) {
      return Convert<T>(-detail::kInfinity);
    } else {
      return detail::kLowest<T>;
    }
  }
};

/// a * b; for bool, a and b.
template <class T>
struct MulFunctor {
  __host__ __device__ __forceinline__ T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a && b;
    } else if constexpr (detail::is_integer<T>) {
      return static_cast<T>(static_cast<detail::Wrap<T>>(a) * static_cast<detail::Wrap<T>>(b));
    } else {
      return a * b;
    }
  }
  __host__ __device__ static T identity() { return Convert<T>(1); }
};

/// The smaller of a and b; NaN if either is.
template <class T>
struct MinFunctor {
  __host__ __device__ __forceinline__ T operator()(T a, T b) const {
    return detail::extreme<false>(a, b);
  }
  /// Infinity; the largest integer; true.
  __host__ __device__ static T identity() {
    if constexpr (detail::is_float<T>) {
      return Convert<T>(detail::kInfinity);
    } else {
      return detail::kHighest<T>;
    }
  }
};

/// Whether a and b are both other than 0, as a T of 0 or 1. NaN is other than 0.
template <class T>
struct LogicalAndFunctor {
  __host__ __device__ __forceinline__ T operator()(T a, T b) const {
    return Convert<T>(Convert<bool>(a) && Convert<bool>(b));
  }
  /// 1: and leaves 0 and 1 as they are; any other value becomes the 1 that it stands for.
  __host__ __device__ static T identity() { return Convert<T>(1); }
};

/// Whether a or b is other than 0, as a T of 0 or 1.
template <class T>
struct LogicalOrFunctor {
  __host__ __device__ __forceinline__ T operator()(T a, T b) const {
    return Convert<T>(Convert<bool>(a) || Convert<bool>(b));
  }
  /// 0, in the same sense.
  __host__ __device__ static T identity() { return Convert<T>(0); }
};

}  // namespace tutorial::primitives
