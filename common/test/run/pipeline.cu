// Copies to shared memory by the pipeline's primitives: two tiles, one copied while the other is added.
// prints: 523776
// check: clean
#include <cuda_pipeline.h>

#include <cstdio>

constexpr int kThreads = 64, kTiles = 4;

__global__ void add(const int4* x, int* sum) {
  __shared__ int4 tiles[2][kThreads];
  __pipeline_memcpy_async(&tiles[0][threadIdx.x], &x[threadIdx.x], sizeof(int4));
  __pipeline_commit();
  int mine = 0;
  for (int tile = 0; tile < kTiles; ++tile) {
    if (tile + 1 < kTiles) {
      const int next = (tile + 1) * kThreads + threadIdx.x;
      __pipeline_memcpy_async(&tiles[(tile + 1) % 2][threadIdx.x], &x[next], sizeof(int4));
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    const int4 one = tiles[tile % 2][kThreads - 1 - threadIdx.x];
    mine += one.x + one.y + one.z + one.w;
    __syncthreads();
  }
  atomicAdd(sum, mine);
}

int main() {
  constexpr int n = 4 * kThreads * kTiles;
  int *x, *sum;
  cudaMallocManaged(&x, n * sizeof(int)), cudaMallocManaged(&sum, sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = i;
  *sum = 0;
  add<<<1, kThreads>>>((const int4*)x, sum);
  cudaDeviceSynchronize();
  std::printf("%d\n", *sum);
  cudaFree(x), cudaFree(sum);
}
