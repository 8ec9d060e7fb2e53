// A kernel that launches another has failed; the launch is told.
// executor: nvcc refuses it without a flag
// prints: unspecified launch failure
// check: nested_launch.cu:{nested}: block .0,0,0.: the kernel launches another in .*nested_launch.cu:{nested}, which the CPU executor cannot
#include "expect.h"

__global__ void child() {}
__global__ void parent() { child<<<1, 1>>>(); }  // nested

int main() {
  parent<<<1, 1>>>();
  const cudaError_t error = cudaDeviceSynchronize();
  EXPECT(error == cudaErrorLaunchFailure);
  std::printf("%s\n", cudaGetErrorString(error));
  return wrong_count;
}
