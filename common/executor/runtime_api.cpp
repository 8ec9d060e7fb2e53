// The part of the CUDA runtime API that the tutorial uses, as declared by NVIDIA's own headers.

#include "common/executor/device_memory.h"
#include "common/executor/executor.h"
#include "common/executor/last_error.h"
#include "common/executor/shared_memory_limit.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

using tutorial::cpu::record_error;

/// A stream. It holds nothing: it has never anything left to do.
struct CUstream_st {
  unsigned flags;
};

struct CUevent_st {
  bool recorded;
  std::chrono::steady_clock::time_point time;
};

// Everything happens at once, in the order of the calls: a stream's work is done when the call that
// enqueues it returns. That is one of the orders that a GPU may choose. Host and device share one
// memory here, so host code that dereferences a device pointer is not caught; what is caught is a
// copy whose direction or size does not fit the allocations.

namespace tutorial::cpu {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

struct SharedMemoryLimits {
  std::mutex mutex;
  std::unordered_map<const void*, std::size_t> of_kernel;
};

SharedMemoryLimits& shared_memory_limits() {
  static SharedMemoryLimits limits;
  return limits;
}

struct ErrorText {
  cudaError_t error;
  const char* name;
  const char* text;
};

constexpr ErrorText kErrorTexts[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
};

const ErrorText* text_of(cudaError_t error) {
  for (const ErrorText& entry : kErrorTexts) {
    if (entry.error == error) return &entry;
  }
  return nullptr;
}

cudaError_t allocate(void** pointer, std::size_t bytes) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  *pointer = DeviceMemory::instance().allocate(bytes);
  return *pointer != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t release(void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  return DeviceMemory::instance().release(pointer) ? cudaSuccess : cudaErrorInvalidValue;
}

/// Pinned host memory is host memory: registered nowhere, so that a copy in the wrong direction is
/// seen.
cudaError_t allocate_host(void** pointer, std::size_t bytes) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  constexpr std::size_t kAlignment = 256;
  *pointer = bytes == 0 ? nullptr : allocate_poisoned(bytes, kAlignment).release();
  return *pointer != nullptr || bytes == 0 ? cudaSuccess : cudaErrorMemoryAllocation;
}

/// Whether the side of a copy that should lie on the device does, to its last byte.
bool fits(const void* pointer, std::size_t bytes, bool on_device) {
  return DeviceMemory::instance().contains(pointer, on_device ? bytes : 1) == on_device;
}

bool fits_direction(const void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return fits(to, bytes, false) && fits(from, bytes, false);
    case cudaMemcpyHostToDevice:
      return fits(to, bytes, true) && fits(from, bytes, false);
    case cudaMemcpyDeviceToHost:
      return fits(to, bytes, false) && fits(from, bytes, true);
    case cudaMemcpyDeviceToDevice:
      return fits(to, bytes, true) && fits(from, bytes, true);
    case cudaMemcpyDefault:
      break;
  }
  return true;
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) return cudaErrorInvalidValue;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return cudaErrorInvalidMemcpyDirection;
  }
  if (!fits_direction(to, from, bytes, kind)) return cudaErrorInvalidValue;
  std::memmove(to, from, bytes);
  return cudaSuccess;
}

cudaError_t fill(void* pointer, int value, std::size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  if (!fits(pointer, bytes, true)) return cudaErrorInvalidValue;
  std::memset(pointer, value, bytes);
  return cudaSuccess;
}

cudaError_t create_stream(cudaStream_t* stream, unsigned flags) {
  if (stream == nullptr) return cudaErrorInvalidValue;
  *stream = new (std::nothrow) CUstream_st{flags};
  return *stream != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t create_event(cudaEvent_t* event) {
  if (event == nullptr) return cudaErrorInvalidValue;
  *event = new (std::nothrow) CUevent_st{false, {}};
  return *event != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t elapsed_milliseconds(float* milliseconds, const CUevent_st* start,
                                 const CUevent_st* end) {
  if (milliseconds == nullptr) return cudaErrorInvalidValue;
  if (start == nullptr || end == nullptr || !start->recorded || !end->recorded) {
    return cudaErrorInvalidResourceHandle;
  }
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return cudaSuccess;
}

std::size_t pages_in_bytes(int name) {
  const long pages = sysconf(name);
  const long page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page)
                               : 0;
}

/// What programs can still have: free pages, and those that the system would give back from its
/// caches.
std::size_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::size_t kibibytes = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %zu kB", &kibibytes) == 1) return kibibytes << 10;
  }
  return pages_in_bytes(_SC_AVPHYS_PAGES);
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

