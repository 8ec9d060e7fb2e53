// What the checks see, a kernel for each: every one but the last few is wrong in one way that has
// happened to somebody. Each line below names an exhibit and what must be printed of it: the sentence,
// and the line of the source that is at fault.
//
// check: forgotten_wait: thread 0 of block 0 reads x.0. before it has called wait_for_previous_grid.*[|] y.i. = x.i..
// check: early_trigger: thread 0 of block 0 calls let_next_grid_begin.. before wait_for_.*[|] let_next_grid_begin
// check: reads_too_early: thread 0 of block 0 reads y.0., which the kernel before it has written, before it has called wait_for_previous_grid.*[|] if .ReadsBefore. sum [+]= y.i.
// check: writes_too_early: thread 0 of block 0 writes y.0. before it has called wait_for_previous_grid.*[|] y.i. = sum
// check: nobody_waits: the launch asked for Overlap::previous_kernel and no thread calls wait_.*[|] __global__ void nobody_waits
// check: reads_past_end: reads x.1029., one past the end .x has 1029 elements..*[|] const float next = x.i [+] 1..
// check: reads_before: reads x.-1., 1 before the beginning .x has 1029 elements.*[|] const float last = x.i - 1..
// check: writes_far: thread 1 of block 0 writes y.100000., 98972 past the end .*[|] y.i [*] 100000. = x.i..
// check: writes_nowhere: writes 4 bytes at the address 0x[0-9a-f]+, which is neither .*[|] y.i << 40. = x.i..
// check: pack_past_end: writes y.1028. to y.1031., 3 past the end .y has 1029 elements.*[|] FLOAT4.y.i.. = FLOAT4.x.i..
// check: half_a_pair: thread 0 of block 0 reads x.1. to x.2. in one access of 8 bytes, at an address that is no multiple of 8 bytes: .*[|] FLOAT2.y.i.. = FLOAT2.x.i [+] 1..
// check: shared_index: thread 127 of block 0 reads tile.128., one past the end .tile has 128 elements.*[|] y.i. = tile.threadIdx.x [+] 1..
// check: dynamic_shared_index: thread 127 of block 0 writes slots.128., one past the end .slots has 128 elements.*[|] slots.threadIdx.x [+] 1. = x.i..
// check: missing_barrier: thread 1 of block 0 writes tile.1., which thread 0 of block 0 reads in common/test/check/exhibits.cu:[0-9]+, with no barrier between them.*[|] tile.threadIdx.x. = x.i..  // written
// check: missing_syncwarp: thread 16 of block 0 reads tile.16., which thread 15 of block 0 writes in common/test/check/exhibits.cu:[0-9]+, with no barrier between them.*[|] const float held = tile
// check: lost_update_in_block: thread 1 of block 0 reads count, which thread 0 of block 0 writes in the same line, with no barrier between them: an update can be lost.*[|] count [+]= 1.
// check: lost_update: thread 0 of block 1 reads y.0., which thread 0 of block 0 writes in the same line, and nothing orders blocks: an update can be lost.*[|] if .threadIdx.x == 0. y.0. [+]= x
// check: missing_fence: and nothing orders blocks.*[|] total [+]= y.1 [+] block..
// check: cluster_race: thread 0 of block 1 reads mine of block 0, which thread 0 of block 0 writes in common/test/check/exhibits.cu:[0-9]+, with no barrier of the cluster between them.*[|] const float got = .theirs
// check: cluster_pushed: thread 0 of block 1 writes mine.1. of block 0, which thread 0 of block 0 reads in common/test/check/exhibits.cu:[0-9]+, with no barrier of the cluster between them.*[|] if .threadIdx.x < 2. .in_block
// check: cluster_global: thread 0 of block 1 reads y.0., which thread 0 of block 0 writes in common/test/check/exhibits.cu:[0-9]+, with no barrier of the cluster between them.*[|] y.1. = y.0.
// check: cluster_not_begun: thread 0 of block 1 reads mine of block 0, and has come to no barrier of the cluster yet: that block may not have begun.*[|] const float got = .theirs
// check: cluster_left: thread 0 of block 0 reads mine of block 1, which may have ended: no barrier of the cluster behind this access keeps it.*[|] const float got = .theirs
// check: cluster_ended: shared memory of another block in common/test/check/exhibits.cu:[0-9]+: block 0 of the cluster has ended, and its shared memory with it
// check: nobody_wrote: thread 0 of block 8 reads tile.5., which no thread of the block has set before.*[|] total [+]= tile.k..
// check: copy_not_waited_for: thread 0 of block 0 reads tile.31., to which thread 7 of block 0 copies asynchronously in common/test/check/exhibits.cu:[0-9]+ and has not waited for it.*[|] y.threadIdx.x. = tile.31 - threadIdx.x.
// check: endless_loop: thread 0 of block 0 is still at work after 1 second: a loop without end.*[|] while .stride >= 0.
// check: endless_walk: thread 0 of block 0 is still at work after 1 second: a loop without end.*[|] y.k. = x.k..
// check: endless_barriers: is still at work after 1 second: a loop without end.*[|] (__syncthreads|for .unsigned stride)
// check: endless_shuffles: exhibits.cu:[0-9]+: thread [0-9]+ of block 0 is still at work after 1 second: a loop without end.*[|] held = __shfl_xor_sync
// check: race_in_a_function: thread 4 of block 0 reads of_warp.0., which thread 0 of block 0 writes in the same line .in any_of_warps.., common/test/check/exhibits.cu:[0-9]+., with no barrier between them .in [a-z_]*.., common/test/check/exhibits.cu
// check: divergent_barrier: check: [^:]*:[0-9]+: block .0,0,0.: divergent barrier: thread .0,0,0. waits at __syncthreads.. in common/test/check/exhibits.cu:[0-9]+, thread .64,0,0. at
// check: long_launch: Nothing was found in [1-9]
// check: early_right: Nothing was found in 2 launches
// check: cluster_right: Nothing was found in 1 launch of 4 blocks
// check: cluster_global_right: Nothing was found in 1 launch of 4 blocks
// check: cluster_pushes_right: Nothing was found in 1 launch of 4 blocks
// check: barrier_right: Nothing was found in [1-9]
// check: syncwarp_right: Nothing was found in [1-9]
// check: copy_right: Nothing was found in [1-9]
// check: fence_right: Nothing was found in [1-9]
// check: atomic_right: Nothing was found in [1-9]
#include "common/cluster.cuh"
#include "common/macros.cuh"
#include "common/proof/exhibit.h"
#include "common/ptx.cuh"

