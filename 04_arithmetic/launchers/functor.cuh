// From an operation that is known when the program runs to a functor that the compiler knows, for
// every ladder.
#pragma once

#include <cstdint>
#include <type_traits>

#include "04_arithmetic/arithmetic_math.cuh"
#include "04_arithmetic/int8/int8_math.cuh"
#include "04_arithmetic/launchers/op.h"
#include "common/refusal.h"

namespace tutorial {

/// cudaErrorInvalidValue with a sentence unless the operation is one of the nine.
inline cudaError_t check_op(ArithmeticOp op) {
  if (is_known(op)) return cudaSuccess;
  return refuse(cudaErrorInvalidValue, "the operation is none of the nine");
}

/// check_op(), and the scales if T has them.
template <class T>
cudaError_t check_op(const ArithmeticCall<T>& call) {
  const cudaError_t error = check_op(call.op);
  if constexpr (std::is_same_v<T, std::int8_t>) {
    return error != cudaSuccess ? error : check_scales(call.scales);
  } else {
    return error;
  }
}

/// f(functor) with the functor of call.op for T, as it is defined.
template <class T, class F>
cudaError_t with_functor(const ArithmeticCall<T>& call, F&& f) {
  return with_op(call.op, cudaErrorInvalidValue, [&](auto known) {
    constexpr ArithmeticOp kOp = decltype(known)::value;
    if constexpr (std::is_same_v<T, std::int8_t>) {
      return f(ArithmeticInt8<kOp>{call.scales});
    } else {
      return f(Arithmetic<kOp, T>{});
    }
  });
}

/// The same with the fastest functor that gives the same results.
template <class T, class F>
cudaError_t with_fastest_functor(const ArithmeticCall<T>& call, F&& f) {
  if constexpr (std::is_same_v<T, std::int8_t>) {
    return with_op(call.op, cudaErrorInvalidValue,
                   [&](auto known) { return with_int8<decltype(known)::value>(call.scales, f); });
  } else {
    return with_functor(call, f);
  }
}

}  // namespace tutorial
