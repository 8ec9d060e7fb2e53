// Shared memory, static and dynamic: past its end, and read before anybody wrote it. An access that does not
// suit its width.
// check: check_shared.cu:{row}: thread 31 of block 0 reads tile\[32\], one past the end .tile has 32 elements.
// check: check_shared.cu:{slot}: thread 15 of block 0 writes slots\[16\], one past the end .slots has 16 elements.
// check: check_shared.cu:{hole}: thread 1 of block 0 reads sparse\[1\], which no thread of the block has set before
// check: check_shared.cu:{upper}: thread 0 of block 0 reads half_full\[8\], which no thread of the block has set before
// check: check_shared.cu:{wide}: thread 0 of block 0 reads x\[1\] to x\[4\] in one access of 16 bytes, .*no multiple of 16 bytes
// check: check_shared.cu:{pair}: thread 0 of block 0 writes y\[1\] to y\[2\] in one access of 8 bytes, .*no multiple of 8 bytes

__global__ void shift(const float* x, float* y) {
  __shared__ float tile[32];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x + 1];  // row
}

__global__ void shift_dynamic(const float* x, float* y) {
  extern __shared__ float slots[];
  slots[threadIdx.x + 1] = x[threadIdx.x];  // slot
  __syncthreads();
  y[threadIdx.x] = slots[threadIdx.x + 1];
}

__global__ void every_other(const float* x, float* y) {
  __shared__ float sparse[32];
  if (threadIdx.x % 2 == 0) sparse[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = sparse[threadIdx.x];  // hole
}

__global__ void half_of_it(float* y) {
  extern __shared__ int half_full[];
  half_full[threadIdx.x] = threadIdx.x;
  __syncthreads();
  y[threadIdx.x] = half_full[threadIdx.x + 8];  // upper
}

__global__ void four_at_once(const float* x, float* y) {
  const float4 four = *reinterpret_cast<const float4*>(x + 1);  // wide
  y[0] = four.x + four.y + four.z + four.w;
}

__global__ void two_at_once(float* y) {
  *(float2*)&y[1] = make_float2(1.0f, 2.0f);  // pair
}

int main() {
  float *x, *y;
  cudaMalloc(&x, 32 * sizeof(float));
  cudaMalloc(&y, 32 * sizeof(float));
  cudaMemset(x, 0, 32 * sizeof(float));
  shift<<<1, 32>>>(x, y);
  shift_dynamic<<<1, 16, 16 * sizeof(float)>>>(x, y);
  every_other<<<1, 32>>>(x, y);
  half_of_it<<<1, 8, 16 * sizeof(int)>>>(y);
  four_at_once<<<1, 1>>>(x, y);
  two_at_once<<<1, 1>>>(y);
  cudaFree(x), cudaFree(y);
  return cudaDeviceSynchronize();
}
