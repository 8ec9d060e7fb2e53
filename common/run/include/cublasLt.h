// cuBLASLt's handle, for programs that set it up (cublas_v2.h).
#pragma once

#include <cublas_v2.h>

using cublasLtHandle_t = struct tutorial_cublas_lt_handle*;
using cublasLtMatmulDesc_t = struct tutorial_cublas_lt_product*;
using cublasLtMatrixLayout_t = struct tutorial_cublas_lt_layout*;
using cublasLtMatmulPreference_t = struct tutorial_cublas_lt_preference*;

inline cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = nullptr;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t) { return CUBLAS_STATUS_SUCCESS; }

TUTORIAL_NO_CUBLAS(cublasLtMatmul);
TUTORIAL_NO_CUBLAS(cublasLtMatmulDescCreate);
