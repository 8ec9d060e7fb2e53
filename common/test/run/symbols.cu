// Copies to and from `__device__` and `__constant__` variables.
// prints: 3 5 7, counted 96
// check: clean
#include "expect.h"

__constant__ float line[2];
__device__ int counter;
__device__ float points[3];

__global__ void fill() {
  if (blockIdx.x == 0 && threadIdx.x < 3) points[threadIdx.x] = line[0] * threadIdx.x + line[1];
  atomicAdd(&counter, 1);
}

int main() {
  const float slope_and_offset[] = {2, 3};
  float y[3];
  int counted = 0;
  EXPECT(cudaMemcpyToSymbol(line, slope_and_offset, sizeof line) == cudaSuccess);
  EXPECT(cudaMemcpyToSymbol(counter, &counted, sizeof counted) == cudaSuccess);
  fill<<<3, 32>>>();
  EXPECT(cudaMemcpyFromSymbol(y, points, sizeof y) == cudaSuccess);
  EXPECT(cudaMemcpyFromSymbol(&counted, counter, sizeof counted) == cudaSuccess);
  std::printf("%g %g %g, counted %d\n", y[0], y[1], y[2], counted);

  float* address = nullptr;
  size_t size = 0;
  EXPECT(cudaGetSymbolAddress((void**)&address, points) == cudaSuccess);
  EXPECT(cudaGetSymbolSize(&size, points) == cudaSuccess && size == 12);
  EXPECT(cudaMemcpy(y, address + 2, sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(y[0] == 7);
  EXPECT(cudaMemset(address, 0, size) == cudaSuccess);
  EXPECT(cudaMemcpyFromSymbol(y, points, 4, 8) == cudaSuccess && y[0] == 0);
  return wrong_count;
}