namespace tutorial::exhibits {
namespace {

__device__ std::int64_t index_of_thread() {
  return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}

// ---- The wait for the kernel before -------------------------------------------------------------

__global__ void forgotten_wait(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = index_of_thread();
  if (i < n) {
    y[i] = x[i];
  }
}

__global__ void early_trigger(const float* x, float* y, std::int64_t n) {
  let_next_grid_begin();
  wait_for_previous_grid();
  const std::int64_t i = index_of_thread();
  if (i < n) y[i] = x[i];
}

/// What the kernel before only reads may be read before the wait; what it writes, and any store, is for after it.
template <bool Waits, bool ReadsBefore>
__global__ void reads_early(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = index_of_thread();
  reads_what_previous_grid_reads();
  const float mine = i < n ? x[i] : 0.0f;
  if (Waits) wait_for_previous_grid();
  if (i >= n) return;
  float sum = mine;
  if (ReadsBefore) sum += y[i];
  y[i] = sum;
}

__global__ void copies(const float* x, float* y, std::int64_t n) {
  wait_for_previous_grid();
  const std::int64_t i = index_of_thread();
  if (i < n) y[i] = x[i];
}

/// Whoever comes after it relies on its having waited.
__global__ void nobody_waits(const float* /*x*/, float* y, std::int64_t n) {
  if (n < 0) y[0] = 0.0f;
}

// ---- Bounds -------------------------------------------------------------------------------------

/// The last thread throws away what it has read: the result is right.
__global__ void reads_past_end(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = index_of_thread();
  if (i < n) {
    const float next = x[i + 1];
    y[i] = i + 1 < n ? next : 0.0f;
  }
}

__global__ void reads_before(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = index_of_thread();
  if (i < n) {
    const float last = x[i - 1];
    y[i] = i > 0 ? last : 0.0f;
  }
}

__global__ void writes_far(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = index_of_thread();
  if (i < n) {
    y[i * 100000] = x[i];
  }
}

__global__ void writes_nowhere(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = index_of_thread();
  if (i < n) {
    y[i << 40] = x[i];
  }
}

__global__ void pack_past_end(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = 4 * index_of_thread();
  if (i < n) {
    FLOAT4(y[i]) = FLOAT4(x[i]);
  }
}

__global__ void half_a_pair(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = 2 * index_of_thread();
  if (i + 2 < n) {
    FLOAT2(y[i]) = FLOAT2(x[i + 1]);
  }
}

__global__ void shared_index(const float* x, float* y, std::int64_t n) {
  __shared__ float tile[kThreads];
  const std::int64_t i = index_of_thread();
  tile[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  if (i < n) {
    y[i] = tile[threadIdx.x + 1];
  }
}

__global__ void dynamic_shared_index(const float* x, float* y, std::int64_t n) {
  DYNAMIC_SHARED(float, slots);
  const std::int64_t i = index_of_thread();
  if (i < n) {
    slots[threadIdx.x + 1] = x[i];
    y[i] = slots[threadIdx.x + 1];
  }
}

// ---- Races --------------------------------------------------------------------------------------

template <bool HasBarrier>
__global__ void neighbour(const float* x, float* y, std::int64_t n) {
  __shared__ float tile[kThreads];
  const std::int64_t i = index_of_thread();
  if (i < n) {
    tile[threadIdx.x] = x[i];  // written
  }
  if (HasBarrier) __syncthreads();
  if (i < n - 1 && threadIdx.x < kThreads - 1) {
    y[i] = tile[threadIdx.x + 1];
  }
}

/// One warp turns its values round in place. That it runs as one was never promised.
template <bool HasSyncwarp>
__global__ void turn_round(const float* x, float* y, std::int64_t /*n*/) {
  __shared__ float tile[32];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncwarp();
  const float held = tile[threadIdx.x];
  if (HasSyncwarp) __syncwarp();
  tile[31 - threadIdx.x] = held;
  __syncwarp();
  y[threadIdx.x] = tile[threadIdx.x];
}

/// Eight lanes copy what all read.
template <bool HasWait>
__global__ void copies_a_tile(const float* x, float* y, std::int64_t /*n*/) {
  __shared__ __align__(16) float tile[32];
  if (threadIdx.x < 8) copy_async(tile + 4 * threadIdx.x, x + 4 * threadIdx.x);
  if (HasWait) wait_for_copies();
  __syncwarp();
  y[threadIdx.x] = tile[31 - threadIdx.x];
}

/// Both lines are those of one call.
__device__ __forceinline__ float any_of_warps(float value) {
  __shared__ float of_warp[4];
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  return of_warp[threadIdx.x % 4];
}

__global__ void race_in_a_function(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = index_of_thread();
  if (i < n) y[i] = any_of_warps(x[i]);
}

__global__ void lost_update_in_block(const float* x, float* y, std::int64_t n) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  const std::int64_t i = index_of_thread();
  if (i < n && x[i] >= 0.0f) {
    count += 1;
  }
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = static_cast<float>(count);
}

__global__ void lost_update(const float* x, float* y, std::int64_t /*n*/) {
  if (threadIdx.x == 0) y[0] += x[blockIdx.x];
}

__global__ void atomic_update(const float* x, float* y, std::int64_t /*n*/) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0.0f;
  __syncthreads();
  atomicAdd(&sum, x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&y[0], sum);
}

/// The block that comes last adds up what all have left in y[1] and on. Which one that is, an atomic
/// tells it; that it sees the others' values, their fence.
template <bool HasFence>
__global__ void last_block_adds(const float* x, float* y, std::int64_t /*n*/, unsigned* arrived) {
  if (threadIdx.x != 0) return;
  y[1 + blockIdx.x] = x[blockIdx.x];
  if (HasFence) __threadfence();
  if (atomicAdd(arrived, 1U) != gridDim.x - 1) return;
  float total = 0.0f;
  for (unsigned block = 0; block < gridDim.x; ++block) {
    total += y[1 + block];
  }
  y[0] = total;
}

/// The last block has five elements and adds up a tile of 128.
__global__ void nobody_wrote(const float* x, float* y, std::int64_t n) {
  __shared__ float tile[kThreads];
  const std::int64_t i = index_of_thread();
  if (i < n) tile[threadIdx.x] = x[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int k = 0; k < kThreads; ++k) {
      total += tile[k];
    }
    y[blockIdx.x] = total;
  }
}

