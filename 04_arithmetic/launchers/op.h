// The nine operations by name, the scales of int8, and what one call of a kernel is given.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace tutorial {

enum class ArithmeticOp { Add, Sub, Mul, Div, Max, Min, Pow, PRelu, Mod };

inline constexpr ArithmeticOp kArithmeticOps[] = {
    ArithmeticOp::Add, ArithmeticOp::Sub, ArithmeticOp::Mul,   ArithmeticOp::Div, ArithmeticOp::Max,
    ArithmeticOp::Min, ArithmeticOp::Pow, ArithmeticOp::PRelu, ArithmeticOp::Mod,
};

/// "add", "sub", ... as tests, benchmarks and tables call it; "unknown" for a value that is none of
/// the nine.
constexpr const char* name_of(ArithmeticOp op) {
  constexpr const char* names[] = {"add", "sub", "mul", "div", "max", "min", "pow", "prelu", "mod"};
  const auto index = static_cast<std::size_t>(op);
  return index < std::size(names) ? names[index] : "unknown";
}

/// Whether `op` is one of the nine; an enumeration can hold any integer.
constexpr bool is_known(ArithmeticOp op) {
  return static_cast<unsigned>(op) <= static_cast<unsigned>(ArithmeticOp::Mod);
}

/// An operation as a type: `decltype(op)::value` is a constant.
template <ArithmeticOp op>
using ArithmeticOpConstant = std::integral_constant<ArithmeticOp, op>;

/// f(ArithmeticOpConstant<op>{}): from an operation that is known when the program runs to one that
/// the compiler knows. `fallback` for a value that is none of the nine.
///
///     with_op(op, cudaErrorInvalidValue, [&](auto known) {
///       return launch_something<decltype(known)::value>(...);
///     });
template <class Result, class F>
Result with_op(ArithmeticOp op, Result fallback, F&& f) {
  switch (op) {
    case ArithmeticOp::Add:
      return f(ArithmeticOpConstant<ArithmeticOp::Add>{});
    case ArithmeticOp::Sub:
      return f(ArithmeticOpConstant<ArithmeticOp::Sub>{});
    case ArithmeticOp::Mul:
      return f(ArithmeticOpConstant<ArithmeticOp::Mul>{});
    case ArithmeticOp::Div:
      return f(ArithmeticOpConstant<ArithmeticOp::Div>{});
    case ArithmeticOp::Max:
      return f(ArithmeticOpConstant<ArithmeticOp::Max>{});
    case ArithmeticOp::Min:
      return f(ArithmeticOpConstant<ArithmeticOp::Min>{});
    case ArithmeticOp::Pow:
      return f(ArithmeticOpConstant<ArithmeticOp::Pow>{});
    case ArithmeticOp::PRelu:
      return f(ArithmeticOpConstant<ArithmeticOp::PRelu>{});
    case ArithmeticOp::Mod:
      return f(ArithmeticOpConstant<ArithmeticOp::Mod>{});
  }
  return fallback;
}

/// What an int8 stands for: the value of q is q times its tensor's scale. Each finite and > 0.
struct Int8Scales {
  float in0, in1, out;
};

/// One call: out = op(in0, in1). T is float, half, __nv_bfloat16, std::int32_t, std::int64_t, or
/// std::int8_t, which alone has scales.
template <class T>
struct ArithmeticCall {
  ArithmeticOp op;
  const T* in0;
  const T* in1;
  T* out;
  cudaStream_t stream = nullptr;
  Int8Scales scales = {};
};

}  // namespace tutorial
