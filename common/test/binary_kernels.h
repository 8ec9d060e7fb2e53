// An operation with two inputs, for the tests of what common has for such operations.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace tutorial::test {

/// y = a - 2 b: nothing that is left of it when a and b are exchanged. Takes any pointer.
cudaError_t minus_twice(const float* a, const float* b, float* y, std::int64_t n,
                        cudaStream_t stream);
cudaError_t minus_twice(const half* a, const half* b, half* y, std::int64_t n, cudaStream_t stream);

/// The same, for 16-byte aligned pointers only.
cudaError_t minus_twice_pack(const half* a, const half* b, half* y, std::int64_t n,
                             cudaStream_t stream);

}  // namespace tutorial::test
