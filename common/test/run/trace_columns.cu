// What a warp asks for: rows side by side, and a column.
// prints: right
// trace: ^copy_columns$
// trace: 1 block .1. of 32 threads .32., 32 threads in all
// trace: global load +1 +32 +32.00 +12.5 % +32
// trace: global store +1 +4 +4.00 +100 % +32
// trace: memory reads 64 bytes at once: 32 pieces for the 32 sectors that blocks load
// trace: trace_columns.cu:{copy} +load from +4 +32 stride 128
// trace: trace_columns.cu:{copy} +store to +4 +32 consecutive
// trace: shared load +1 +conflicts of 32 ways, 31 extra passes +32
// trace: global store +1 +4 +4.00 +100 % +8
#include <cstdio>

__global__ void copy_columns(const float* from, float* to) {
  to[threadIdx.x] = from[32 * threadIdx.x];  // copy
}

__global__ void through_a_tile(float* to) {
  __shared__ float tile[32][32];
  for (int k = 0; k < 32; ++k) tile[k][threadIdx.x] = k;
  __syncthreads();
  to[threadIdx.x] = tile[threadIdx.x][0];
}

__global__ void few(float4* to) {
  if (threadIdx.x < 8) to[threadIdx.x] = make_float4(1, 2, 3, 4);
}

int main() {
  float *from, *to;
  cudaMalloc(&from, 1024 * sizeof(float)), cudaMalloc(&to, 32 * sizeof(float));
  cudaMemset(from, 0, 1024 * sizeof(float));
  for (int round = 0; round < 3; ++round) copy_columns<<<1, 32>>>(from, to);
  through_a_tile<<<1, 32>>>(to);
  few<<<1, 32>>>((float4*)to);
  cudaFree(from), cudaFree(to);
  std::puts(cudaDeviceSynchronize() == cudaSuccess ? "right" : "wrong");
}
