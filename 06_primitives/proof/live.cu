// The chapter's kernels as a page of the book runs them (common/live): the ladder's, and a sum without a barrier.
#include "06_primitives/ladders/primitives_kernels.cuh"
#include "common/live/binary.cuh"

namespace tutorial::live {

namespace {

using namespace primitives;

template <int VecSize, class Layout, Tail tail>
Kernel row(const char* rung, std::size_t alignment) {
  const auto launched = [=](const half* a, const half* b, half* y, const Controls& set) {
    const cudaError_t error =
        check_arguments(set.n, {{a, alignment}, {b, alignment}, {y, alignment}});
    if (error != cudaSuccess || set.n == 0) return error;
    const auto threads = static_cast<unsigned>(set.threads);
    return launch(ElementwiseAdd<VecSize, half, half, Layout, tail>,
                  {grid_1d(set.n, std::int64_t{threads} * VecSize), dim3(threads)}, nullptr, a, b,
                  y, set.n);
  };
  return binary<half, half>("06_primitives", rung, launched);
}

__device__ __forceinline__ float sum_of_warp(float value) {
  for (int mask = 16; mask > 0; mask /= 2) value += __shfl_xor_sync(0xffffffff, value, mask);
  return value;
}

/// rows.md, section 2, with a switch for each barrier.
__device__ __forceinline__ float sum_of_block(float value, bool first, bool second) {
  __shared__ float of_warp[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  value = sum_of_warp(value);
  if (first) __syncthreads();  // an earlier call may still be reading
  if (lane == 0) of_warp[warp] = value;
  if (second) __syncthreads();
  return sum_of_warp(lane < warps ? of_warp[lane] : 0.0f);
}

/// Each warp writes what it takes for the block's sum of x, and that of 2 x.
__global__ void block_sum_kernel(const float* x, float* y, bool first, bool second) {
  const float sum = sum_of_block(x[threadIdx.x], first, second);
  const float twice = sum_of_block(2 * x[threadIdx.x], first, second);
  if (threadIdx.x % 32 == 0) {
    y[threadIdx.x / 32 * 2] = sum;
    y[threadIdx.x / 32 * 2 + 1] = twice;
  }
}

Kernel block_sum() {
  constexpr int kThreads = 256;
  return {"06_primitives",
          "block_sum",
          {{"x", 4, kThreads}, {"y", 4, kThreads / 32 * 2}},
          [](const Pointers& at, const Controls& set) {
            return launch(block_sum_kernel, {dim3(1), dim3(kThreads)}, nullptr,
                          static_cast<const float*>(at[0]), static_cast<float*>(at[1]),
                          set.barriers[0], set.barriers[1]);
          },
          {"barriers"}};
}

// The rows of primitives.cu.
[[maybe_unused]] const bool added = add({
    row<2, Adjacent, Tail::everywhere>("add_f16_boundary", 2),
    row<2, Adjacent, Tail::split>("add_f16_split", 4),
    row<8, Adjacent, Tail::split>("add_f16_wide", 16),
    row<16, Adjacent, Tail::split>("add_f16_adjacent", 16),
    row<16, Interleaved<half>, Tail::split>("add_f16_interleaved", 16),
    block_sum(),
});

}  // namespace

}  // namespace tutorial::live
