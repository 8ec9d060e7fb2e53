// Three of a beginner's mistakes at once (common/notes/run.md).
// hangs: a plain run writes behind an array, and may end in any way
// check: mistakes.cu:{kernel}: thread 122 of block 1 reads x\[250\], which nobody has written
// check: mistakes.cu:{kernel}: thread 104 of block 7 reads x\[1000\], one past the end
// check: mistakes.cu:{host}: host code reads device_x\[1\], which is memory of the device
#include <cstdio>

__global__ void twice(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = 2 * x[i];  // kernel
}

int main() {
  const int n = 1000;
  float x[n], *device_x;
  for (int i = 0; i < n; ++i) x[i] = i;
  cudaMalloc(&device_x, n * sizeof(float));
  cudaMemcpy(device_x, x, n, cudaMemcpyHostToDevice);
  twice<<<8, 128>>>(device_x, n);
  printf("%g\n", device_x[1]);  // host
}
