// cuBLAS as far as a program sets it up: many do, whose kernels are their own. What computes is refused.
#pragma once

#define CUBLAS_API_H_  // what asks whether cuBLAS is there asks for this

#include <cuda_runtime.h>

#include <cstddef>

using cublasHandle_t = struct tutorial_cublas_handle*;

enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
};
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum cublasMath_t {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3
};
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE };
enum cublasComputeType_t {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
  CUBLAS_COMPUTE_32I = 72
};
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 };

inline cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  *handle = nullptr;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasDestroy(cublasHandle_t) { return CUBLAS_STATUS_SUCCESS; }
#define TUTORIAL_CUBLAS_SETS(name, ...) \
  inline cublasStatus_t name(cublasHandle_t, __VA_ARGS__) { return CUBLAS_STATUS_SUCCESS; }
TUTORIAL_CUBLAS_SETS(cublasSetStream, cudaStream_t)
TUTORIAL_CUBLAS_SETS(cublasSetMathMode, cublasMath_t)
TUTORIAL_CUBLAS_SETS(cublasSetPointerMode, cublasPointerMode_t)
TUTORIAL_CUBLAS_SETS(cublasSetWorkspace, void*, std::size_t)
#undef TUTORIAL_CUBLAS_SETS

#define TUTORIAL_NO_CUBLAS(name)                                                      \
  template <class... Arguments>                                                       \
  TUTORIAL_CPU_REFUSED("the CPU executor has no cuBLAS: write the product as a loop") \
  cublasStatus_t name(const Arguments&...)
TUTORIAL_NO_CUBLAS(cublasSgemm);
TUTORIAL_NO_CUBLAS(cublasDgemm);
TUTORIAL_NO_CUBLAS(cublasHgemm);
TUTORIAL_NO_CUBLAS(cublasGemmEx);
TUTORIAL_NO_CUBLAS(cublasSgemmBatched);
TUTORIAL_NO_CUBLAS(cublasSgemmStridedBatched);
TUTORIAL_NO_CUBLAS(cublasGemmStridedBatchedEx);
TUTORIAL_NO_CUBLAS(cublasSgemv);
TUTORIAL_NO_CUBLAS(cublasDgemv);
TUTORIAL_NO_CUBLAS(cublasSdot);
TUTORIAL_NO_CUBLAS(cublasDdot);
TUTORIAL_NO_CUBLAS(cublasSaxpy);
TUTORIAL_NO_CUBLAS(cublasSscal);
TUTORIAL_NO_CUBLAS(cublasSasum);
TUTORIAL_NO_CUBLAS(cublasSnrm2);
TUTORIAL_NO_CUBLAS(cublasIsamax);
