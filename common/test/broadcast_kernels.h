// Operations on two tensors of various types, for the tests of launch_broadcast().
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "common/broadcast.h"

namespace tutorial::test {

/// Sizes at which launch_broadcast() changes its ways (BroadcastLimits), or its own where 0.
struct LimitsToTry {
  std::int64_t most_elements = 0;
  std::int64_t enough_threads = 0;
  std::int64_t pieces = 0;
  std::int64_t pieces_row = 0;
  std::int64_t wide_row = 0;
};

/// out = 7 in0 - in1, wrapping: nothing that is left of it when the operands are exchanged.
cudaError_t mixed_up(const Broadcast& broadcast, const std::int32_t* in0, const std::int32_t* in1,
                     std::int32_t* out, LimitsToTry limits, cudaStream_t stream);
cudaError_t mixed_up(const Broadcast& broadcast, const std::int16_t* in0, const std::int16_t* in1,
                     std::int16_t* out, LimitsToTry limits, cudaStream_t stream);
cudaError_t mixed_up(const Broadcast& broadcast, const std::int8_t* in0, const std::int8_t* in1,
                     std::int8_t* out, LimitsToTry limits, cudaStream_t stream);
cudaError_t mixed_up(const Broadcast& broadcast, const std::int64_t* in0, const std::int64_t* in1,
                     std::int64_t* out, LimitsToTry limits, cudaStream_t stream);

/// out = in0 > in1, a byte.
cudaError_t greater(const Broadcast& broadcast, const half* in0, const half* in1,
                    unsigned char* out, LimitsToTry limits, cudaStream_t stream);
cudaError_t greater(const Broadcast& broadcast, const float* in0, const float* in1,
                    unsigned char* out, LimitsToTry limits, cudaStream_t stream);
cudaError_t greater(const Broadcast& broadcast, const std::int64_t* in0, const std::int64_t* in1,
                    unsigned char* out, LimitsToTry limits, cudaStream_t stream);

/// out = in0, wider: four bytes of a result for each byte that is read.
cudaError_t widened(const Broadcast& broadcast, const std::int8_t* in0, const std::int8_t* in1,
                    std::int32_t* out, LimitsToTry limits, cudaStream_t stream);

}  // namespace tutorial::test
