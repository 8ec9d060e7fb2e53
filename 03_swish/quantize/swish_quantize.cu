// SwiGLU to E4m3 with a scale for each row: a block computes a row, finds its largest magnitude, scales. A few long
// rows are computed by a cluster of blocks each.
#include "03_swish/quantize/swish_quantize.h"

#include <algorithm>

#include "03_swish/swish_math.cuh"
#include "common/cluster.cuh"
#include "common/fp8.cuh"
#include "common/warp_max.cuh"

namespace tutorial {
namespace quantize {

struct QuantizedRows {
  E4m3* q;
  float* scale;
  std::int64_t columns, pitch;
  Beta beta;
};

/// The largest of `bits` in the block, in every thread; blocks of whole warps. Of floats without a sign
/// the bits are ordered as the numbers are, an infinity above them and NaN above that.
__device__ unsigned block_max(unsigned bits) {
  __shared__ unsigned of_warp[32];
  const unsigned lane = threadIdx.x % 32, warps = blockDim.x / 32;
  bits = warp_max(bits);
  if (lane == 0) of_warp[threadIdx.x / 32] = bits;
  __syncthreads();
  return warp_max(lane < warps ? of_warp[lane] : 0);
}

/// y of a pack, and its largest magnitude so far.
template <int W, class T>
__device__ __forceinline__ unsigned swiglu_of(Beta beta, const Pack<T, W>& a, const Pack<T, W>& b,
                                              float* y, unsigned most) {
#pragma unroll
  for (int k = 0; k < W; ++k) {
    const Factors gate = gate_factors(beta, static_cast<float>(a.at[k]), T{});
    y[k] = gate.a * (gate.r * static_cast<float>(b.at[k]));
    most = max(most, __float_as_uint(fabsf(y[k])));
  }
  return most;
}

/// The scale of a row whose largest magnitude has the bits `most`. A row of zeros counts as 2^-90; so neither the
/// scale nor its reciprocal is ever subnormal, which rcp_approx() would take for zero.
__device__ __forceinline__ float row_scale(unsigned most) {
  return max_nan(__uint_as_float(most), 0x1p-90f) * (1.0f / 448.0f);
}

/// When the next launch may begin (notes/quantize.md). Of blocks whose threads have one pack: in grids of so few, when the
/// loads are under way; in larger ones before the store, and only the last 256 trigger. Of clusters with so few threads
/// together, when the loads are under way.
constexpr unsigned kFewBlocks = 48, kFewThreads = 88 << 10;
constexpr int kLastThatTrigger = 1024, kLastOfMany = 256;

/// Scaled first, rounded once.
template <int W>
__device__ __forceinline__ void store_scaled(E4m3* q, const float* y, float inverse) {
  Pack<E4m3, W> pack;
  if constexpr (W == 1) {
    pack.at[0] = saturated_to<E4m3>({y[0] * inverse, 0.0f}).x;
  } else {
#pragma unroll
    for (int k = 0; k < W; k += 2) {
      detail::storage_as<Fp8Pair<E4m3>>(pack.at[k]) =
          saturated_to<E4m3>({y[k] * inverse, y[k + 1] * inverse});
    }
  }
  store_pack(q, pack);
}

/// One pass: a thread keeps kPacks packs of its row, each of W elements.
template <int W, int kPacks, class T>
__global__ void __launch_bounds__(1024)
    swiglu_quantize_one_pass_kernel(const T* a, const T* b, QuantizedRows to) {
  wait_for_previous_grid();
  const std::int64_t row = blockIdx.x;
  const auto at = [](int k) { return std::int64_t{k * blockDim.x + threadIdx.x} * W; };
  Pack<T, W> pack_a[kPacks], pack_b[kPacks];
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    if (at(k) >= to.columns) continue;
    pack_a[k] = load_pack<W>(a + row * to.pitch + at(k));
    pack_b[k] = load_pack<W>(b + row * to.pitch + at(k));
  }
  const bool few = gridDim.x <= kFewBlocks;
  if (kPacks == 1 && few) let_next_grid_begin(kLastThatTrigger);
  float y[kPacks][W];
  unsigned most = 0;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    if (at(k) < to.columns) most = swiglu_of<W>(to.beta, pack_a[k], pack_b[k], y[k], most);
  }
  const float scale = row_scale(block_max(most)), inverse = rcp_approx(scale);
  if (kPacks == 1 && !few) let_next_grid_begin(kLastOfMany);
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    if (at(k) < to.columns) store_scaled<W>(to.q + row * to.columns + at(k), y[k], inverse);
  }
  if (threadIdx.x == 0) to.scale[row] = scale;
}