cudaError_t describe(cudaDeviceProp* properties) {
  if (properties == nullptr) return cudaErrorInvalidValue;
  *properties = cudaDeviceProp{};
  std::strncpy(properties->name, "CPU executor", sizeof(properties->name) - 1);
  properties->totalGlobalMem = pages_in_bytes(_SC_PHYS_PAGES);
  properties->sharedMemPerBlock = kSharedBytes;
  properties->sharedMemPerBlockOptin = kSharedBytesOptIn;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = 1024;
  properties->maxThreadsDim[0] = 1024;
  properties->maxThreadsDim[1] = 1024;
  properties->maxThreadsDim[2] = 64;
  properties->maxGridSize[0] = 2147483647;
  properties->maxGridSize[1] = 65535;
  properties->maxGridSize[2] = 65535;
  properties->multiProcessorCount = device().multiprocessors;
  properties->maxThreadsPerMultiProcessor = device().threads_each;
  properties->l2CacheSize = device().l2_bytes;
  properties->unifiedAddressing = 1;
  return cudaSuccess;
}

/// A device attribute; false if the executor has no answer.
bool find_attribute(cudaDeviceAttr attribute, int* value) {
  const Device is = device();
  const std::pair<cudaDeviceAttr, int> known[] = {
      {cudaDevAttrMaxThreadsPerBlock, 1024},
      {cudaDevAttrMaxBlockDimX, 1024},
      {cudaDevAttrMaxBlockDimY, 1024},
      {cudaDevAttrMaxBlockDimZ, 64},
      {cudaDevAttrMaxGridDimX, 2147483647},
      {cudaDevAttrMaxGridDimY, 65535},
      {cudaDevAttrMaxGridDimZ, 65535},
      {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<int>(kSharedBytes)},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<int>(kSharedBytesOptIn)},
      {cudaDevAttrWarpSize, 32},
      {cudaDevAttrMultiProcessorCount, is.multiprocessors},
      {cudaDevAttrMaxThreadsPerMultiProcessor, is.threads_each},
      {cudaDevAttrL2CacheSize, is.l2_bytes}};
  const auto* const found = std::find_if(std::begin(known), std::end(known),
                                         [=](const auto& one) { return one.first == attribute; });
  if (found == std::end(known)) return false;
  *value = found->second;
  return true;
}

cudaError_t check_device(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

}  // namespace

void set_device(const Device& device) {
  const std::lock_guard<std::mutex> lock(device_mutex);
  described = device;
}

cudaError_t record_error(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

std::size_t dynamic_shared_limit(const void* kernel) {
  SharedMemoryLimits& limits = shared_memory_limits();
  const std::lock_guard<std::mutex> lock(limits.mutex);
  const auto found = limits.of_kernel.find(kernel);
  return found != limits.of_kernel.end() ? found->second : kSharedBytes;
}

cudaError_t set_dynamic_shared_limit(const void* kernel, std::size_t bytes) {
  if (bytes > kSharedBytesOptIn) return cudaErrorInvalidValue;
  SharedMemoryLimits& limits = shared_memory_limits();
  const std::lock_guard<std::mutex> lock(limits.mutex);
  limits.of_kernel[kernel] = bytes;
  return cudaSuccess;
}

}  // namespace tutorial::cpu

namespace cpu = tutorial::cpu;

