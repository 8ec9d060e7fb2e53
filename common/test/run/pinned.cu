// Pinned, mapped and registered host memory: a kernel works on the host's bytes.
// prints: 2 4 6 8
#include <cstdlib>

#include "expect.h"

__global__ void twice(int* x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] *= 2;
}

int main() {
  const int n = 4;
  int *mapped, *on_device;
  EXPECT(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped) == cudaSuccess);
  for (int i = 0; i < n; ++i) mapped[i] = i + 1;
  EXPECT(cudaHostGetDevicePointer(&on_device, mapped, 0) == cudaSuccess);
  twice<<<1, 32>>>(on_device, n);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  std::printf("%d %d %d %d\n", mapped[0], mapped[1], mapped[2], mapped[3]);

  cudaPointerAttributes attributes;
  EXPECT(cudaPointerGetAttributes(&attributes, mapped + 1) == cudaSuccess);
  EXPECT(attributes.type == cudaMemoryTypeHost);
  EXPECT(cudaFreeHost(mapped) == cudaSuccess);

  int* own = static_cast<int*>(std::malloc(n * sizeof(int)));
  EXPECT(cudaHostRegister(own, n * sizeof(int), cudaHostRegisterDefault) == cudaSuccess);
  EXPECT(cudaHostGetDevicePointer(&on_device, own, 0) == cudaSuccess);
  for (int i = 0; i < n; ++i) own[i] = i;
  twice<<<1, 32>>>(on_device, n);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess && own[3] == 6);
  EXPECT(cudaHostUnregister(own) == cudaSuccess);
  std::free(own);

  int *pinned, *device;
  EXPECT(cudaMallocHost(&pinned, n * sizeof(int)) == cudaSuccess);
  EXPECT(cudaMalloc(&device, n * sizeof(int)) == cudaSuccess);
  for (int i = 0; i < n; ++i) pinned[i] = 7;
  EXPECT(cudaMemcpyAsync(device, pinned, n * sizeof(int), cudaMemcpyHostToDevice, 0) ==
         cudaSuccess);
  EXPECT(cudaMemcpy(pinned, device, n * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(cudaFree(device) == cudaSuccess && cudaFreeHost(pinned) == cudaSuccess);
  return wrong_count;
}
