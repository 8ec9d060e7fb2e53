// cub::DeviceTransform as a peer: what a professional would call instead of writing a kernel.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#if defined(TUTORIAL_BACKEND_CUDA)
#include <cub/version.cuh>
#if CUB_VERSION >= 200800
#include <cub/device/device_transform.cuh>
#define TUTORIAL_HAS_CUB_TRANSFORM 1
#endif
#endif

namespace tutorial::bench {

/// y[i] = op(x[i]) for i in [0, n) by cub::DeviceTransform. cudaErrorNotSupported in the cpu
/// backend, and where the toolkit's CCCL is older than 2.8.
template <class T, class Op>
cudaError_t cub_transform(const T* x, T* y, std::int64_t n, Op op, cudaStream_t stream) {
#if defined(TUTORIAL_HAS_CUB_TRANSFORM)
  if (n == 0) return cudaSuccess;
  return cub::DeviceTransform::Transform(x, y, n, op, stream);
#else
  static_cast<void>(x), static_cast<void>(y), static_cast<void>(n), static_cast<void>(op);
  static_cast<void>(stream);
  return cudaErrorNotSupported;
#endif
}

}  // namespace tutorial::bench
