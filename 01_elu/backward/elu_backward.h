// ELU backward, host side: the operator, and the ladder.
//
// Every launcher here keeps the promises of elu.h, for two inputs:
//   x   what the forward operator read. Its result y does not do: where y is almost -alpha, y + alpha
//       has lost the digits of the derivative (notes/backward.md)
//   dy  the gradient of y
//   dx  the gradient of x; dx == x and dx == dy are allowed, any other overlap is not
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "common/rung.h"
#include "common/types.h"

namespace tutorial {

/// dx = dy for x > 0 and alpha e^x dy for x <= 0, for pointers aligned to their element, by 128-bit
/// accesses.
///
/// Largest error where |alpha dy| is at most 2^90: 0.51 ULP for half and bf16, 2 ULP for float,
/// and 3 where alpha is not 1, whose product with dy is rounded too. A zero has the sign of the product. NaN where x or dy is NaN, and where an infinite dy meets an
/// alpha e^x that is 0.
/// Errors: those of elu(), and cudaErrorInvalidValue for an alpha that is not finite.
/// T: float, half, Bf16.
template <class T>
cudaError_t elu_backward(const T* x, const T* dy, T* dx, std::int64_t n, float alpha,
                         cudaStream_t stream);

/// The largest error of the operator, in ULP of T.
template <class T>
inline constexpr double kEluBackwardUlp = sizeof(T) == 4 ? 2.0 : 0.51;

/// The operator as a rung that takes any pointer: operator_f16.
template <class T>
BinaryRung<T> elu_backward_operator_rung(float alpha = 1.0f) {
  const auto launch = [alpha](const T* x, const T* dy, T* dx, std::int64_t n, cudaStream_t stream) {
    return elu_backward(x, dy, dx, n, alpha, stream);
  };
  return operator_rung<T>(BinaryLauncher<T>(launch), kEluBackwardUlp<T>);
}

/// The ladder (alpha = 1): naive, packed, packed with the digits right. The errors of the first two hold
/// where e^x is at least 2^-12.
template <class T>
const std::vector<BinaryRung<T>>& elu_backward_rungs();

}  // namespace tutorial
