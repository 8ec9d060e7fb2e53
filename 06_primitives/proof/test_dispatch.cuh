// What the files of test kernels share: from numbers that a test has at run time to the template
// parameters of a primitive.
#pragma once

#include <type_traits>

#include "06_primitives/primitives/primitives.cuh"
#include "06_primitives/proof/test_kernels.h"
#include "common/launch.cuh"

namespace tutorial::test {

using namespace tutorial::primitives;

template <int N>
using Number = std::integral_constant<int, N>;

template <class F>
cudaError_t with_vec(int vec, F f) {
  switch (vec) {
    case 1:
      return f(Number<1>{});
    case 2:
      return f(Number<2>{});
    case 4:
      return f(Number<4>{});
    case 8:
      return f(Number<8>{});
    default:
      return cudaErrorInvalidValue;
  }
}

template <class Both, class F>
cudaError_t with_layout(TileLayout layout, F f) {
  switch (layout) {
    case TileLayout::adjacent:
      return f(Adjacent{});
    case TileLayout::interleaved:
      return f(ByType{});
    case TileLayout::striped:
      return f(Striped{});
    case TileLayout::both:
      return f(Both{});
  }
  return cudaErrorInvalidValue;
}

template <class F>
cudaError_t with_flag(bool flag, F f) {
  return flag ? f(std::true_type{}) : f(std::false_type{});
}

template <class F>
cudaError_t with_2d(int nx, int ny, F f) {
  const auto with_ny = [&](auto kx) {
    switch (ny) {
      case 1:
        return f(kx, Number<1>{});
      case 2:
        return f(kx, Number<2>{});
      case 3:
        return f(kx, Number<3>{});
      default:
        return cudaErrorInvalidValue;
    }
  };
  switch (nx) {
    case 1:
      return with_ny(Number<1>{});
    case 2:
      return with_ny(Number<2>{});
    case 4:
      return with_ny(Number<4>{});
    default:
      return cudaErrorInvalidValue;
  }
}

/// What the tests launch with. A kernel says so by __launch_bounds__: without it the compiler may
/// give a thread more registers than a block of that size has, and the launch fails
/// (cudaErrorLaunchOutOfResources), which no CPU shows.
inline constexpr int kMostThreads = 1024;
/// Sort with MaxThreads 32: rows of one warp each, four of them.
inline constexpr int kMostThreadsOfWarpRows = 128;

inline LaunchShape one_block(unsigned threads, unsigned rows = 1) {
  return {dim3(1), dim3(threads, rows)};
}

__device__ inline int this_thread() {
  return static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
}
__device__ inline int all_threads() { return static_cast<int>(blockDim.x * blockDim.y); }

/// registers[first + k][thread] = x[k]
template <class T, class Reg, int VecSize>
__device__ void dump(Reg* registers, const T (&x)[VecSize], int first = 0) {
#pragma unroll
  for (int k = 0; k < VecSize; ++k) {
    registers[(first + k) * all_threads() + this_thread()] = Convert<Reg>(x[k]);
  }
}
template <class T, class Reg, int VecSize>
__device__ void load(T (&x)[VecSize], const Reg* registers, int first = 0) {
#pragma unroll
  for (int k = 0; k < VecSize; ++k) {
    x[k] = Convert<T>(registers[(first + k) * all_threads() + this_thread()]);
  }
}

/// f(the functor that reduces, of type T).
template <class T, class R, class F>
R with_reducer(Functor functor, F f) {
  switch (functor) {
    case Functor::mul:
      return f(MulFunctor<T>{});
    case Functor::max:
      return f(MaxFunctor<T>{});
    case Functor::min:
      return f(MinFunctor<T>{});
    case Functor::logical_and:
      return f(LogicalAndFunctor<T>{});
    case Functor::logical_or:
      return f(LogicalOrFunctor<T>{});
    default:
      return f(AddFunctor<T>{});
  }
}

template <class T>
struct BoolOr {
  using type = T;
};
template <>
struct BoolOr<unsigned char> {
  using type = bool;
};
/// bool where the tests say unsigned char: a vector of bool is no array of bool.
template <class T>
using Real = typename BoolOr<T>::type;
template <class T>
auto* real(T* p) {
  if constexpr (std::is_const_v<T>) {
    return reinterpret_cast<const Real<std::remove_const_t<T>>*>(p);
  } else {
    return reinterpret_cast<Real<T>*>(p);
  }
}

}  // namespace tutorial::test
