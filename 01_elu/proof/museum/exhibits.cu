// The broken kernels of exhibits.cuh. Do not mend them.
#include "01_elu/proof/museum/exhibits.cuh"

#include "01_elu/elu_math.cuh"
#include "common/launch.cuh"

namespace tutorial::exhibits {

//! [misindexed]
__global__ void elu_f16x2_misindexed_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 2;
  if (i + 1 < n) {
    half2 v = reinterpret_cast<const half2*>(x)[i];  // i counts halves; the array counts pairs
    v.x = elu_half(v.x);
    v.y = elu_half(v.y);
    reinterpret_cast<half2*>(y)[i] = v;
  }
}
//! [misindexed]

//! [dropped_tail]
__global__ void elu_f16x8_dropped_tail_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  alignas(16) half pack[8];
  LDST128BITS(pack[0]) = LDST128BITS(x[i]);  // reads before it knows whether there is anything
  for (int k = 0; k < 8; ++k) {
    pack[k] = elu_half(pack[k]);
  }
  if (i + 7 < n) {  // and where fewer than eight are left, writes none of them
    LDST128BITS(y[i]) = LDST128BITS(pack[0]);
  }
}
//! [dropped_tail]

//! [narrow_index]
__global__ void narrow_index_kernel(std::int64_t first, std::int64_t* index, std::int64_t n) {
  const unsigned first_block = static_cast<unsigned>(first / blockDim.x);
  const std::int64_t i =
      (first_block + blockIdx.x) * blockDim.x + threadIdx.x;  // 32 bits until here
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < n) {
    index[k] = i;
  }
}
//! [narrow_index]

cudaError_t elu_f16x2_misindexed(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(elu_f16x2_misindexed_kernel, x, y, n, 2, 4, stream);
}

cudaError_t elu_f16x8_dropped_tail(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(elu_f16x8_dropped_tail_kernel, x, y, n, 8, 16, stream);
}

cudaError_t narrow_index(std::int64_t first, std::int64_t* index, std::int64_t n,
                         cudaStream_t stream) {
  return launch(narrow_index_kernel, {grid_1d(n, kThreads), dim3(kThreads)}, stream, first, index,
                n);
}

}  // namespace tutorial::exhibits
