// A complete CUDA program: ELU of a thousand floats, from allocation to the printed answer.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

//! [first_program]
__global__ void elu_kernel(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] < 0.0f ? expm1f(x[i]) : x[i];
}

void check(cudaError_t error) {  // every CUDA call says whether it worked
  if (error == cudaSuccess) return;
  std::printf("CUDA: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  const std::int64_t n = 1000, bytes = n * sizeof(float), threads = 128;
  std::vector<float> x(n, -1.0f), y(n);
  float *device_x = nullptr, *device_y = nullptr;  // addresses in the GPU's memory
  check(cudaMalloc(&device_x, bytes));
  check(cudaMalloc(&device_y, bytes));
  check(cudaMemcpy(device_x, x.data(), bytes, cudaMemcpyHostToDevice));
  elu_kernel<<<(n + threads - 1) / threads, threads>>>(device_x, device_y, n);
  check(cudaGetLastError());  // could it be launched? The copy waits for it
  check(cudaMemcpy(y.data(), device_y, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(device_x));
  check(cudaFree(device_y));
  std::printf("elu(%g) = %g\n", x[n - 1], y[n - 1]);
  return std::fabs(y[n - 1] - std::expm1(-1.0)) < 1e-6 ? 0 : 1;
}
//! [first_program]
