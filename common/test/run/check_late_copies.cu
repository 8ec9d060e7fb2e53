// Asynchronous copies to shared memory, in tiles that are read too early.
// check: check_late_copies.cu:{own}: thread 0 of block 0 reads tile\[0\], to which it copies asynchronously in common.test.run.check_late_copies.cu:{copy} and has not waited for it
// check: check_late_copies.cu:{other}: thread 0 of block 0 reads pair\[1\], to which thread 1 of block 0 copies asynchronously in common.test.run.check_late_copies.cu:{commit_missing} and has not waited for it
// check: check_late_copies.cu:{next}: thread 0 of block 0 reads element 129 .of 4 bytes. of ring, to which it copies asynchronously in common.test.run.check_late_copies.cu:{ahead} and has not waited for it
// check: check_late_copies.cu:{past}: thread 31 of block 0 writes slots\[32\], one past the end .slots has 32 elements.
// check: check_late_copies.cu:{again}: thread 1 of block 0 writes used\[0\], which thread 0 of block 0 reads in common.test.run.check_late_copies.cu:{use}, with no barrier between them
// check: check_late_copies.cu:{group}: thread 0 of block 0 reads staged\[0\], to which it copies asynchronously in common.test.run.check_late_copies.cu:{by_group} and has not waited for it
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cstdio>

namespace cg = cooperative_groups;

/// No wait at all.
__global__ void no_wait(const float* x, float* y) {
  __shared__ float tile[32];
  __pipeline_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], 4);  // copy
  __pipeline_commit();
  y[threadIdx.x] = tile[threadIdx.x];  // own
}

/// What is in no batch is waited for by nobody.
__global__ void no_commit(const float* x, float* y) {
  __shared__ float pair[32];
  __pipeline_memcpy_async(&pair[threadIdx.x], &x[threadIdx.x], 4);  // commit_missing
  __pipeline_wait_prior(0);
  __syncthreads();
  y[threadIdx.x] = pair[threadIdx.x ^ 1];  // other
}

/// Two tiles, and a wait for all but the last two of them.
__global__ void one_too_few(const float4* x, float* y) {
  __shared__ float4 ring[2][32];
  for (int tile = 0; tile < 2; ++tile) {
    __pipeline_memcpy_async(&ring[tile][threadIdx.x], &x[32 * tile + threadIdx.x], 16);  // ahead
    __pipeline_commit();
  }
  __pipeline_wait_prior(1);
  y[threadIdx.x] = ring[0][threadIdx.x].x;
  y[threadIdx.x] += ring[1][threadIdx.x].y;  // next
}

__global__ void outside(const float2* x, float* y) {
  __shared__ float2 slots[32];
  __pipeline_memcpy_async(&slots[threadIdx.x + 1], &x[threadIdx.x], 8);  // past
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  y[threadIdx.x] = threadIdx.x == 0 ? 0.0f : slots[threadIdx.x].x;
}

/// The next tile is copied while others still read this one.
__global__ void no_barrier(const float* x, float* y) {
  __shared__ float used[32];
  used[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = used[threadIdx.x];  // use
  const int other = (threadIdx.x + 31) % 32;
  __pipeline_memcpy_async(&used[other], &x[32 + other], 4);  // again
  __pipeline_commit();
  __syncthreads();
  __pipeline_wait_prior(0);
  y[threadIdx.x] += used[other];
}

__global__ void by_a_group(const int* x, float* y) {
  __shared__ int staged[32];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, staged, x, sizeof(int) * 32);  // by_group
  block.sync();
  y[threadIdx.x] = staged[threadIdx.x];  // group
  cg::wait(block);
}

int main() {
  float *x, *y;
  cudaMalloc(&x, 1024), cudaMalloc(&y, 128);
  cudaMemset(x, 0, 1024);
  no_wait<<<1, 32>>>(x, y);
  no_commit<<<1, 32>>>(x, y);
  one_too_few<<<1, 32>>>((const float4*)x, y);
  no_barrier<<<1, 32>>>(x, y);
  by_a_group<<<1, 32>>>((const int*)x, y);
  outside<<<1, 32>>>((const float2*)x, y);  // ends the program
  cudaDeviceSynchronize();
  std::printf("%d\n", cudaFree(x) + cudaFree(y));
}
