// A loop without end is stopped, and says where; the exit code is that of a fault.
// hangs: without the checks
// check: check_endless.cu:{loop}: thread 0 of block 0 is still at work after [0-9]+ seconds?: a loop without end

__global__ void halve(int* x) {
  for (int stride = 32; stride >= 0; stride /= 2) *x += stride;  // loop
}

int main() {
  int* x;
  cudaMalloc(&x, sizeof(int));
  cudaMemset(x, 0, sizeof(int));
  halve<<<1, 1>>>(x);
  return cudaDeviceSynchronize();
}
