// Clusters that lack a barrier: the other block may not have begun, may still be writing, or may have ended.
// check: check_clusters.cu:{begun}: thread 0 of block 1 reads mine of block 0, and has come to no barrier of the cluster yet: that block may not have begun
// check: check_clusters.cu:{begun}: thread 0 of block 1 reads mine of block 0, which thread 0 of block 0 writes in .*:{set}, with no barrier of the cluster between them
// check: check_clusters.cu:{pushed}: thread 0 of block 1 writes of_block\[1\] of block 0, which thread 0 of block 0 reads in .*:{added}, with no barrier of the cluster between them
// check: check_clusters.cu:{handed}: thread 0 of block 1 reads y\[0\], which thread 0 of block 0 writes in .*:{over}, with no barrier of the cluster between them
// check: check_clusters.cu:{gone}: thread 0 of block 0 reads mine of block 1, which may have ended: no barrier of the cluster behind this access keeps it
// check: check_clusters.cu:{between}: thread 0 of block 1 reads y\[2\], which thread 0 of block 0 writes in .*:{after}, with no barrier of the cluster between them
// check: check_clusters.cu:{alone}: thread 0 of block 0 reads mine of block 1, which may have ended: no barrier of the cluster behind this access keeps it
// check: check_clusters.cu:{beside}: thread 1 of block 0 reads one, which thread 0 of block 0 writes in .*:{own}, with no barrier between them
#include <cooperative_groups.h>

#include "clusters.h"

namespace cg = cooperative_groups;

__global__ void too_soon(int* y) {
  __shared__ int mine;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) mine = blockIdx.x;  // set
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    y[0] = *cluster.map_shared_rank(&mine, 0);  // begun
  }
  cluster.sync();
}

__global__ void push(int* y) {
  __shared__ int of_block[2];
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  const unsigned rank = cluster.block_rank();
  if (threadIdx.x < 2) *cluster.map_shared_rank(&of_block[rank], threadIdx.x) = rank;  // pushed
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = of_block[0] + of_block[1];  // added
  cluster.sync();
}

__global__ void through_memory(int* y) {
  if (blockIdx.x == 0 && threadIdx.x == 0) y[0] = 1;  // over
  __syncthreads();
  if (blockIdx.x == 1 && threadIdx.x == 0) y[1] = y[0];  // handed
}

__global__ void leaves(int* y) {
  __shared__ int mine;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) mine = blockIdx.x;
  cluster.sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    y[0] = *cluster.map_shared_rank(&mine, 1);  // gone
  }
}

/// What a block does between the two parts of the barrier, the others may not rely on.
__global__ void in_parts(int* y) {
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.barrier_arrive();
  if (blockIdx.x == 0 && threadIdx.x == 0) y[2] = 1;  // after
  cluster.barrier_wait();
  if (blockIdx.x == 1 && threadIdx.x == 0) y[3] = y[2];  // between
}

/// Not even threads of its own block.
__global__ void in_block(int* y) {
  __shared__ int one;
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.barrier_arrive();
  if (threadIdx.x == 0) one = 1;  // own
  cluster.barrier_wait();
  if (blockIdx.x == 0 && threadIdx.x == 1) y[4] = one;  // beside
}

/// A block that arrives and does not wait may have ended.
__global__ void arrives_alone(int* y) {
  __shared__ int mine;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) mine = blockIdx.x;
  cluster.sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    y[5] = *cluster.map_shared_rank(&mine, 1);  // alone
  }
  cluster.barrier_arrive();
}

int main() {
  int* y;
  cudaMalloc(&y, 8 * sizeof(int));
  launch_clusters(too_soon, 2, 32, 2, y);
  launch_clusters(push, 2, 32, 2, y);
  launch_clusters(through_memory, 2, 32, 2, y);
  launch_clusters(leaves, 2, 32, 2, y);
  launch_clusters(in_parts, 2, 32, 2, y);
  launch_clusters(in_block, 2, 32, 2, y);
  launch_clusters(arrives_alone, 2, 32, 2, y);
  cudaFree(y);
  return cudaDeviceSynchronize();
}
