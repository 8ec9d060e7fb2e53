// What a reader would use instead of writing a kernel, on the same functions: the benchmark times
// these beside the ladder. Each answers cudaErrorNotSupported where its backend does not exist.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/types.h"

namespace tutorial {

/// cub::DeviceTransform with the last rung's function, one element at a time (cuda backend,
/// CCCL 2.8 or newer).
/// T: each of TUTORIAL_FOR_FLOATS (common/types.h).
template <class T>
cudaError_t swish_cub(const T* x, T* y, std::int64_t n, cudaStream_t stream);

/// The same for SwiGLU, with its two inputs.
template <class T>
cudaError_t swiglu_cub(const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream);

}  // namespace tutorial
