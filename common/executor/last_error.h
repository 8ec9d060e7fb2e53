// The calling thread's last error, as cudaGetLastError() tells it.
#pragma once

#include <cuda_runtime_api.h>

namespace tutorial::cpu {

/// Keeps `error` as the last one unless it is cudaSuccess; returns it.
cudaError_t record_error(cudaError_t error);

}  // namespace tutorial::cpu
