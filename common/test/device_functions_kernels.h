// Launchers of the kernels in device_functions_kernels.cu: one for each kind of device function
// that both backends must agree on. All run on the default stream and return the launch's error.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace tutorial::test {

enum class Shuffle { index, up, down, exclusive_or };

/// One warp. Each lane in `mask` shuffles in[lane] with the given argument (lane, distance or lane
/// mask) and width, and writes what it gets to out[lane]; the other lanes take no part. The
/// lanes' values are 32 of type T. T: see the instantiations in the .cu file.
template <class T>
cudaError_t run_shuffle(Shuffle kind, unsigned mask, int argument, int width, const void* in,
                        void* out);

/// What the votes of one lane came to.
struct Votes {
  unsigned ballot;
  int any;
  int all;
};

/// One warp; each lane in `mask` votes with in[lane] != 0.
cudaError_t run_votes(unsigned mask, const int* in, Votes* out);

/// One warp; out[lane] = {warp_max, warp_max_by_shuffles} of in. T: int, unsigned.
template <class T>
cudaError_t run_warp_max(const T* in, T* out);

/// A block of `threads` sums in[0..threads) in shared memory, tree-wise, one barrier a level.
cudaError_t run_block_sum(int threads, const float* in, float* out);

/// out[i] = in[threads - 1 - i] for one block of at most 256 threads, through static shared memory.
cudaError_t run_static_reverse(int threads, const int* in, int* out);

/// The same for at most 1024 threads, through dynamic shared memory.
cudaError_t run_dynamic_reverse(int threads, const int* in, int* out);

/// Many blocks of 32x4x2 threads; out[i] counts how many threads found themselves at the global
/// position i (each should be 1).
cudaError_t run_positions(dim3 grid, dim3 block, unsigned* out);

/// One block; out[thread] = {__syncthreads_count, _and, _or} of in[thread].
cudaError_t run_block_votes(int threads, const int* in, int3* out);

/// What many threads leave behind; each field is updated by every thread t of `blocks` * 128.
struct Counters {
  int add;       // t added
  int subtract;  // 1 subtracted
  int min, max;  // of t - 1000
  unsigned all_bits, any_bits, odd_bits;
  unsigned wrapped_up, wrapped_down;  // atomicInc and atomicDec with limit 9
  unsigned long long wide_add;        // t * 2^20 added
  float float_add;                    // 1 added
  double double_add;                  // 1 added
  unsigned half_add;                  // a half2: (1, 0.5) added by the first 64 threads
  int compare_and_swap;               // 1 added, by a compare-and-swap loop
  unsigned exchanged;                 // every thread puts t + 1 in, and adds what it got out to ...
  unsigned long long taken_out;       // ... this
};

cudaError_t run_atomics(int blocks, Counters* counters);

/// launch() of an empty kernel in the given shape.
cudaError_t run_shape(dim3 grid, dim3 block, std::size_t shared_bytes);

/// The number and bit intrinsics, one result each, of in[0..4).
inline constexpr int kIntrinsicResults = 18;
cudaError_t run_intrinsics(const unsigned* in, unsigned* out);

}  // namespace tutorial::test
