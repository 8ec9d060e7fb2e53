// One kernel for each kind of device function that both backends must agree on.

#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/test/device_functions_kernels.h"
#include "common/warp_max.cuh"

namespace tutorial::test {
namespace {

__device__ bool takes_part(unsigned mask) { return (mask >> (threadIdx.x % 32) & 1U) != 0; }

template <class T>
__device__ T shuffled(Shuffle kind, unsigned mask, T value, int argument, int width) {
  switch (kind) {
    case Shuffle::up:
      return __shfl_up_sync(mask, value, static_cast<unsigned>(argument), width);
    case Shuffle::down:
      return __shfl_down_sync(mask, value, static_cast<unsigned>(argument), width);
    case Shuffle::exclusive_or:
      return __shfl_xor_sync(mask, value, argument, width);
    case Shuffle::index:
      break;
  }
  return __shfl_sync(mask, value, argument, width);
}

template <class T>
__global__ void shuffle_kernel(Shuffle kind, unsigned mask, int argument, int width, const T* in,
                               T* out) {
  if (takes_part(mask)) {
    out[threadIdx.x] = shuffled(kind, mask, in[threadIdx.x], argument, width);
  }
  __syncwarp();
}

__global__ void votes_kernel(unsigned mask, const int* in, Votes* out) {
  if (!takes_part(mask)) return;
  const int value = in[threadIdx.x];
  Votes votes{};
  votes.ballot = __ballot_sync(mask, value);
  votes.any = __any_sync(mask, value);
  votes.all = __all_sync(mask, value);
  out[threadIdx.x] = votes;
}

template <class T>
__global__ void warp_max_kernel(const T* in, T* out) {
  out[2 * threadIdx.x] = warp_max(in[threadIdx.x]);
  out[2 * threadIdx.x + 1] = warp_max_by_shuffles(in[threadIdx.x]);
}

__global__ void block_sum_kernel(const float* in, float* out) {
  DYNAMIC_SHARED(float, partial);
  const unsigned thread = threadIdx.x;
  partial[thread] = in[thread];
  __syncthreads();
  for (unsigned distance = blockDim.x / 2; distance > 0; distance /= 2) {
    if (thread < distance) partial[thread] += partial[thread + distance];
    __syncthreads();
  }
  if (thread == 0) *out = partial[0];
}

__global__ void static_reverse_kernel(const int* in, int* out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void dynamic_reverse_kernel(const int* in, int* out) {
  DYNAMIC_SHARED(int, tile);
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void positions_kernel(unsigned* out) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  const unsigned width = gridDim.x * blockDim.x;
  const unsigned height = gridDim.y * blockDim.y;
  atomicAdd(&out[x + width * (y + height * z)], 1U);
}

__global__ void block_votes_kernel(const int* in, int3* out) {
  const int value = in[threadIdx.x];
  const int count = __syncthreads_count(value);
  const int all = __syncthreads_and(value);
  const int any = __syncthreads_or(value);
  out[threadIdx.x] = make_int3(count, all, any);
}

__device__ void add_by_compare_and_swap(int* counter) {
  int seen = *counter;
  int expected;
  do {
    expected = seen;
    seen = atomicCAS(counter, expected, expected + 1);
  } while (seen != expected);
}

__global__ void atomics_kernel(Counters* counters) {
  const int t = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const auto bits = static_cast<unsigned>(t);
  atomicAdd(&counters->add, t);
  atomicSub(&counters->subtract, 1);
  atomicMin(&counters->min, t - 1000);
  atomicMax(&counters->max, t - 1000);
  atomicAnd(&counters->all_bits, bits | 0xffff0000U);
  atomicOr(&counters->any_bits, bits);
  atomicXor(&counters->odd_bits, bits);
  atomicInc(&counters->wrapped_up, 9U);
  atomicDec(&counters->wrapped_down, 9U);
  atomicAdd(&counters->wide_add, static_cast<unsigned long long>(t) << 20);
  atomicAdd(&counters->float_add, 1.0f);
  atomicAdd(&counters->double_add, 1.0);
  if (t < 64) atomicAdd(&HALF2(counters->half_add), __floats2half2_rn(1.0f, 0.5f));
  add_by_compare_and_swap(&counters->compare_and_swap);
  const unsigned out = atomicExch(&counters->exchanged, bits + 1);
  atomicAdd(&counters->taken_out, static_cast<unsigned long long>(out));
}

__global__ void empty_kernel() {}

__global__ void intrinsics_kernel(const unsigned* in, unsigned* out) {
  const unsigned a = in[0];
  const unsigned b = in[1];
  const unsigned c = in[2];
  const auto signed_a = static_cast<int>(a);
  const auto signed_b = static_cast<int>(b);
  const float x = __uint_as_float(in[3]);
  int i = 0;
  out[i++] = static_cast<unsigned>(__popc(a));
  out[i++] = static_cast<unsigned>(__clz(signed_a));
  out[i++] = static_cast<unsigned>(__ffs(signed_a));
  out[i++] = __byte_perm(a, b, c);
  out[i++] = __funnelshift_r(a, b, c);
  out[i++] = __umulhi(a, b);
  out[i++] = static_cast<unsigned>(__mulhi(signed_a, signed_b));
  out[i++] = static_cast<unsigned>(__float2int_rn(x));
  out[i++] = static_cast<unsigned>(__float2int_rz(x));
  out[i++] = static_cast<unsigned>(__float2int_ru(x));
  out[i++] = static_cast<unsigned>(__float2int_rd(x));
  out[i++] = __float2uint_rn(x);
  out[i++] = static_cast<unsigned>(__float2ll_rn(x) >> 32);
  out[i++] = __float_as_uint(__fmaf_rn(x, x, x));
  out[i++] = __float_as_uint(__frcp_rn(x));
  out[i++] = __float_as_uint(__saturatef(x));
  out[i++] = min(a, b);
  out[i++] = static_cast<unsigned>(max(signed_a, signed_b));
}

dim3 threads_of(int threads) { return dim3(static_cast<unsigned>(threads)); }

}  // namespace

template <class T>
cudaError_t run_shuffle(Shuffle kind, unsigned mask, int argument, int width, const void* in,
                        void* out) {
  return launch(shuffle_kernel<T>, {1, 32}, nullptr, kind, mask, argument, width,
                static_cast<const T*>(in), static_cast<T*>(out));
}

#define TUTORIAL_INSTANTIATE(T) \
  template cudaError_t run_shuffle<T>(Shuffle, unsigned, int, int, const void*, void*);
TUTORIAL_INSTANTIATE(int)
TUTORIAL_INSTANTIATE(unsigned)
TUTORIAL_INSTANTIATE(long long)
TUTORIAL_INSTANTIATE(unsigned long long)
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(double)
TUTORIAL_INSTANTIATE(half)
TUTORIAL_INSTANTIATE(half2)
TUTORIAL_INSTANTIATE(__nv_bfloat16)
TUTORIAL_INSTANTIATE(__nv_bfloat162)
#undef TUTORIAL_INSTANTIATE

cudaError_t run_votes(unsigned mask, const int* in, Votes* out) {
  return launch(votes_kernel, {1, 32}, nullptr, mask, in, out);
}

template <class T>
cudaError_t run_warp_max(const T* in, T* out) {
  return launch(warp_max_kernel<T>, {1, 32}, nullptr, in, out);
}
template cudaError_t run_warp_max(const int*, int*);
template cudaError_t run_warp_max(const unsigned*, unsigned*);

cudaError_t run_block_sum(int threads, const float* in, float* out) {
  const std::size_t shared = static_cast<std::size_t>(threads) * sizeof(float);
  return launch(block_sum_kernel, {1, threads_of(threads), shared}, nullptr, in, out);
}

cudaError_t run_static_reverse(int threads, const int* in, int* out) {
  return launch(static_reverse_kernel, {1, threads_of(threads)}, nullptr, in, out);
}

cudaError_t run_dynamic_reverse(int threads, const int* in, int* out) {
  const std::size_t shared = static_cast<std::size_t>(threads) * sizeof(int);
  return launch(dynamic_reverse_kernel, {1, threads_of(threads), shared}, nullptr, in, out);
}

cudaError_t run_positions(dim3 grid, dim3 block, unsigned* out) {
  return launch(positions_kernel, {grid, block}, nullptr, out);
}

cudaError_t run_block_votes(int threads, const int* in, int3* out) {
  return launch(block_votes_kernel, {1, threads_of(threads)}, nullptr, in, out);
}

cudaError_t run_atomics(int blocks, Counters* counters) {
  return launch(atomics_kernel, {threads_of(blocks), 128}, nullptr, counters);
}

cudaError_t run_shape(dim3 grid, dim3 block, std::size_t shared_bytes) {
  return launch(empty_kernel, {grid, block, shared_bytes}, nullptr);
}

cudaError_t run_intrinsics(const unsigned* in, unsigned* out) {
  return launch(intrinsics_kernel, {1, 1}, nullptr, in, out);
}

}  // namespace tutorial::test
