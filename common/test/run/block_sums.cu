// The page's race: five steps of a block sum without a barrier (common/notes/run.md).
// prints: of 100000
// exits: 1
// check: block_sums.cu:{race}: thread \d+ of block 0 (reads|updates|writes) part\[\d+\], which thread \d+ of block 0
#include <cstdio>
#include <vector>

constexpr int kThreads = 256;

//! [block_sums]
__global__ void block_sums(const float* x, float* sums, int n) {
  __shared__ float part[kThreads];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];  // race
    if (step > 32) __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
//! [block_sums]

int main() {
  const int n = 100000, blocks = (n + kThreads - 1) / kThreads;
  std::vector<float> x(n, 1.0f), sums(blocks);
  float *device_x, *device_sums;
  cudaMalloc(&device_x, n * sizeof(float));
  cudaMalloc(&device_sums, blocks * sizeof(float));
  cudaMemcpy(device_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  block_sums<<<blocks, kThreads>>>(device_x, device_sums, n);
  cudaMemcpy(sums.data(), device_sums, blocks * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0.0;
  for (const float part : sums) sum += part;
  std::printf("%g of %d\n", sum, n);
  cudaFree(device_x);
  cudaFree(device_sums);
  return sum == n ? 0 : 1;
}
