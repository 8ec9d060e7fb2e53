// The runtime API's device, and what it tells of kernels.

#include "common/executor/executor.h"
#include "common/executor/kernel_limits.h"
#include "common/executor/last_error.h"
#include "common/executor/later.h"
#include "common/executor/runtime_api.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

namespace tutorial::cpu {
namespace {

// Of compute capability 9.0, where nothing is said.
constexpr int kThreadsPerBlock = 1024;
constexpr int kBlocksPerMultiprocessor = 32;
constexpr int kRegisters = 65536;
constexpr int kSharedOfMultiprocessor = 228 * 1024;
constexpr int kSharedReserved = 1024;  // of each block

// Of an H100: programs compute its peak from them. They say nothing about this machine.
constexpr int kClockKilohertz = 1980000;
constexpr int kMemoryClockKilohertz = 2619000;
constexpr int kMemoryBusBits = 5120;

std::size_t pages_in_bytes(int name) {
  const long pages = sysconf(name);
  const long page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page)
                               : 0;
}

std::mutex device_mutex;
Device described;

Device device() {
  const std::lock_guard<std::mutex> lock(device_mutex);
  Device device = described;
  if (device.multiprocessors == 0) {
    device.multiprocessors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
  return device;
}

cudaDeviceProp properties() {
  const Device is = device();
  cudaDeviceProp all{};
  std::strncpy(all.name, "CPU executor", sizeof(all.name) - 1);
  all.totalGlobalMem = physical_bytes();
  all.sharedMemPerBlock = kSharedBytes;
  all.regsPerBlock = kRegisters;
  all.warpSize = 32;
  all.memPitch = 2147483647;
  all.maxThreadsPerBlock = kThreadsPerBlock;
  all.maxThreadsDim[0] = 1024;
  all.maxThreadsDim[1] = 1024;
  all.maxThreadsDim[2] = 64;
  all.maxGridSize[0] = 2147483647;
  all.maxGridSize[1] = 65535;
  all.maxGridSize[2] = 65535;
  all.totalConstMem = 65536;
  all.major = 9;
  all.minor = 0;
  all.textureAlignment = 512;
  all.texturePitchAlignment = 32;
  all.multiProcessorCount = is.multiprocessors;
  all.canMapHostMemory = 1;
  all.concurrentKernels = 1;
  all.asyncEngineCount = 1;
  all.unifiedAddressing = 1;
  all.memoryBusWidth = kMemoryBusBits;
  all.l2CacheSize = is.l2_bytes;
  all.maxThreadsPerMultiProcessor = is.threads_each;
  all.streamPrioritiesSupported = 1;
  all.globalL1CacheSupported = 1;
  all.localL1CacheSupported = 1;
  all.sharedMemPerMultiprocessor = kSharedOfMultiprocessor;
  all.regsPerMultiprocessor = kRegisters;
  all.managedMemory = 1;
  all.concurrentManagedAccess = 1;
  all.canUseHostPointerForRegisteredMem = 1;
  all.sharedMemPerBlockOptin = kSharedBytesOptIn;
  all.maxBlocksPerMultiProcessor = kBlocksPerMultiprocessor;
  all.reservedSharedMemPerBlock = kSharedReserved;
  all.hostRegisterSupported = 1;
  all.memoryPoolsSupported = 1;
#if CUDART_VERSION < 13000
  all.clockRate = kClockKilohertz;
  all.memoryClockRate = kMemoryClockKilohertz;
  all.deviceOverlap = 1;
  all.singleToDoublePrecisionPerfRatio = 2;
#endif
  return all;
}

/// An attribute that some GPU has, and this device has not, is 0.
int attribute(cudaDeviceAttr name) {
  const cudaDeviceProp is = properties();
  const std::pair<cudaDeviceAttr, std::size_t> known[] = {
      {cudaDevAttrMaxThreadsPerBlock, is.maxThreadsPerBlock},
      {cudaDevAttrMaxBlockDimX, is.maxThreadsDim[0]},
      {cudaDevAttrMaxBlockDimY, is.maxThreadsDim[1]},
      {cudaDevAttrMaxBlockDimZ, is.maxThreadsDim[2]},
      {cudaDevAttrMaxGridDimX, is.maxGridSize[0]},
      {cudaDevAttrMaxGridDimY, is.maxGridSize[1]},
      {cudaDevAttrMaxGridDimZ, is.maxGridSize[2]},
      {cudaDevAttrMaxSharedMemoryPerBlock, is.sharedMemPerBlock},
      {cudaDevAttrTotalConstantMemory, is.totalConstMem},
      {cudaDevAttrWarpSize, is.warpSize},
      {cudaDevAttrMaxPitch, is.memPitch},
      {cudaDevAttrMaxRegistersPerBlock, kRegisters},
      {cudaDevAttrMaxRegistersPerMultiprocessor, kRegisters},
      {cudaDevAttrClockRate, kClockKilohertz},
      {cudaDevAttrMemoryClockRate, kMemoryClockKilohertz},
      {cudaDevAttrGlobalMemoryBusWidth, is.memoryBusWidth},
      {cudaDevAttrTextureAlignment, is.textureAlignment},
      {cudaDevAttrTexturePitchAlignment, is.texturePitchAlignment},
      {cudaDevAttrMultiProcessorCount, is.multiProcessorCount},
      {cudaDevAttrL2CacheSize, is.l2CacheSize},
      {cudaDevAttrMaxThreadsPerMultiProcessor, is.maxThreadsPerMultiProcessor},
      {cudaDevAttrMaxBlocksPerMultiprocessor, is.maxBlocksPerMultiProcessor},
      {cudaDevAttrComputeCapabilityMajor, is.major},
      {cudaDevAttrComputeCapabilityMinor, is.minor},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, is.sharedMemPerMultiprocessor},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, is.sharedMemPerBlockOptin},
      {cudaDevAttrReservedSharedMemoryPerBlock, is.reservedSharedMemPerBlock},
      {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
      {cudaDevAttrGpuOverlap, 1},
      {cudaDevAttrAsyncEngineCount, 1},
      {cudaDevAttrCanMapHostMemory, 1},
      {cudaDevAttrConcurrentKernels, 1},
      {cudaDevAttrUnifiedAddressing, 1},
      {cudaDevAttrStreamPrioritiesSupported, 1},
      {cudaDevAttrGlobalL1CacheSupported, 1},
      {cudaDevAttrLocalL1CacheSupported, 1},
      {cudaDevAttrManagedMemory, 1},
      {cudaDevAttrConcurrentManagedAccess, 1},
      {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
      {cudaDevAttrHostRegisterSupported, 1},
      {cudaDevAttrMemoryPoolsSupported, 1},
  };
  for (const auto& [one, value] : known) {
    if (one == name) return static_cast<int>(value);
  }
  return 0;
}

// ---- Kernels ------------------------------------------------------------------------------------

struct KernelLimits {
  std::size_t shared_bytes = kSharedBytes;
  unsigned cluster = kClusterBlocks;
};

struct AllKernelLimits {
  std::mutex mutex;
  std::unordered_map<const void*, KernelLimits> of_kernel;
};

AllKernelLimits& kernel_limits() {
  static AllKernelLimits limits;
  return limits;
}

KernelLimits limits_of(const void* kernel) {
  AllKernelLimits& limits = kernel_limits();
  const std::lock_guard<std::mutex> lock(limits.mutex);
  const auto found = limits.of_kernel.find(kernel);
  return found != limits.of_kernel.end() ? found->second : KernelLimits{};
}

/// What holds back blocks of a multiprocessor, of what is known here: its threads, its blocks, its
/// shared memory as far as it is dynamic. A GPU looks at registers and static shared memory too.
int resident_blocks(const void* kernel, int threads, std::size_t shared_bytes) {
  if (threads > kThreadsPerBlock || shared_bytes > dynamic_shared_limit(kernel)) return 0;
  const int slots = (threads + 31) / 32 * 32;
  const auto shared = static_cast<int>(shared_bytes) + kSharedReserved;
  return std::min(
      {kBlocksPerMultiprocessor, device().threads_each / slots, kSharedOfMultiprocessor / shared});
}

cudaError_t describe_kernel(cudaFuncAttributes* attributes, const void* kernel) {
  if (attributes == nullptr) return cudaErrorInvalidValue;
  if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  *attributes = {};
  attributes->maxThreadsPerBlock = kThreadsPerBlock;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_limit(kernel));
  attributes->ptxVersion = 90;
  attributes->binaryVersion = 90;
  return cudaSuccess;
}

/// What programs set and read again; it changes nothing here.
std::array<std::size_t, 16> device_limits = [] {
  std::array<std::size_t, 16> begin{};
  begin[cudaLimitStackSize] = 1024;
  begin[cudaLimitPrintfFifoSize] = std::size_t{1} << 20;
  begin[cudaLimitMallocHeapSize] = std::size_t{8} << 20;
  return begin;
}();
unsigned device_flags = 0;

}  // namespace

