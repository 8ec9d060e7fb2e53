// What the runtime API answers: the calling thread's last error, and the fault of a kernel.
#pragma once

#include <cuda_runtime_api.h>

namespace tutorial::cpu {

/// Keeps `error` as the last one unless it is cudaSuccess; returns it.
cudaError_t record_error(cudaError_t error);

/// What a launch answers whose kernel had this fault, and whether later ones may run. See
/// KernelErrors (common/executor/executor.h).
cudaError_t record_kernel_error(cudaError_t error);

/// Whether a kernel has failed, as nobody has been told yet.
bool has_kernel_fault();

/// The fault that every call answers from now on; cudaSuccess: none.
cudaError_t kernel_fault();

/// A call that waits for kernels, or that may come after one: kernel_fault(), and without one what
/// `function()` returns. Recorded.
template <class Function>
cudaError_t answer(const Function& function) {
  const cudaError_t fault = kernel_fault();
  return record_error(fault != cudaSuccess ? fault : function());
}

/// The same of a call that does nothing.
inline cudaError_t answer() { return record_error(kernel_fault()); }

/// What a call answers that writes `value` to where it is told.
template <class T>
cudaError_t give(T* where, T value) {
  if (where == nullptr) return record_error(cudaErrorInvalidValue);
  *where = value;
  return cudaSuccess;
}

}  // namespace tutorial::cpu
