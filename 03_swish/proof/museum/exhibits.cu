// The broken kernels of exhibits.cuh. Do not mend them.
#include "03_swish/proof/museum/exhibits.cuh"

#include "03_swish/backward/swish_backward_kernels.cuh"
#include "03_swish/swish_math.cuh"
#include "common/elementwise_binary.cuh"

namespace tutorial::exhibits {

//! [f16_flushing]
__global__ void swish_f16_flushing_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    const half one = __float2half(1.0f);
    y[i] = __hmul(x[i], __hdiv(one, __hadd(one, hexp(__hneg(x[i])))));
  }
}
//! [f16_flushing]

//! [f32_nan]
__global__ void swish_f32_nan_kernel(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    const float sigmoid = 1.0f / (1.0f + expf(-x[i]));
    y[i] = x[i] * sigmoid;
  }
}
//! [f32_nan]

//! [f32_fdividef]
__global__ void swish_f32_fdividef_kernel(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = __fdividef(x[i], 1.0f + __expf(-x[i]));
  }
}
//! [f32_fdividef]

//! [bf16_flushing]
struct SwishOfHalfForAnyType {
  __device__ __forceinline__ float operator()(float x) const {
    return fmaxf(x, kLowest) * rcp_approx(1.0f + exp_of_minus(x));
  }
};
//! [bf16_flushing]

cudaError_t swish_f16_flushing(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(swish_f16_flushing_kernel, x, y, n, 1, alignof(half), stream);
}

cudaError_t swish_f32_nan(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(swish_f32_nan_kernel, x, y, n, 1, alignof(float), stream);
}

cudaError_t swish_f32_fdividef(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(swish_f32_fdividef_kernel, x, y, n, 1, alignof(float), stream);
}

cudaError_t swish_bf16_flushing(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t n,
                                cudaStream_t stream) {
  return launch_elementwise(x, y, n, FloatInside<SwishOfHalfForAnyType>{}, stream, {});
}

//! [overwriting]
cudaError_t swiglu_f32_overwriting(const float* a, float* b, std::int64_t n, cudaStream_t stream) {
  const Swish swish{beta_constants(1.0f)};
  const cudaError_t error = launch_elementwise<float>(a, b, n, swish, stream, {});
  if (error != cudaSuccess) return error;
  return launch_elementwise<float>(b, b, b, n, Multiply{}, stream);  // b is no longer b
}
//! [overwriting]

namespace {

/// One of the two gradients; the other is not stored.
template <bool kOfA>
__global__ void swiglu_one_gradient_kernel(const float* a, const float* b, const float* dy,
                                           float* to, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const TwoGradients<float> d = SwiGluBackward::of(a[i], b[i], dy[i], float{});
  to[i] = kOfA ? d.a : d.b;
}

}  // namespace

//! [overwritten_gradient]
cudaError_t swiglu_backward_f32_overwriting(float* a, const float* b, const float* dy, float* db,
                                            std::int64_t n, cudaStream_t stream) {
  const LaunchShape shape{grid_1d(n, kThreads), kThreads};
  const cudaError_t error =
      launch(swiglu_one_gradient_kernel<true>, shape, stream, a, b, dy, a, n);  // da over a
  if (error != cudaSuccess) return error;
  return launch(swiglu_one_gradient_kernel<false>, shape, stream, a, b, dy, db, n);
}
//! [overwritten_gradient]

}  // namespace tutorial::exhibits
