// y = a + b: grid-stride loops and other orders of a loop's tiles, tiles that the bulk copy engine
// brings, and cub's other way to load and store a block's items.

#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>

#include "common/bench/cub_transform.cuh"
#include "common/controls/bulk_copy.cuh"
#include "common/controls/residency.cuh"
#include "common/controls/row.cuh"
#include "common/elementwise_binary.cuh"
#include "common/macros.cuh"

namespace tutorial::controls {

namespace {

__device__ __forceinline__ float4 sum(float4 a, float4 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

__global__ void control_add_kernel(const float* a, const float* b, float* y, std::int64_t n) {
  wait_for_previous_grid();
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4;
  if (i < n) FLOAT4(y[i]) = sum(FLOAT4(a[i]), FLOAT4(b[i]));
}

/// The same with kRegisters registers and more: for the loop's sake, which no launch enters. So fewer
/// blocks fit an SM (of 128 threads 12, 10, 8 and 6 with 28, 36, 52 and 68), and nothing else changes.
template <int kRegisters>
__global__ void control_add_held_kernel(const float* a, const float* b, float* y, std::int64_t n) {
  wait_for_previous_grid();
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4;
  if (i < n) {
    FLOAT4(y[i]) = sum(FLOAT4(a[i]), FLOAT4(b[i]));
  } else if (n < 0) {
    hold<kRegisters>(a, y);
  }
}

/// Four bytes an access, kEach accesses a thread, a block's width apart: every access of a warp is 128
/// neighbouring bytes.
template <int kEach>
__global__ void control_add_narrow_kernel(const float* a, const float* b, float* y,
                                          std::int64_t n) {
  wait_for_previous_grid();
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x * kEach + threadIdx.x;
  float left[kEach], right[kEach];
  if (first + (kEach - 1) * std::int64_t{blockDim.x} < n) {
#pragma unroll
    for (int k = 0; k < kEach; ++k) left[k] = a[first + k * std::int64_t{blockDim.x}];
#pragma unroll
    for (int k = 0; k < kEach; ++k) right[k] = b[first + k * std::int64_t{blockDim.x}];
#pragma unroll
    for (int k = 0; k < kEach; ++k) y[first + k * std::int64_t{blockDim.x}] = left[k] + right[k];
  } else {
    for (std::int64_t i = first; i < n; i += blockDim.x) y[i] = a[i] + b[i];
  }
}

// ---- Grid-stride loops ------------------------------------------------------------------------

/// kBarrier: with the barrier that control_add_tickets_kernel needs.
template <bool kBarrier = false>
__global__ void control_add_stride_kernel(const float* a, const float* b, float* y,
                                          std::int64_t n) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x * 4;
  for (std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4; i < n;
       i += stride) {
    FLOAT4(y[i]) = sum(FLOAT4(a[i]), FLOAT4(b[i]));
    if constexpr (kBarrier) __syncthreads();
  }
}

__global__ void control_add_stride_two_kernel(const float* a, const float* b, float* y,
                                              std::int64_t n) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x * 4;
  for (std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4; i < n;
       i += 2 * stride) {
    const bool more = i + stride < n;
    const float4 left = FLOAT4(a[i]), right = FLOAT4(b[i]);
    const float4 next_left = more ? FLOAT4(a[i + stride]) : left;
    const float4 next_right = more ? FLOAT4(b[i + stride]) : right;
    FLOAT4(y[i]) = sum(left, right);
    if (more) FLOAT4(y[i + stride]) = sum(next_left, next_right);
  }
}

/// Every block has one contiguous part.
__global__ void control_add_parts_kernel(const float* a, const float* b, float* y, std::int64_t n) {
  const std::int64_t tile = std::int64_t{blockDim.x} * 4;
  const std::int64_t part = (n / tile + gridDim.x - 1) / gridDim.x * tile;
  const std::int64_t begin = blockIdx.x * part, end = begin + part < n ? begin + part : n;
  for (std::int64_t i = begin + threadIdx.x * 4; i < end; i += tile) {
    FLOAT4(y[i]) = sum(FLOAT4(a[i]), FLOAT4(b[i]));
  }
}

__device__ unsigned control_next_tile;  // 0 between launches

/// A block draws its next tile while it waits for this one's loads: tiles begin in the order of their
/// addresses, as the blocks of a kernel with one pack a thread do.
__global__ void control_add_tickets_kernel(const float* a, const float* b, float* y,
                                           std::int64_t n) {
  __shared__ unsigned drawn[2];
  const auto tiles = static_cast<unsigned>(n / (blockDim.x * 4));
  if (threadIdx.x == 0) drawn[0] = atomicAdd(&control_next_tile, 1);
  __syncthreads();
  for (int round = 0;; round ^= 1) {
    const unsigned tile = drawn[round];
    if (tile >= tiles) {
      const bool last = tile == tiles + gridDim.x - 1;  // the launch draws no more
      if (last && threadIdx.x == 0) control_next_tile = 0;
      return;
    }
    unsigned next = 0;
    if (threadIdx.x == 0) next = atomicAdd(&control_next_tile, 1);
    const std::int64_t i = (std::int64_t{tile} * blockDim.x + threadIdx.x) * 4;
    FLOAT4(y[i]) = sum(FLOAT4(a[i]), FLOAT4(b[i]));
    if (threadIdx.x == 0) drawn[round ^ 1] = next;
    __syncthreads();
  }
}

// ---- The bulk copy engine ---------------------------------------------------------------------

constexpr int kBulkThreads = 256;

/// One thread asks for both tiles; all wait until the barrier has counted their bytes.
__device__ __forceinline__ void load_tiles(void* left, const void* a, void* right, const void* b,
                                           unsigned bytes, std::uint64_t* barrier) {
  if (threadIdx.x == 0) {
    init_barriers(barrier, 1);
    expect_bytes(barrier, 2 * bytes);
    bulk_load(left, a, bytes, barrier);
    bulk_load(right, b, bytes, barrier);
  }
  __syncthreads();
  wait_until_full(barrier, 0);
}

/// Tiles of kPacks packs a thread. kBulkStore: the sums leave by the engine, too.
template <int kPacks, bool kBulkStore>
__global__ void __launch_bounds__(kBulkThreads)
    control_add_bulk_kernel(const float* a, const float* b, float* y) {
  __shared__ alignas(128) float4 tiles[2 * kBulkThreads * kPacks];
  __shared__ alignas(8) std::uint64_t barrier;
  wait_for_previous_grid();
  const std::int64_t first = std::int64_t{blockIdx.x} * kBulkThreads * kPacks * 4;
  load_tiles(tiles, a + first, tiles + kBulkThreads * kPacks, b + first, kBulkThreads * kPacks * 16,
             &barrier);
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int slot = k * kBulkThreads + static_cast<int>(threadIdx.x);
    const float4 total = sum(tiles[slot], tiles[kBulkThreads * kPacks + slot]);
    if constexpr (kBulkStore) {
      tiles[slot] = total;
    } else {
      FLOAT4(y[first + slot * 4]) = total;
    }
  }
  if constexpr (kBulkStore) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      bulk_store(y + first, tiles, kBulkThreads * kPacks * 16);
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
  }
}