extern "C" {

// ---- Errors -------------------------------------------------------------------------------------

cudaError_t cudaGetLastError() {
  const cudaError_t error = cpu::last_error;
  cpu::last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() { return cpu::last_error; }

const char* cudaGetErrorName(cudaError_t error) {
  const cpu::ErrorText* const entry = cpu::text_of(error);
  return entry != nullptr ? entry->name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  const cpu::ErrorText* const entry = cpu::text_of(error);
  return entry != nullptr ? entry->text : "unrecognized error code";
}

// ---- Memory -------------------------------------------------------------------------------------

cudaError_t cudaMalloc(void** devPtr, size_t size) {
  return record_error(cpu::allocate(devPtr, size));
}

cudaError_t cudaFree(void* devPtr) { return record_error(cpu::release(devPtr)); }

cudaError_t cudaMallocHost(void** ptr, size_t size) {
  return record_error(cpu::allocate_host(ptr, size));
}

cudaError_t cudaFreeHost(void* ptr) {
  std::free(ptr);
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return record_error(cpu::copy(dst, src, count, kind));
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind,
                            cudaStream_t /*stream*/) {
  return record_error(cpu::copy(dst, src, count, kind));
}

cudaError_t cudaMemset(void* devPtr, int value, size_t count) {
  return record_error(cpu::fill(devPtr, value, count));
}

cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t /*stream*/) {
  return record_error(cpu::fill(devPtr, value, count));
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  if (free == nullptr || total == nullptr) return record_error(cudaErrorInvalidValue);
  *free = cpu::available_bytes();
  *total = cpu::pages_in_bytes(_SC_PHYS_PAGES);
  return cudaSuccess;
}

// ---- Streams and events -------------------------------------------------------------------------

cudaError_t cudaStreamCreate(cudaStream_t* pStream) {
  return record_error(cpu::create_stream(pStream, cudaStreamDefault));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* pStream, unsigned int flags) {
  return record_error(cpu::create_stream(pStream, flags));
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (stream == nullptr) return record_error(cudaErrorInvalidResourceHandle);
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t /*stream*/) { return cudaSuccess; }

cudaError_t cudaStreamWaitEvent(cudaStream_t /*stream*/, cudaEvent_t /*event*/,
                                unsigned int /*flags*/) {
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return record_error(cpu::create_event(event)); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int /*flags*/) {
  return record_error(cpu::create_event(event));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t /*stream*/) {
  if (event == nullptr) return record_error(cudaErrorInvalidResourceHandle);
  event->recorded = true;
  event->time = std::chrono::steady_clock::now();
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t /*event*/) { return cudaSuccess; }

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return record_error(cpu::elapsed_milliseconds(ms, start, end));
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (event == nullptr) return record_error(cudaErrorInvalidResourceHandle);
  delete event;
  return cudaSuccess;
}

// ---- The device ---------------------------------------------------------------------------------

cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }

cudaError_t cudaGetDeviceCount(int* count) {
  if (count == nullptr) return record_error(cudaErrorInvalidValue);
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  if (device == nullptr) return record_error(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) { return record_error(cpu::check_device(device)); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  const cudaError_t error = cpu::check_device(device);
  return record_error(error != cudaSuccess ? error : cpu::describe(prop));
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device) {
  const cudaError_t error = cpu::check_device(device);
  if (error != cudaSuccess) return record_error(error);
  const bool known = value != nullptr && cpu::find_attribute(attr, value);
  return known ? cudaSuccess : record_error(cudaErrorInvalidValue);
}

/// The name in the object file, of a program that exports its symbols (CMake: ENABLE_EXPORTS).
cudaError_t cudaFuncGetName(const char** name, const void* func) {
  Dl_info info{};
  if (name == nullptr || dladdr(func, &info) == 0 || info.dli_saddr != func) {
    return record_error(cudaErrorInvalidDeviceFunction);
  }
  *name = info.dli_sname;
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* func, cudaFuncAttribute attr, int value) {
  if (attr != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0) return record_error(cudaErrorInvalidValue);
  return record_error(cpu::set_dynamic_shared_limit(func, static_cast<std::size_t>(value)));
}

}  // extern "C"
