// Managed memory: one pointer for host and device, and variables of both.
// executor: CUDA 12's spelling of two calls
// prints: 10 and 4950
// check: clean
#include "expect.h"

__managed__ int total = 0;
__managed__ int weights[3] = {1, 2, 7};

__global__ void add(const int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&total, x[i]);
  if (i < 3) atomicAdd(&weights[0], i == 0 ? 0 : weights[i]);
}

int main() {
  const int n = 100;
  int* x;
  EXPECT(cudaMallocManaged(&x, n * sizeof(int)) == cudaSuccess);
  for (int i = 0; i < n; ++i) x[i] = i;
  EXPECT(cudaMemAdvise(x, n * sizeof(int), cudaMemAdviseSetReadMostly, 0) == cudaSuccess);
  EXPECT(cudaMemPrefetchAsync(x, n * sizeof(int), 0) == cudaSuccess);
  add<<<4, 32>>>(x, n);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  std::printf("%d and %d\n", weights[0], total);

  cudaPointerAttributes attributes;
  EXPECT(cudaPointerGetAttributes(&attributes, x) == cudaSuccess);
  EXPECT(attributes.type == cudaMemoryTypeManaged && attributes.devicePointer == x);
  EXPECT(cudaFree(x) == cudaSuccess);
  return wrong_count;
}
