// The launchers: how many threads, how many elements each, which alignment. The kernels are in
// elu_kernels.cuh.
#include "01_elu/elu.h"

#include <cmath>
#include <type_traits>

#include "01_elu/elu_kernels.cuh"
#include "01_elu/your_elu.cuh"
#include "common/elementwise_two_packs.cuh"
#include "common/fp8.cuh"

namespace tutorial {
namespace {

constexpr Elu kElu{1.0f};  // the ladder's alpha

/// The launch of the last rungs: the block size that the sweep recommends, and overlap with the launch before.
constexpr LaunchOptions kBest{256, Overlap::previous_kernel};

}  // namespace

cudaError_t elu_f32(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return elu_f32_block(x, y, n, kThreads, stream);
}

cudaError_t elu_f32_block(const float* x, float* y, std::int64_t n, int threads,
                          cudaStream_t stream) {
  return launch_unary(elu_f32_kernel, x, y, n, 1, alignof(float), stream, {threads});
}

cudaError_t elu_f32x4(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(elu_f32x4_kernel, x, y, n, 4, 16, stream);
}

cudaError_t elu_f32x4_poly(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(elementwise_pack_kernel<float, Elu>, x, y, n, 4, 16, stream, {}, kElu);
}

cudaError_t elu_f32x4_pdl(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(elementwise_pack_kernel<float, Elu>, x, y, n, 4, 16, stream, kBest, kElu);
}

cudaError_t elu_f16(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(elu_f16_kernel, x, y, n, 1, alignof(half), stream);
}

cudaError_t elu_f16x2(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(elu_f16x2_kernel, x, y, n, 2, 4, stream);
}

cudaError_t elu_f16x8(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(elu_f16x8_kernel, x, y, n, 8, 4, stream);
}

cudaError_t elu_f16x8_wide_load(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(elu_f16x8_wide_load_kernel, x, y, n, 8, 16, stream);
}

cudaError_t elu_f16x8_wide_store(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(elu_f16x8_wide_store_kernel, x, y, n, 8, 16, stream);
}

//! [f16x8_pack]
cudaError_t elu_f16x8_pack(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(elu_f16x8_pack_kernel, x, y, n, 8, 16, stream);
}
//! [f16x8_pack]

cudaError_t elu_f16x8_pack_h2(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(elementwise_pack_kernel<half, EluHalf2>, x, y, n, 8, 16, stream, {},
                      EluHalf2{});
}

cudaError_t elu_f16x8_pack_fexp(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  using Op = FloatInside<EluFastExp>;
  return launch_unary(elementwise_pack_kernel<half, Op>, x, y, n, 8, 16, stream, {}, Op{});
}

cudaError_t elu_f16x8_pack_expm1(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  using Op = FloatInside<EluExpm1>;
  return launch_unary(elementwise_pack_kernel<half, Op>, x, y, n, 8, 16, stream, {}, Op{});
}

cudaError_t elu_f16x8_pack_poly(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(elementwise_pack_kernel<half, Elu>, x, y, n, 8, 16, stream, {}, kElu);
}

cudaError_t elu_f16x8_pack_pdl(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return elu_f16x8_pack_pdl_block(x, y, n, kBest.threads, stream);
}

cudaError_t elu_bf16x8_pack(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                            cudaStream_t stream) {
  return launch_unary(elementwise_pack_kernel<__nv_bfloat16, Elu>, x, y, n, 8, 16, stream, {},
                      kElu);
}

cudaError_t elu_bf16x8_pack_pdl(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                                cudaStream_t stream) {
  return launch_unary(elementwise_pack_kernel<__nv_bfloat16, Elu>, x, y, n, 8, 16, stream, kBest,
                      kElu);
}

template <class T>
cudaError_t elu_fp8x16_pack(const T* x, T* y, std::int64_t n, cudaStream_t stream) {
  return launch_fp8_pack(x, y, n, FloatInside<EluForFp8>{}, stream);
}
template cudaError_t elu_fp8x16_pack(const E4m3*, E4m3*, std::int64_t, cudaStream_t);
template cudaError_t elu_fp8x16_pack(const E5m2*, E5m2*, std::int64_t, cudaStream_t);

template <class T>
cudaError_t elu_fp8x16_table(const T* x, T* y, std::int64_t n, cudaStream_t stream) {
  return launch_fp8_table(x, y, n, FloatInside<EluForFp8>{}, stream);
}
template cudaError_t elu_fp8x16_table(const E4m3*, E4m3*, std::int64_t, cudaStream_t);
template cudaError_t elu_fp8x16_table(const E5m2*, E5m2*, std::int64_t, cudaStream_t);

cudaError_t elu_f16x8_pack_pdl_block(const half* x, half* y, std::int64_t n, int threads,
                                     cudaStream_t stream) {
  const LaunchOptions options{threads, kBest.overlap};
  return launch_unary(elementwise_pack_kernel<half, Elu>, x, y, n, 8, 16, stream, options, kElu);
}

cudaError_t your_elu(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(your_elu_kernel, x, y, n, kYourElu.per_thread, kYourElu.alignment, stream);
}

RungClaims your_elu_claims() { return kYourElu; }

namespace {

template <class T>
cudaError_t elu_any(const T* x, T* y, std::int64_t n, float alpha, cudaStream_t stream) {
  if (!std::isfinite(alpha)) return cudaErrorInvalidValue;
  if constexpr (std::is_same_v<T, float>) {
    return launch_elementwise_one_wave(x, y, n, Elu{alpha}, stream, kBest);
  } else {
    return launch_elementwise(x, y, n, Elu{alpha}, stream, kBest);
  }
}

}  // namespace

cudaError_t elu(const float* x, float* y, std::int64_t n, float alpha, cudaStream_t stream) {
  return elu_any(x, y, n, alpha, stream);
}

cudaError_t elu(const half* x, half* y, std::int64_t n, float alpha, cudaStream_t stream) {
  return elu_any(x, y, n, alpha, stream);
}

cudaError_t elu(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n, float alpha,
                cudaStream_t stream) {
  return elu_any(x, y, n, alpha, stream);
}

}  // namespace tutorial
