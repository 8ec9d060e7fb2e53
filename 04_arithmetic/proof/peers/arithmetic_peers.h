// What a reader would use instead of writing a kernel: the benchmark times these beside the ladder.
// Each answers cudaErrorNotSupported where its backend does not exist.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/types.h"

namespace tutorial {

/// out[i] = in0[i] + in1[i] for i in [0, n) by cub::DeviceTransform, with the functor of the ladder
/// (cuda backend, CCCL 2.8 or newer). T: each of TUTORIAL_FOR_FLOATS (common/types.h).
template <class T>
cudaError_t add_cub(const T* in0, const T* in1, T* out, std::int64_t n, cudaStream_t stream);

}  // namespace tutorial
