// A product of cuBLAS is refused; its set-up is not.
// refused: cublas.cu:{product}: the CPU executor has no cuBLAS
#include <cublas_v2.h>

int main() {
  cublasHandle_t handle;
  cublasCreate(&handle);
  const float one = 1;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, &one, 1, &one, 1);  // product
  cublasDestroy(handle);
}
