// cub::DeviceTransform as a peer: what a professional would call instead of writing a kernel.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#if defined(TUTORIAL_BACKEND_CUDA)
#include <cub/version.cuh>
#if CUB_VERSION >= 200800
#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>
#define TUTORIAL_HAS_CUB_TRANSFORM 1
#endif
#endif

namespace tutorial::bench {

/// y[i] = op(x[i]) for i in [0, n) by cub::DeviceTransform. cudaErrorNotSupported in the cpu
/// backend, and where the toolkit's CCCL is older than 2.8.
template <class In, class Out, class Op>
cudaError_t cub_transform([[maybe_unused]] const In* x, [[maybe_unused]] Out* y,
                          [[maybe_unused]] std::int64_t n, [[maybe_unused]] Op op,
                          [[maybe_unused]] cudaStream_t stream) {
#if defined(TUTORIAL_HAS_CUB_TRANSFORM)
  if (n == 0) return cudaSuccess;
  return cub::DeviceTransform::Transform(x, y, n, op, stream);
#else
  return cudaErrorNotSupported;
#endif
}

/// The same with two inputs: y[i] = op(a[i], b[i]).
template <class In, class Out, class Op>
cudaError_t cub_transform([[maybe_unused]] const In* a, [[maybe_unused]] const In* b,
                          [[maybe_unused]] Out* y, [[maybe_unused]] std::int64_t n,
                          [[maybe_unused]] Op op, [[maybe_unused]] cudaStream_t stream) {
#if defined(TUTORIAL_HAS_CUB_TRANSFORM)
  if (n == 0) return cudaSuccess;
  return cub::DeviceTransform::Transform(cuda::std::make_tuple(a, b), y, n, op, stream);
#else
  return cudaErrorNotSupported;
#endif
}

}  // namespace tutorial::bench