// ---- Clusters of two blocks ---------------------------------------------------------------------

enum class Lacks { nothing, first, second };

/// Each block takes the other's element, then has another one itself. kWho: the ranks that do, as bits.
template <Lacks kLacks, unsigned kWho, bool kIsWritten>
__global__ void exchange(const float* x, float* y, std::int64_t /*n*/) {
  __shared__ float mine;
  if (threadIdx.x == 0) mine = x[blockIdx.x];
  if (kLacks != Lacks::first) cluster_barrier();
  if (threadIdx.x == 0 && (kWho >> cluster_rank() & 1U) != 0) {
    const float* const theirs = in_block(&mine, 1 - cluster_rank());
    const float got = *theirs;
    y[blockIdx.x] = got;
  }
  if (kLacks != Lacks::second) cluster_barrier();
  if (!kIsWritten) return;
  if (threadIdx.x == 0) {
    mine = 1.0f;
    y[blockIdx.x] += mine;
  }
  cluster_barrier();
}

/// Each block leaves its element with the other.
template <bool HasBarrier>
__global__ void push(const float* x, float* y, std::int64_t /*n*/) {
  __shared__ float mine[2];
  cluster_barrier();
  if (threadIdx.x < 2) *in_block(&mine[cluster_rank()], threadIdx.x) = x[blockIdx.x];
  HasBarrier ? cluster_barrier() : __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = mine[0] + mine[1];
  if (!HasBarrier) cluster_barrier();
}

