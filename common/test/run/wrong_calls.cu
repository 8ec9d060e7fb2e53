// What the runtime answers to calls that are wrong.
// sanitizers: a direction that is none of the enumeration is one of the wrong calls
// prints: invalid argument
#include <cstdlib>

#include "expect.h"

__constant__ float line[2];

int main() {
  char host[64], *device, *pinned, *mapped;
  size_t pitch;
  EXPECT(cudaMalloc(&device, 64) == cudaSuccess && cudaMallocHost(&pinned, 64) == cudaSuccess);
  EXPECT(cudaMemcpy(host, device, 65, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(pinned, device, 65, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(host, device, 64, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(host, device, 64, cudaMemcpyKind(9)) == cudaErrorInvalidMemcpyDirection);
  EXPECT(cudaMemcpyToSymbol(line, host, sizeof line, 4) == cudaErrorInvalidValue);
  EXPECT(cudaMalloc(&mapped, size_t(1) << 60) == cudaErrorMemoryAllocation && mapped == nullptr);
  EXPECT(cudaFree(device) == cudaSuccess && cudaFree(device) == cudaErrorInvalidValue);
  EXPECT(cudaFreeHost(pinned) == cudaSuccess && cudaFreeHost(pinned) == cudaErrorInvalidValue);

  EXPECT(cudaMallocPitch(&device, &pitch, 5, 4) == cudaSuccess);
  EXPECT(cudaMemcpy2D(host, 5, device, pitch, pitch + 1, 1, cudaMemcpyDeviceToHost) != cudaSuccess);
  EXPECT(cudaMemcpy2D(host, 5, device, pitch, 5, 5, cudaMemcpyDeviceToHost) ==
         cudaErrorInvalidValue);
  EXPECT(cudaFree(device) == cudaSuccess);

  char* own = static_cast<char*>(std::malloc(64));
  EXPECT(cudaHostGetDevicePointer(&mapped, own, 0) == cudaErrorInvalidValue);
  EXPECT(cudaHostRegister(own, 64, 0) == cudaSuccess);
  EXPECT(cudaHostRegister(own, 64, 0) == cudaErrorHostMemoryAlreadyRegistered);
  EXPECT(cudaHostUnregister(own) == cudaSuccess);
  EXPECT(cudaHostUnregister(own) == cudaErrorHostMemoryNotRegistered);
  std::free(own);
  EXPECT(cudaGetLastError() == cudaErrorHostMemoryNotRegistered);
  EXPECT(cudaGetLastError() == cudaSuccess);

  EXPECT(cudaStreamDestroy(nullptr) == cudaErrorInvalidResourceHandle);
  EXPECT(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0) == cudaErrorInvalidValue);
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return wrong_count;
}
