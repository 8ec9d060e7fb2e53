// The broken kernels of exhibits.cuh. Do not mend them.
#include "05_logical_relation/proof/museum/exhibits.cuh"

#include "05_logical_relation/launchers/launch.cuh"

namespace tutorial::exhibits {

// No parameter is used once the body is gone; [[maybe_unused]] keeps the compiler from saying so.
//! [compiled_away]
__global__ void compiled_away_kernel([[maybe_unused]] const Byte* input,
                                     [[maybe_unused]] Byte* output,
                                     [[maybe_unused]] std::int64_t num_elems) {
#if __CUDA_ARCH__ >= 600 && __CUDACC_VER_MAJOR >= 9
  const std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (index >= num_elems) {
    return;
  }
  output[index] = input[index] == 0 ? 1 : 0;
#endif
}
//! [compiled_away]

//! [one_scalar]
__global__ void one_scalar_kernel(std::uint64_t num_elems, bool first_shorter, const float* input0,
                                  const float* input1, Byte* output) {
  const std::uint64_t index = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (index >= num_elems) return;
  const std::uint64_t offset0 = first_shorter ? 0 : index;
  const std::uint64_t offset1 = first_shorter ? index : 0;
  output[index] = input0[offset0] > input1[offset1] ? 1 : 0;
}
//! [one_scalar]

//! [and_of_bools]
__global__ void and_of_bools_kernel(const bool* a, const bool* b, Byte* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a[i] && b[i] ? 1 : 0;
  }
}
//! [and_of_bools]

//! [and_of_bits]
__global__ void and_of_bits_kernel(const Byte* a, const Byte* b, Byte* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4;
  if (i + 4 <= n) {
    LDST32BITS(y[i]) = LDST32BITS(a[i]) & LDST32BITS(b[i]);
  } else {
    for (std::int64_t k = i; k < n; ++k) y[k] = a[k] & b[k];
  }
}
//! [and_of_bits]

cudaError_t compiled_away(const Byte* a, Byte* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(compiled_away_kernel, a, y, n, 1, 1, stream);
}

// The original compares the operands' numbers of elements, takes the one with fewer for a scalar,
// and never asks whether it is one.
cudaError_t one_scalar_for_both_sided(const float* a, const float* b, Byte* y,
                                      cudaStream_t stream) {
  constexpr std::uint64_t elements0 = 2, elements1 = 3;  // (2,) and (3, 1)
  constexpr bool first_shorter = elements0 < elements1;
  return launch(one_scalar_kernel, {dim3(1), dim3(kThreads)}, stream, elements0 * elements1,
                first_shorter, a, b, y);
}

cudaError_t and_of_bools(const Byte* a, const Byte* b, Byte* y, std::int64_t n,
                         cudaStream_t stream) {
  return launch(and_of_bools_kernel, {grid_1d(n, kThreads), dim3(kThreads)}, stream,
                reinterpret_cast<const bool*>(a), reinterpret_cast<const bool*>(b), y, n);
}

cudaError_t and_of_bits(const Byte* a, const Byte* b, Byte* y, std::int64_t n,
                        cudaStream_t stream) {
  return launch(and_of_bits_kernel, {grid_1d(n, std::int64_t{kThreads} * 4), dim3(kThreads)},
                stream, a, b, y, n);
}

}  // namespace tutorial::exhibits
