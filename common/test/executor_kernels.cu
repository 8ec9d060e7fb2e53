// Kernels that do what a kernel must not do, and some that show how the executor runs them.

#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/test/executor_kernels.h"

#include <cstring>
#include <stdexcept>

namespace tutorial::test {
namespace {

constexpr unsigned kAll = 0xffffffffU;

__global__ void divergent_barrier_kernel() {
  if (threadIdx.x % 2 == 0) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}

__global__ void divergent_votes_kernel() {
  if (threadIdx.x % 2 == 0) {
    __syncthreads();
  } else {
    __syncthreads_count(1);
  }
}

__global__ void deadlock_kernel() {
  if (threadIdx.x == 0) __syncthreads();
  __syncwarp();
}

__global__ void mixed_shuffles_kernel() {
  if (threadIdx.x < 16) {
    __shfl_sync(kAll, 1, 0);
  } else {
    __shfl_up_sync(kAll, 1, 1);
  }
}

__global__ void shuffle_with_returned_lanes_kernel() {
  if (threadIdx.x < 16) return;
  __shfl_down_sync(kAll, 1, 1);
}

__global__ void shuffle_before_lanes_return_kernel() {
  if (threadIdx.x >= 16) return;
  __shfl_down_sync(kAll, 1, 1);
}

__global__ void full_shuffle_kernel() { __shfl_down_sync(kAll, 1, 1); }

__global__ void shuffle_from_outside_the_mask_kernel() {
  if (threadIdx.x < 16) __shfl_down_sync(0x0000ffffU, 1, 16);
}

__global__ void shuffle_outside_own_mask_kernel() { __shfl_sync(1U, 1, 0); }

__global__ void shuffle_of_odd_width_kernel() { __shfl_sync(kAll, 1, 0, 12); }

__global__ void empty_kernel() {}

__global__ void nested_launch_kernel(cudaError_t* error) {
  *error = launch(empty_kernel, {1, 1}, nullptr);
}

__global__ void throwing_kernel() { throw std::runtime_error("no such thing"); }

class Counted {
 public:
  explicit Counted(int* alive) : alive_(alive) { atomicAdd(alive_, 1); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { atomicSub(alive_, 1); }

 private:
  int* alive_;
};

__global__ void counting_objects_kernel(unsigned bad, int* alive) {
  const Counted counted(alive);
  __syncthreads();
  if (blockIdx.x == bad && threadIdx.x == 3) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}

__global__ void overrun_kernel(bool after_barrier, float* x, std::size_t n) {
  if (after_barrier) __syncthreads();
  if (threadIdx.x == 0) x[n] = 1.0F;
}

__global__ void shared_overrun_kernel(std::size_t n, float* out) {
  DYNAMIC_SHARED(float, tile);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = tile[n];
}

__global__ void overtaking_kernel(bool with_barrier, unsigned writer, int* out) {
  __shared__ int slot;
  for (int round = 0; round < 2; ++round) {
    const int value = __shfl_sync(0xffffffffu, round, 0);  // waits for this warp alone
    if (with_barrier) __syncthreads();
    if (threadIdx.x == writer) slot = value;
    __syncthreads();
    out[64 * round + static_cast<int>(threadIdx.x)] = slot;
  }
}

__global__ void neighbour_sum_kernel(bool with_barrier, const int* in, int* out) {
  __shared__ int tile[1024];
  const unsigned i = threadIdx.x;
  tile[i] = in[i];
  if (with_barrier) __syncthreads();
  out[i] = in[i] + tile[i == 0 ? 0 : i - 1];
}

__global__ void order_kernel(int* before, int* after) {
  __shared__ int started;
  __shared__ int resumed;
  if (threadIdx.x == 0) started = resumed = 0;
  __syncthreads();
  before[started++] = static_cast<int>(threadIdx.x);
  __syncthreads();
  after[resumed++] = static_cast<int>(threadIdx.x);
}

__global__ void block_order_kernel(int* order) {
  const int place = atomicAdd(&order[gridDim.x], 1);
  order[place] = static_cast<int>(blockIdx.x);
}

__global__ void rotations_kernel(int rounds, const int* in, int* out) {
  __shared__ int tile[1024];
  const unsigned i = threadIdx.x;
  tile[i] = in[i];
  for (int round = 0; round < rounds; ++round) {
    __syncthreads();
    const int value = tile[(i + 1) % blockDim.x];
    __syncthreads();
    tile[i] = value;
  }
  out[i] = tile[i];
}

__global__ void early_exits_kernel(int* out) {
  for (unsigned leaving = 0; leaving < blockDim.x; ++leaving) {
    if (threadIdx.x == leaving) return;
    __syncthreads();
    ++out[threadIdx.x];
  }
}

__global__ void uninitialised_shared_kernel(float* out) {
  DYNAMIC_SHARED(float, tile);
  out[threadIdx.x] = tile[threadIdx.x];
  tile[threadIdx.x] = 1.0F;
}

template <class T>
__device__ bool is_poisoned(const T& value) {
  unsigned char bytes[sizeof(T)];
  memcpy(bytes, &value, sizeof(T));
  for (const unsigned char byte : bytes) {
    if (byte != 0xFF) return false;
  }
  return true;
}

/// Whether this thread's slot was poisoned; afterwards it is not.
template <class T>
__device__ bool found_poisoned(T value) {
  __shared__ T slots[64];
  const bool poisoned = is_poisoned(slots[threadIdx.x]);
  slots[threadIdx.x] = value;
  return poisoned;
}

__global__ void unwritten_shared_kernel(int* found) {
  __shared__ float tile[64];
  int count = is_poisoned(tile[threadIdx.x]) ? 1 : 0;
  tile[threadIdx.x] = 1.0F;
  __syncthreads();
  __shared__ int later[64], latest;  // what has been written must outlive this declaration
  count += tile[63 - threadIdx.x] == 1.0F && is_poisoned(later[threadIdx.x]) ? 1 : 0;
  count += threadIdx.x != 0 || is_poisoned(latest) ? 1 : 0;
  later[threadIdx.x] = 1;
  if (threadIdx.x == 0) latest = 1;
  const auto in_a_lambda = [] {
    __shared__ short slot[64];
    const bool poisoned = is_poisoned(slot[threadIdx.x]);
    slot[threadIdx.x] = 1;
    return poisoned;
  };
  count += in_a_lambda() ? 1 : 0;
  count += found_poisoned(1.0) ? 1 : 0;
  count += found_poisoned(__float2half(1.0F)) ? 1 : 0;
  found[64 * blockIdx.x + threadIdx.x] = count;
}

__global__ void votes_of_returned_lanes_kernel(int* out) {
  if (threadIdx.x % 2 == 0) return;
  __syncwarp();
  if (__all_sync(kAll, 1) != 0 && __ballot_sync(kAll, 1) == 0xaaaaaaaaU) atomicAdd(out, 1);
}

__global__ void large_shared_kernel() {
  DYNAMIC_SHARED(int, tile);
  tile[threadIdx.x] = 1;
}

__global__ void private_arrays_kernel(int* out) {
  volatile unsigned mine[2048];
  for (unsigned i = 0; i < 2048; ++i) mine[i] = threadIdx.x * 4099 + i;
  __syncthreads();
  bool intact = true;
  for (unsigned i = 0; i < 2048; ++i) intact = intact && mine[i] == threadIdx.x * 4099 + i;
  out[threadIdx.x] = intact ? 1 : 0;
}

}  // namespace

cudaError_t run_divergent_barrier() { return launch(divergent_barrier_kernel, {1, 64}, nullptr); }

cudaError_t run_divergent_votes() { return launch(divergent_votes_kernel, {1, 64}, nullptr); }

cudaError_t run_deadlock() { return launch(deadlock_kernel, {1, 32}, nullptr); }

cudaError_t run_mixed_shuffles() { return launch(mixed_shuffles_kernel, {1, 32}, nullptr); }

cudaError_t run_shuffle_with_returned_lanes() {
  return launch(shuffle_with_returned_lanes_kernel, {1, 32}, nullptr);
}

cudaError_t run_shuffle_before_lanes_return() {
  return launch(shuffle_before_lanes_return_kernel, {1, 32}, nullptr);
}

cudaError_t run_shuffle_with_missing_lanes() {
  return launch(full_shuffle_kernel, {1, 16}, nullptr);
}

cudaError_t run_shuffle_from_outside_the_mask() {
  return launch(shuffle_from_outside_the_mask_kernel, {1, 32}, nullptr);
}

cudaError_t run_shuffle_outside_own_mask() {
  return launch(shuffle_outside_own_mask_kernel, {1, 32}, nullptr);
}

cudaError_t run_shuffle_of_odd_width() {
  return launch(shuffle_of_odd_width_kernel, {1, 32}, nullptr);
}

cudaError_t run_nested_launch(cudaError_t* error) {
  return launch(nested_launch_kernel, {1, 1}, nullptr, error);
}

cudaError_t run_throwing_kernel() { return launch(throwing_kernel, {1, 32}, nullptr); }

cudaError_t run_counting_objects(unsigned blocks, unsigned bad, int* alive) {
  return launch(counting_objects_kernel, {blocks, 256}, nullptr, bad, alive);
}

cudaError_t run_overrun(unsigned threads, bool after_barrier, float* x, std::size_t n) {
  return launch(overrun_kernel, {1, threads}, nullptr, after_barrier, x, n);
}

cudaError_t run_shared_overrun(std::size_t n, float* out) {
  return launch(shared_overrun_kernel, {1, 32, n * sizeof(float)}, nullptr, n, out);
}

cudaError_t run_overtaking(bool with_barrier, unsigned writer, int* out) {
  return launch(overtaking_kernel, {1, 64}, nullptr, with_barrier, writer, out);
}

cudaError_t run_neighbour_sum(unsigned threads, bool with_barrier, const int* in, int* out) {
  return launch(neighbour_sum_kernel, {1, threads}, nullptr, with_barrier, in, out);
}

cudaError_t run_order(unsigned threads, int* before, int* after) {
  return launch(order_kernel, {1, threads}, nullptr, before, after);
}

cudaError_t run_block_order(unsigned blocks, int* order) {
  return launch(block_order_kernel, {blocks, 1}, nullptr, order);
}

cudaError_t run_rotations(int rounds, const int* in, int* out) {
  return launch(rotations_kernel, {1, 1024}, nullptr, rounds, in, out);
}

cudaError_t run_early_exits(unsigned threads, int* out) {
  return launch(early_exits_kernel, {1, threads}, nullptr, out);
}

cudaError_t run_uninitialised_shared(unsigned n, float* out) {
  return launch(uninitialised_shared_kernel, {1, n, n * sizeof(float)}, nullptr, out);
}

cudaError_t run_unwritten_shared(unsigned blocks, int* found) {
  return launch(unwritten_shared_kernel, {blocks, 64}, nullptr, found);
}

cudaError_t run_votes_of_returned_lanes(int* out) {
  return launch(votes_of_returned_lanes_kernel, {1, 64}, nullptr, out);
}

cudaError_t run_large_shared(std::size_t bytes) {
  const cudaError_t error =
      cudaFuncSetAttribute(reinterpret_cast<const void*>(large_shared_kernel),
                           cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  return error != cudaSuccess ? error : launch(large_shared_kernel, {1, 32, bytes}, nullptr);
}

cudaError_t run_private_arrays(unsigned threads, int* out) {
  return launch(private_arrays_kernel, {1, threads}, nullptr, out);
}

}  // namespace tutorial::test