/// One pass of a row by a cluster of kMostInCluster blocks: a thread keeps kPacks packs.
template <int W, int kPacks, class T>
__global__ void __launch_bounds__(512)
    swiglu_quantize_cluster_kernel(const T* a, const T* b, QuantizedRows to) {
  wait_for_previous_grid();
  const std::int64_t row = blockIdx.x / kMostInCluster;
  const unsigned rank = blockIdx.x % kMostInCluster;
  const auto at = [rank](int k) {
    return std::int64_t{(rank * kPacks + k) * blockDim.x + threadIdx.x} * W;
  };
  Pack<T, W> pack_a[kPacks], pack_b[kPacks];
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    if (at(k) < to.columns) {
      pack_a[k] = load_pack<W>(a + row * to.pitch + at(k));
      pack_b[k] = load_pack<W>(b + row * to.pitch + at(k));
    }
  }
  if (std::uint64_t{gridDim.x} * blockDim.x <= kFewThreads) let_next_grid_begin(kLastThatTrigger);
  __shared__ Exchange<unsigned> largest;
  largest.begin();
  float y[kPacks][W];
  unsigned most = 0;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    if (at(k) < to.columns) most = swiglu_of<W>(to.beta, pack_a[k], pack_b[k], y[k], most);
  }
  largest.all(block_max(most));
  most = warp_max(largest.of_blocks[threadIdx.x % kMostInCluster]);
  const float scale = row_scale(most), inverse = rcp_approx(scale);
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    if (at(k) < to.columns) store_scaled<W>(to.q + row * to.columns + at(k), y[k], inverse);
  }
  if (at(0) == 0) to.scale[row] = scale;
}

/// Two passes, W elements at a time: the second computes again what the first has not kept.
template <int W, class T>
__global__ void __launch_bounds__(1024)
    swiglu_quantize_two_passes_kernel(const T* a, const T* b, QuantizedRows to) {
  wait_for_previous_grid();
  const std::int64_t row = blockIdx.x, step = std::int64_t{blockDim.x} * W;
  const T *const row_a = a + row * to.pitch, *const row_b = b + row * to.pitch;
  float y[W];
  unsigned most = 0;
  for (std::int64_t i = threadIdx.x * W; i < to.columns; i += step) {
    most = swiglu_of<W>(to.beta, load_pack<W>(row_a + i), load_pack<W>(row_b + i), y, most);
  }
  const float scale = row_scale(block_max(most)), inverse = rcp_approx(scale);
  for (std::int64_t i = threadIdx.x * W; i < to.columns; i += step) {
    swiglu_of<W>(to.beta, load_pack<W>(row_a + i), load_pack<W>(row_b + i), y, 0);
    store_scaled<W>(to.q + row * to.columns + i, y, inverse);
  }
  if (threadIdx.x == 0) to.scale[row] = scale;
}

/// The threads of a block for so many items, kMost at most: whole warps.
int threads_for_row(std::int64_t items, std::int64_t most) {
  return static_cast<int>(std::clamp<std::int64_t>((items + 31) / 32 * 32, 32, most));
}

/// Of so few rows a row's own time is what counts, and a block of more threads, with one pack each instead of two, or two
/// instead of four, takes less of it (notes/quantize.md).
constexpr std::int64_t kFewRowsOfOne = 512, kFewRowsOfTwo = 128;

/// The most packs of a row that a block holds in its registers, and a cluster with two packs a thread, and with four.
constexpr std::int64_t kMostOfBlock = 4096, kMostOfTwo = 8192, kMostOfCluster = 16384;

/// As many rows have a multiprocessor each (H100 and H200).
constexpr std::int64_t kRowsAlone = 132;