std::size_t physical_bytes() { return pages_in_bytes(_SC_PHYS_PAGES); }

/// Free pages, and those that the system would give back from its caches.
std::size_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::size_t kibibytes = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %zu kB", &kibibytes) == 1) return kibibytes << 10;
  }
  return pages_in_bytes(_SC_AVPHYS_PAGES);
}

void show_output() { std::fflush(stdout); }

cudaError_t check_device(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

void set_device(const Device& device) {
  const std::lock_guard<std::mutex> lock(device_mutex);
  described = device;
}

std::size_t dynamic_shared_limit(const void* kernel) { return limits_of(kernel).shared_bytes; }

unsigned cluster_limit(const void* kernel) {
  return std::min(limits_of(kernel).cluster, static_cast<unsigned>(device().cluster));
}

}  // namespace tutorial::cpu

namespace cpu = tutorial::cpu;
using cpu::record_error;

extern "C" {

// ---- The device ---------------------------------------------------------------------------------

cudaError_t cudaDeviceSynchronize() {
  if (cpu::breaks_capture(nullptr)) return record_error(cudaErrorStreamCaptureUnsupported);
  cpu::show_output();
  return cpu::answer();
}

cudaError_t cudaDeviceReset() { return cudaDeviceSynchronize(); }

cudaError_t cudaGetDeviceCount(int* count) { return cpu::give(count, 1); }

cudaError_t cudaGetDevice(int* device) { return cpu::give(device, 0); }

cudaError_t cudaSetDevice(int device) { return record_error(cpu::check_device(device)); }

cudaError_t cudaInitDevice(int device, unsigned int /*deviceFlags*/, unsigned int /*flags*/) {
  return cudaSetDevice(device);
}

cudaError_t cudaSetValidDevices(int* /*device_arr*/, int /*len*/) { return cudaSuccess; }

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* /*prop*/) {
  return cpu::give(device, 0);
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  cpu::device_flags = flags;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  return cpu::give(flags, cpu::device_flags | cudaDeviceMapHost);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  const cudaError_t error = record_error(cpu::check_device(device));
  return error != cudaSuccess ? error : cpu::give(prop, cpu::properties());
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device) {
  const cudaError_t error = record_error(cpu::check_device(device));
  if (error != cudaSuccess) return error;
  const bool known = attr >= 1 && attr < cudaDevAttrMax;
  return known ? cpu::give(value, cpu::attribute(attr)) : record_error(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetPCIBusId(char* pciBusId, int len, int device) {
  const cudaError_t error = record_error(cpu::check_device(device));
  if (error != cudaSuccess) return error;
  if (pciBusId == nullptr || len < 13) return record_error(cudaErrorInvalidValue);
  std::strcpy(pciBusId, "0000:00:00.0");
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* canAccessPeer, int device, int peerDevice) {
  const cudaError_t error = record_error(cpu::check_device(device | peerDevice));
  return error != cudaSuccess ? error : cpu::give(canAccessPeer, 0);
}

cudaError_t cudaDeviceEnablePeerAccess(int /*peerDevice*/, unsigned int /*flags*/) {
  return record_error(cudaErrorInvalidDevice);
}

cudaError_t cudaDriverGetVersion(int* driverVersion) {
  return cpu::give(driverVersion, int{CUDART_VERSION});
}

cudaError_t cudaRuntimeGetVersion(int* runtimeVersion) {
  return cpu::give(runtimeVersion, int{CUDART_VERSION});
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  if (static_cast<std::size_t>(limit) >= cpu::device_limits.size()) {
    return record_error(cudaErrorUnsupportedLimit);
  }
  cpu::device_limits[limit] = value;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t* pValue, cudaLimit limit) {
  if (static_cast<std::size_t>(limit) >= cpu::device_limits.size()) {
    return record_error(cudaErrorUnsupportedLimit);
  }
  return cpu::give(pValue, cpu::device_limits[limit]);
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache /*cacheConfig*/) { return cudaSuccess; }
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* pCacheConfig) {
  return cpu::give(pCacheConfig, cudaFuncCachePreferNone);
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig /*config*/) { return cudaSuccess; }
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* pConfig) {
  return cpu::give(pConfig, cudaSharedMemBankSizeFourByte);
}
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

