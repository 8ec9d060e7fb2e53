// Clusters: blocks that take from each other's shared memory, and that leave something there.
// prints: 6 6 6 6 22 22 22 22, thread 64 of 256
// prints: 6 6 6 6 22 22 22 22
// prints: 1 1 5 5 9 9 13 13
// check: clean
#include <cooperative_groups.h>
#include <cstdio>

#include "clusters.h"

namespace cg = cooperative_groups;

/// The second barrier keeps every block until all have read.
__global__ void take(const int* x, int* y, unsigned* place) {
  __shared__ int mine;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) mine = x[blockIdx.x];
  cluster.sync();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank)
      sum += *cluster.map_shared_rank(&mine, rank);
    y[blockIdx.x] = sum;
  }
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    place[0] = cluster.thread_rank();
    place[1] = cluster.num_threads();
  }
  cluster.sync();
}

/// The first barrier waits until every block has begun. Behind the second none needs another's memory.
__global__ void leave(const int* x, int* y) {
  __shared__ int of_block[8];
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  if (threadIdx.x < cluster.num_blocks())
    *cluster.map_shared_rank(&of_block[cluster.block_rank()], threadIdx.x) = x[blockIdx.x];
  cluster.sync();
  int sum = 0;
  for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) sum += of_block[rank];
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

/// The same by a barrier in two parts, in clusters that the kernel asks for. Meanwhile each block uses what is its own.
__global__ void __cluster_dims__(2, 1, 1) arrive(const int* x, int* y) {
  __shared__ int of_block[2], mine;
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.barrier_arrive();
  if (threadIdx.x == 0) mine = x[blockIdx.x];
  __syncthreads();
  const int own = mine;
  cluster.barrier_wait();
  if (threadIdx.x < 2) *cluster.map_shared_rank(&of_block[cluster.block_rank()], threadIdx.x) = own;
  auto token = cluster.barrier_arrive();
  cluster.barrier_wait(static_cast<cg::cluster_group::arrival_token&&>(token));
  if (threadIdx.x == 0) y[blockIdx.x] = of_block[0] + of_block[1];
}

void print(const int* y, const char* end) {
  int sums[8];
  cudaMemcpy(sums, y, sizeof sums, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 8; ++i) std::printf(i == 7 ? "%d" : "%d ", sums[i]);
  std::printf("%s", end);
}

int main() {
  const int numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  int *x, *y;
  unsigned *place, places[2];
  cudaMalloc(&x, sizeof numbers), cudaMalloc(&y, sizeof numbers);
  cudaMalloc(&place, sizeof places);
  cudaMemcpy(x, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  launch_clusters(take, 8, 64, 4, x, y, place);
  cudaMemcpy(places, place, sizeof places, cudaMemcpyDeviceToHost);
  print(y, "");
  std::printf(", thread %u of %u\n", places[0], places[1]);
  launch_clusters(leave, 8, 64, 4, x, y);
  print(y, "\n");
  arrive<<<8, 64>>>(x, y);
  print(y, "\n");
  cudaFree(x), cudaFree(y), cudaFree(place);
  return cudaGetLastError();
}