/// The packs that a thread has where a cluster takes each row; 0: none does. Few rows that are long enough to win by the
/// eight blocks what their meeting costs; of longer ones also more than kRowsAlone, which a block for each would spread
/// unevenly; and those that no block holds. Limits of the H200 (notes/quantize.md).
template <class T>
int packs_in_cluster(std::int64_t rows, std::int64_t packs) {
  constexpr bool kHalves = sizeof(T) == 2;
  if (packs > kMostOfCluster || rows > 0x7fffffff / kMostInCluster) return 0;
  if (packs > kMostOfBlock) return packs > kMostOfTwo ? 4 : 2;
  if (packs >= 1792 && rows > kRowsAlone) {
    if (packs >= 3072) return rows <= (kHalves ? 768 : 4096) ? 2 : 0;
    return rows <= (kHalves && packs > 2048 ? 768 : 192) ? 1 : 0;
  }
  const std::int64_t most = packs > 2048    ? 80
                            : packs >= 1792 ? 64
                            : packs > 1024  ? 48
                            : packs >= 960  ? 24
                                            : 0;
  return rows <= most ? 1 : 0;
}

template <int W, class T>
cudaError_t launch_two_passes(const T* a, const T* b, const QuantizedRows& to, std::int64_t rows,
                              cudaStream_t stream) {
  const auto threads = static_cast<unsigned>(threads_for_row(to.columns / W, 512));
  return launch(swiglu_quantize_two_passes_kernel<W, T>,
                {dim3(static_cast<unsigned>(rows)), threads, 0, Overlap::previous_kernel}, stream,
                a, b, to);
}

template <class Kernel, class T>
cudaError_t launch_rows(Kernel kernel, int each, int blocks, const T* a, const T* b,
                        const QuantizedRows& to, std::int64_t rows, std::int64_t packs,
                        cudaStream_t stream) {
  LaunchShape shape;
  shape.grid = dim3(static_cast<unsigned>(rows * blocks));
  shape.block = dim3(
      static_cast<unsigned>(threads_for_row((packs + each * blocks - 1) / (each * blocks), 1024)));
  shape.overlap = Overlap::previous_kernel;
  shape.cluster = static_cast<unsigned>(blocks);
  return launch(kernel, shape, stream, a, b, to);
}

/// In one pass; rows in packs, up to kMostOfBlock of them, or where `of_cluster` > 0 as many as packs_in_cluster() says.
template <int W, class T>
cudaError_t launch_one_pass(const T* a, const T* b, const QuantizedRows& to, std::int64_t rows,
                            std::int64_t packs, int of_cluster, cudaStream_t stream) {
  const auto with = [&](auto kernel, int each, int blocks = 1) {
    return launch_rows(kernel, each, blocks, a, b, to, rows, packs, stream);
  };
  if (of_cluster == 1) return with(swiglu_quantize_cluster_kernel<W, 1, T>, 1, kMostInCluster);
  if (of_cluster == 2) return with(swiglu_quantize_cluster_kernel<W, 2, T>, 2, kMostInCluster);
  if (of_cluster == 4) return with(swiglu_quantize_cluster_kernel<W, 4, T>, 4, kMostInCluster);
  const auto most = [&](std::int64_t few_rows) { return rows <= few_rows ? 1024 : 512; };
  if (packs <= most(kFewRowsOfOne)) return with(swiglu_quantize_one_pass_kernel<W, 1, T>, 1);
  if (packs <= 2 * most(kFewRowsOfTwo)) return with(swiglu_quantize_one_pass_kernel<W, 2, T>, 2);
  return with(swiglu_quantize_one_pass_kernel<W, 4, T>, 4);
}

/// By single elements, up to so many rows are few: a cluster takes shorter ones of them, and four elements a thread instead
/// of eight.
constexpr std::int64_t kFewRowsByElements = 48;

/// The most elements of a row that a block holds with four a thread; and the most rows, of how many elements, that win
/// nothing by it.
constexpr std::int64_t kMostElementsOfBlock = 4096, kShortRows = 512, kShortRow = 512;