template <bool HasBarrier>
__global__ void through_global_memory(const float* x, float* y, std::int64_t /*n*/) {
  if (blockIdx.x == 0 && threadIdx.x == 0) y[0] = x[0];
  if (HasBarrier) cluster_barrier();
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    y[1] = y[0];
  }
}

// ---- What does not end, and what does not meet --------------------------------------------------

/// Half of 0 is 0.
__global__ void endless_loop(const float* x, float* y, std::int64_t n) {
  int stride = static_cast<int>(n);
  while (stride >= 0) stride /= 2;
  y[0] = x[0] + static_cast<float>(stride);
}

__global__ void endless_walk(const float* x, float* y, std::int64_t n) {
  const std::int64_t step = gridDim.y - 1;  // of a grid that has one row
  for (std::int64_t k = index_of_thread(); k < n; k += step) {
    y[k] = x[k];
  }
}

/// Its nine blocks take twice the time that one may take.
__global__ void long_launch(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = index_of_thread();
  const long long end = clock64() + 250000000;
  volatile int steps = 0;
  while (threadIdx.x == 0 && clock64() < end) {
    for (steps = 0; steps < 100000;) steps = steps + 1;
  }
  if (i < n) y[i] = x[i];
}

__global__ void endless_barriers(const float* x, float* y, std::int64_t /*n*/) {
  for (unsigned stride = blockDim.x / 2; stride < blockDim.x; stride /= 2) {
    __syncthreads();  // for ever
  }
  y[0] = x[0];
}

__global__ void endless_shuffles(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = index_of_thread();
  float held = i < n ? x[i] : 0.0f;
  for (int mask = 16; mask >= 0; mask /= 2) {
    held = __shfl_xor_sync(~0U, held, mask);  // for ever
  }
  if (i < n) y[i] = held;
}

__global__ void divergent_barrier(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = index_of_thread();
  if (threadIdx.x < 64) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  if (i < n) y[i] = x[i];
}

// ---- Launches -----------------------------------------------------------------------------------

using Kernel = void (*)(const float*, float*, std::int64_t);
using Launcher = cudaError_t (*)(const float*, float*, std::int64_t, cudaStream_t);

template <Kernel kernel, int PerThread = 1, Overlap overlap = Overlap::none>
cudaError_t in_blocks(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return launch(kernel, {grid_1d(n, kThreads * PerThread), dim3(kThreads), 512, overlap}, stream, x,
                y, n);
}

template <Kernel kernel>
cudaError_t behind_copies(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  constexpr auto kOverlap = Overlap::previous_kernel;
  const cudaError_t error = in_blocks<copies, 1, kOverlap>(x, y, n, stream);
  return error != cudaSuccess ? error : in_blocks<kernel, 1, kOverlap>(x, y, n, stream);
}

