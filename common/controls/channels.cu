// A value per channel: what division, the width of the index, packing and overlap do, one at a
// time.

#include "common/controls/controls.h"
#include "common/fast_division.h"
#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/pack.cuh"

namespace tutorial::controls {

namespace {

constexpr std::int64_t kElements = kImages * kChannels * kPixels;

// ---- The channel of an element ----------------------------------------------------------------

struct Divide64 {
  std::int64_t pixels = kPixels, channels = kChannels;
  __device__ std::int64_t operator()(std::int64_t i) const { return i / pixels % channels; }
};
struct Divide32 {
  unsigned pixels = kPixels, channels = kChannels;
  __device__ std::int64_t operator()(std::int64_t i) const {
    return static_cast<unsigned>(i) / pixels % channels;
  }
};
struct DivideFast {
  FastDivisor pixels{kPixels}, channels{kChannels};
  __device__ std::int64_t operator()(std::int64_t i) const {
    return channels.divmod(pixels.divide(static_cast<std::uint32_t>(i))).remainder;
  }
};

template <int kWidth, class Channel>
__global__ void control_channel_sum_kernel(const half* a, const half* b, half* y, std::int64_t n,
                                           Channel channel) {
  wait_for_previous_grid();
  //! [channel_sum]
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kWidth;
  if (i >= n) return;
  const half value = b[channel(i)];
  Pack<half, kWidth> pack = load_pack<kWidth>(a + i);
#pragma unroll
  for (int k = 0; k < kWidth; ++k) pack.at[k] = pack.at[k] + value;
  store_pack(y + i, pack);
  //! [channel_sum]
}

// ---- The loop over the dimensions, as chapter 04's rung B7 has it -----------------------------

template <class Index>
struct Strides {
  int rank;
  Index out[7], in0[7], in1[7];
};

template <class Index>
__device__ __forceinline__ void walk(Index i, const Strides<Index>& strides, const half* a,
                                     const half* b, half* y) {
  Index rest = i, offset0 = 0, offset1 = 0;
  for (int d = 0; d < strides.rank; ++d) {
    const Index along = rest / strides.out[d];
    rest = rest % strides.out[d];
    offset0 += along * strides.in0[d];
    offset1 += along * strides.in1[d];
  }
  y[i] = a[offset0] + b[offset1];
}

template <class Index>
__global__ void control_strided_kernel(Index n, Strides<Index> strides, const half* a,
                                       const half* b, half* y) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) walk(i, strides, a, b, y);
}

/// The parameter stays in constant memory: nobody may write it, so no thread needs a copy.
template <class Index>
__global__ void control_strided_constant_kernel(Index n,
                                                const __grid_constant__ Strides<Index> strides,
                                                const half* a, const half* b, half* y) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) walk(i, strides, a, b, y);
}

// ---- Launches ---------------------------------------------------------------------------------

template <int kWidth, class Channel>
ChannelSum packs(std::string name, int threads = kThreads, Overlap overlap = Overlap::none) {
  return {std::move(name), [=](const half* a, const half* b, half* y, cudaStream_t stream) {
            const LaunchShape shape{grid_1d(kElements, std::int64_t{threads} * kWidth),
                                    dim3(static_cast<unsigned>(threads)), 0, overlap};
            return launch(control_channel_sum_kernel<kWidth, Channel>, shape, stream, a, b, y,
                          kElements, Channel{});
          }};
}

template <class Index>
ChannelSum strided(std::string name,
                   void (*kernel)(Index, Strides<Index>, const half*, const half*, half*)) {
  const Strides<Index> strides{3,
                               {static_cast<Index>(kChannels * kPixels), Index{kPixels}, 1},
                               {static_cast<Index>(kChannels * kPixels), Index{kPixels}, 1},
                               {0, 1, 0}};
  return {std::move(name), [=](const half* a, const half* b, half* y, cudaStream_t stream) {
            return launch(kernel, {grid_1d(kElements, kThreads), dim3(kThreads)}, stream,
                          static_cast<Index>(kElements), strides, a, b, y);
          }};
}

}  // namespace

std::vector<ChannelSum> channel_sums() {
  return {
      packs<1, Divide64>("channel_1_divide64"),
      packs<1, Divide32>("channel_1_divide32"),
      packs<1, DivideFast>("channel_1_fast"),
      packs<8, Divide64>("channel_8_divide64"),
      packs<8, Divide32>("channel_8_divide32"),
      packs<8, DivideFast>("channel_8_fast"),
      packs<8, DivideFast>("channel_8_fast_b256", 256),
      packs<8, DivideFast>("channel_8_fast_overlap", kThreads, Overlap::previous_kernel),
      strided<unsigned>("strided_index32", control_strided_kernel<unsigned>),
      strided<unsigned>("strided_index32_constant", control_strided_constant_kernel<unsigned>),
      strided<std::int64_t>("strided_index64", control_strided_kernel<std::int64_t>),
      strided<std::int64_t>("strided_index64_constant",
                            control_strided_constant_kernel<std::int64_t>),
  };
}

}  // namespace tutorial::controls
