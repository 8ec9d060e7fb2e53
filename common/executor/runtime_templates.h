// The runtime's functions that NVIDIA's headers declare for nvcc alone, and the names that CUDA 12
// and CUDA 13 do not share: for programs of readers (./tutorial run).
#pragma once

#include "common/executor/executor.h"
#include "common/executor/later.h"
#include "common/executor/runtime_api.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>
#include <utility>

// ---- `__device__` variables, by their names -----------------------------------------------------

// So that a call that is judged comes from the program's line.
#define TUTORIAL_OF_ITS_CALLER [[gnu::always_inline]] inline

template <class T>
cudaError_t cudaGetSymbolAddress(void** devPtr, const T& symbol) {
  return tutorial::cpu::symbol_address(devPtr, &symbol, sizeof symbol);
}

template <class T>
cudaError_t cudaGetSymbolSize(std::size_t* size, const T& /*symbol*/) {
  if (size == nullptr) return cudaErrorInvalidValue;
  *size = sizeof(T);
  return cudaSuccess;
}

template <class T>
TUTORIAL_OF_ITS_CALLER cudaError_t
cudaMemcpyToSymbol(const T& symbol, const void* src, std::size_t count, std::size_t offset = 0,
                   cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return tutorial::cpu::copy_to_symbol(&symbol, sizeof symbol, src, count, offset, kind);
}

template <class T>
TUTORIAL_OF_ITS_CALLER cudaError_t cudaMemcpyToSymbolAsync(
    const T& symbol, const void* src, std::size_t count, std::size_t offset = 0,
    cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t /*stream*/ = nullptr) {
  return cudaMemcpyToSymbol(symbol, src, count, offset, kind);
}

template <class T>
TUTORIAL_OF_ITS_CALLER cudaError_t
cudaMemcpyFromSymbol(void* dst, const T& symbol, std::size_t count, std::size_t offset = 0,
                     cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return tutorial::cpu::copy_from_symbol(dst, &symbol, sizeof symbol, count, offset, kind);
}

template <class T>
TUTORIAL_OF_ITS_CALLER cudaError_t cudaMemcpyFromSymbolAsync(
    void* dst, const T& symbol, std::size_t count, std::size_t offset = 0,
    cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t /*stream*/ = nullptr) {
  return cudaMemcpyFromSymbol(dst, symbol, count, offset, kind);
}
#undef TUTORIAL_OF_ITS_CALLER

// ---- Kernels, by their names --------------------------------------------------------------------

template <class... Params>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attr, void (*func)(Params...)) {
  return cudaFuncGetAttributes(attr, reinterpret_cast<const void*>(func));
}
template <class... Params>
cudaError_t cudaFuncSetAttribute(void (*func)(Params...), cudaFuncAttribute attr, int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(func), attr, value);
}
template <class... Params>
cudaError_t cudaFuncSetCacheConfig(void (*func)(Params...), cudaFuncCache config) {
  return cudaFuncSetCacheConfig(reinterpret_cast<const void*>(func), config);
}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
template <class... Params>
cudaError_t cudaFuncSetSharedMemConfig(void (*func)(Params...), cudaSharedMemConfig config) {
  return cudaFuncSetSharedMemConfig(reinterpret_cast<const void*>(func), config);
}
#pragma GCC diagnostic pop
template <class... Params>
cudaError_t cudaFuncGetName(const char** name, void (*func)(Params...)) {
  return cudaFuncGetName(name, reinterpret_cast<const void*>(func));
}