template <Kernel kernel>
cudaError_t in_one_warp(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return launch(kernel, {dim3(1), dim3(32)}, stream, x, y, n);
}

template <Kernel kernel>
cudaError_t in_clusters(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return launch(kernel, {dim3(4), dim3(kThreads), 0, Overlap::none, 2}, stream, x, y, n);
}

template <bool HasFence>
cudaError_t with_counter(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  unsigned* arrived = nullptr;
  cudaMalloc(&arrived, sizeof(unsigned));
  cudaMemset(arrived, 0, sizeof(unsigned));
  const cudaError_t error = launch(
      last_block_adds<HasFence>, {grid_1d(n, kThreads), dim3(kThreads)}, stream, x, y, n, arrived);
  cudaFree(arrived);
  return error;
}

}  // namespace
}  // namespace tutorial::exhibits

int main(int argc, char** argv) {
  using namespace tutorial::exhibits;
  constexpr auto kOverlap = tutorial::Overlap::previous_kernel;
  const auto of = [](Launcher launcher) {
    return [launcher] { tutorial::test::run_exhibit(launcher); };
  };
  return tutorial::test::exhibit_main(
      argc, argv,
      {
          {"forgotten_wait", of(in_blocks<forgotten_wait, 1, kOverlap>)},
          {"early_trigger", of(in_blocks<early_trigger, 1, kOverlap>)},
          {"reads_too_early", of(behind_copies<reads_early<false, true>>)},
          {"writes_too_early", of(behind_copies<reads_early<false, false>>)},
          {"early_right", of(behind_copies<reads_early<true, true>>)},
          {"nobody_waits", of(in_blocks<nobody_waits, 1, kOverlap>)},
          {"reads_past_end", of(in_blocks<reads_past_end>)},
          {"reads_before", of(in_blocks<reads_before>)},
          {"writes_far", of(in_blocks<writes_far>)},
          {"writes_nowhere", of(in_blocks<writes_nowhere>)},
          {"pack_past_end", of(in_blocks<pack_past_end, 4>)},
          {"half_a_pair", of(in_blocks<half_a_pair, 2>)},
          {"shared_index", of(in_blocks<shared_index>)},
          {"dynamic_shared_index", of(in_blocks<dynamic_shared_index>)},
          {"missing_barrier", of(in_blocks<neighbour<false>>)},
          {"missing_syncwarp", of(in_one_warp<turn_round<false>>)},
          {"copy_not_waited_for", of(in_one_warp<copies_a_tile<false>>)},
          {"copy_right", of(in_one_warp<copies_a_tile<true>>)},
          {"lost_update_in_block", of(in_blocks<lost_update_in_block>)},
          {"lost_update", of(in_blocks<lost_update>)},
          {"missing_fence", of(with_counter<false>)},
          {"cluster_race", of(in_clusters<exchange<Lacks::second, 3, true>>)},
          {"cluster_global", of(in_clusters<through_global_memory<false>>)},
          {"cluster_not_begun", of(in_clusters<exchange<Lacks::first, 2, false>>)},
          {"cluster_left", of(in_clusters<exchange<Lacks::second, 1, false>>)},
          {"cluster_ended", of(in_clusters<exchange<Lacks::second, 3, false>>)},
          {"cluster_pushed", of(in_clusters<push<false>>)},
          {"cluster_right", of(in_clusters<exchange<Lacks::nothing, 3, true>>)},
          {"cluster_pushes_right", of(in_clusters<push<true>>)},
          {"cluster_global_right", of(in_clusters<through_global_memory<true>>)},
          {"nobody_wrote", of(in_blocks<nobody_wrote>)},
          {"endless_loop", of(in_blocks<endless_loop>)},
          {"endless_walk", of(in_blocks<endless_walk>)},
          {"endless_barriers", of(in_blocks<endless_barriers>)},
          {"endless_shuffles", of(in_blocks<endless_shuffles>)},
          {"race_in_a_function", of(in_blocks<race_in_a_function>)},
          {"divergent_barrier", of(in_blocks<divergent_barrier>)},
          {"long_launch", of(in_blocks<long_launch>)},
          {"barrier_right", of(in_blocks<neighbour<true>>)},
          {"syncwarp_right", of(in_one_warp<turn_round<true>>)},
          {"fence_right", of(with_counter<true>)},
          {"atomic_right", of(in_blocks<atomic_update>)},
      });
}
