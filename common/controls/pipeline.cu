// A pipeline: blocks that stay, and keep several tiles on their way at once by the bulk copy engine.
// y = a, or y = a + b.

#include <algorithm>

#include "common/controls/bulk_copy.cuh"
#include "common/controls/controls.h"
#include "common/launch.cuh"
#include "common/macros.cuh"

namespace tutorial::controls {

namespace {

constexpr int kBlock = 256;

/// What a block has on its way: for each stage a barrier that counts its bytes, and its tile's number.
template <int kStages>
struct Ring {
  alignas(8) std::uint64_t full[kStages];
  unsigned tile[kStages];
};

__device__ unsigned control_next_pipe_tile;  // 0 between launches

/// The number of the tile that this block takes in `round`. kInOrder: drawn from a counter, so that
/// tiles begin in the order of their addresses; else a fixed share for each block.
template <bool kInOrder, int kStages>
__device__ __forceinline__ unsigned tile_of(unsigned round, unsigned tiles) {
  if constexpr (!kInOrder) return blockIdx.x + round * gridDim.x;
  const unsigned drawn = atomicAdd(&control_next_pipe_tile, 1);
  const bool is_last = drawn == tiles + kStages * gridDim.x - 1;  // the launch draws no more
  if (is_last) control_next_pipe_tile = 0;
  return drawn;
}

__device__ __forceinline__ int4 sum(int4 a, int4 b, float /*type*/) {
  float4 left, right;
  INT4(left) = a, INT4(right) = b;
  const float4 total{left.x + right.x, left.y + right.y, left.z + right.z, left.w + right.w};
  return INT4(total);
}
__device__ __forceinline__ int4 sum(int4 a, int4 b, half /*type*/) {
  alignas(16) half2 left[4], right[4];
  INT4(left[0]) = a, INT4(right[0]) = b;
#pragma unroll
  for (int k = 0; k < 4; ++k) left[k] = __hadd2(left[k], right[k]);
  return INT4(left[0]);
}

/// Tiles of kPacks packs of 16 bytes a thread, kStages of each input.
template <class T, int kInputs, int kPacks, int kStages, bool kInOrder>
__global__ void __launch_bounds__(kBlock)
    control_pipe_kernel(const T* a, const T* b, T* y, unsigned tiles) {
  constexpr int kTile = kBlock * kPacks;
  constexpr unsigned kBytes = kTile * sizeof(int4);
  extern __shared__ __align__(128) int4 memory[];
  __shared__ Ring<kStages> ring;
  const auto stage_of = [](int input, int stage) { return (input * kStages + stage) * kTile; };
  const auto at = [](const T* from, unsigned tile) {
    return reinterpret_cast<const int4*>(from) + std::int64_t{tile} * kTile;
  };
  const auto ask = [&](int stage, unsigned round) {
    const unsigned tile = tile_of<kInOrder, kStages>(round, tiles);
    ring.tile[stage] = tile;
    const unsigned bytes = tile < tiles ? kInputs * kBytes : 0;
    expect_bytes(&ring.full[stage], bytes);
    if (tile >= tiles) return;
    bulk_load(memory + stage_of(0, stage), at(a, tile), kBytes, &ring.full[stage]);
    if constexpr (kInputs == 2) {
      bulk_load(memory + stage_of(1, stage), at(b, tile), kBytes, &ring.full[stage]);
    }
  };

  if (threadIdx.x == 0) init_barriers(ring.full, kStages);
  wait_for_previous_grid();
  if (threadIdx.x == 0) {
    for (int k = 0; k < kStages; ++k) ask(k, static_cast<unsigned>(k));
  }
  __syncthreads();
  int stage = 0;
  unsigned parity = 0;
  for (unsigned round = 0;; ++round) {
    wait_until_full(&ring.full[stage], parity);
    const unsigned tile = ring.tile[stage];
    if (tile >= tiles) return;
    int4* const out = const_cast<int4*>(at(y, tile));
    int4 value[kPacks];
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      const int place = k * kBlock + static_cast<int>(threadIdx.x);
      value[k] = memory[stage_of(0, stage) + place];
      if constexpr (kInputs == 2) {
        value[k] = sum(value[k], memory[stage_of(1, stage) + place], T{});
      }
      out[place] = value[k];
    }
    __syncthreads();  // the stage has been read
    if (threadIdx.x == 0) ask(stage, round + kStages);
    if (++stage == kStages) stage = 0, parity ^= 1;
  }
}

/// kBlocks: that many blocks a multiprocessor.
template <class T, int kInputs, int kPacks, int kStages, int kBlocks, bool kInOrder = true>
TwoInputs<T> pipe() {
  const std::string name = std::string(kInputs == 1 ? "copy_" : "add_") +
                           (sizeof(T) == 2 ? "f16_" : "f32_") + "pipe_" + std::to_string(kStages) +
                           "x" + std::to_string(4 * kPacks) + "k_b" + std::to_string(kBlocks) +
                           (kInOrder ? "" : "_fixed");
  return {name, [](const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream) {
            const auto kernel = control_pipe_kernel<T, kInputs, kPacks, kStages, kInOrder>;
            constexpr std::int64_t kTile = kBlock * kPacks * 16 / sizeof(T);
            constexpr int kShared = kInputs * kStages * kBlock * kPacks * 16;
            const cudaError_t error =
                cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared);
            if (error != cudaSuccess) return error;
            int processors = 0;
            cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
            const std::int64_t tiles = n / kTile;
            const std::int64_t blocks = std::min<std::int64_t>(processors * kBlocks, tiles);
            return launch(kernel,
                          {grid_1d(blocks, 1), dim3(kBlock), kShared, Overlap::previous_kernel},
                          stream, a, b, y, static_cast<unsigned>(tiles));
          }};
}

}  // namespace

template <int kInputs, class T>
std::vector<TwoInputs<T>> pipes() {
  if constexpr (kInputs == 1) {
    return {pipe<T, 1, 1, 2, 8>(), pipe<T, 1, 2, 3, 4>(), pipe<T, 1, 1, 2, 8, false>()};
  } else {
    return {pipe<T, 2, 1, 2, 8>(), pipe<T, 2, 1, 3, 2>(), pipe<T, 2, 2, 2, 2>()};
  }
}
template std::vector<TwoInputs<float>> pipes<1, float>();
template std::vector<TwoInputs<half>> pipes<2, half>();
template std::vector<TwoInputs<float>> pipes<2, float>();

}  // namespace tutorial::controls
