// Errors come when CUDA tells them: of a shape at once, of a kernel when somebody waits, and it stays.
// prints: unspecified launch failure
#include "expect.h"

__global__ void fails() { __trap(); }
__global__ void works() {}

int main() {
  works<<<1, 2048>>>();
  EXPECT(cudaPeekAtLastError() != cudaSuccess);
  EXPECT(cudaGetLastError() != cudaSuccess && cudaGetLastError() == cudaSuccess);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  int* x;
  EXPECT(cudaMalloc(&x, 4) == cudaSuccess);

  fails<<<1, 1>>>();
  EXPECT(cudaGetLastError() == cudaSuccess);
  const cudaError_t error = cudaDeviceSynchronize();
  EXPECT(error == cudaErrorLaunchFailure);
  works<<<1, 1>>>();
  EXPECT(cudaGetLastError() == error);
  EXPECT(cudaMemset(x, 0, 4) == error && cudaFree(x) == error);
  std::printf("%s\n", cudaGetErrorString(error));
  return wrong_count;
}
