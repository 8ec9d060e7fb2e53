// What a reader would use instead of writing a kernel: the benchmark times these beside the ladder.
// Each answers cudaErrorNotSupported where its backend does not exist.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace tutorial {

/// out[i] = in0[i] + in1[i] for i in [0, n) by cub::DeviceTransform, with the functor of the ladder
/// (cuda backend, CCCL 2.8 or newer).
cudaError_t add_cub(const float* in0, const float* in1, float* out, std::int64_t n,
                    cudaStream_t stream);
cudaError_t add_cub(const half* in0, const half* in1, half* out, std::int64_t n,
                    cudaStream_t stream);
cudaError_t add_cub(const __nv_bfloat16* in0, const __nv_bfloat16* in1, __nv_bfloat16* out,
                    std::int64_t n, cudaStream_t stream);

/// The same in a plain loop on one core of the host (cpu backend).
cudaError_t add_host_loop(const float* in0, const float* in1, float* out, std::int64_t n,
                          cudaStream_t stream);

}  // namespace tutorial