// ---- cub's block primitives -------------------------------------------------------------------

constexpr int kCubThreads = 128;

template <class T, int kItems, cub::BlockLoadAlgorithm kLoad, cub::BlockStoreAlgorithm kStore>
__global__ void __launch_bounds__(kCubThreads)
    control_add_cub_kernel(const T* a, const T* b, T* y) {
  using Load = cub::BlockLoad<T, kCubThreads, kItems, kLoad>;
  using Store = cub::BlockStore<T, kCubThreads, kItems, kStore>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
  } scratch;
  const std::int64_t first = std::int64_t{blockIdx.x} * kCubThreads * kItems;
  T left[kItems], right[kItems];
  Load(scratch.load).Load(a + first, left);
  __syncthreads();
  Load(scratch.load).Load(b + first, right);
#pragma unroll
  for (int k = 0; k < kItems; ++k) left[k] = left[k] + right[k];
  __syncthreads();
  Store(scratch.store).Store(y + first, left);
}

struct Plus {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

// ---- Launches ---------------------------------------------------------------------------------

constexpr Overlap kOverlap = Overlap::previous_kernel;

/// `blocks` of `threads` an SM, for the sake of shared memory that nobody uses: the same in each row, and
/// as many threads in each, so that only the size of the blocks differs.
TwoInputs<float> shared_out(int threads, int blocks) {
  return {"add_b" + std::to_string(threads) + "_times_" + std::to_string(blocks),
          [=](const float* a, const float* b, float* y, std::int64_t n, cudaStream_t stream) {
            // A block has another KiB for itself.
            const std::size_t shared = (std::size_t{227} << 10) / blocks - 1024 - 512;
            const cudaError_t error = cudaFuncSetAttribute(
                control_add_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                static_cast<int>(shared));
            if (error != cudaSuccess) return error;
            const LaunchShape shape{grid_1d(n, std::int64_t{threads} * 4),
                                    dim3(static_cast<unsigned>(threads)), shared, kOverlap};
            return launch(control_add_kernel, shape, stream, a, b, y, n);
          }};
}

TwoInputs<float> strided(std::string name,
                         void (*kernel)(const float*, const float*, float*, std::int64_t),
                         int threads = kThreads) {
  return {std::move(name),
          [=](const float* a, const float* b, float* y, std::int64_t n, cudaStream_t stream) {
            const std::int64_t most = resident_threads() / threads;
            const std::int64_t needed = (n / 4 + threads - 1) / threads;
            const auto blocks = static_cast<unsigned>(needed < most ? needed : most);
            return launch(kernel, {dim3(blocks), dim3(static_cast<unsigned>(threads))}, stream, a,
                          b, y, n);
          }};
}

template <int kPacks, bool kBulkStore>
TwoInputs<float> bulk() {
  const std::string name =
      (kBulkStore ? "add_bulk_both_" : "add_bulk_loads_") + std::to_string(kPacks);
  return {name, [](const float* a, const float* b, float* y, std::int64_t n, cudaStream_t stream) {
            const LaunchShape shape{grid_1d(n, kBulkThreads * kPacks * 4), dim3(kBulkThreads)};
            return launch(control_add_bulk_kernel<kPacks, kBulkStore>, shape, stream, a, b, y);
          }};
}

template <class T, int kItems, bool kTranspose>
TwoInputs<T> cub_block(const std::string& dtype) {
  constexpr auto kLoad = kTranspose ? cub::BLOCK_LOAD_WARP_TRANSPOSE : cub::BLOCK_LOAD_VECTORIZE;
  constexpr auto kStore = kTranspose ? cub::BLOCK_STORE_WARP_TRANSPOSE : cub::BLOCK_STORE_VECTORIZE;
  const std::string name = "add_" + dtype + (kTranspose ? "_cub_transpose_" : "_cub_vectorize_") +
                           std::to_string(kItems);
  return {name, [](const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream) {
            return launch(control_add_cub_kernel<T, kItems, kLoad, kStore>,
                          {grid_1d(n, kCubThreads * kItems), dim3(kCubThreads)}, stream, a, b, y);
          }};
}

template <class T>
TwoInputs<T> cub_device(const std::string& dtype) {
  return {"add_" + dtype + "_cub_device",
          [](const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream) {
            return bench::cub_transform(a, b, y, n, Plus{}, stream);
          }};
}

}  // namespace

