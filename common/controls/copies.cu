// Copies of floats that differ in one respect from `copy`: 256 threads a block, 16 bytes a thread.

#include "common/controls/row.cuh"
#include "common/macros.cuh"

namespace tutorial::controls {

namespace {

constexpr int kBlock = 256;

// ---- How a pack is loaded and stored ----------------------------------------------------------

struct Load {
  __device__ static float4 from(const float* x) { return FLOAT4(*x); }
};
struct LoadStreaming {
  __device__ static float4 from(const float* x) {
    return __ldcs(reinterpret_cast<const float4*>(x));
  }
};

struct Store {
  __device__ static void to(float* y, float4 v) { FLOAT4(*y) = v; }
};
struct StoreStreaming {
  __device__ static void to(float* y, float4 v) { __stcs(reinterpret_cast<float4*>(y), v); }
};
template <class From, class To>
__global__ void control_copy_kernel(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4;
  if (i < n) To::to(y + i, From::from(x + i));
}

__global__ void control_copy_restrict_kernel(const float* __restrict__ x, float* __restrict__ y,
                                             std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4;
  if (i < n) FLOAT4(y[i]) = FLOAT4(x[i]);
}

// ---- Two packs a thread -----------------------------------------------------------------------

__global__ void control_copy_two_adjacent_kernel(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i < n) {
    const float4 low = FLOAT4(x[i]), high = FLOAT4(x[i + 4]);
    FLOAT4(y[i]) = low;
    FLOAT4(y[i + 4]) = high;
  }
}

__global__ void control_copy_two_apart_kernel(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x * 2 + threadIdx.x) * 4;
  const std::int64_t apart = std::int64_t{blockDim.x} * 4;
  if (i + apart < n) {
    const float4 low = FLOAT4(x[i]), high = FLOAT4(x[i + apart]);
    FLOAT4(y[i]) = low;
    FLOAT4(y[i + apart]) = high;
  }
}

/// Four accesses of 4 bytes, a block's width apart.
__global__ void control_copy_narrow_kernel(const float* x, float* y, std::int64_t n) {
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x * 4 + threadIdx.x;
  if (first + 3 * std::int64_t{blockDim.x} < n) {
    float v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = x[first + k * std::int64_t{blockDim.x}];
#pragma unroll
    for (int k = 0; k < 4; ++k) y[first + k * std::int64_t{blockDim.x}] = v[k];
  }
}

}  // namespace

std::vector<OneInput<float>> float_copies() {
  return {
      row("copy", control_copy_kernel<Load, Store>, 4, {kBlock}),
      row("copy_restrict", control_copy_restrict_kernel, 4, {kBlock}),
      row("copy_load_cs", control_copy_kernel<LoadStreaming, Store>, 4, {kBlock}),
      row("copy_store_cs", control_copy_kernel<Load, StoreStreaming>, 4, {kBlock}),
      row("copy_two_adjacent", control_copy_two_adjacent_kernel, 8, {kBlock}),
      row("copy_two_apart", control_copy_two_apart_kernel, 8, {kBlock}),
      row("copy_narrow", control_copy_narrow_kernel, 4, {kBlock}),
  };
}

}  // namespace tutorial::controls
