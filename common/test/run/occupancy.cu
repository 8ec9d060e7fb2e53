// Occupancy, as far as threads and dynamic shared memory decide it; a launch by cudaLaunchKernel.
// prints: 16 blocks of 128
// check: clean
#include "expect.h"

__global__ void scale(float* x, float factor) { x[threadIdx.x] *= factor; }

int main() {
  int blocks = 0, grid = 0, block = 0;
  EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 128, 0) == cudaSuccess);
  std::printf("%d blocks of 128\n", blocks);
  EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 64, 40 << 10) ==
         cudaSuccess);
  EXPECT(blocks == 5);
  EXPECT(cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale, 0, 0) == cudaSuccess);
  EXPECT(block == 1024 && grid % 2 == 0);
  EXPECT(cudaFuncSetAttribute(scale, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10) ==
         cudaSuccess);
  EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 64, 100 << 10) ==
         cudaSuccess);
  EXPECT(blocks == 2);

  float *x, host[32], factor = 3;
  for (float& one : host) one = 2;
  EXPECT(cudaMalloc(&x, sizeof host) == cudaSuccess);
  EXPECT(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice) == cudaSuccess);
  void* arguments[] = {&x, &factor};
  EXPECT(cudaLaunchKernel((void*)scale, dim3(1), dim3(32), arguments, 0, 0) == cudaSuccess);
  EXPECT(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess && host[31] == 6);
  EXPECT(cudaFree(x) == cudaSuccess);
  return wrong_count;
}