// ---- Kernels ------------------------------------------------------------------------------------

/// The name in the object file, of a program that exports its symbols (CMake: ENABLE_EXPORTS).
cudaError_t cudaFuncGetName(const char** name, const void* func) {
  Dl_info info{};
  if (name == nullptr || dladdr(func, &info) == 0 || info.dli_saddr != func) {
    return record_error(cudaErrorInvalidDeviceFunction);
  }
  *name = info.dli_sname;
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attr, const void* func) {
  return cpu::answer([&] { return cpu::describe_kernel(attr, func); });
}

cudaError_t cudaFuncSetAttribute(const void* func, cudaFuncAttribute attr, int value) {
  cpu::AllKernelLimits& limits = cpu::kernel_limits();
  const std::lock_guard<std::mutex> lock(limits.mutex);
  if (attr == cudaFuncAttributeNonPortableClusterSizeAllowed) {
    limits.of_kernel[func].cluster = value != 0 ? cpu::kClusterBlocksOptIn : cpu::kClusterBlocks;
  } else if (attr == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    const auto bytes = static_cast<std::size_t>(value);
    if (value < 0 || bytes > cpu::kSharedBytesOptIn) return record_error(cudaErrorInvalidValue);
    limits.of_kernel[func].shared_bytes = bytes;
  }
  return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void* /*func*/, cudaFuncCache /*cacheConfig*/) {
  return cudaSuccess;
}

