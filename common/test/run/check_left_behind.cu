// A barrier in a loop that not all threads go through as often.
// exits: 1
// check: check_left_behind.cu:{end}: block .0,0,0.: divergent barrier: .* in .*:{end}, thread .16,0,0. at __syncthreads.. in .*:{loop}

__global__ void rounds(float* y) {
  for (int k = 0; k < (threadIdx.x < 16 ? 2 : 3); ++k) {
    y[threadIdx.x] = k;
    if (k < 2 || threadIdx.x == 16) __syncthreads();  // loop
  }
  __syncthreads();  // end
}

int main() {
  float* y;
  cudaMalloc(&y, 32 * sizeof(float));
  rounds<<<1, 32>>>(y);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
