// The launchers: which variant, how many threads, how many elements each, which alignment. The
// kernels are in gelu_kernels.cuh.
#include "02_gelu/gelu.h"

#include <type_traits>

#include "02_gelu/gelu_kernels.cuh"
#include "02_gelu/your_gelu.cuh"
#include "common/fp8.cuh"

namespace tutorial {
namespace {

/// The launch of the last rungs: 256 threads a block, as chapter 01's sweep recommends, and an
/// early start.
constexpr LaunchOptions kBest{256, Overlap::previous_kernel};

/// launch(variant) with the variant as a type, so that a kernel can take it as a template
/// parameter.
template <class Launch>
cudaError_t with_variant(GeluApproximate approximate, Launch launch) {
  switch (approximate) {
    case GeluApproximate::none:
      return launch(std::integral_constant<GeluApproximate, GeluApproximate::none>{});
    case GeluApproximate::tanh:
      return launch(std::integral_constant<GeluApproximate, GeluApproximate::tanh>{});
  }
  return cudaErrorInvalidValue;
}

/// elementwise_pack_kernel with an operation that needs no data of its own.
template <class Op, class T>
cudaError_t launch_pack(const T* x, T* y, std::int64_t n, cudaStream_t stream,
                        LaunchOptions options = {}) {
  return launch_unary(elementwise_pack_kernel<T, Op>, x, y, n, 16 / sizeof(T), 16, stream, options,
                      Op{});
}

}  // namespace

cudaError_t gelu_f32(const float* x, float* y, std::int64_t n, GeluApproximate approximate,
                     cudaStream_t stream) {
  return with_variant(approximate, [=](auto variant) {
    return launch_unary(gelu_f32_kernel<variant()>, x, y, n, 1, alignof(float), stream);
  });
}

cudaError_t gelu_f32x4(const float* x, float* y, std::int64_t n, GeluApproximate approximate,
                       cudaStream_t stream) {
  return with_variant(approximate, [=](auto variant) {
    return launch_unary(gelu_f32x4_kernel<variant()>, x, y, n, 4, 16, stream);
  });
}

cudaError_t gelu_tanh_f32x4_approx(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return launch_pack<FloatInside<GeluTanhApprox>>(x, y, n, stream);
}

cudaError_t gelu_tanh_f32x4_sigmoid(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return launch_pack<Gelu<GeluApproximate::tanh>>(x, y, n, stream);
}

cudaError_t gelu_none_f32x4_mills(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return launch_pack<Gelu<GeluApproximate::none>>(x, y, n, stream);
}

cudaError_t gelu_f32x4_poly(const float* x, float* y, std::int64_t n, GeluApproximate approximate,
                            cudaStream_t stream) {
  return with_variant(approximate, [=](auto variant) {
    return launch_pack<GeluToTheLastBits<variant()>>(x, y, n, stream);
  });
}

cudaError_t gelu_f32x8_poly(const float* x, float* y, std::int64_t n, GeluApproximate approximate,
                            cudaStream_t stream) {
  return with_variant(approximate, [=](auto variant) {
    using Op = GeluToTheLastBits<variant()>;
    return launch_unary(elementwise_two_packs_kernel<float, Op>, x, y, n, 8, 16, stream, {}, Op{});
  });
}

cudaError_t gelu_f32x4_pdl(const float* x, float* y, std::int64_t n, GeluApproximate approximate,
                           cudaStream_t stream) {
  return with_variant(approximate, [=](auto variant) {
    return launch_pack<Gelu<variant()>>(x, y, n, stream, kBest);
  });
}

cudaError_t gelu_f16(const half* x, half* y, std::int64_t n, GeluApproximate approximate,
                     cudaStream_t stream) {
  return with_variant(approximate, [=](auto variant) {
    return launch_unary(gelu_f16_kernel<variant()>, x, y, n, 1, alignof(half), stream);
  });
}

cudaError_t gelu_f16x2(const half* x, half* y, std::int64_t n, GeluApproximate approximate,
                       cudaStream_t stream) {
  return with_variant(approximate, [=](auto variant) {
    return launch_unary(gelu_f16x2_kernel<variant()>, x, y, n, 2, 4, stream);
  });
}

cudaError_t gelu_f16x8(const half* x, half* y, std::int64_t n, GeluApproximate approximate,
                       cudaStream_t stream) {
  return with_variant(approximate, [=](auto variant) {
    return launch_unary(gelu_f16x8_kernel<variant()>, x, y, n, 8, 4, stream);
  });
}

cudaError_t gelu_f16x8_pack(const half* x, half* y, std::int64_t n, GeluApproximate approximate,
                            cudaStream_t stream) {
  return with_variant(approximate, [=](auto variant) {
    return launch_unary(gelu_f16x8_pack_kernel<variant()>, x, y, n, 8, 16, stream);
  });
}

cudaError_t gelu_tanh_f16x8_pack_h2(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_pack<GeluTanhHalf2<false>>(x, y, n, stream);
}

cudaError_t gelu_tanh_f16x8_pack_h2_approx(const half* x, half* y, std::int64_t n,
                                           cudaStream_t stream) {
  return launch_pack<GeluTanhHalf2<true>>(x, y, n, stream);
}

cudaError_t gelu_tanh_f16x8_pack_approx(const half* x, half* y, std::int64_t n,
                                        cudaStream_t stream) {
  return launch_pack<FloatInside<GeluTanhApprox>>(x, y, n, stream);
}

cudaError_t gelu_f16x8_pack_library(const half* x, half* y, std::int64_t n,
                                    GeluApproximate approximate, cudaStream_t stream) {
  return with_variant(approximate, [=](auto variant) {
    return launch_pack<FloatInside<GeluLibrary<variant()>>>(x, y, n, stream);
  });
}

cudaError_t gelu_none_f16x8_pack_normcdf(const half* x, half* y, std::int64_t n,
                                         cudaStream_t stream) {
  return launch_pack<FloatInside<GeluNormcdf>>(x, y, n, stream);
}

cudaError_t gelu_tanh_f16x8_pack_sigmoid(const half* x, half* y, std::int64_t n,
                                         cudaStream_t stream) {
  return launch_pack<Gelu<GeluApproximate::tanh>>(x, y, n, stream);
}

cudaError_t gelu_none_f16x8_pack_exp2(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_pack<Gelu<GeluApproximate::none>>(x, y, n, stream);
}

cudaError_t gelu_f16x8_pack_pdl(const half* x, half* y, std::int64_t n, GeluApproximate approximate,
                                cudaStream_t stream) {
  return with_variant(approximate, [=](auto variant) {
    return launch_pack<Gelu<variant()>>(x, y, n, stream, kBest);
  });
}

cudaError_t gelu_bf16x8_pack_library(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                                     GeluApproximate approximate, cudaStream_t stream) {
  return with_variant(approximate, [=](auto variant) {
    return launch_pack<FloatInside<GeluLibrary<variant()>>>(x, y, n, stream);
  });
}

cudaError_t gelu_bf16x8_pack(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                             GeluApproximate approximate, cudaStream_t stream) {
  return with_variant(approximate,
                      [=](auto variant) { return launch_pack<Gelu<variant()>>(x, y, n, stream); });
}

cudaError_t gelu_bf16x8_pack_pdl(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                                 GeluApproximate approximate, cudaStream_t stream) {
  return with_variant(approximate, [=](auto variant) {
    return launch_pack<Gelu<variant()>>(x, y, n, stream, kBest);
  });
}

cudaError_t gelu_bf16x16_pack(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                              GeluApproximate approximate, cudaStream_t stream) {
  return with_variant(approximate, [=](auto variant) {
    using Op = Gelu<variant()>;
    return launch_unary(elementwise_two_packs_kernel<__nv_bfloat16, Op>, x, y, n, 16, 16, stream,
                        {kThreads, Overlap::previous_kernel}, Op{});
  });
}

template <class T>
cudaError_t gelu_fp8x16_pack(const T* x, T* y, std::int64_t n, GeluApproximate approximate,
                             cudaStream_t stream) {
  return with_variant(approximate, [=](auto variant) {
    return launch_fp8_pack(x, y, n, GeluForFp8<variant()>{}, stream);
  });
}

template <class T>
cudaError_t gelu_fp8x16_table(const T* x, T* y, std::int64_t n, GeluApproximate approximate,
                              cudaStream_t stream) {
  return with_variant(approximate, [=](auto variant) {
    return launch_fp8_table(x, y, n, GeluForFp8<variant()>{}, stream);
  });
}

template cudaError_t gelu_fp8x16_pack(const E4m3*, E4m3*, std::int64_t, GeluApproximate,
                                      cudaStream_t);
template cudaError_t gelu_fp8x16_pack(const E5m2*, E5m2*, std::int64_t, GeluApproximate,
                                      cudaStream_t);
template cudaError_t gelu_fp8x16_table(const E4m3*, E4m3*, std::int64_t, GeluApproximate,
                                       cudaStream_t);
template cudaError_t gelu_fp8x16_table(const E5m2*, E5m2*, std::int64_t, GeluApproximate,
                                       cudaStream_t);

cudaError_t your_gelu(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(your_gelu_kernel, x, y, n, kYourGelu.per_thread, kYourGelu.alignment, stream);
}

RungClaims your_gelu_claims() { return kYourGelu; }

namespace {

/// From this many bf16 on, the long polynomial of erf is faster with two packs a thread.
constexpr std::int64_t kTwoPacksFrom = std::int64_t{1} << 24;

template <class T>
cudaError_t gelu_one_wave(const T* x, T* y, std::int64_t n, GeluApproximate approximate,
                          cudaStream_t stream) {
  return with_variant(approximate, [=](auto variant) {
    return launch_elementwise_one_wave(x, y, n, Gelu<variant()>{}, stream, kBest);
  });
}

}  // namespace

cudaError_t gelu(const float* x, float* y, std::int64_t n, GeluApproximate approximate,
                 cudaStream_t stream) {
  return gelu_one_wave(x, y, n, approximate, stream);
}

cudaError_t gelu(const half* x, half* y, std::int64_t n, GeluApproximate approximate,
                 cudaStream_t stream) {
  return with_variant(approximate, [=](auto variant) {
    return launch_elementwise(x, y, n, Gelu<variant()>{}, stream, kBest);
  });
}

cudaError_t gelu(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                 GeluApproximate approximate, cudaStream_t stream) {
  if (approximate != GeluApproximate::none || n < kTwoPacksFrom) {
    return gelu_one_wave(x, y, n, approximate, stream);
  }
  return launch_elementwise_two_packs(x, y, n, Gelu<GeluApproximate::none>{}, stream,
                                      {kThreads, kBest.overlap});
}

}  // namespace tutorial
