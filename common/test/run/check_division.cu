// A kernel that divides an integer by 0, which is undefined, and ends the program here.
// check: check_division.cu:{division}: thread 0 of block 0 ended the program: Floating point exception
#include <cuda_runtime.h>

__global__ void divide(int* x, int d) {
  x[threadIdx.x] = 5 / d;  // division
}

int main() {
  int* x;
  cudaMalloc(&x, 128);
  divide<<<1, 32>>>(x, 0);
  cudaDeviceSynchronize();
  cudaFree(x);
}
