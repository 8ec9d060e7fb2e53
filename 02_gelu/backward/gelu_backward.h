// GELU backward, host side: the operator, and the ladder.
//
// Every launcher here keeps the promises of gelu.h, for two inputs:
//   x   what the forward operator read; from its result y, x cannot be told where GELU falls and rises
//   dy  the gradient of y
//   dx  the gradient of x; dx == x and dx == dy are allowed, any other overlap is not
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "02_gelu/gelu.h"

namespace tutorial {

/// dx = GELU'(x) dy, for pointers aligned to their element, by 128-bit accesses.
///
/// Largest error where |dy| is at most 2^90: 0.51 ULP for half and bf16, 10 ULP for float, also around
/// the zero of GELU' at x = -0.75. NaN where x or dy is NaN, and where an infinite dy meets a derivative
/// that is 0. At -infinity the derivative is -0, at +infinity 1.
/// Errors: those of gelu().
/// T: float, half, Bf16.
template <class T>
cudaError_t gelu_backward(const T* x, const T* dy, T* dx, std::int64_t n,
                          GeluApproximate approximate, cudaStream_t stream);

/// The largest error of the operator, in ULP of T.
template <class T>
inline constexpr double kGeluBackwardUlp = sizeof(T) == 4 ? 10.0 : 0.51;

/// The operator as a rung that takes any pointer: operator_f16.
template <class T>
BinaryRung<T> gelu_backward_operator_rung(GeluApproximate approximate) {
  const auto launch = [approximate](const T* x, const T* dy, T* dx, std::int64_t n,
                                    cudaStream_t stream) {
    return gelu_backward(x, dy, dx, n, approximate, stream);
  };
  return operator_rung<T>(BinaryLauncher<T>(launch), kGeluBackwardUlp<T>);
}

/// One variant's ladder: naive, packed, packed with the digits right. The errors of the first two hold
/// where the derivative is at least 2^-12 in magnitude; around its zero they have no right digit.
template <class T>
const std::vector<BinaryRung<T>>& gelu_backward_rungs(GeluApproximate approximate);

}  // namespace tutorial