/// Rows that are not whole packs, or begin anywhere: by single elements, in one pass where a block of four elements a thread
/// or a cluster holds the row (notes/quantize.md).
template <class T>
cudaError_t launch_by_elements(const T* a, const T* b, const QuantizedRows& to, std::int64_t rows,
                               cudaStream_t stream) {
  const std::int64_t columns = to.columns;
  const bool few = rows <= kFewRowsByElements;
  const auto with = [&](auto kernel, int each, int blocks = 1) {
    return launch_rows(kernel, each, blocks, a, b, to, rows, columns, stream);
  };
  const auto of_cluster = [](int each) { return std::int64_t{each} * kMostInCluster * 512; };
  if (columns > kMostElementsOfBlock / (few ? 2 : 1) && columns <= of_cluster(16) &&
      rows <= 0x7fffffff / kMostInCluster &&
      runs_in_clusters(swiglu_quantize_cluster_kernel<1, 4, T>)) {
    if (few && columns <= of_cluster(4)) {
      return with(swiglu_quantize_cluster_kernel<1, 4, T>, 4, kMostInCluster);
    }
    return columns <= of_cluster(8)
               ? with(swiglu_quantize_cluster_kernel<1, 8, T>, 8, kMostInCluster)
               : with(swiglu_quantize_cluster_kernel<1, 16, T>, 16, kMostInCluster);
  }
  if (columns <= kMostElementsOfBlock && (columns > kShortRow || rows > kShortRows)) {
    return with(swiglu_quantize_one_pass_kernel<1, 4, T>, 4);
  }
  return launch_two_passes<1>(a, b, to, rows, stream);
}

}  // namespace quantize

using namespace quantize;

template <class T>
cudaError_t swiglu_quantize(const T* a, const T* b, E4m3* q, float* scale, std::int64_t rows,
                            std::int64_t columns, std::int64_t pitch, RowPasses passes,
                            cudaStream_t stream) {
  if (rows < 0 || columns < 0 || pitch < columns || rows > 0x7fffffff) return cudaErrorInvalidValue;
  constexpr int kWidth = 16 / sizeof(T);
  const bool has_elements = rows > 0 && columns > 0;
  const bool in_packs = columns % kWidth == 0 && pitch % kWidth == 0 && is_aligned(a, 16) &&
                        is_aligned(b, 16) && is_aligned(q, kWidth);
  const bool fits = fits_in_registers<T>(columns);
  if (passes == RowPasses::one_pass && !fits) return cudaErrorInvalidValue;
  const std::size_t wanted = passes == RowPasses::one_pass ? 16 : sizeof(T);
  const cudaError_t error = check_buffers({{a, wanted, nullptr, has_elements},
                                           {b, wanted, nullptr, has_elements},
                                           {q, 1, nullptr, has_elements},
                                           {scale, alignof(float), nullptr, has_elements}});
  if (error != cudaSuccess || !has_elements) return error;
  if (passes == RowPasses::one_pass && !in_packs) return cudaErrorMisalignedAddress;

  const QuantizedRows to{q, scale, columns, pitch, beta_constants(1.0f)};
  if (passes == RowPasses::two_passes) {
    return in_packs ? launch_two_passes<kWidth>(a, b, to, rows, stream)
                    : launch_two_passes<1>(a, b, to, rows, stream);
  }
  if (!in_packs) return launch_by_elements(a, b, to, rows, stream);
  const std::int64_t packs = columns / kWidth;
  int of_cluster = packs_in_cluster<T>(rows, packs);
  if (of_cluster > 0 && !runs_in_clusters(swiglu_quantize_cluster_kernel<kWidth, 1, T>))
    of_cluster = 0;
  if (fits || of_cluster > 0) {
    return launch_one_pass<kWidth>(a, b, to, rows, packs, of_cluster, stream);
  }
  return launch_two_passes<kWidth>(a, b, to, rows, stream);
}

#define TUTORIAL_INSTANTIATE(T)                                                         \
  template cudaError_t swiglu_quantize(const T*, const T*, E4m3*, float*, std::int64_t, \
                                       std::int64_t, std::int64_t, RowPasses, cudaStream_t);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial
