// The transfer exercise of the lesson: ELU that reads floats and writes halves, with the widest
// accesses on both sides.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "01_elu/elu_math.cuh"
#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/proof/speed.h"
#include "common/proof/ulp.h"

namespace tutorial {

//! [narrow]
constexpr int kPerThread = 8;  // elements a thread

__device__ __forceinline__ float elu_for_half(float x) {
  return x < 0.0f ? scaled_expm1_for_half(1.0f, x) : x;
}

/// y[i] = elu(x[i]) for i in [0, n). x and y: 16-byte aligned.
__global__ void elu_narrow_kernel(const float* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kPerThread;
  if (i + kPerThread <= n) {
    alignas(16) float in[kPerThread];
    alignas(16) half out[kPerThread];
    LDST128BITS(in[0]) = LDST128BITS(x[i]);
    LDST128BITS(in[4]) = LDST128BITS(x[i + 4]);
#pragma unroll
    for (int k = 0; k < kPerThread; ++k) {
      out[k] = __float2half(elu_for_half(in[k]));
    }
    LDST128BITS(y[i]) = LDST128BITS(out[0]);
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = __float2half(elu_for_half(x[k]));
    }
  }
}
//! [narrow]

}  // namespace tutorial

int main() {
  using namespace tutorial;
  const std::int64_t drawn = 8 * test::sizes().draw(2000, 12000) + 3;  // its accesses are counted
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{7}, std::int64_t{8}, std::int64_t{9},
                               std::int64_t{15}, std::int64_t{16}, drawn}) {
    std::vector<float> x;
    for (std::int64_t i = 0; i < n; ++i) {
      const float spread = std::ldexp(1.0f, static_cast<int>(i % 24) - 20);
      x.push_back((i % 3 == 0 ? spread : -spread) * (1.0f + 0.001f * static_cast<float>(i % 977)));
    }
    const test::DeviceArray<float> from(x);
    const test::DeviceArray<half> to(x.size());
    elu_narrow_kernel<<<grid_1d(n, kThreads * kPerThread), kThreads>>>(from.data(), to.data(), n);
    const cudaError_t error = cudaGetLastError();
    const std::vector<half> y = to.download();
    if (error != cudaSuccess) return test::verdict(false, cudaGetErrorString(error));
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double expected = x[i] < 0.0f ? std::expm1(double{x[i]}) : double{x[i]};
      const double error_in_ulp = test::ulp_error(y[i], expected);
      if (!(error_in_ulp <= 0.51)) {
        return test::verdict(false, "n = " + std::to_string(n) + ": elu(" + std::to_string(x[i]) +
                                        ") is off by " + std::to_string(error_in_ulp) + " ULP");
      }
    }
  }
  constexpr std::int64_t n = test::kTimedElements;
  const test::DeviceArray<float> from(n);
  const test::DeviceArray<half> to(n);
  const std::string speed = test::speed(6 * n, [&] {
    elu_narrow_kernel<<<grid_1d(n, kThreads * kPerThread), kThreads>>>(from.data(), to.data(), n);
  });
  return test::verdict(true, "every length, at most 0.51 ULP" + speed);
}
