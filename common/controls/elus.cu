// Grid-stride loops against one pack a thread, block size apart from overlap, an early trigger, and
// GELU in 32 registers.

#include "common/controls/row.cuh"
#include "common/elementwise.cuh"
#include "common/pack.cuh"
#include "common/ptx.cuh"

namespace tutorial::controls {

namespace {

constexpr Overlap kOverlap = Overlap::previous_kernel;

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
      rows.push_back(row(name + (early ? "_trigger" : "_no_trigger"), kernel, 16 / sizeof(T),
                         {threads, kOverlap}));
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
      row("elu_f32_b128_alone", elementwise_pack_kernel<float, Elu>, 4, {128}, Elu{}),
      {"elu_stride", [](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
         const std::int64_t most = resident_threads() / kThreads;
         const std::int64_t needed = (n / 4 + kThreads - 1) / kThreads;
         const auto blocks = static_cast<unsigned>(needed < most ? needed : most);
         return launch(control_elu_stride_kernel, {dim3(blocks), dim3(kThreads)}, stream, x, y, n);
       }}};
}

std::vector<OneInput<half>> half_elus() {
  constexpr auto kPack = elementwise_pack_kernel<half, Elu>;
  return {row("elu_f16_b128_alone", kPack, 8, {128}, Elu{}),
          row("elu_f16_b128_overlap", kPack, 8, {128, kOverlap}, Elu{}),
          row("elu_f16_b256_alone", kPack, 8, {256}, Elu{}),
          row("elu_f16_b256_overlap", kPack, 8, {256, kOverlap}, Elu{})};
}
std::vector<OneInput<half>> half_gelus() {
  return {row("gelu_f16", control_gelu_kernel<1024, 1>, 8, {}),
          row("gelu_f16_32_registers", control_gelu_kernel<kThreads, 16>, 8, {})};
}

}  // namespace tutorial::controls
