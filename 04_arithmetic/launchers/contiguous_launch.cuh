// The launchers of ladder A that every type has. A source for each family of types instantiates
// them, because nine operations in five types are too much for one compiler.
#pragma once

#include "04_arithmetic/ladder_a_same_shape.cuh"
#include "04_arithmetic/launchers/broadcast.h"
#include "04_arithmetic/launchers/contiguous.h"
#include "04_arithmetic/launchers/functor.cuh"
#include "common/elementwise_binary.cuh"

namespace tutorial {

/// launch_functor(Arithmetic<op, T>{}), with an op that the compiler knows.
template <class T, class F>
cudaError_t with_arithmetic(ArithmeticOp op, F&& launch_functor) {
  if (const cudaError_t error = check_op(op); error != cudaSuccess) return error;
  return with_op(op, cudaErrorInvalidValue, [&](auto known) {
    return launch_functor(Arithmetic<decltype(known)::value, T>{});
  });
}

template <class T>
cudaError_t arithmetic_nobroadcast(ArithmeticOp op, const T* in0, const T* in1, T* out,
                                   std::int64_t n, cudaStream_t stream) {
  return with_arithmetic<T>(op, [&](auto functor) {
    return launch_binary(arithmetic_nobroadcast_kernel<T, decltype(functor)>, in0, in1, out, n, 1,
                         alignof(T), stream, {}, functor);
  });
}

template <class T>
cudaError_t arithmetic_pack(ArithmeticOp op, const T* in0, const T* in1, T* out, std::int64_t n,
                            cudaStream_t stream) {
  return with_arithmetic<T>(op, [&](auto functor) {
    return launch_binary(arithmetic_pack_kernel<T, decltype(functor)>, in0, in1, out, n,
                         kPackWidth<T>, 16, stream, {}, functor);
  });
}

template <class T>
cudaError_t arithmetic_contiguous(ArithmeticOp op, const T* in0, const T* in1, T* out,
                                  std::int64_t n, cudaStream_t stream) {
  if (!is_aligned(in0, 16) || !is_aligned(in1, 16) || !is_aligned(out, 16)) {
    return arithmetic_packed<T>({op, in0, in1, out, stream}, broadcast_strides({n}, {n}));
  }
  // Operations of many instructions need the threads that larger blocks leave out.
  const bool is_long =
      op == ArithmeticOp::Div || op == ArithmeticOp::Mod || op == ArithmeticOp::Pow;
  const LaunchOptions options =
      is_long ? LaunchOptions{kThreads, Overlap::previous_kernel} : two_inputs(n, 3 * sizeof(T));
  return with_arithmetic<T>(op, [&](auto functor) {
    return launch_binary(arithmetic_pack_kernel<T, decltype(functor)>, in0, in1, out, n,
                         kPackWidth<T>, 16, stream, options, functor);
  });
}

}  // namespace tutorial

/// Instantiates the launchers for one type.
#define TUTORIAL_ARITHMETIC_CONTIGUOUS(T)                                                       \
  template cudaError_t tutorial::arithmetic_nobroadcast<T>(                                     \
      tutorial::ArithmeticOp, const T*, const T*, T*, std::int64_t, cudaStream_t);              \
  template cudaError_t tutorial::arithmetic_pack<T>(tutorial::ArithmeticOp, const T*, const T*, \
                                                    T*, std::int64_t, cudaStream_t);            \
  template cudaError_t tutorial::arithmetic_contiguous<T>(                                      \
      tutorial::ArithmeticOp, const T*, const T*, T*, std::int64_t, cudaStream_t)
