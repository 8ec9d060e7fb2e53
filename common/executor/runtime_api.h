// What the parts of the runtime API know of each other, and what its templates call
// (common/executor/runtime_templates.h).
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace tutorial::cpu {

/// cudaErrorInvalidDevice, but for device 0.
cudaError_t check_device(int device);

/// What programs can still have of this machine's memory, and all of it.
std::size_t available_bytes();
std::size_t physical_bytes();

/// What kernels have printed stands on stdout when a call that waits for them returns.
void show_output();

/// A variable of `size` bytes, which are at `symbol`.
cudaError_t symbol_address(void** address, const void* symbol, std::size_t size);
cudaError_t copy_to_symbol(const void* symbol, std::size_t size, const void* from,
                           std::size_t bytes, std::size_t offset, cudaMemcpyKind kind);
cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t size, std::size_t bytes,
                             std::size_t offset, cudaMemcpyKind kind);

}  // namespace tutorial::cpu