std::vector<TwoInputs<float>> float_additions() {
  return {row("add_b128", control_add_kernel, 4, {128}),
          row("add_b256_overlap", control_add_kernel, 4, {256, kOverlap}),
          row("add_b128_overlap", control_add_kernel, 4, {128, kOverlap}),
          row("add_b704_overlap", control_add_kernel, 4, {704, kOverlap}),
          row("add_b1024_overlap", control_add_kernel, 4, {1024, kOverlap}),
          shared_out(704, 2),
          shared_out(128, 11),
          shared_out(1024, 1),
          shared_out(128, 8),
          row("add_b128_12_blocks", control_add_held_kernel<28>, 4, {128, kOverlap}),
          row("add_b128_10_blocks", control_add_held_kernel<36>, 4, {128, kOverlap}),
          row("add_b128_8_blocks", control_add_held_kernel<52>, 4, {128, kOverlap}),
          row("add_b128_6_blocks", control_add_held_kernel<68>, 4, {128, kOverlap}),
          row("add_narrow_2_b256", control_add_narrow_kernel<2>, 2, {256, kOverlap}),
          row("add_narrow_4_b256", control_add_narrow_kernel<4>, 4, {256, kOverlap}),
          row("add_narrow_8_b256", control_add_narrow_kernel<8>, 8, {256, kOverlap}),
          strided("add_stride", control_add_stride_kernel<>),
          strided("add_stride_two", control_add_stride_two_kernel),
          row("add_b512", control_add_kernel, 4, {512}),
          strided("add_stride_b512", control_add_stride_kernel<>, 512),
          strided("add_stride_barrier_b512", control_add_stride_kernel<true>, 512),
          strided("add_parts_b512", control_add_parts_kernel, 512),
          strided("add_tickets_b512", control_add_tickets_kernel, 512),
          bulk<1, false>(),
          bulk<2, false>(),
          bulk<2, true>(),
          cub_block<float, 4, false>("f32"),
          cub_block<float, 16, false>("f32"),
          cub_block<float, 4, true>("f32"),
          cub_block<float, 16, true>("f32"),
          cub_device<float>("f32")};
}

std::vector<TwoInputs<half>> half_additions() {
  constexpr auto kPack2 = elementwise_pack2_kernel<half, Plus>;
  return {cub_block<half, 8, false>("f16"),
          cub_block<half, 16, false>("f16"),
          cub_block<half, 8, true>("f16"),
          cub_block<half, 16, true>("f16"),
          cub_device<half>("f16"),
          row("add_f16_b128_overlap", kPack2, 8, {128, kOverlap}, Plus{}),
          row("add_f16_b256_overlap", kPack2, 8, {256, kOverlap}, Plus{}),
          row("add_f16_b704_overlap", kPack2, 8, {704, kOverlap}, Plus{})};
}

}  // namespace tutorial::controls
