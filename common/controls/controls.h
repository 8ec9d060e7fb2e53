// Control experiments: pairs of kernels that differ in one respect, for claims that several
// chapters share. notes/controls.md asks the questions and shows what came out.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// Only a GPU can answer, so this folder is built by the cuda backend alone. The launchers need
// 16-byte aligned pointers and an n that is a multiple of 4096; they are no library.

namespace tutorial::controls {

template <class T>
struct OneInput {
  std::string name;
  std::function<cudaError_t(const T* x, T* y, std::int64_t n, cudaStream_t stream)> launch;
};

template <class T, class Out = T>
struct TwoInputs {
  std::string name;
  std::function<cudaError_t(const T* a, const T* b, Out* y, std::int64_t n, cudaStream_t stream)>
      launch;
};

/// y = x: hints on loads and stores, `__restrict__`, two packs a thread, narrow accesses.
std::vector<OneInput<float>> float_copies();
/// y = x, with more and more instructions for every element, on one unit or on two in turn.
std::vector<OneInput<float>> float_fills();
std::vector<OneInput<half>> half_fills();
/// The same where a multiprocessor holds fewer threads, by shared memory or by registers; and with
/// instructions that wait for each other.
std::vector<OneInput<float>> float_fills_by_residency();
std::vector<OneInput<half>> half_fills_by_residency();

/// y = x by 2 to 32 bytes a thread, where a multiprocessor holds 256 to 2,048 threads: flight_BYTES_rTHREADS,
/// with _bTHREADS for blocks of other sizes than 256. And loads and stores alone.
std::vector<OneInput<float>> flights();
std::vector<TwoInputs<float, unsigned>> loads_alone();
std::vector<TwoInputs<float, unsigned>> stores_alone();
/// y = x, 16 bytes a thread in pieces of 1 to 16 bytes, a block's width apart, or its own 16 bytes.
std::vector<OneInput<float>> requests();

/// `sectors` sectors of 32 bytes, loaded or stored past the L1 `passes` times, one of every `spread`.
struct Sectors {
  std::string name;
  int spread;
  std::function<cudaError_t(void* base, std::int64_t sectors, int passes, cudaStream_t stream)>
      launch;
};
std::vector<Sectors> sectors();

/// y = x in halves, a pack a thread, with the stores of a pack cut and set apart.
std::vector<OneInput<half>> half_copies();

constexpr int kRow = 256;
/// y = x for the first `stored` of every kRow halves; the rest of a row stays as it was.
struct RowCopy {
  OneInput<half> copy;
  int stored;
};
std::vector<RowCopy> row_copies();

/// y = x >= 0 ? x : 2^(x log2 e) - 1: grid-stride loops, and block size apart from overlap.
std::vector<OneInput<float>> float_elus();
std::vector<OneInput<half>> half_elus();
/// Chapter 02's rung 6, with the registers that nvcc takes and with 32.
std::vector<OneInput<half>> half_gelus();

/// y = a + b: loops, bulk copies, cub.
std::vector<TwoInputs<float>> float_additions();
std::vector<TwoInputs<half>> half_additions();

/// y = a, or a + b where there are two inputs, with an early trigger and without.
template <int kInputs, class T>
std::vector<TwoInputs<T>> triggers();

/// y = a, or a + b, by blocks that stay and keep several tiles on their way.
template <int kInputs, class T>
std::vector<TwoInputs<T>> pipes();

/// Images (256, 56, 56) of halves plus one value per channel, the way to the channel's index varied.
inline constexpr std::int64_t kImages = 64, kChannels = 256, kSide = 56, kPixels = kSide * kSide;
std::vector<TwoInputs<half>> channel_sums();
/// (64, 1, 56, 1) + (1, 256, 1, 56) by launch_broadcast(): two packs a thread, and one.
std::vector<TwoInputs<float>> outer_sums();
/// The same in halves, eight a thread: the place found by 64-bit divisions, or by multiplications; the latter where a
/// multiprocessor holds fewer threads, by shared memory or by registers.
std::vector<TwoInputs<half>> outer_pack_sums();

/// y = a, or a + b, for arrays that are aligned to their elements alone: one element a thread; stores
/// of sixteen bytes with loads of an element, with two loads of sixteen bytes and a shift (the first
/// store at a multiple of 16 bytes, or of 128), with one load and a shuffle.
template <class T>
std::vector<TwoInputs<T>> any_addresses(int inputs);

/// words: bit i % 32 of word i / 32 says whether a[i] > b[i].
std::vector<TwoInputs<half, unsigned>> votes();

/// A kernel that does nothing, whose blocks may take shared memory for it.
cudaError_t empty(std::int64_t blocks, int threads, cudaStream_t stream, std::size_t shared = 0);

/// One thread follows `hops` pointers: from = next[from], beginning at *place, where it leaves the
/// last; cycles[0]: what they took. `through_l1`: the loads may hit in the L1. With `bytes` > 0,
/// the grid's other blocks copy as many bytes meanwhile.
cudaError_t chase(const unsigned* next, unsigned* place, long long* cycles, int hops,
                  bool through_l1, const float* from, float* to, std::int64_t bytes,
                  cudaStream_t stream);

/// Every multiprocessor's thread slots are taken for about `cycles` cycles.
cudaError_t occupy(long long cycles, cudaStream_t stream);

/// One thread, whose every fused multiply-add needs the result of the one before. *cycles: what they
/// took.
cudaError_t dependent(unsigned* sink, long long* cycles, cudaStream_t stream);
inline constexpr int kDependentInstructions = 1 << 22;

/// Instructions of one kind from 1024 threads on each of the GPU's multiprocessors. cycles[b]: what
/// block b took.
struct Throughput {
  std::string name;
  std::function<cudaError_t(unsigned* sink, long long* cycles, int blocks, cudaStream_t stream)>
      launch;
};
std::vector<Throughput> throughputs();
/// Instructions that a thread of such a launch issues, and its threads a block.
inline constexpr int kThroughputInstructions = 8 * 256;
inline constexpr int kThroughputThreads = 1024;

}  // namespace tutorial::controls
