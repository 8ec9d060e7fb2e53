// A program that includes what it does not use; kernels behind a void*, which cudaLaunchKernel launches; overloads.
// prints: 7 2.5 8
// check: clean
#include <mma.h>
#include "expect.h"

__global__ void add(int* x, int y) { x[threadIdx.x] += y; }
__global__ void add(float* x, int y) { x[threadIdx.x] += y; }
__global__ void set(int* x, int y) { x[threadIdx.x] = y; }

cudaError_t launch(const void* kernel, void** arguments) {
  return cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, nullptr);
}

int main() {
  int *x, y = 7, here;
  float *z, half = 0.5f;
  void* arguments[] = {&x, &y};
  cudaMalloc(&x, sizeof *x), cudaMalloc(&z, sizeof *z);
  EXPECT(launch((const void*)set, arguments) == cudaSuccess);
  cudaMemcpy(&here, x, sizeof here, cudaMemcpyDeviceToHost);
  std::printf("%d ", here);
  cudaMemcpy(z, &half, sizeof half, cudaMemcpyHostToDevice);
  add<<<1, 1>>>(z, 2);
  add<<<1, 1>>>(x, 1);
  cudaMemcpy(&half, z, sizeof half, cudaMemcpyDeviceToHost);
  cudaMemcpy(&here, x, sizeof here, cudaMemcpyDeviceToHost);
  std::printf("%g %d\n", half, here);
  EXPECT(launch(&here, arguments) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  cudaFree(x), cudaFree(z);
  return wrong_count;
}
