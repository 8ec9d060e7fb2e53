// Kernels that let the next one start with their first statement.

#include "common/controls/controls.h"
#include "common/launch.cuh"
#include "common/pack.cuh"

namespace tutorial::controls {

namespace {

struct Sum {
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

}  // namespace tutorial::controls
