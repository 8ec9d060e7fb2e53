// GELU, host side: the operator, and one launcher for each rung of the ladder.
// Every launcher here keeps the promises of common/rung.h; an approximation that there is none of is
// cudaErrorInvalidValue.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "common/rung.h"
#include "common/strided.h"
#include "common/types.h"

namespace tutorial {

/// The two functions that are called GELU, named as PyTorch's argument `approximate` names them.
/// - none: x Phi(x), with Phi the distribution function of the normal distribution (an erf)
/// - tanh: x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2, which stays within 5e-4 of it
enum class GeluApproximate { none, tanh };

inline const char* name_of(GeluApproximate approximate) {
  return approximate == GeluApproximate::tanh ? "tanh" : "none";
}

// ---- The operator -----------------------------------------------------------------------------

/// GELU for pointers aligned to their element: 128-bit accesses where both are 16-byte aligned, one
/// element a thread otherwise. A thread takes one pack of 16 bytes; float and bf16 take two where
/// that makes one wave of two, and erf in bf16 from 2^24 elements on.
///
/// Largest error of both variants: 0.51 ULP for half and bf16; for float 256 ULP, reached in the
/// deepest tail, and 32 ULP from x = -3 on (tested; the README has the measured values).
/// The rung f32x4_poly is right to 2 ULP everywhere, and slower. NaN gives NaN, -0 gives -0, and so
/// does -infinity.
/// T: float, half, Bf16.
template <class T>
cudaError_t gelu(const T* x, T* y, std::int64_t n, GeluApproximate approximate,
                 cudaStream_t stream);

/// The same for tensors of any strides (common/strided.h), in their own memory; x broadcasts to the
/// shape of y, and y may be x. last_refusal() says why strides or shapes were refused.
template <class T>
cudaError_t gelu(const TensorView<const T>& x, const TensorView<T>& y, GeluApproximate approximate,
                 cudaStream_t stream);

/// The largest error of the operator in float, and of the rungs that share its arithmetic.
inline constexpr double kGeluF32MaxUlp = 256.0;

// ---- The ladder -------------------------------------------------------------------------------

/// One variant's ladder of a type: its rungs, each with its launcher, the alignment that it needs and
/// what it claims. The test holds every rung to its row, and the benchmark times it. T: also E4m3,
/// E5m2, of which every result is the nearest value; +infinity becomes the largest number.
template <class T>
const Ladder<T>& gelu_rungs(GeluApproximate approximate);

/// The reader's rung, with the numbers that stand in your_gelu.cuh. It computes the variant tanh.
UnaryRung<half> your_gelu_rung();

/// One variant of a launcher that has both, as a rung with the variant in front of its name:
/// tanh_cub_f16.
template <class T>
UnaryRung<T> gelu_rung(GeluApproximate approximate, const std::string& name,
                       cudaError_t (*launch)(const T* x, T* y, std::int64_t n,
                                             GeluApproximate approximate, cudaStream_t stream),
                       int width, std::size_t alignment, double max_ulp) {
  const auto variant = [=](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
    return launch(x, y, n, approximate, stream);
  };
  return {std::string(name_of(approximate)) + "_" + name, variant, width, alignment, max_ulp};
}

/// The operator as a rung that takes any pointer: tanh_operator_f16.
template <class T>
UnaryRung<T> gelu_operator_rung(GeluApproximate approximate) {
  return gelu_rung<T>(approximate, std::string("operator_") + dtype_name<T>(), gelu<T>,
                      16 / static_cast<int>(sizeof(T)), sizeof(T),
                      sizeof(T) == 4 ? kGeluF32MaxUlp : 0.51);
}

}  // namespace tutorial
