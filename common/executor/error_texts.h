// What CUDA calls its errors, and what it says of them.
#pragma once

#include <cuda_runtime_api.h>

namespace tutorial::cpu {

/// "cudaErrorInvalidValue"
const char* name_of(cudaError_t error);

/// "invalid argument"
const char* text_of(cudaError_t error);

}  // namespace tutorial::cpu
