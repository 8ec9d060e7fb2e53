// The exercise "sums" of rows.md, sections 1 and 2: a sum over the lanes of a warp, and over the threads of a block.
#include <cstdint>
#include <string>
#include <vector>

#include "common/launch.cuh"
#include "common/proof/answer.h"

namespace tutorial {

/// The sum of `value` over the 32 lanes of a warp, to every lane.
//! [warp]
__device__ __forceinline__ float sum_of_warp(float value) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) value += __shfl_xor_sync(0xffffffff, value, mask);
  return value;
}
//! [warp]

/// The sum of `value` over all threads of a block of whole warps, to every thread. A kernel may
/// call it more than once.
//! [block]
__device__ __forceinline__ float sum_of_block(float value) {
  __shared__ float of_warp[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  value = sum_of_warp(value);
  __syncthreads();  // an earlier call may still be reading
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  return sum_of_warp(lane < warps ? of_warp[lane] : 0.0f);
}
//! [block]

__global__ void warp_kernel(const float* x, float* y) {
  y[threadIdx.x] = sum_of_warp(x[threadIdx.x]);
}

/// Each thread of a block writes the sum of its row, and that of the squares.
__global__ void block_kernel(const float* x, float* sums, float* squares) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[i] = sum_of_block(x[i]);
  squares[i] = sum_of_block(x[i] * x[i]);
}

}  // namespace tutorial

namespace {

/// What is wrong with the sums of rows of `columns` small integers; empty if nothing is.
std::string wrong(const std::vector<float>& x, const std::vector<float>& sums, std::size_t columns,
                  int power, const std::string& what) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    float expected = 0.0f;
    for (std::size_t k = i / columns * columns; k < (i / columns + 1) * columns; ++k) {
      expected += power == 2 ? x[k] * x[k] : x[k];
    }
    if (sums[i] != expected) {
      return what + ": thread " + std::to_string(i % columns) + " has " + std::to_string(sums[i]) +
             ", expected " + std::to_string(expected);
    }
  }
  return "";
}

/// Five steps of pairs add 1, 2, 4, 8 and 16 to the large number, and the first is rounded away. One
/// after the other each of the ones would be, or none.
std::string wrong_steps() {
  using namespace tutorial;
  constexpr float large = 16777216.0f;  // 2^24: from here on floats are 2 apart
  std::vector<float> x(64, 1.0f);
  x[0] = x[63] = large;
  const test::DeviceArray<float> in(x), out(64);
  warp_kernel<<<1, 64>>>(in.data(), out.data());
  for (const float sum : out.download()) {
    if (sum != large + 30.0f) {
      return "a warp's sum of 2^24 and 31 ones is 2^24 + " +
             std::to_string(static_cast<int>(sum - large)) + ", and by five steps 2^24 + 30";
    }
  }
  return "";
}

}  // namespace

int main() {
  using namespace tutorial;
  std::vector<float> x;
  for (int i = 0; i < 4096; ++i) x.push_back(static_cast<float>(i * 7 % 31));
  const test::DeviceArray<float> in(x), sums(x.size()), squares(x.size()), of_warps(64);
  warp_kernel<<<1, 64>>>(in.data(), of_warps.data());
  cudaError_t error = cudaGetLastError();
  std::string problem = wrong(x, of_warps.download(), 32, 1, "two warps, their sums");
  if (problem.empty()) problem = wrong_steps();
  for (const unsigned threads : {1024U, 256U, 96U, 32U}) {
    if (!problem.empty() || error != cudaSuccess) break;
    const unsigned rows = 4096 / threads;
    block_kernel<<<rows, threads>>>(in.data(), sums.data(), squares.data());
    error = cudaGetLastError();
    const std::string where = "blocks of " + std::to_string(threads) + " threads, ";
    std::vector<float> first = sums.download(), second = squares.download();
    first.resize(rows * threads);
    second.resize(rows * threads);
    problem = wrong(x, first, threads, 1, where + "the first sum");
    if (problem.empty()) problem = wrong(x, second, threads, 2, where + "the second sum");
  }
  return test::verdict(error == cudaSuccess && problem.empty(),
                       problem.empty() ? "the sums of warps and of blocks" : problem);
}
