// Races within a block and between blocks: the second access is told, and names the first.
// check: check_races.cu:{early}: thread 1 of block 0 reads tile\[0\], which thread 0 of block 0 writes in .*:{first}
// check: check_races.cu:{reused}: thread [0-9]+ of block 0 (reads|writes) last\[[0-9]+\], which thread [0-9]+ of block 0 (reads|writes) in .*:{filled}
// check: check_races.cu:{lost}: thread 1 of block 0 reads total\[0\], which thread 0 of block 0 writes in the same line
// check: check_races.cu:{neighbour}: thread 0 of block 1 reads x\[63\], which thread 63 of block 0 writes
// check: check_races.cu:{unfenced}: thread 0 of block 7 reads sums\[[0-9]\], which thread 0 of block [0-9] writes .* and nothing orders blocks

__device__ unsigned arrived;

__global__ void from_the_left(float* y) {
  __shared__ float tile[64];
  tile[threadIdx.x] = threadIdx.x;                              // first
  if (threadIdx.x > 0) y[threadIdx.x] = tile[threadIdx.x - 1];  // early
}

__global__ void tile_is_reused(float* y, int rounds) {
  __shared__ float last[32];
  for (int k = 0; k < rounds; ++k) {
    last[31 - threadIdx.x] = k + threadIdx.x;  // filled
    __syncthreads();
    y[threadIdx.x] = last[threadIdx.x];  // reused
  }
}

__global__ void count_all(int* total) {
  *total += 1;  // lost
}

__global__ void smooth_in_place(float* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float left = i > 0 ? x[i - 1] : 0.0f;  // neighbour
  __syncthreads();
  x[i] = 0.5f * (left + x[i]);
}

__global__ void last_block_adds(float* sums, float* all) {
  if (threadIdx.x != 0) return;
  sums[blockIdx.x] = blockIdx.x;
  if (atomicAdd(&arrived, 1) != gridDim.x - 1) return;
  for (int k = 0; k < gridDim.x; ++k) *all += sums[k];  // unfenced
}

int main() {
  float* x;
  cudaMalloc(&x, 1024 * sizeof(float));
  cudaMemset(x, 0, 1024 * sizeof(float));
  from_the_left<<<1, 64>>>(x);
  tile_is_reused<<<1, 32>>>(x, 2);
  count_all<<<1, 32>>>((int*)x);
  smooth_in_place<<<2, 64>>>(x);
  last_block_adds<<<8, 32>>>(x, x + 512);
  cudaFree(x);
  return cudaDeviceSynchronize();
}
