// The first program of a lesson: allocate, copy, launch, copy back, with an error check.
// always
// prints: elu\(-1\) = -0.632121
// check: clean
#include <cstdio>
#include <vector>

__global__ void elu(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 0 ? x[i] : expm1f(x[i]);
}

#define CHECK(call)                                   \
  do {                                                \
    cudaError_t error = (call);                       \
    if (error != cudaSuccess) {                       \
      std::printf("%s\n", cudaGetErrorString(error)); \
      return 1;                                       \
    }                                                 \
  } while (0)

int main() {
  const int n = 1000;
  std::vector<float> x(n, -1.0f), y(n);
  float *device_x, *device_y;
  CHECK(cudaMalloc(&device_x, n * sizeof(float)));
  CHECK(cudaMalloc(&device_y, n * sizeof(float)));
  CHECK(cudaMemcpy(device_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  elu<<<(n + 127) / 128, 128>>>(device_x, device_y, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(y.data(), device_y, n * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("elu(-1) = %g\n", y[n - 1]);
  CHECK(cudaFree(device_x));
  CHECK(cudaFree(device_y));
}
