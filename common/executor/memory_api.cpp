// The runtime API's memory: allocations, copies, fills.

#include "common/executor/device_memory.h"
#include "common/executor/executor.h"
#include "common/executor/last_error.h"
#include "common/executor/later.h"
#include "common/executor/runtime_api.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>

// Everything happens at once, in the order of the calls: a stream's work is done when the call that
// enqueues it returns. That is one of the orders that a GPU may choose. Host and device share one
// memory here, so host code that dereferences a device pointer is not caught; what is caught is a
// copy whose direction or size does not fit the allocations.

namespace tutorial::cpu {
namespace {

cudaError_t allocate(void** pointer, std::size_t bytes, MemoryKind kind) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  constexpr std::size_t kWorthALook = std::size_t{64} << 20;
  if (bytes > kWorthALook && bytes > available_bytes()) return cudaErrorMemoryAllocation;
  *pointer = DeviceMemory::instance().allocate(bytes, 0, kind);
  return *pointer != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}

/// What allocates or frees at once says; CUDA names cudaMalloc alone.
template <class Function>
cudaError_t answer_outside_captures(const Function& function) {
  if (breaks_capture_that_forbids_it()) return record_error(cudaErrorStreamCaptureUnsupported);
  return answer(function);
}

/// Rows of `width` bytes, each of which begins at a multiple of 512, as on a GPU.
cudaError_t allocate_rows(void** pointer, std::size_t* pitch, std::size_t width,
                          std::size_t height) {
  constexpr std::size_t kPitch = 512;
  if (pitch == nullptr) return cudaErrorInvalidValue;
  *pitch = (width + kPitch - 1) / kPitch * kPitch;
  return allocate(pointer, *pitch * height, MemoryKind::device);
}

/// Of an allocation of one of these kinds, or of nothing.
template <class... Kinds>
cudaError_t release(void* pointer, Kinds... kinds) {
  DeviceMemory& memory = DeviceMemory::instance();
  const bool is_released = pointer == nullptr || (memory.release(pointer, kinds) || ...);
  return is_released ? cudaSuccess : cudaErrorInvalidValue;
}

bool is_mapped(MemoryKind kind) {
  return kind == MemoryKind::pinned || kind == MemoryKind::registered;
}

cudaError_t device_pointer(void** device, void* host) {
  if (device == nullptr || host == nullptr) return cudaErrorInvalidValue;
  const MemoryRange range = DeviceMemory::instance().find(host);
  if (range.bytes == 0 || !is_mapped(range.kind)) return cudaErrorInvalidValue;
  *device = host;
  return cudaSuccess;
}

cudaMemoryType type_of(const MemoryRange& range) {
  if (range.bytes == 0) return cudaMemoryTypeUnregistered;
  if (is_mapped(range.kind)) return cudaMemoryTypeHost;
  return range.kind == MemoryKind::managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice;
}

cudaError_t describe(cudaPointerAttributes* attributes, const void* pointer) {
  if (attributes == nullptr) return cudaErrorInvalidValue;
  *attributes = {};
  attributes->type = type_of(DeviceMemory::instance().find(pointer));
  void* const same = const_cast<void*>(pointer);
  const bool known = attributes->type != cudaMemoryTypeUnregistered;
  attributes->device = known ? 0 : cudaInvalidDeviceId;
  attributes->devicePointer = known ? same : nullptr;
  attributes->hostPointer = attributes->type == cudaMemoryTypeDevice ? nullptr : same;
  return cudaSuccess;
}

/// Whether one side of a copy lies where it should, to its last byte.
bool fits(const void* pointer, std::size_t bytes, bool on_device) {
  const MemoryRange range = DeviceMemory::instance().find(pointer);
  if (range.bytes == 0) return !on_device;
  const bool device_alone = range.kind == MemoryKind::device || range.kind == MemoryKind::symbol;
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(pointer) - range.begin);
  return (on_device || !device_alone) && bytes <= range.bytes - offset;
}

