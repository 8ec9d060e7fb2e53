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

}  // namespace tutorial

#define TUTORIAL_ARITHMETIC_STRIDED(T)                                             \
  template cudaError_t tutorial::arithmetic_strided_loop(const ArithmeticCall<T>&, \
                                                         const StridedLoop&)
