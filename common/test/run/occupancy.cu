// Occupancy, as far as threads and dynamic shared memory decide it, of clusters too; a launch by cudaLaunchKernel.
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

  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {16, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(16);
  config.blockDim = dim3(64);
  config.attrs = &cluster;
  config.numAttrs = 1;
  int clusters = 0;
  EXPECT(cudaOccupancyMaxActiveClusters(&clusters, scale, &config) == cudaErrorInvalidClusterSize);
  EXPECT(cudaGetLastError() == cudaErrorInvalidClusterSize);
  EXPECT(cudaFuncSetAttribute(scale, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) ==
         cudaSuccess);
  EXPECT(cudaOccupancyMaxActiveClusters(&clusters, scale, &config) == cudaSuccess && clusters > 0);

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
