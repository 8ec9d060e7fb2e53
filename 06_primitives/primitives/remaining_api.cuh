// The rest of the API that this library follows: primitives and functors that the tests prove and no
// kernel of this chapter uses. primitives.cuh does not include this file.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "06_primitives/primitives/primitives.cuh"

namespace tutorial::primitives {

// ---- Init and ReadData: data indices, any strides, a reduction's elements ------------------------

/// Register k becomes `block_offset` plus the element of the tile that it stands for: the index of
/// the data, for kernels that need to know where they are. T must hold it.
///
/// Data: the type in memory of the data that the indices belong to, which the default layout
/// depends on; Layout as in ReadData.
template <class Data, class Layout = ByType, class T, int VecSize>
__device__ __forceinline__ void InitWithDataIndex(T (&x)[VecSize], std::int64_t block_offset) {
#pragma unroll
  for (int k = 0; k < VecSize; ++k) {
    x[k] = Convert<T>(block_offset + ElementIndex<Data, VecSize, Layout>(k));
  }
}

/// Any strides: x[j][i] = src[column * stride_nx + row * stride_ny], where
///
///     column = i * blockDim.x + threadIdx.x   of a tile that is NX * blockDim.x wide,
///     row    = j * blockDim.y + threadIdx.y   of one that is NY * blockDim.y high.
///
/// size_nx, size_ny: the columns and rows that exist; strides in elements of Src. With IsBoundary
/// only columns below size_nx and rows below size_ny are read; without it the tile is full, and the
/// sizes are not looked at. Accesses are scalar, so the element's alignment is enough either way.
template <bool IsBoundary, class T, int NX, int NY, class Src>
__device__ __forceinline__ void ReadData(T (&x)[NY][NX], const Src* src, std::int64_t size_nx,
                                         std::int64_t size_ny, std::int64_t stride_nx,
                                         std::int64_t stride_ny) {
#pragma unroll
  for (int j = 0; j < NY; ++j) {
    const std::int64_t row = std::int64_t{blockDim.y} * j + threadIdx.y;
#pragma unroll
    for (int i = 0; i < NX; ++i) {
      const std::int64_t column = std::int64_t{blockDim.x} * i + threadIdx.x;
      if (!IsBoundary || (row < size_ny && column < size_nx)) {
        x[j][i] = Convert<T>(src[column * stride_nx + row * stride_ny]);
      }
    }
  }
}

/// Any strides, the other way: dst[column * stride_nx + row * stride_ny] = x[j][i].
template <bool IsBoundary, class Dst, class T, int NX, int NY>
__device__ __forceinline__ void WriteData(Dst* dst, const T (&x)[NY][NX], std::int64_t size_nx,
                                          std::int64_t size_ny, std::int64_t stride_nx,
                                          std::int64_t stride_ny) {
#pragma unroll
  for (int j = 0; j < NY; ++j) {
    const std::int64_t row = std::int64_t{blockDim.y} * j + threadIdx.y;
#pragma unroll
    for (int i = 0; i < NX; ++i) {
      const std::int64_t column = std::int64_t{blockDim.x} * i + threadIdx.x;
      if (!IsBoundary || (row < size_ny && column < size_nx)) {
        dst[column * stride_nx + row * stride_ny] = Convert<Dst>(x[j][i]);
      }
    }
  }
}

/// What a reduction over any set of dimensions reads: x[j][i] = transform(src[kept.offset(column) +
/// reduced.offset(row)]), where
///
///     column = kept_offset    + i * blockDim.x + threadIdx.x   numbers the elements of the result,
///     row    = reduced_offset + j * blockDim.y + threadIdx.y   numbers what each is reduced from.
///
/// `kept` and `reduced` are maps over the two sets of dimensions. Columns are neighbouring threads,
/// so this is the form for reductions whose innermost dimension is kept (Reduce with Axis::y
/// follows).
///
/// - size_nx, size_ny: the columns and rows that exist from the two offsets on; with IsBoundary
///   nothing else is read, and registers beyond keep their value (Init them with the identity).
/// - transform: applied to the element as it is in memory (Src -> anything that converts to T).
/// - Scalar accesses; the element's alignment is enough.
template <bool IsBoundary, class T, int NX, int NY, class Src, int KeptRank, int ReducedRank,
          class Transform>
__device__ __forceinline__ void ReadDataReduce(
    T (&x)[NY][NX], const Src* src, std::uint32_t kept_offset, const IndexMap<KeptRank>& kept,
    std::uint32_t reduced_offset, const IndexMap<ReducedRank>& reduced, std::int64_t size_nx,
    std::int64_t size_ny, Transform transform) {
  std::int64_t column_offset[NX];
#pragma unroll
  for (int i = 0; i < NX; ++i) {
    column_offset[i] =
        kept.offset(kept_offset + blockDim.x * static_cast<unsigned>(i) + threadIdx.x);
  }
#pragma unroll
  for (int j = 0; j < NY; ++j) {
    const unsigned row = blockDim.y * static_cast<unsigned>(j) + threadIdx.y;
    const std::int64_t row_offset = reduced.offset(reduced_offset + row);
#pragma unroll
    for (int i = 0; i < NX; ++i) {
      const unsigned column = blockDim.x * static_cast<unsigned>(i) + threadIdx.x;
      if (!IsBoundary || (row < size_ny && column < size_nx)) {
        x[j][i] = Convert<T>(transform(src[column_offset[i] + row_offset]));
      }
    }
  }
}

/// The same for one element of the result, all of whose elements the block's threads share: x[k] =
/// transform(src[reduced.offset(reduced_offset + element of the tile in register k)]). `src`
/// already points at the result's element. Striped by default: neighbouring threads read
/// neighbouring elements, so this is the form for reductions whose innermost dimension is reduced
/// (Reduce with Axis::x follows).
template <bool IsBoundary, class Layout = Striped, class T, int VecSize, class Src, int Rank,
          class Transform>
__device__ __forceinline__ void ReadDataReduce(T (&x)[VecSize], const Src* src,
                                               std::uint32_t reduced_offset,
                                               const IndexMap<Rank>& reduced, std::int64_t num,
                                               Transform transform) {
  constexpr int kWidth = detail::kWidth<Layout, VecSize, Src>;
  static_assert(VecSize % kWidth == 0, "a thread holds whole vectors");
  const int count = detail::clamp_to_tile(num, VecSize * static_cast<int>(blockDim.x));
#pragma unroll
  for (int k = 0; k < VecSize; ++k) {
    const int i = detail::element_at<kWidth>(k);
    if (!IsBoundary || i < count) {
      x[k] = Convert<T>(
          transform(src[reduced.offset(reduced_offset + static_cast<std::uint32_t>(i))]));
    }
  }
}

// ---- Elementwise: no input, three inputs, [NY][NX] arrays, whole arrays --------------------------

/// out[k] = op(), a functor without operands.
template <class Out, int VecSize, class Op>
__device__ __forceinline__ void ElementwiseConstant(Out (&out)[VecSize], Op op) {
#pragma unroll
  for (int k = 0; k < VecSize; ++k) out[k] = Convert<Out>(op());
}

/// out[j][i] = op(in[j][i])
template <class Out, class In, int NX, int NY, class Op>
__device__ __forceinline__ void ElementwiseUnary(Out (&out)[NY][NX], const In (&in)[NY][NX],
                                                 Op op) {
#pragma unroll
  for (int y = 0; y < NY; ++y) ElementwiseUnary(out[y], in[y], op);
}

/// out[j][i] = op(in0[j][i], in1[j][i])
template <class Out, class In0, class In1, int NX, int NY, class Op>
__device__ __forceinline__ void ElementwiseBinary(Out (&out)[NY][NX], const In0 (&in0)[NY][NX],
                                                  const In1 (&in1)[NY][NX], Op op) {
#pragma unroll
  for (int y = 0; y < NY; ++y) ElementwiseBinary(out[y], in0[y], in1[y], op);
}

/// out[k] = op(in0[k], in1[k], in2[k])
template <class Out, class In0, class In1, class In2, int VecSize, class Op>
__device__ __forceinline__ void ElementwiseTernary(Out (&out)[VecSize], const In0 (&in0)[VecSize],
                                                   const In1 (&in1)[VecSize],
                                                   const In2 (&in2)[VecSize], Op op) {
#pragma unroll
  for (int k = 0; k < VecSize; ++k) out[k] = Convert<Out>(op(in0[k], in1[k], in2[k]));
}
template <class Out, class In0, class In1, class In2, int NX, int NY, class Op>
__device__ __forceinline__ void ElementwiseTernary(Out (&out)[NY][NX], const In0 (&in0)[NY][NX],
                                                   const In1 (&in1)[NY][NX],
                                                   const In2 (&in2)[NY][NX], Op op) {
#pragma unroll
  for (int y = 0; y < NY; ++y) ElementwiseTernary(out[y], in0[y], in1[y], in2[y], op);
}

/// op(out, in, num): the functor sees the whole array, for operations in which a thread's elements
/// belong together. num is handed on: what it counts is between the caller and the functor.
template <class Out, class In, int VecSize, class Op>
__device__ __forceinline__ void OperatorBinary(Out (&out)[VecSize], const In (&in)[VecSize], Op op,
                                               std::int64_t num) {
  op(out, in, num);
}

/// op(out, in0, in1, num), as OperatorBinary.
template <class Out, class In0, class In1, int VecSize, class Op>
__device__ __forceinline__ void OperatorTernary(Out (&out)[VecSize], const In0 (&in0)[VecSize],
                                                const In1 (&in1)[VecSize], Op op,
                                                std::int64_t num) {
  op(out, in0, in1, num);
}

// ---- Functors: as in functors.cuh ---------------------------------------------------------------

namespace detail {

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

}  // namespace detail

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
