// A shuffle whose mask names lanes that have returned.
// exits: 1
// check: check_shuffle_returned.cu:{shuffle}: block .0,0,0.: __shfl_xor_sync.* the mask 0xffffffff names lane 20

__global__ void add(float* y, int n) {
  if (threadIdx.x >= n) return;
  float value = threadIdx.x;
  value += __shfl_xor_sync(~0u, value, 1);  // shuffle
  y[threadIdx.x] = value;
}

int main() {
  float* y;
  cudaMalloc(&y, 32 * sizeof(float));
  add<<<1, 32>>>(y, 20);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
