// Grid-stride loops against one pack a thread, block size apart from overlap, an early trigger, and
// GELU in 32 registers.

#include "common/controls/controls.h"
#include "common/elementwise.cuh"
#include "common/pack.cuh"
#include "common/ptx.cuh"

namespace tutorial::controls {

namespace {

/// The arithmetic of chapter 01's rung f16x8_pack_fexp, in float.
struct EluOfFloat {
  __device__ __forceinline__ float operator()(float x) const {
    return x < 0.0f ? exp2_approx(x * 1.44269504f) - 1.0f : x;
  }
};

using Elu = FloatInside<EluOfFloat>;

__device__ __forceinline__ float4 elu4(float4 v) {
  const EluOfFloat f;
  return {f(v.x), f(v.y), f(v.z), f(v.w)};
}

// ---- Grid-stride loops ------------------------------------------------------------------------

__global__ void control_elu_stride_kernel(const float* x, float* y, std::int64_t n) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x * 4;
  for (std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4; i < n;
       i += stride) {
    FLOAT4(y[i]) = elu4(FLOAT4(x[i]));
  }
}

// ---- An early trigger -------------------------------------------------------------------------

struct Sum {
  using Packs = ElementByElement;
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

/// y = a, or a + b. kTrigger: the GPU may place the next kernel's blocks once all blocks of this one
/// have begun; otherwise, once all have ended.
template <int kInputs, bool kTrigger, class T>
__global__ void control_trigger_kernel(const T* a, const T* b, T* y, std::int64_t n) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if constexpr (kTrigger) cudaTriggerProgrammaticLaunchCompletion();
#endif
  wait_for_previous_grid();
  constexpr int kWidth = 16 / sizeof(T);
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kWidth;
  if (i >= n) return;
  Pack<T, kWidth> pack = load_pack<kWidth>(a + i);
  if constexpr (kInputs == 2) pack = apply<T>(Sum{}, pack, load_pack<kWidth>(b + i));
  store_pack(y + i, pack);
}

// ---- Registers --------------------------------------------------------------------------------

/// Chapter 02's rung 6, GELU by tanh in half arithmetic, for blocks of at most kMost
/// threads, kBlocks of which fit an SM.
template <int kMost, int kBlocks>
__global__ void __launch_bounds__(kMost, kBlocks)
    control_gelu_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i + 8 > n) return;
  const half one = __float2half(1.0f);
  alignas(16) half pack[8];
  LDST128BITS(pack[0]) = LDST128BITS(x[i]);
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const half z = __hmax_nan(pack[k], __float2half(-16.0f));
    const half cubic = __hfma(__float2half(0.044715f), __hmul(z, z), one);
    const half u = __hmul(__hmul(__float2half(0.797884561f), z), cubic);
    const half tanh_u = __float2half(tanhf(__half2float(u)));
    pack[k] = __hmul(__hmul(__float2half(0.5f), z), __hadd(one, tanh_u));
  }
  LDST128BITS(y[i]) = LDST128BITS(pack[0]);
}

template <int kMost, int kBlocks>
OneInput<half> gelu(std::string name) {
  return {std::move(name), [](const half* x, half* y, std::int64_t n, cudaStream_t stream) {
            return launch_unary(control_gelu_kernel<kMost, kBlocks>, x, y, n, 8, 16, stream);
          }};
}

// ---- Launches ---------------------------------------------------------------------------------

template <class T>
OneInput<T> pack(std::string name, LaunchOptions options) {
  return {std::move(name), [=](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
            return launch_unary(elementwise_pack_kernel<T, Elu>, x, y, n, 16 / sizeof(T), 16,
                                stream, options, Elu{});
          }};
}

}  // namespace

template <int kInputs, class T>
std::vector<TwoInputs<T>> triggers() {
  std::vector<TwoInputs<T>> rows;
  for (const int threads : {128, 256}) {
    for (const bool early : {false, true}) {
      const auto kernel = early ? control_trigger_kernel<kInputs, true, T>
                                : control_trigger_kernel<kInputs, false, T>;
      const std::string name = std::string(kInputs == 1 ? "copy" : "add") +
                               (sizeof(T) == 2 ? "_f16_b" : "_f32_b") + std::to_string(threads);
      rows.push_back({name + (early ? "_trigger" : "_no_trigger"),
                      [=](const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream) {
                        return launch_elements(kernel, n, 16 / sizeof(T), {}, stream,
                                               {threads, Overlap::previous_kernel}, a, b, y, n);
                      }});
    }
  }
  return rows;
}
template std::vector<TwoInputs<float>> triggers<1, float>();
template std::vector<TwoInputs<half>> triggers<1, half>();
template std::vector<TwoInputs<float>> triggers<2, float>();
template std::vector<TwoInputs<half>> triggers<2, half>();

std::vector<OneInput<float>> float_elus() {
  return {
      pack<float>("elu_f32_b128_alone", {128, Overlap::none}),
      {"elu_stride", [](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
         const std::int64_t most = resident_threads() / kThreads;
         const std::int64_t needed = (n / 4 + kThreads - 1) / kThreads;
         const auto blocks = static_cast<unsigned>(needed < most ? needed : most);
         return launch(control_elu_stride_kernel, {dim3(blocks), dim3(kThreads)}, stream, x, y, n);
       }}};
}

std::vector<OneInput<half>> half_elus() {
  return {pack<half>("elu_f16_b128_alone", {128, Overlap::none}),
          pack<half>("elu_f16_b128_overlap", {128, Overlap::previous_kernel}),
          pack<half>("elu_f16_b256_alone", {256, Overlap::none}),
          pack<half>("elu_f16_b256_overlap", {256, Overlap::previous_kernel})};
}
std::vector<OneInput<half>> half_gelus() {
  return {gelu<1024, 1>("gelu_f16"), gelu<kThreads, 16>("gelu_f16_32_registers")};
}

}  // namespace tutorial::controls
