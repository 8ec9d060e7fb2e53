// A shared array of a class: what its construction does is nobody's access.
// prints: 496
// check: clean
#include <cuda_fp16.h>

#include <cstdio>

struct Pair {
  float a = 0, b = 0;
};

__global__ void turned(const half2* x, half2* y) {
  __shared__ half2 s[32];
  __shared__ Pair pairs[32];
  s[threadIdx.x] = x[threadIdx.x];
  pairs[threadIdx.x].a = 1;
  __syncthreads();
  const float one = pairs[31 - threadIdx.x].a;
  y[32 * blockIdx.x + threadIdx.x] = __hmul2(s[31 - threadIdx.x], __float2half2_rn(one));
}

int main() {
  half2 x[32], y[64], *device_x, *device_y;
  for (int i = 0; i < 32; ++i) x[i] = __floats2half2_rn(i, -i);
  cudaMalloc(&device_x, sizeof x);
  cudaMalloc(&device_y, sizeof y);
  cudaMemcpy(device_x, x, sizeof x, cudaMemcpyHostToDevice);
  turned<<<2, 32>>>(device_x, device_y);
  cudaMemcpy(y, device_y, sizeof y, cudaMemcpyDeviceToHost);
  float sum = 0;
  for (int i = 32; i < 64; ++i) sum += __low2float(y[i]);
  printf("%g\n", sum);
  cudaFree(device_x);
  cudaFree(device_y);
}
