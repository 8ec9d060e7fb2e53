// ELU, host side: the operator, and one launcher for each rung of the ladder.
// Every launcher here keeps the promises of common/rung.h.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/rung.h"
#include "common/strided.h"
#include "common/types.h"

namespace tutorial {

// ---- The operator -----------------------------------------------------------------------------

/// y = x for x >= 0 and alpha (e^x - 1) below, for pointers aligned to their element, by 128-bit
/// accesses. A thread takes one pack of 16 bytes, and of floats two where both pointers are 16-byte
/// aligned and that makes one wave of two.
///
/// Largest error at alpha = 1: 2 ULP for float, 0.51 ULP for half and bf16 (tested; the README has
/// the measured values). NaN gives NaN, -0 gives -0, -inf gives -alpha; a zero has the sign that the
/// formula gives it, also at alpha = 0.
/// Errors: also cudaErrorInvalidValue for an alpha that is not finite.
/// T: float, half, Bf16.
template <class T>
cudaError_t elu(const T* x, T* y, std::int64_t n, float alpha, cudaStream_t stream);

/// The operator as a rung that takes any pointer: operator_f16.
template <class T>
UnaryRung<T> elu_operator_rung(float alpha = 1.0f) {
  const auto at_alpha = [alpha](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
    return elu(x, y, n, alpha, stream);
  };
  return operator_rung<T>(UnaryLauncher<T>(at_alpha), sizeof(T) == 4 ? 2.0 : 0.51);
}

/// The same for tensors of any strides (common/strided.h), in their own memory; x broadcasts to the
/// shape of y, and y may be x. last_refusal() says why strides or shapes were refused.
template <class T>
cudaError_t elu(const TensorView<const T>& x, const TensorView<T>& y, float alpha,
                cudaStream_t stream);

// ---- The ladder (alpha = 1) -------------------------------------------------------------------

/// The ladder of a type: its rungs, each with its launcher, the alignment that it needs and what it
/// claims. The test holds every rung to its row, and the benchmark times it. T: also E4m3, E5m2, of
/// which every result is the nearest value; +infinity becomes the largest number.
template <class T>
const Ladder<T>& elu_rungs();

/// The block-size sweep: the rungs f32 and f16x8_pack_pdl with `threads` threads a block, 1 to 1024.
/// Other counts: cudaErrorInvalidConfiguration.
cudaError_t elu_f32_block(const float* x, float* y, std::int64_t n, int threads,
                          cudaStream_t stream);  // [4]
cudaError_t elu_f16x8_pack_pdl_block(const half* x, half* y, std::int64_t n, int threads,
                                     cudaStream_t stream);  // [16]

/// The reader's rung, with the numbers that stand in your_elu.cuh.
UnaryRung<half> your_elu_rung();

}  // namespace tutorial
