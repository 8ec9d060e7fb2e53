// A kernel that follows a null pointer fails, and the program goes on.
// sanitizers: they end it before the executor does
// prints: an illegal memory access was encountered
#include "expect.h"

__global__ void fill(int* x, int n) {
  __shared__ int last;
  if (threadIdx.x == 0) last = n - 1;
  __syncthreads();
  if (threadIdx.x <= last) x[threadIdx.x] = 1;
}

int main() {
  int* x = nullptr;
  fill<<<1000, 64>>>(x, 64);
  EXPECT(cudaGetLastError() == cudaSuccess);
  const cudaError_t error = cudaDeviceSynchronize();
  EXPECT(error == cudaErrorIllegalAddress && cudaMalloc(&x, 4) == error);
  std::printf("%s\n", cudaGetErrorString(error));
  return wrong_count;
}
