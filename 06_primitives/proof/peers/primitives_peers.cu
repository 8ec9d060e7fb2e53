// The same kernels written with CUB.
#include "06_primitives/proof/peers/primitives_peers.h"

#include <cmath>

#include "common/bench/cub_transform.cuh"
#include "common/launch.cuh"
#include "common/ptx.cuh"

#if defined(TUTORIAL_BACKEND_CUDA)
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#endif

namespace tutorial {

#if defined(TUTORIAL_BACKEND_CUDA)
namespace {

/// CUB has a temporary storage for each operation of a kernel; those that follow each other may
/// share it, with a barrier in between. Only WARP_TRANSPOSE uses that of a load or store.
template <class T, int Threads, int Items, bool transposes>
struct CubTile {
  using Load =
      cub::BlockLoad<T, Threads, Items,
                     transposes ? cub::BLOCK_LOAD_WARP_TRANSPOSE : cub::BLOCK_LOAD_VECTORIZE>;
  using Store =
      cub::BlockStore<T, Threads, Items,
                      transposes ? cub::BLOCK_STORE_WARP_TRANSPOSE : cub::BLOCK_STORE_VECTORIZE>;
  union Storage {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
  };
  static __device__ void share() {
    if constexpr (transposes) __syncthreads();
  }
};

//! [cub_add]
template <int Threads, int Items, class T, bool transposes>
__global__ void CubAdd(const T* a, const T* b, T* out, std::int64_t n) {
  wait_for_previous_grid();
  using Tile = CubTile<T, Threads, Items, transposes>;
  __shared__ typename Tile::Storage storage;
  typename Tile::Load load(storage.load);
  typename Tile::Store store(storage.store);
  const std::int64_t offset = std::int64_t{blockIdx.x} * Threads * Items;
  T arg0[Items], arg1[Items];
  if (offset + Threads * Items <= n) {
    load.Load(a + offset, arg0);
    Tile::share();
    load.Load(b + offset, arg1);
  } else {
    load.Load(a + offset, arg0, static_cast<int>(n - offset));
    Tile::share();
    load.Load(b + offset, arg1, static_cast<int>(n - offset));
  }
#pragma unroll
  for (int k = 0; k < Items; ++k) arg0[k] = arg0[k] + arg1[k];
  Tile::share();
  if (offset + Threads * Items <= n) {
    store.Store(out + offset, arg0);
  } else {
    store.Store(out + offset, arg0, static_cast<int>(n - offset));
  }
}
//! [cub_add]

/// As a float; CUB converts nothing on the way.
template <int Items, class T>
__device__ void widen(float (&to)[Items], const T (&from)[Items]) {
#pragma unroll
  for (int k = 0; k < Items; ++k) to[k] = static_cast<float>(from[k]);
}
template <int Items, class T>
__device__ void narrow(T (&to)[Items], const float (&from)[Items]) {
#pragma unroll
  for (int k = 0; k < Items; ++k) to[k] = static_cast<T>(from[k]);
}

//! [cub_sum]
template <int Threads, int Items, class T, bool transposes>
__global__ void CubSum(const T* x, T* y, std::int64_t columns) {
  wait_for_previous_grid();
  using Tile = CubTile<T, Threads, Items, transposes>;
  using Reduce = cub::BlockReduce<float, Threads>;
  __shared__ typename Tile::Storage tile;
  __shared__ typename Reduce::TempStorage storage;
  typename Tile::Load load(tile.load);
  x += blockIdx.x * columns;
  float total = 0.0f;
  for (std::int64_t column = 0; column < columns; column += Threads * Items) {
    const std::int64_t left = columns - column;
    T arg[Items];
    float wide[Items];
    if (left >= Threads * Items) {
      load.Load(x + column, arg);
    } else {
      load.Load(x + column, arg, static_cast<int>(left), T(0.0f));
    }
    Tile::share();
    widen(wide, arg);
#pragma unroll
    for (int k = 0; k < Items; ++k) total += wide[k];
  }
  const float sum = Reduce(storage).Sum(total);
  if (threadIdx.x == 0) y[blockIdx.x] = static_cast<T>(sum);
}
//! [cub_sum]

struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

//! [cub_softmax]
template <int Threads, int Items, class T, bool transposes>
__global__ void CubSoftmax(const T* x, T* y, std::int64_t columns) {
  wait_for_previous_grid();
  using Tile = CubTile<T, Threads, Items, transposes>;
  using Reduce = cub::BlockReduce<float, Threads>;
  __shared__ typename Tile::Storage tile;
  __shared__ typename Reduce::TempStorage max_storage, sum_storage;
  typename Tile::Load load(tile.load);
  typename Tile::Store store(tile.store);
  __shared__ float shared_max, shared_sum;
  const std::int64_t offset = blockIdx.x * columns;
  const auto count = static_cast<int>(columns);
  T arg[Items];
  float wide[Items];
  if (count == Threads * Items) {
    load.Load(x + offset, arg);
  } else {
    load.Load(x + offset, arg, count, T(-HUGE_VALF));
  }
  widen(wide, arg);
  const float max = Reduce(max_storage).Reduce(wide, Larger{});
  if (threadIdx.x == 0) shared_max = max;  // CUB's result is thread 0's alone
  __syncthreads();
#pragma unroll
  for (int k = 0; k < Items; ++k) wide[k] = exp2_approx((wide[k] - shared_max) * 1.44269504f);
  const float sum = Reduce(sum_storage).Sum(wide);
  if (threadIdx.x == 0) shared_sum = sum;
  __syncthreads();
  const float factor = 1.0f / shared_sum;
#pragma unroll
  for (int k = 0; k < Items; ++k) wide[k] *= factor;
  narrow(arg, wide);
  if (count == Threads * Items) {
    store.Store(y + offset, arg);
  } else {
    store.Store(y + offset, arg, count);
  }
}
//! [cub_softmax]

//! [cub_cumsum]
template <int Threads, int Items, class T, bool transposes>
__global__ void CubCumsum(const T* x, T* y, std::int64_t columns) {
  wait_for_previous_grid();
  using Tile = CubTile<T, Threads, Items, transposes>;
  using Scan = cub::BlockScan<float, Threads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename Tile::Storage tile;
  __shared__ typename Scan::TempStorage storage;
  typename Tile::Load load(tile.load);
  typename Tile::Store store(tile.store);
  const std::int64_t offset = blockIdx.x * columns;
  float carry = 0.0f;
  for (std::int64_t column = 0; column < columns; column += Threads * Items) {
    const auto left =
        columns - column < Threads * Items ? static_cast<int>(columns - column) : Threads * Items;
    T arg[Items];
    float wide[Items], total;
    if (left == Threads * Items) {
      load.Load(x + offset + column, arg);
    } else {
      load.Load(x + offset + column, arg, left, T(0.0f));
    }
    widen(wide, arg);
    Scan(storage).InclusiveSum(wide, wide, total);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Items; ++k) wide[k] += carry;
    carry += total;
    narrow(arg, wide);
    if (left == Threads * Items) {
      store.Store(y + offset + column, arg);
    } else {
      store.Store(y + offset + column, arg, left);
    }
    Tile::share();
  }
}
//! [cub_cumsum]

//! [cub_sort]
template <int Threads, int Items, class T>
__global__ void CubSort(const T* x, T* y, std::int64_t columns) {
  wait_for_previous_grid();
  using Load = cub::BlockLoad<T, Threads, Items, cub::BLOCK_LOAD_VECTORIZE>;
  using Store = cub::BlockStore<T, Threads, Items, cub::BLOCK_STORE_STRIPED>;
  using Sort = cub::BlockRadixSort<T, Threads, Items>;
  __shared__ typename Sort::TempStorage storage;
  const std::int64_t offset = blockIdx.x * columns;
  const auto count = static_cast<int>(columns);
  T keys[Items];
  if (count == Threads * Items) {
    Load().Load(x + offset, keys);
  } else {
    Load().Load(x + offset, keys, count, T(HUGE_VALF));
  }
  Sort(storage).SortBlockedToStriped(keys);
  Store().Store(y + offset, keys, count);
}
//! [cub_sort]

template <int Threads, class Kernel, class T>
cudaError_t launch_cub_rows(Kernel kernel, const T* x, T* y, std::int64_t rows,
                            std::int64_t columns, cudaStream_t stream,
                            std::int64_t most_columns = std::int64_t{1} << 62) {
  if (columns > most_columns) return cudaErrorInvalidValue;
  if (rows == 0 || columns == 0) return cudaSuccess;
  const LaunchShape shape{grid_1d(rows, 1), dim3(Threads), 0, Overlap::previous_kernel};
  return launch(kernel, shape, stream, x, y, columns);
}

template <class T>
struct Plus {
  __device__ T operator()(T a, T b) const { return a + b; }
};

template <class T>
cudaError_t add_cub(const T* a, const T* b, T* out, std::int64_t n, cudaStream_t stream) {
  return bench::cub_transform(a, b, out, n, Plus<T>{}, stream);
}
template <class T, bool transposes>
cudaError_t add_cub_block(const T* a, const T* b, T* out, std::int64_t n, cudaStream_t stream) {
  if (n == 0) return cudaSuccess;
  constexpr int kItems = 16 / static_cast<int>(sizeof(T));
  const LaunchShape shape{grid_1d(n, std::int64_t{kThreads} * kItems), dim3(kThreads), 0,
                          Overlap::previous_kernel};
  return launch(CubAdd<kThreads, kItems, T, transposes>, shape, stream, a, b, out, n);
}
template <class T, bool transposes>
cudaError_t sum_cub_block(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                          cudaStream_t stream) {
  constexpr int kItems = 64 / static_cast<int>(sizeof(T));
  return launch_cub_rows<4096 / kItems>(CubSum<4096 / kItems, kItems, T, transposes>, x, y, rows,
                                        columns, stream);
}
template <class T, bool transposes>
cudaError_t softmax_cub_block(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                              cudaStream_t stream) {
  return launch_cub_rows<256>(CubSoftmax<256, kCubSoftmaxTile / 256, T, transposes>, x, y, rows,
                              columns, stream, kCubSoftmaxTile);
}
template <class T, bool transposes>
cudaError_t cumsum_cub_block(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                             cudaStream_t stream) {
  return launch_cub_rows<128>(CubCumsum<128, 8, T, transposes>, x, y, rows, columns, stream);
}
template <class T>
cudaError_t sort_rows_cub_block(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                                cudaStream_t stream) {
  return launch_cub_rows<128>(CubSort<128, kCubSortTile / 128, T>, x, y, rows, columns, stream,
                              kCubSortTile);
}

}  // namespace
#endif

template <class T>
CubPeers<T> cub_peers() {
#if defined(TUTORIAL_BACKEND_CUDA)
  return {add_cub<T>,
          {add_cub_block<T, true>, add_cub_block<T, false>},
          {sum_cub_block<T, true>, sum_cub_block<T, false>},
          {softmax_cub_block<T, true>, softmax_cub_block<T, false>},
          {cumsum_cub_block<T, true>, cumsum_cub_block<T, false>},
          sort_rows_cub_block<T>};
#else
  return {};
#endif
}
template CubPeers<float> cub_peers();
template CubPeers<half> cub_peers();

}  // namespace tutorial
