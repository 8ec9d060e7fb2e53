// A shuffle that reads from a lane outside of its mask.
// exits: 1
// check: check_shuffle.cu:{shuffle}: block .0,0,0.: __shfl_down_sync.* reads from lane 16, which is not in the mask 0xffff

__global__ void add(float* y) {
  float value = threadIdx.x;
  if (threadIdx.x < 16) {
    value += __shfl_down_sync(0xFFFF, value, 8);  // shuffle
  }
  y[threadIdx.x] = value;
}

int main() {
  float* y;
  cudaMalloc(&y, 32 * sizeof(float));
  add<<<1, 32>>>(y);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
