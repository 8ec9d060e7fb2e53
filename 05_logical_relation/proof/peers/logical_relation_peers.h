// What a reader would use instead of writing a kernel: the benchmark times these beside the
// ladders. Each answers cudaErrorNotSupported where its backend does not exist.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "05_logical_relation/launchers/op.h"
#include "common/types.h"

namespace tutorial {

/// cub::DeviceTransform, one element at a time (cuda backend, CCCL 2.8 or newer): a > b, a && b and
/// !a, for n elements. T: each of TUTORIAL_FOR_FLOATS.
template <class T>
cudaError_t greater_cub(const T* a, const T* b, Byte* y, std::int64_t n, cudaStream_t stream);
cudaError_t and_cub(const Byte* a, const Byte* b, Byte* y, std::int64_t n, cudaStream_t stream);
cudaError_t not_cub(const Byte* a, Byte* y, std::int64_t n, cudaStream_t stream);

}  // namespace tutorial
