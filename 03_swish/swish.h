// Swish and SwiGLU, host side: the operators, and one launcher for each rung of the ladder.
// Every launcher here keeps the promises of common/rung.h.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "common/rung.h"
#include "common/strided.h"
#include "common/types.h"

namespace tutorial {

// ---- The operators ----------------------------------------------------------------------------

/// y = x / (1 + e^(-beta x)), for pointers aligned to their element, by 128-bit accesses. beta = 1 is
/// SiLU, beta = 1.702 a GELU of sorts, beta = 0 is x / 2.
///
/// Largest error: 0.51 ULP for 16 bits, 4.5 ULP for float, for beta = 0 and |beta| from 2^-96
/// to 2^100 (tested at ten of them; notes/results.md has the measured values); below 2^-96, floats
/// smaller than 2^-143 come out as 0. NaN gives NaN and nothing else does; -0 gives -0. An infinity
/// gives the limit: itself where beta x is positive, a zero of its sign where beta x is negative.
/// Errors: also cudaErrorInvalidValue for a beta that is not finite, or not 0 and smaller than
/// 2^-100. In float a thread takes one pack, or two where that makes one wave of blocks of two (and
/// always for beta below 2^-40).
/// T: float, half, Bf16.
template <class T>
cudaError_t swish(const T* x, T* y, std::int64_t n, float beta, cudaStream_t stream);

/// The same for tensors of any strides (common/strided.h), in their own memory; x broadcasts to the
/// shape of y, and y may be x. last_refusal() says why strides or shapes were refused.
template <class T>
cudaError_t swish(const TensorView<const T>& x, const TensorView<T>& y, float beta,
                  cudaStream_t stream);

/// y = swish(a) b with beta = 1, in one kernel: two elements read, one written. y == a and y == b
/// are allowed. Pointers and errors as above.
///
/// Largest error for |b| up to 2^90: 0.51 ULP for 16 bits, 3 ULP for float where a is 0 or
/// |a| is at least 2^-125. Beyond, b makes a number of what was too small for a float: swish(-440)
/// is 0, and so is its product. NaN where an input is NaN, and where such a 0 meets infinity.
template <class T>
cudaError_t swiglu(const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream);

/// The same for tensors of any strides; a and b broadcast to the shape of y.
template <class T>
cudaError_t swiglu(const TensorView<const T>& a, const TensorView<const T>& b,
                   const TensorView<T>& y, cudaStream_t stream);

/// The same of the halves of `x`, as a model stores what one matrix product gives it: a is the first
/// half of x along its last dimension, b the second. Of a 2 d there, y has d; the other sizes are equal.
template <class T>
cudaError_t swiglu_halves(const TensorView<const T>& x, const TensorView<T>& y,
                          cudaStream_t stream);

/// The same by two kernels, y = swish(a) and then y = y b: three elements read, two written. What
/// swiglu() is compared with. y == b is cudaErrorInvalidValue, because the first kernel would write
/// over what the second has to read.
///
/// swish(a) is rounded on its way through memory, and a value that is subnormal there, or zero,
/// stays poor however large b is: the largest error is that of a product in which one digit is
/// left.
template <class T>
cudaError_t swiglu_separate(const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream);

/// The largest error of swish() and of swiglu(), in ULP of T.
template <class T>
inline constexpr double kSwishUlp = sizeof(T) == 4 ? 4.5 : 0.51;
template <class T>
inline constexpr double kSwiGluUlp = sizeof(T) == 4 ? 3.0 : 0.51;

// ---- The ladder (beta = 1) --------------------------------------------------------------------

/// The ladder of a type: its rungs, each with its launcher, the alignment that it needs and what it
/// claims. The test holds every rung to its row, and the benchmark times it. T: also E4m3, E5m2, of
/// which every result is the nearest value; +infinity becomes the largest number.
template <class T>
const Ladder<T>& swish_rungs();

/// The operator as a rung that takes any pointer: operator_f16.
template <class T>
UnaryRung<T> swish_operator_rung(float beta = 1.0f) {
  const auto at_beta = [beta](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
    return swish(x, y, n, beta, stream);
  };
  return operator_rung<T>(UnaryLauncher<T>(at_beta), kSwishUlp<T>);
}

/// SwiGLU in one kernel.
template <class T>
BinaryRung<T> swiglu_rung() {
  const auto launch = [](const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream) {
    return swiglu(a, b, y, n, stream);
  };
  return {std::string("swiglu_") + dtype_name<T>(), launch, 16 / static_cast<int>(sizeof(T)),
          sizeof(T), kSwiGluUlp<T>};
}

/// SwiGLU in two kernels. Its error is bounded where swish(a) is a normal number of T and |b| <= 1:
/// where swish(a) is subnormal, rounding it leaves few digits, or none.
template <class T>
BinaryRung<T> swiglu_separate_rung() {
  return {std::string("swiglu_") + dtype_name<T>() + "_separate", swiglu_separate<T>,
          16 / static_cast<int>(sizeof(T)), sizeof(T), 2 * kSwishUlp<T> + 0.51};
}

/// The reader's rung, with the numbers that stand in your_swish.cuh.
UnaryRung<half> your_swish_rung();

}  // namespace tutorial
