// A device assertion: each thread that fails says so, the launch has failed, and the error stays.
// prints: device-side assert triggered
#include <cassert>

#include "expect.h"

__global__ void small_numbers(int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  assert(i < limit);
}

int main() {
  small_numbers<<<2, 32>>>(64);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  small_numbers<<<2, 32>>>(60);
  EXPECT(cudaGetLastError() == cudaSuccess);
  const cudaError_t error = cudaDeviceSynchronize();
  EXPECT(error == cudaErrorAssert && cudaGetLastError() == cudaErrorAssert);
  std::printf("%s\n", cudaGetErrorString(error));
  return wrong_count;
}
