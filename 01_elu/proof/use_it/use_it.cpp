// ELU of four halves by the tutorial's operator, on a GPU or on its CPU executor.
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdio>

#include "01_elu/elu.h"

int main() {
  const half x[4] = {__float2half(-1.0f), __float2half(0.0f), __float2half(1.0f),
                     __float2half(2.0f)};
  half *device = nullptr, y[4] = {};
  if (cudaMalloc(reinterpret_cast<void**>(&device), sizeof x) != cudaSuccess) return 4;  // no GPU
  cudaMemcpy(device, x, sizeof x, cudaMemcpyHostToDevice);
  const cudaError_t error = tutorial::elu(device, device, 4, 1.0f, nullptr);
  cudaMemcpy(y, device, sizeof y, cudaMemcpyDeviceToHost);
  cudaFree(device);
  std::printf("%s: %g %g %g %g\n", cudaGetErrorString(error), __half2float(y[0]),
              __half2float(y[1]), __half2float(y[2]), __half2float(y[3]));
  return error == cudaSuccess && __half2float(y[0]) == -0.63232421875f && __half2float(y[3]) == 2.0f
             ? 0
             : 1;
}
