// What a program asks of the device, in CUDA 12's names and CUDA 13's.
// executor: names that CUDA 13 removed
// prints: capability 9\.0, 1 device
#include <cstring>

#include "expect.h"

__global__ void kernel() {}

int attribute(cudaDeviceAttr which) {
  int value = -1;
  EXPECT(cudaDeviceGetAttribute(&value, which, 0) == cudaSuccess);
  return value;
}

int main() {
  int count = 0, device = -1, version = 0;
  EXPECT(cudaGetDeviceCount(&count) == cudaSuccess);
  EXPECT(cudaSetDevice(0) == cudaSuccess && cudaGetDevice(&device) == cudaSuccess && device == 0);
  EXPECT(cudaSetDevice(1) == cudaErrorInvalidDevice &&
         cudaGetLastError() == cudaErrorInvalidDevice);

  struct cudaDeviceProp all = {0};
  EXPECT(cudaGetDeviceProperties(&all, 0) == cudaSuccess);
  EXPECT(std::strlen(all.name) > 0 && all.warpSize == 32 && all.maxThreadsPerBlock == 1024);
  EXPECT(all.clockRate == attribute(cudaDevAttrClockRate) && all.clockRate > 0);
  EXPECT(all.memoryClockRate == attribute(cudaDevAttrMemoryClockRate));
  EXPECT(all.memoryBusWidth == attribute(cudaDevAttrGlobalMemoryBusWidth));
  EXPECT(all.deviceOverlap == 1 && all.computeMode == attribute(cudaDevAttrComputeMode));
  EXPECT(all.major == attribute(cudaDevAttrComputeCapabilityMajor) && all.regsPerBlock == 65536);
  EXPECT(attribute(cudaDevAttrCooperativeLaunch) == all.cooperativeLaunch);
  EXPECT(cudaChooseDevice(&device, &all) == cudaSuccess && device == 0);

  EXPECT(cudaDriverGetVersion(&version) == cudaSuccess && version >= CUDART_VERSION);
  EXPECT(cudaRuntimeGetVersion(&version) == cudaSuccess && version == CUDART_VERSION);

  size_t limit = 0;
  EXPECT(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 24) == cudaSuccess);
  EXPECT(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize) == cudaSuccess && limit == 1 << 24);
  EXPECT(cudaSetDeviceFlags(cudaDeviceScheduleAuto) == cudaSuccess);
  EXPECT(cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferL1) == cudaSuccess);
  cudaFuncAttributes of_kernel;
  EXPECT(cudaFuncGetAttributes(&of_kernel, kernel) == cudaSuccess);
  EXPECT(of_kernel.maxThreadsPerBlock == 1024);

  EXPECT(std::strcmp(cudaGetErrorString(cudaErrorIllegalAddress),
                     "an illegal memory access was encountered") == 0);
  EXPECT(std::strcmp(cudaGetErrorName(cudaErrorECCUncorrectable), "cudaErrorECCUncorrectable") ==
         0);
  EXPECT(cudaDeviceReset() == cudaSuccess);
  std::printf("capability %d.%d, %d device\n", all.major, all.minor, count);
  return wrong_count;
}