namespace tutorial::cpu {

template <class... Params>
Work bound(void (*kernel)(Params...), dim3 grid, dim3 block, std::size_t shared_bytes,
           bool overlaps, unsigned cluster, const std::decay_t<Params>&... arguments) {
  return [=](cudaStream_t stream) {
    const Launch launch{reinterpret_cast<const void*>(kernel),
                        grid,
                        block,
                        shared_bytes,
                        overlaps,
                        nullptr,
                        nullptr,
                        {},
                        stream,
                        cluster};
    return execute_call(launch, kernel, static_cast<Params>(arguments)...);
  };
}

template <class... Params, std::size_t... kIndices>
Work bound_to(void (*kernel)(Params...), dim3 grid, dim3 block, void** arguments,
              std::size_t shared_bytes, std::index_sequence<kIndices...> /*indices*/) {
  return bound(kernel, grid, block, shared_bytes, false, 1,
               *static_cast<std::remove_reference_t<Params>*>(arguments[kIndices])...);
}

/// What a program gets that casts a kernel to void*.
template <class... Params>
void* untyped(void (*kernel)(Params...)) {
  return know_kernel(
      reinterpret_cast<const void*>(kernel),
      [](const void* its, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes) {
        return bound_to(reinterpret_cast<void (*)(Params...)>(const_cast<void*>(its)), grid, block,
                        arguments, shared_bytes, std::index_sequence_for<Params...>());
      });
}
inline void* untyped(const void* pointer) { return const_cast<void*>(pointer); }

template <class... Params, class... Args>
cudaError_t launch_configured(const cudaLaunchConfig_t* config, void (*kernel)(Params...),
                              Args&&... arguments) {
  bool overlaps = false;
  unsigned cluster = 1;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& one = config->attrs[i];
    if (one.id == cudaLaunchAttributeProgrammaticStreamSerialization) {
      overlaps = one.val.programmaticStreamSerializationAllowed != 0;
    } else if (one.id == cudaLaunchAttributeClusterDimension) {
      cluster = one.val.clusterDim.x * one.val.clusterDim.y * one.val.clusterDim.z;
    }
  }
  return enqueue(config->stream,
                 bound(kernel, config->gridDim, config->blockDim, config->dynamicSmemBytes,
                       overlaps, cluster, static_cast<Params>(arguments)...));
}

}  // namespace tutorial::cpu

// NVIDIA's header has it for any parameters, and calls what does not know them.
template <class First, class... Params, class... Args>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(First, Params...),
                               Args&&... args) {
  return tutorial::cpu::launch_configured(config, kernel, std::forward<Args>(args)...);
}
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)()) {
  return tutorial::cpu::launch_configured(config, kernel);
}

template <class... Params>
cudaError_t cudaLaunchKernel(void (*func)(Params...), dim3 grid, dim3 block, void** args,
                             std::size_t sharedMem = 0, cudaStream_t stream = nullptr) {
  using namespace tutorial::cpu;
  return enqueue(
      stream, bound_to(func, grid, block, args, sharedMem, std::index_sequence_for<Params...>()));
}

// ---- What CUDA 13 has taken away or changed -----------------------------------------------------

inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }

#if CUDART_VERSION >= 13000

namespace tutorial::cpu {

/// With the members that CUDA 12 had.
struct DeviceProperties : cudaDeviceProp {
  int clockRate;
  int deviceOverlap;
  int computeMode;
  int kernelExecTimeoutEnabled;
  int memoryClockRate;
  int singleToDoublePrecisionPerfRatio;
  int cooperativeMultiDeviceLaunch;
  int maxTexture1DLinear;
};

}  // namespace tutorial::cpu

inline cudaError_t cudaGetDeviceProperties(tutorial::cpu::DeviceProperties* prop, int device) {
  if (prop != nullptr) *prop = {};
  const cudaError_t error = cudaGetDeviceProperties(static_cast<cudaDeviceProp*>(prop), device);
  if (error != cudaSuccess) return error;
  cudaDeviceGetAttribute(&prop->clockRate, cudaDevAttrClockRate, device);
  cudaDeviceGetAttribute(&prop->deviceOverlap, cudaDevAttrGpuOverlap, device);
  cudaDeviceGetAttribute(&prop->memoryClockRate, cudaDevAttrMemoryClockRate, device);
  cudaDeviceGetAttribute(&prop->singleToDoublePrecisionPerfRatio,
                         cudaDevAttrSingleToDoublePrecisionPerfRatio, device);
  return cudaSuccess;
}
#define cudaDeviceProp ::tutorial::cpu::DeviceProperties

inline cudaError_t cudaMemPrefetchAsync(const void* devPtr, std::size_t count, int device,
                                        cudaStream_t stream = nullptr) {
  return cudaMemPrefetchAsync(devPtr, count, {cudaMemLocationTypeDevice, device}, 0, stream);
}
inline cudaError_t cudaMemAdvise(const void* devPtr, std::size_t count, cudaMemoryAdvise advice,
                                 int device) {
  return cudaMemAdvise(devPtr, count, advice, {cudaMemLocationTypeDevice, device});
}

#else

inline cudaError_t cudaMemPrefetchAsync(const void* devPtr, std::size_t count,
                                        cudaMemLocation location, unsigned /*flags*/,
                                        cudaStream_t stream = nullptr) {
  return cudaMemPrefetchAsync(devPtr, count, location.id, stream);
}
inline cudaError_t cudaMemAdvise(const void* devPtr, std::size_t count, cudaMemoryAdvise advice,
                                 cudaMemLocation location) {
  return cudaMemAdvise(devPtr, count, advice, location.id);
}

#endif