cudaError_t cudaFuncSetSharedMemConfig(const void* /*func*/, cudaSharedMemConfig /*config*/) {
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* func,
                                                                   int blockSize,
                                                                   size_t dynamicSMemSize,
                                                                   unsigned int /*flags*/) {
  if (blockSize <= 0) return record_error(cudaErrorInvalidValue);
  return cpu::give(numBlocks, cpu::resident_blocks(func, blockSize, dynamicSMemSize));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* func,
                                                          int blockSize, size_t dynamicSMemSize) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize,
                                                                dynamicSMemSize, 0);
}

cudaError_t cudaOccupancyMaxActiveClusters(int* numClusters, const void* func,
                                           const cudaLaunchConfig_t* launchConfig) {
  if (launchConfig == nullptr) return record_error(cudaErrorInvalidValue);
  const cudaLaunchConfig_t& config = *launchConfig;
  const auto threads = static_cast<int>(config.blockDim.x * config.blockDim.y * config.blockDim.z);
  if (threads <= 0) return record_error(cudaErrorInvalidValue);
  unsigned blocks = 1;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    if (attribute.id != cudaLaunchAttributeClusterDimension) continue;
    blocks = attribute.val.clusterDim.x * attribute.val.clusterDim.y * attribute.val.clusterDim.z;
  }
  if (blocks == 0 || blocks > cpu::cluster_limit(func)) {
    return record_error(cudaErrorInvalidClusterSize);
  }
  const int each = cpu::resident_blocks(func, threads, config.dynamicSmemBytes);
  const int of_all = each * cpu::device().multiprocessors / static_cast<int>(blocks);
  return cpu::give(numClusters, each == 0 ? 0 : std::max(1, of_all));  // it runs even on one core
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, const void* func,
                                                      int numBlocks, int /*blockSize*/) {
  if (numBlocks <= 0) return record_error(cudaErrorInvalidValue);
  const int each = cpu::kSharedOfMultiprocessor / numBlocks - cpu::kSharedReserved;
  return cpu::give(dynamicSmemSize, std::min(static_cast<std::size_t>(std::max(0, each)),
                                             cpu::dynamic_shared_limit(func)));
}

}  // extern "C"
