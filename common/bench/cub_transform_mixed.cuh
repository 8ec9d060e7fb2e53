// cub::DeviceTransform with two inputs and an output of another type as a peer.
#pragma once

#include "common/bench/cub_transform_binary.cuh"

namespace tutorial::bench {

/// y[i] = op(a[i], b[i]) for i in [0, n) by cub::DeviceTransform. cudaErrorNotSupported where
/// cub_transform() is.
template <class In, class Out, class Op>
cudaError_t cub_transform_mixed(const In* a, const In* b, Out* y, std::int64_t n, Op op,
                                cudaStream_t stream) {
#if defined(TUTORIAL_HAS_CUB_TRANSFORM)
  if (n == 0) return cudaSuccess;
  return cub::DeviceTransform::Transform(cuda::std::make_tuple(a, b), y, n, op, stream);
#else
  static_cast<void>(a), static_cast<void>(b), static_cast<void>(y), static_cast<void>(n);
  static_cast<void>(op), static_cast<void>(stream);
  return cudaErrorNotSupported;
#endif
}

}  // namespace tutorial::bench
