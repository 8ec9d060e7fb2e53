// Threads at different barriers.
// exits: 1
// check: check_divergent.cu:{first}: block .0,0,0.: divergent barrier: .*:{first}, thread .16,0,0. at .*:{second}

__global__ void halves(float* y) {
  if (threadIdx.x < 16) {
    __syncthreads();  // first
  } else {
    __syncthreads();  // second
  }
  y[threadIdx.x] = 1.0f;
}

int main() {
  float* y;
  cudaMalloc(&y, 32 * sizeof(float));
  halves<<<1, 32>>>(y);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
