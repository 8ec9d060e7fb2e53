// The runtime API's errors.

#include "common/executor/executor.h"
#include "common/executor/kernel_signals.h"
#include "common/executor/last_error.h"

#include <atomic>

namespace tutorial::cpu {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

std::atomic<KernelErrors> kernel_errors{KernelErrors::at_once};
std::atomic<cudaError_t> fault{cudaSuccess};
std::atomic<bool> fault_is_told{false};

}  // namespace

void set_kernel_errors(KernelErrors errors) {
  kernel_errors = errors;
  if (errors == KernelErrors::pending) catch_kernel_signals();
}

KernelErrors when_kernel_errors() { return kernel_errors; }

cudaError_t record_error(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

cudaError_t record_kernel_error(cudaError_t error) {
  if (kernel_errors == KernelErrors::at_once) return record_error(error);
  cudaError_t none = cudaSuccess;
  fault.compare_exchange_strong(none, error);
  return cudaSuccess;
}

bool has_kernel_fault() { return fault != cudaSuccess; }

cudaError_t kernel_fault() {
  const cudaError_t error = fault;
  if (error != cudaSuccess) fault_is_told = true;
  return error;
}

}  // namespace tutorial::cpu

namespace cpu = tutorial::cpu;

extern "C" {

/// A fault that has been told stays; one that has not waits for a call that synchronizes.
cudaError_t cudaPeekAtLastError() {
  return cpu::fault_is_told ? cpu::fault.load() : cpu::last_error;
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  cpu::last_error = cudaSuccess;
  return error;
}

}  // extern "C"
