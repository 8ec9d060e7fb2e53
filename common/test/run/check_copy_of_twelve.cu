// An asynchronous copy of a size that there is none of.
// check: check_copy_of_twelve.cu:{twelve}: .*__pipeline_memcpy_async in .*: 12 bytes, of which 0 are not read; it copies 4, 8 or 16
// executor: NVIDIA's header ends the kernel by a trap
#include <cuda_pipeline.h>

#include <cstdio>

__global__ void three_floats(const float* x, float* y) {
  __shared__ float tile[96];
  tile[threadIdx.x] = 0.0f;                                              // before it
  __pipeline_memcpy_async(&tile[3 * threadIdx.x], &x[threadIdx.x], 12);  // twelve
  y[threadIdx.x] = tile[threadIdx.x];
}

int main() {
  float *x, *y;
  cudaMalloc(&x, 512), cudaMalloc(&y, 512);
  cudaMemset(x, 0, 512);
  three_floats<<<1, 32>>>(x, y);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
