// Kernels that launch kernels: a tree, copies in order, a tail launch, streams, an order that --check must know.
// prints: tree: 31 31
// prints: tail: 64 of 64, copied 7
// prints: last of the children: 496
// check: clean
#include "expect.h"

/// Each grid counts itself, and launches two more.
__global__ void tree(int* count, int depth) {
  atomicAdd(count, 1);
  if (depth > 0) {
    tree<<<1, 1>>>(count, depth - 1);
    tree<<<1, 1, 0, cudaStreamFireAndForget>>>(count, depth - 1);
  }
}

__global__ void square(int* x) { x[threadIdx.x] *= x[threadIdx.x]; }
__global__ void count_squares(const int* x, int* right) {
  if (x[threadIdx.x] == threadIdx.x * threadIdx.x) atomicAdd(right, 1);
}

/// A child sees what the block wrote before the barrier; the tail launch, what all children wrote.
__global__ void parent(int* x, int* right, int* copy) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  x[i] = i;
  __syncthreads();
  if (threadIdx.x != 0) return;
  square<<<1, 32>>>(x + blockIdx.x * 32);
  if (blockIdx.x != 0) return;
  count_squares<<<1, 64, 0, cudaStreamTailLaunch>>>(x, right);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMemsetAsync(copy, 0, 8 * sizeof(int), stream);
  cudaMemcpyAsync(copy + 7, copy, sizeof(int), cudaMemcpyDeviceToDevice, stream);
  cudaStreamDestroy(stream);
}

/// Of grids that nothing orders the last one adds what all have left.
__device__ unsigned arrived;
__device__ int left[32];
__global__ void child(int* sum, int which) {
  left[which] = which;
  __threadfence();
  if (atomicAdd(&arrived, 1u) != 31) return;
  __threadfence();
  int all = 0;
  for (int i = 0; i < 32; ++i) all += left[i];
  *sum = all;
}
__global__ void children(int* sum) {
  child<<<1, 1, 0, cudaStreamFireAndForget>>>(sum, threadIdx.x);
}

int main() {
  int *x, *sum, host[3] = {}, copy[8];
  cudaMalloc(&x, (64 + 8) * sizeof(int)), cudaMalloc(&sum, sizeof host);
  cudaMemcpy(sum, host, sizeof host, cudaMemcpyHostToDevice);
  tree<<<1, 1>>>(sum, 4);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  cudaMemcpy(host, sum, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("tree: %d %d\n", host[0], (1 << 5) - 1);

  parent<<<2, 32>>>(x, sum + 1, x + 64);
  cudaMemcpy(host, sum, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpy(copy, x + 64, sizeof copy, cudaMemcpyDeviceToHost);
  std::printf("tail: %d of 64, copied %d\n", host[1], copy[7] + 7);

  children<<<1, 32>>>(sum + 2);
  cudaMemcpy(host, sum, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("last of the children: %d\n", host[2]);
  EXPECT(cudaGetLastError() == cudaSuccess);
  cudaFree(x), cudaFree(sum);
  return wrong_count;
}
