// Swish and SwiGLU backward, host side: the operators, and the ladders.
//
// Every launcher here keeps the promises of swish.h, for its inputs and outputs:
//   x, or a and b  what the forward operator read
//   dy             the gradient of its result
//   dx, or da, db  the gradients of its inputs; each may be one of the arrays that are read, any other
//                  overlap is not allowed, and da == db is cudaErrorInvalidValue
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/rung.h"
#include "common/types.h"

namespace tutorial {

/// dx = swish'(x) dy, for pointers aligned to their element, by 128-bit accesses. Of beta, a number,
/// there is no gradient.
///
/// Largest error where |dy| is at most 2^90: 0.51 ULP for 16 bits, 12 ULP for float, also around
/// the zero of the derivative at beta x = -1.28 (tested at eight betas). NaN where x or dy is NaN, and
/// where an infinite dy meets a derivative that is 0. Where beta x is -infinity the derivative is -0,
/// and 1 at +infinity.
/// Errors: those of swish().
/// T: float, half, Bf16.
template <class T>
cudaError_t swish_backward(const T* x, const T* dy, T* dx, std::int64_t n, float beta,
                           cudaStream_t stream);

/// da = swish'(a) b dy and db = swish(a) dy, at beta = 1, in one kernel: three elements read, two
/// written. swish(a) is computed again, which costs no byte.
///
/// Largest error where |b| and |dy| are 0 or from 2^-40 to 2^40: 0.51 ULP for 16 bits, 12 ULP for
/// float. At copy speed where all pointers are 16-byte aligned, or da and db begin equally far from
/// such a boundary; elsewhere one element a thread.
template <class T>
cudaError_t swiglu_backward(const T* a, const T* b, const T* dy, T* da, T* db, std::int64_t n,
                            cudaStream_t stream);

/// The same for rows that hold a and b side by side, as one matrix product makes them: ab and dab are
/// [rows, 2 d], dy is [rows, d]. dab == ab is allowed. At copy speed where d is a multiple of 16 bytes
/// and the pointers are aligned to as many; elsewhere one element a thread. Other errors:
/// cudaErrorInvalidValue for sizes that are negative, or 2^31 or more.
template <class T>
cudaError_t swiglu_backward_halves(const T* ab, const T* dy, T* dab, std::int64_t rows,
                                   std::int64_t d, cudaStream_t stream);

/// The largest error of these operators, in ULP of T.
template <class T>
inline constexpr double kSwishBackwardUlp = sizeof(T) == 4 ? 12.0 : 0.51;

/// The operator as a rung that takes any pointer: operator_f16.
template <class T>
BinaryRung<T> swish_backward_operator_rung(float beta = 1.0f) {
  const auto launch = [beta](const T* x, const T* dy, T* dx, std::int64_t n, cudaStream_t stream) {
    return swish_backward(x, dy, dx, n, beta, stream);
  };
  return operator_rung<T>(BinaryLauncher<T>(launch), kSwishBackwardUlp<T>);
}

/// The ladder of Swish (beta = 1): naive, packed, packed with the digits right. The errors of the first
/// two hold where the derivative is at least 2^-12 in magnitude; around its zero they have no right digit.
template <class T>
const std::vector<BinaryRung<T>>& swish_backward_rungs();

/// A rung of SwiGLU's ladder, which has the same three.
template <class T>
struct TwoGradientsRung {
  std::string name;
  std::function<cudaError_t(const T* a, const T* b, const T* dy, T* da, T* db, std::int64_t n,
                            cudaStream_t stream)>
      launch;
  int width;              ///< elements per thread
  std::size_t alignment;  ///< bytes that the five pointers need
  double max_ulp;         ///< the largest error allowed, in ULP of T
};
template <class T>
const std::vector<TwoGradientsRung<T>>& swiglu_backward_rungs();

}  // namespace tutorial
