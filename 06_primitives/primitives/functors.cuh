/// What the primitives compute with: functors of one and of two operands, callable on the host and
/// on the device.
///
/// T is float, double, half, bf16, bool or an integer. In every functor:
/// - half and bf16 are rounded once, to nearest even. Add, Sub, Mul and Div do what `+ - * /` of
/// the
///   type do; everything else is computed in float.
/// - integers wrap (two's complement); x / 0 is 0 and MIN / -1 is MIN, as in chapter 04.
/// - Max and Min propagate NaN: if either operand is one, so is the result.
///
/// The functors that reduce (Add, Mul, Max, Min, LogicalAnd, LogicalOr) have a static `identity()`:
/// the value e with f(e, x) == x for every x, infinities and MIN included. It is what a reduction
/// starts from and what the elements beyond a tail are set to. Wrong ones are the classic fault:
/// std::numeric_limits<float>::min() is the smallest *positive* float, and the minimum of booleans
/// that starts from false is always false.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "06_primitives/primitives/layout.cuh"

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

/// Truncating division of integers; x / 0 = 0, MIN / -1 = MIN.
template <class T>
__host__ __device__ __forceinline__ T integer_quotient(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(Wrap<T>{0} - static_cast<Wrap<T>>(a));
  }
  return static_cast<T>(a / b);
}

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

/// a - b; for bool, whether they differ.
template <class T>
struct SubFunctor {
  __host__ __device__ __forceinline__ T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a != b;
    } else if constexpr (detail::is_integer<T>) {
      return static_cast<T>(static_cast<detail::Wrap<T>>(a) - static_cast<detail::Wrap<T>>(b));
    } else {
      return a - b;
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

/// a / b; integers truncate. Not for bool. half and bf16 are divided in float: rounding that once
/// more gives the nearest quotient (a float has more than twice their digits and two more).
template <class T>
struct DivFunctor {
  static_assert(!std::is_same_v<T, bool>, "booleans have no quotient");
  __host__ __device__ __forceinline__ T operator()(T a, T b) const {
    if constexpr (detail::is_integer<T>) {
      return detail::integer_quotient(a, b);
    } else if constexpr (detail::is_16_bit_float<T>) {
      return Convert<T>(Convert<float>(a) / Convert<float>(b));
    } else {
      return a / b;
    }
  }
};

/// The quotient rounded down, as Python's `//`. Floats: the largest integer not above the exact
/// a / b (rounding a / b first can reach the next integer: 1 // 0.1 is 9, and 1 / 0.1 rounds to
/// 10), to the type's precision; division by zero gives what `/` gives. Not for bool.
template <class T>
struct FloorDivFunctor {
  static_assert(!std::is_same_v<T, bool>, "booleans have no quotient");
  __host__ __device__ __forceinline__ T operator()(T a, T b) const {
    if constexpr (detail::is_integer<T>) {
      const T quotient = detail::integer_quotient(a, b);
      if constexpr (std::is_signed_v<T>) {
        const bool exact = b == 0 || b == -1 || a % b == 0;
        return !exact && (a < 0) != (b < 0) ? static_cast<T>(quotient - 1) : quotient;
      } else {
        return quotient;
      }
    } else if constexpr (detail::is_16_bit_float<T>) {
      return Convert<T>(FloorDivFunctor<float>{}(Convert<float>(a), Convert<float>(b)));
    } else {
      if (b == 0) return a / b;
      const T remainder = std::fmod(a, b);
      T quotient = (a - remainder) / b;  // an integer but for rounding
      if (remainder != 0 && (remainder < 0) != (b < 0)) quotient -= 1;
      const T rounded = std::floor(quotient);
      return quotient - rounded > T{0.5} ? rounded + 1 : rounded;
    }
  }
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

/// e^x.
template <class T>
struct ExpFunctor {
  __host__ __device__ __forceinline__ T operator()(T x) const {
    if constexpr (std::is_same_v<T, double>) {
      return std::exp(x);
    } else {
      return Convert<T>(std::exp(Convert<float>(x)));
    }
  }
};

/// x, as a To.
template <class T, class To = T>
struct IdentityFunctor {
  __host__ __device__ __forceinline__ To operator()(T x) const { return Convert<To>(x); }
};

/// x * x.
template <class T>
struct SquareFunctor {
  __host__ __device__ __forceinline__ T operator()(T x) const { return MulFunctor<T>{}(x, x); }
};

/// x / n for an n that is the same for all elements: what turns a sum into a mean.
template <class T>
struct DivideFunctor {
  T n;
  __host__ __device__ __forceinline__ T operator()(T x) const { return DivFunctor<T>{}(x, n); }
};

/// 1 / x.
template <class T>
struct InverseFunctor {
  __host__ __device__ __forceinline__ T operator()(T x) const {
    return DivFunctor<T>{}(Convert<T>(1), x);
  }
};

}  // namespace tutorial::primitives