bool fits_direction(const void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  return kind >= cudaMemcpyDefault ||
         (fits(to, bytes, to_device) && fits(from, bytes, from_device));
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

char* row_of(void* begin, std::size_t pitch, std::size_t row) {
  return static_cast<char*>(begin) + pitch * row;
}
const char* row_of(const void* begin, std::size_t pitch, std::size_t row) {
  return static_cast<const char*>(begin) + pitch * row;
}

cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  if (width == 0 || height == 0) return cudaSuccess;
  if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
  const std::size_t last = height - 1;
  if (to == nullptr || from == nullptr ||
      !fits_direction(row_of(to, to_pitch, last), row_of(from, from_pitch, last), width, kind)) {
    return cudaErrorInvalidValue;
  }
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t error =
        copy(row_of(to, to_pitch, row), row_of(from, from_pitch, row), width, kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

/// A copy without arrays, whose extents and positions count bytes in x.
cudaError_t copy_box(const cudaMemcpy3DParms* box) {
  if (box == nullptr) return cudaErrorInvalidValue;
  if (box->srcArray != nullptr || box->dstArray != nullptr) return cudaErrorNotSupported;
  for (std::size_t z = 0; z < box->extent.depth; ++z) {
    const auto slice = [z](const cudaPitchedPtr& memory, const cudaPos& position) {
      return row_of(memory.ptr, memory.pitch, (position.z + z) * memory.ysize + position.y) +
             position.x;
    };
    const cudaError_t error = copy_rows(slice(box->dstPtr, box->dstPos), box->dstPtr.pitch,
                                        slice(box->srcPtr, box->srcPos), box->srcPtr.pitch,
                                        box->extent.width, box->extent.height, box->kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t fill(void* pointer, int value, std::size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  if (!fits(pointer, bytes, true)) return cudaErrorInvalidValue;
  std::memset(pointer, value, bytes);
  return cudaSuccess;
}

cudaError_t fill_rows(void* pointer, std::size_t pitch, int value, std::size_t width,
                      std::size_t height) {
  if (width > pitch) return cudaErrorInvalidPitchValue;
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t error = fill(row_of(pointer, pitch, row), value, width);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

/// What is wrong with a copy between `other` and a part of a variable; `between`: that of the host and the device.
cudaError_t check_symbol_copy(std::size_t size, const void* other, std::size_t bytes,
                              std::size_t offset, cudaMemcpyKind kind, cudaMemcpyKind between) {
  const bool on_device = kind == cudaMemcpyDeviceToDevice;
  if (!on_device && kind != between && kind != cudaMemcpyDefault) {
    return cudaErrorInvalidMemcpyDirection;
  }
  const bool is_part = offset <= size && bytes <= size - offset;
  if (other == nullptr || !is_part) return cudaErrorInvalidValue;
  const bool is_right = kind == cudaMemcpyDefault || fits(other, bytes, on_device);
  return is_right ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace

cudaError_t symbol_address(void** address, const void* symbol, std::size_t size) {
  return answer([&] {
    if (address == nullptr) return cudaErrorInvalidValue;
    DeviceMemory::instance().enlist(symbol, size, MemoryKind::symbol);
    *address = const_cast<void*>(symbol);
    return cudaSuccess;
  });
}

cudaError_t copy_to_symbol(const void* symbol, std::size_t size, const void* from,
                           std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  return answer([&] {
    const cudaError_t error =
        check_symbol_copy(size, from, bytes, offset, kind, cudaMemcpyHostToDevice);
    char* const to = const_cast<char*>(row_of(symbol, 1, offset));
    if (error == cudaSuccess) std::memmove(to, from, bytes);
    return error;
  });
}

cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t size, std::size_t bytes,
                             std::size_t offset, cudaMemcpyKind kind) {
  return answer([&] {
    const cudaError_t error =
        check_symbol_copy(size, to, bytes, offset, kind, cudaMemcpyDeviceToHost);
    if (error == cudaSuccess) std::memmove(to, row_of(symbol, 1, offset), bytes);
    return error;
  });
}

}  // namespace tutorial::cpu

namespace cpu = tutorial::cpu;
using cpu::answer;
using cpu::MemoryKind;

extern "C" {

// ---- Memory of the device -----------------------------------------------------------------------

cudaError_t cudaMalloc(void** devPtr, size_t size) {
  return cpu::answer_outside_captures(
      [&] { return cpu::allocate(devPtr, size, MemoryKind::device); });
}

cudaError_t cudaMallocAsync(void** devPtr, size_t size, cudaStream_t /*stream*/) {
  return answer([&] { return cpu::allocate(devPtr, size, MemoryKind::device); });
}

cudaError_t cudaMallocFromPoolAsync(void** ptr, size_t size, cudaMemPool_t /*pool*/,
                                    cudaStream_t stream) {
  return cudaMallocAsync(ptr, size, stream);
}

cudaError_t cudaMallocPitch(void** devPtr, size_t* pitch, size_t width, size_t height) {
  return cpu::answer_outside_captures(
      [&] { return cpu::allocate_rows(devPtr, pitch, width, height); });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent extent) {
  return cpu::answer_outside_captures([&] {
    if (memory == nullptr) return cudaErrorInvalidValue;
    memory->xsize = extent.width;
    memory->ysize = extent.height;
    return cpu::allocate_rows(&memory->ptr, &memory->pitch, extent.width,
                              extent.height * extent.depth);
  });
}

/// Each thread has its own copy of the kernel's parameters. On a GPU nothing destroys these; here a
/// destructor that frees memory must not.
cudaError_t cudaFree(void* devPtr) {
  if (cpu::running_block != nullptr) return cudaErrorNotPermitted;
  return cpu::answer_outside_captures(
      [&] { return cpu::release(devPtr, MemoryKind::device, MemoryKind::managed); });
}

/// Memory that a capture frees stays, for all launches of its graph.
cudaError_t cudaFreeAsync(void* devPtr, cudaStream_t stream) {
  if (cpu::running_block != nullptr) return cudaErrorNotPermitted;
  if (cpu::is_for_later(stream)) return cudaSuccess;
  return answer([&] { return cpu::release(devPtr, MemoryKind::device, MemoryKind::managed); });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return answer([&] {
    if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
    *free = cpu::available_bytes();
    *total = cpu::physical_bytes();
    return cudaSuccess;
  });
}

// A pool is as good as another: what is freed goes back at once.

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* memPool, int device) {
  return answer([&] {
    if (memPool == nullptr) return cudaErrorInvalidValue;
    *memPool = nullptr;
    return cpu::check_device(device);
  });
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* memPool, int device) {
  return cudaDeviceGetDefaultMemPool(memPool, device);
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }

// ---- Memory of both -----------------------------------------------------------------------------

cudaError_t cudaMallocManaged(void** devPtr, size_t size, unsigned int flags) {
  return cpu::answer_outside_captures([&] {
    if (size == 0) return cudaErrorInvalidValue;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
    return cpu::allocate(devPtr, size, MemoryKind::managed);
  });
}

cudaError_t cudaMallocHost(void** ptr, size_t size) {
  return cpu::answer_outside_captures([&] { return cpu::allocate(ptr, size, MemoryKind::pinned); });
}

cudaError_t cudaHostAlloc(void** pHost, size_t size, unsigned int flags) {
  constexpr unsigned kFlags =
      cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  return (flags & ~kFlags) == 0 ? cudaMallocHost(pHost, size)
                                : cpu::record_error(cudaErrorInvalidValue);
}

cudaError_t cudaFreeHost(void* ptr) {
  return cpu::answer_outside_captures([&] { return cpu::release(ptr, MemoryKind::pinned); });
}

cudaError_t cudaHostRegister(void* ptr, size_t size, unsigned int /*flags*/) {
  return answer([&] {
    if (ptr == nullptr || size == 0) return cudaErrorInvalidValue;
    const bool is_new = cpu::DeviceMemory::instance().enlist(ptr, size, MemoryKind::registered);
    return is_new ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
  });
}

cudaError_t cudaHostUnregister(void* ptr) {
  return answer([&] {
    const bool was_there = cpu::DeviceMemory::instance().release(ptr, MemoryKind::registered);
    return was_there ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
  });
}

cudaError_t cudaHostGetDevicePointer(void** pDevice, void* pHost, unsigned int /*flags*/) {
  return answer([&] { return cpu::device_pointer(pDevice, pHost); });
}

cudaError_t cudaHostGetFlags(unsigned int* pFlags, void* pHost) {
  return answer([&] {
    if (pFlags == nullptr) return cudaErrorInvalidValue;
    *pFlags = cudaHostAllocMapped;
    void* device = nullptr;
    return cpu::device_pointer(&device, pHost);
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* ptr) {
  return answer([&] { return cpu::describe(attributes, ptr); });
}

#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned int, cudaStream_t) {
  return answer();
}
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation) {
  return answer();
}
#else
cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t) { return answer(); }
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, int) { return answer(); }
#endif
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t, unsigned int) { return answer(); }

// ---- Copies and fills ---------------------------------------------------------------------------

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  cpu::show_output();
  return cudaMemcpyAsync(dst, src, count, kind, nullptr);
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return cpu::enqueue(stream, [=](cudaStream_t) {
    return answer([&] { return cpu::copy(dst, src, count, kind); });
  });
}

cudaError_t cudaMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice, size_t count) {
  return answer([&] {
    const cudaError_t error = cpu::check_device(dstDevice | srcDevice);
    return error != cudaSuccess ? error : cpu::copy(dst, src, count, cudaMemcpyDeviceToDevice);
  });
}

cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  return answer([&] { return cpu::copy_rows(dst, dpitch, src, spitch, width, height, kind); });
}

cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return cpu::enqueue(stream, [=](cudaStream_t) {
    return cudaMemcpy2D(dst, dpitch, src, spitch, width, height, kind);
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  return answer([&] { return cpu::copy_box(p); });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  if (p == nullptr) return cpu::record_error(cudaErrorInvalidValue);
  return cpu::enqueue(stream, [box = *p](cudaStream_t) { return cudaMemcpy3D(&box); });
}

cudaError_t cudaMemset(void* devPtr, int value, size_t count) {
  return cudaMemsetAsync(devPtr, value, count, nullptr);
}

cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream) {
  return cpu::enqueue(stream, [=](cudaStream_t) {
    return answer([&] { return cpu::fill(devPtr, value, count); });
  });
}

cudaError_t cudaMemset2D(void* devPtr, size_t pitch, int value, size_t width, size_t height) {
  return answer([&] { return cpu::fill_rows(devPtr, pitch, value, width, height); });
}

cudaError_t cudaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return cpu::enqueue(
      stream, [=](cudaStream_t) { return cudaMemset2D(devPtr, pitch, value, width, height); });
}

cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent) {
  return answer([&] {
    for (std::size_t z = 0; z < extent.depth; ++z) {
      const cudaError_t error =
          cpu::fill_rows(cpu::row_of(memory.ptr, memory.pitch, z * memory.ysize), memory.pitch,
                         value, extent.width, extent.height);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}

}  // extern "C"
