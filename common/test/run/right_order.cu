// Right programs in which one thread's work comes before another's: nothing may be found.
// prints: 32640 1024 64 496 right
// check: clean
#include <cstdio>

__device__ unsigned arrived, tickets;
__device__ int lock, guarded;
__device__ float sums[64];

/// The last block to arrive adds what all have left.
__global__ void last_block(const float* x, float* all, int n) {
  __shared__ float tile[64];
  __shared__ bool is_last;
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mine += x[i];
  tile[threadIdx.x] = mine;
  __syncthreads();
  for (int stride = 32; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) tile[threadIdx.x] += tile[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = tile[0];
    __threadfence();
    is_last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x >= 32) return;
  volatile float* left = sums;
  float value = threadIdx.x < gridDim.x ? left[threadIdx.x] : 0.0f;
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(~0u, value, step);
  if (threadIdx.x == 0) *all = value;
}

/// Each block takes its number when it comes.
__global__ void by_ticket(int* seen) {
  __shared__ unsigned ticket;
  if (threadIdx.x == 0) ticket = atomicAdd(&tickets, 1u);
  __syncthreads();
  seen[ticket * blockDim.x + threadIdx.x] = 1;
}

__global__ void with_lock() {
  bool is_done = false;
  while (!is_done) {
    if (atomicCAS(&lock, 0, 1) != 0) continue;
    __threadfence();
    guarded = guarded + 1;
    __threadfence();
    atomicExch(&lock, 0);
    is_done = true;
  }
}

/// Lanes exchange through shared memory, in step by __syncwarp.
__global__ void in_warps(int* y) {
  __shared__ int tile[64];
  int* const mine = tile + threadIdx.x / 32 * 32;
  const int lane = threadIdx.x % 32;
  mine[lane] = lane;
  __syncwarp();
  for (int step = 1; step < 32; step *= 2) {
    const int left = lane >= step ? mine[lane - step] : 0;
    __syncwarp();
    mine[lane] += left;
    __syncwarp();
  }
  y[threadIdx.x] = mine[lane];
}

int main() {
  const int n = 256;
  float x[n], all;
  for (int i = 0; i < n; ++i) x[i] = i;
  float *d_x, *d_all;
  int *d_seen, seen[1024], count = 0, right;
  cudaMalloc(&d_x, sizeof x), cudaMalloc(&d_all, sizeof all), cudaMalloc(&d_seen, sizeof seen);
  cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice);
  for (int round = 0; round < 2; ++round) last_block<<<20, 64>>>(d_x, d_all, n);
  cudaMemcpy(&all, d_all, sizeof all, cudaMemcpyDeviceToHost);
  by_ticket<<<32, 32>>>(d_seen);
  cudaMemcpy(seen, d_seen, sizeof seen, cudaMemcpyDeviceToHost);
  for (int one : seen) count += one;
  with_lock<<<2, 32>>>();
  cudaMemcpyFromSymbol(&right, guarded, sizeof right);
  in_warps<<<1, 64>>>(d_seen);
  cudaMemcpy(seen, d_seen, sizeof seen, cudaMemcpyDeviceToHost);
  std::printf("%g %d %d %d right\n", all, count, right, seen[63]);
  cudaFree(d_x), cudaFree(d_all), cudaFree(d_seen);
}
