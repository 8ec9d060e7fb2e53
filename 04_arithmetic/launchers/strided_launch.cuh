// The launcher for any strides, for any type. A source for each type instantiates it.
#pragma once

#include "04_arithmetic/launchers/functor.cuh"
#include "04_arithmetic/launchers/strided.h"
#include "common/broadcast.cuh"
#include "common/strided.cuh"

namespace tutorial {

template <class T>
cudaError_t arithmetic_strided_loop(const ArithmeticCall<T>& call, const StridedLoop& loop) {
  cudaError_t error = check_op(call);
  if (error == cudaSuccess) error = check_operands(loop.elements, call.in0, call.in1, call.out);
  if (error != cudaSuccess) return error;
  return with_functor(call, [&](auto op) {
    const OnElements<T, decltype(op)> on_elements{op};
    return launch_strided<16 / sizeof(T)>(loop, on_elements, call.stream, {}, call.out, call.in0,
                                          call.in1);
  });
}

/// op(x, number), or op(number, x). The number is as wide as the operation computes: a half beside 0.1
/// is not rounded twice.
template <class T, ArithmeticOp op>
struct WithNumber {
  using Wide = NumberOf<T>;
  Wide number;
  bool number_first;

  __device__ __forceinline__ T operator()(T x) const {
    const Wide wide = static_cast<Wide>(x);
    const Arithmetic<op, Wide> arithmetic;
    return static_cast<T>(arithmetic(number_first ? number : wide, number_first ? wide : number));
  }
};

template <class T>
cudaError_t arithmetic_number_loop(const ArithmeticCall<T>& call, NumberOf<T> number,
                                   bool number_first, const StridedLoop& loop) {
  return with_op(call.op, cudaErrorInvalidValue, [&](auto known) {
    const OnElements<T, WithNumber<T, decltype(known)::value>> on_elements{{number, number_first}};
    return launch_strided<16 / sizeof(T), false>(loop, on_elements, call.stream, {}, call.out,
                                                 call.in0);
  });
}

}  // namespace tutorial

#define TUTORIAL_ARITHMETIC_NUMBER(T)                                                          \
  template cudaError_t tutorial::arithmetic_number_loop(const ArithmeticCall<T>&, NumberOf<T>, \
                                                        bool, const StridedLoop&)
#define TUTORIAL_ARITHMETIC_STRIDED(T)                                             \
  template cudaError_t tutorial::arithmetic_strided_loop(const ArithmeticCall<T>&, \
                                                         const StridedLoop&)
