// A warp that waits for another one, for ever.
// hangs: without the checks
// check: check_waits.cu:{spin}: thread 0 of block 0 is still at work after

__global__ void wait(volatile int* flag) {
  while (*flag == 0) {  // spin
  }
}

int main() {
  int* flag;
  cudaMalloc(&flag, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  wait<<<1, 1>>>(flag);
  return cudaDeviceSynchronize();
}
