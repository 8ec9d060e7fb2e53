// The broken primitives of exhibits.cuh. Do not mend them.
#include "06_primitives/proof/museum/exhibits.cuh"

#include "06_primitives/primitives/primitives.cuh"
#include "common/launch.cuh"

namespace tutorial::exhibits {

namespace {

using namespace tutorial::primitives;

LaunchShape one_block(std::int64_t threads) {
  return {dim3(1), dim3(static_cast<unsigned>(threads))};
}

template <bool IsBoundary>
__device__ void double_tile(const float* x, float* y, std::int64_t num) {
  float v[4];
  Init(v, 0.0f);
  ReadData<IsBoundary>(v, x, num);
  ElementwiseBinary(v, v, v, AddFunctor<float>{});
  WriteData<IsBoundary>(y, v, num);
}

}  // namespace

template <bool Mended>
__global__ void exact_tile_kernel(const float* x, float* y, std::int64_t n, int* slow_tiles) {
  const std::int64_t tile = std::int64_t{4} * blockDim.x;
  for (std::int64_t offset = blockIdx.x * tile; offset < n; offset += gridDim.x * tile) {
    // An exactly full tile ends at n: it is full, and `<` says that it is not.
    if (Mended ? offset + tile <= n : offset + tile < n) {
      double_tile<false>(x + offset, y + offset, n - offset);
    } else {
      double_tile<true>(x + offset, y + offset, n - offset);
      if (threadIdx.x == 0) atomicAdd(slow_tiles, 1);
    }
  }
}

//! [wrong_cast]
template <class InT, class OutT>
__global__ void wrong_cast_kernel(const InT* x, OutT* y, float value) {
  InT divisor[1];
  Init(divisor, static_cast<OutT>(value));  // the registers are of type InT
  y[threadIdx.x] = Convert<OutT>(x[threadIdx.x] / divisor[0]);
}
//! [wrong_cast]

//! [no_barrier]
__global__ void no_barrier_kernel(const float* x, float* sum) {
  __shared__ float tile[1024];
  tile[threadIdx.x] = x[threadIdx.x];
  // a __syncthreads() is missing here
  if (threadIdx.x == blockDim.x - 1) {
    float total = 0.0f;
    for (unsigned i = 0; i < blockDim.x; ++i) total += tile[i];
    *sum = total;
  }
}
//! [no_barrier]

__global__ void skipped_stage_kernel(const int* x, int* y) {
  __shared__ int keys[1024];
  const unsigned mine = threadIdx.x;
  keys[mine] = x[mine];
  __syncthreads();
  for (unsigned size = 2; size < blockDim.x; size *= 2) {  // and the merge of the whole block?
    for (unsigned distance = size / 2; distance > 0; distance /= 2) {
      const unsigned partner = mine ^ distance;
      const bool ascending = (mine & size) == 0;
      if (mine < partner && (keys[partner] < keys[mine]) == ascending) {
        const int key = keys[mine];
        keys[mine] = keys[partner];
        keys[partner] = key;
      }
      __syncthreads();
    }
  }
  y[mine] = keys[mine];
}

//! [unsigned_guard]
__global__ void unsigned_guard_kernel(const float* x, float* y, unsigned size_nx) {
  const unsigned first = threadIdx.x * 4;
  const unsigned left = size_nx - first;  // beyond the edge: not negative, but four billion
  for (unsigned i = 0; i < 4; ++i) {
    if (i < left) y[first + i] = x[first + i];
  }
}
//! [unsigned_guard]

cudaError_t exact_tile_on_slow_path(const float* x, float* y, std::int64_t n, bool mended,
                                    int* slow_tiles, cudaStream_t stream) {
  const LaunchShape shape{grid_1d(n, 4 * kThreads), dim3(kThreads)};
  return mended ? launch(exact_tile_kernel<true>, shape, stream, x, y, n, slow_tiles)
                : launch(exact_tile_kernel<false>, shape, stream, x, y, n, slow_tiles);
}

cudaError_t init_wrong_cast(const float* x, int* y, std::int64_t n, float value,
                            cudaStream_t stream) {
  return launch(wrong_cast_kernel<float, int>, one_block(n), stream, x, y, value);
}

cudaError_t reduce_without_barrier(const float* x, float* sum, std::int64_t n,
                                   cudaStream_t stream) {
  return launch(no_barrier_kernel, one_block(n), stream, x, sum);
}

cudaError_t sort_skips_stage(const int* x, int* y, std::int64_t n, cudaStream_t stream) {
  return launch(skipped_stage_kernel, one_block(n), stream, x, y);
}

cudaError_t unsigned_guard(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return launch(unsigned_guard_kernel, one_block(64), stream, x, y, static_cast<unsigned>(n));
}

}  // namespace tutorial::exhibits
