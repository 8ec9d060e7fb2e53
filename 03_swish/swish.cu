// The launchers: how many threads, how many elements each, which alignment. The kernels are in
// swish_kernels.cuh.
#include "03_swish/swish.h"

#include <cmath>

#include "03_swish/swish_kernels.cuh"
#include "03_swish/your_swish.cuh"
#include "common/elementwise_binary.cuh"
#include "common/elementwise_two_packs.cuh"
#include "common/fp8.cuh"

namespace tutorial {
namespace {

const Swish kSwish{beta_constants(1.0f)};  // the ladder's beta
const SwishPolynomial kPolynomial{kSwish.beta};

/// The launch of the last rungs: an early start, and the block size that suits the arithmetic. Half
/// has little of it, and 256 threads as chapter 01's sweep recommends; the longer bodies of bf16
/// and float run better in blocks of 128.
template <class T>
constexpr LaunchOptions kBest{128, Overlap::previous_kernel};
template <>
constexpr LaunchOptions kBest<half>{256, Overlap::previous_kernel};
constexpr LaunchOptions kOnePack{256, Overlap::previous_kernel};  // float, one pack a thread

/// Eight halves a thread, and an operation on floats for each.
template <class F>
cudaError_t launch_float_inside(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  using Op = FloatInside<F>;
  return launch_unary(elementwise_pack_kernel<half, Op>, x, y, n, 8, 16, stream, {}, Op{});
}

}  // namespace

cudaError_t swish_f32(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(swish_f32_kernel, x, y, n, 1, alignof(float), stream);
}

cudaError_t swish_f32x4(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(swish_f32x4_kernel, x, y, n, 4, 16, stream);
}

cudaError_t swish_f32x4_poly(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(elementwise_pack_kernel<float, SwishPolynomial>, x, y, n, 4, 16, stream, {},
                      kPolynomial);
}

cudaError_t swish_f32x8_poly(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(elementwise_two_packs_kernel<float, SwishPolynomial>, x, y, n, 8, 16, stream,
                      {}, kPolynomial);
}

cudaError_t swish_f32x8_ex2(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(elementwise_two_packs_kernel<float, Swish>, x, y, n, 8, 16, stream, {},
                      kSwish);
}

cudaError_t swish_f32x4_pdl(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(elementwise_pack_kernel<float, Swish>, x, y, n, 4, 16, stream, kOnePack,
                      kSwish);
}

cudaError_t swish_f32x8_pdl(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(elementwise_two_packs_kernel<float, Swish>, x, y, n, 8, 16, stream,
                      kBest<float>, kSwish);
}

cudaError_t swish_f16(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(swish_f16_kernel, x, y, n, 1, alignof(half), stream);
}

cudaError_t swish_f16x2(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(swish_f16x2_kernel, x, y, n, 2, 4, stream);
}

cudaError_t swish_f16x8(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(swish_f16x8_kernel, x, y, n, 8, 4, stream);
}

cudaError_t swish_f16x8_pack(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(swish_f16x8_pack_kernel, x, y, n, 8, 16, stream);
}

cudaError_t swish_f16x8_pack_h2(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(elementwise_pack_kernel<half, SwishHalf2>, x, y, n, 8, 16, stream, {},
                      SwishHalf2{});
}

cudaError_t swish_f16x8_pack_div(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_float_inside<SwishDivide>(x, y, n, stream);
}

cudaError_t swish_f16x8_pack_frcp(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_float_inside<SwishReciprocalRn>(x, y, n, stream);
}

cudaError_t swish_f16x8_pack_fdividef(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_float_inside<SwishFdividef>(x, y, n, stream);
}

cudaError_t swish_f16x8_pack_rcp(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_float_inside<SwishReciprocalApprox>(x, y, n, stream);
}

cudaError_t swish_f16x8_pack_tanh(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_float_inside<SwishTanh>(x, y, n, stream);
}

cudaError_t swish_f16x8_pack_pdl(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(elementwise_pack_kernel<half, Swish>, x, y, n, 8, 16, stream, kBest<half>,
                      kSwish);
}

cudaError_t swish_bf16x8_pack(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                              cudaStream_t stream) {
  return launch_unary(elementwise_pack_kernel<__nv_bfloat16, Swish>, x, y, n, 8, 16, stream, {},
                      kSwish);
}

cudaError_t swish_bf16x8_pack_pdl(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                                  cudaStream_t stream) {
  return launch_unary(elementwise_pack_kernel<__nv_bfloat16, Swish>, x, y, n, 8, 16, stream,
                      kBest<__nv_bfloat16>, kSwish);
}

template <class T>
cudaError_t swish_fp8x16_pack(const T* x, T* y, std::int64_t n, cudaStream_t stream) {
  return launch_fp8_pack(x, y, n, FloatInside<SwishReciprocalApprox>{}, stream);
}
template cudaError_t swish_fp8x16_pack(const E4m3*, E4m3*, std::int64_t, cudaStream_t);
template cudaError_t swish_fp8x16_pack(const E5m2*, E5m2*, std::int64_t, cudaStream_t);

template <class T>
cudaError_t swish_fp8x16_table(const T* x, T* y, std::int64_t n, cudaStream_t stream) {
  return launch_fp8_table(x, y, n, FloatInside<SwishReciprocalApprox>{}, stream);
}
template cudaError_t swish_fp8x16_table(const E4m3*, E4m3*, std::int64_t, cudaStream_t);
template cudaError_t swish_fp8x16_table(const E5m2*, E5m2*, std::int64_t, cudaStream_t);

cudaError_t your_swish(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(your_swish_kernel, x, y, n, kYourSwish.per_thread, kYourSwish.alignment,
                      stream);
}

RungClaims your_swish_claims() { return kYourSwish; }

namespace {

/// What every beta must be. Below about 2^-120 the x at which a sigmoid vanishes leaves the floats.
bool is_supported(float beta) {
  return beta == 0.0f || (std::isfinite(beta) && std::fabs(beta) >= 0x1p-100f);
}

template <class T>
cudaError_t swish_any(const T* x, T* y, std::int64_t n, float beta, cudaStream_t stream) {
  if (!is_supported(beta)) return cudaErrorInvalidValue;
  return launch_elementwise(x, y, n, Swish{beta_constants(beta)}, stream, kBest<T>);
}

template <class T>
cudaError_t swiglu_any(const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream) {
  return launch_elementwise(a, b, y, n, SwiGlu{kSwish.beta}, stream);
}

//! [swiglu_separate]
template <class T>
cudaError_t swiglu_separate_any(const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream) {
  if (y == b && n > 0) return cudaErrorInvalidValue;
  const cudaError_t error = check_arguments(n, {{a, alignof(T)}, {b, alignof(T)}, {y, alignof(T)}});
  if (error != cudaSuccess) return error;
  const cudaError_t first = launch_elementwise(a, y, n, kSwish, stream, kBest<T>);
  return first != cudaSuccess ? first : launch_elementwise<T>(y, b, y, n, Multiply{}, stream);
}
//! [swiglu_separate]

}  // namespace

cudaError_t swish(const float* x, float* y, std::int64_t n, float beta, cudaStream_t stream) {
  if (!is_supported(beta)) return cudaErrorInvalidValue;
  const Swish op{beta_constants(beta)};
  if (beta < 0x1p-40f) {  // what the short exponential leaves out
    return launch_elementwise_two_packs(x, y, n, SwishPolynomial{op.beta}, stream, kBest<float>);
  }
  return launch_elementwise_one_wave(x, y, n, op, stream, kOnePack);
}

cudaError_t swish(const half* x, half* y, std::int64_t n, float beta, cudaStream_t stream) {
  return swish_any(x, y, n, beta, stream);
}

cudaError_t swish(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n, float beta,
                  cudaStream_t stream) {
  return swish_any(x, y, n, beta, stream);
}

cudaError_t swiglu(const float* a, const float* b, float* y, std::int64_t n, cudaStream_t stream) {
  return swiglu_any(a, b, y, n, stream);
}

cudaError_t swiglu(const half* a, const half* b, half* y, std::int64_t n, cudaStream_t stream) {
  return swiglu_any(a, b, y, n, stream);
}

cudaError_t swiglu(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* y, std::int64_t n,
                   cudaStream_t stream) {
  return swiglu_any(a, b, y, n, stream);
}

cudaError_t swiglu_separate(const float* a, const float* b, float* y, std::int64_t n,
                            cudaStream_t stream) {
  return swiglu_separate_any(a, b, y, n, stream);
}

cudaError_t swiglu_separate(const half* a, const half* b, half* y, std::int64_t n,
                            cudaStream_t stream) {
  return swiglu_separate_any(a, b, y, n, stream);
}

cudaError_t swiglu_separate(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* y,
                            std::int64_t n, cudaStream_t stream) {
  return swiglu_separate_any(a, b, y, n, stream);
}

}  // namespace tutorial
