// A value per channel: what division, the width of the index, packing, overlap and arithmetic before
// the wait do, one at a time; and packs a thread where both operands are broadcast.

#include "common/broadcast.cuh"
#include "common/controls/residency.cuh"
#include "common/controls/row.cuh"
#include "common/fast_division.h"
#include "common/macros.cuh"
#include "common/pack.cuh"

namespace tutorial::controls {

namespace {

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

/// Waits only when it has the index. The assembler moves arithmetic behind the wait where it can; the
/// check, which always passes, keeps it in front.
struct DivideFirst {
  DivideFast divide;
  __device__ std::int64_t operator()(std::int64_t i) const {
    const std::int64_t channel = divide(i);
    if (channel >= divide.channels.divisor()) __trap();
    wait_for_previous_grid();
    return channel;
  }
};

template <int kWidth, class Channel>
__global__ void control_channel_sum_kernel(const half* a, const half* b, half* y, std::int64_t n,
                                           Channel channel) {
  if constexpr (!std::is_same_v<Channel, DivideFirst>) wait_for_previous_grid();
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kWidth;
  if (i >= n) return;
  const half value = b[channel(i)];
  Pack<half, kWidth> pack = load_pack<kWidth>(a + i);
#pragma unroll
  for (int k = 0; k < kWidth; ++k) pack.at[k] = pack.at[k] + value;
  store_pack(y + i, pack);
}

// ---- An outer sum in packs, both operands broadcast --------------------------------------------

struct PlainDivisor {
  struct DivMod {
    std::int64_t quotient, remainder;
  };
  std::int64_t extent;
  __device__ std::int64_t divisor() const { return extent; }
  __device__ DivMod divmod(std::int64_t i) const { return {i / extent, i % extent}; }
};

template <class Divisor, class Index>
__device__ __forceinline__ void add_outer_pack(Index pack, const half* a, const half* b, half* y,
                                               Divisor channels, Divisor rows, Divisor row_packs) {
  const auto in_row = row_packs.divmod(pack);
  const auto row = rows.divmod(in_row.quotient);
  const auto channel = channels.divmod(row.quotient);
  const half value = a[channel.quotient * rows.divisor() + row.remainder];
  Pack<half, 8> sum =
      load_pack<8>(b + (channel.remainder * row_packs.divisor() + in_row.remainder) * 8);
#pragma unroll
  for (int k = 0; k < 8; ++k) sum.at[k] = sum.at[k] + value;
  store_pack(y + std::int64_t{pack} * 8, sum);
}

template <class Divisor, class Index>
__global__ void control_outer_pack_kernel(const half* a, const half* b, half* y, Index packs,
                                          Divisor channels, Divisor rows, Divisor row_packs) {
  const Index pack = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (pack < packs) add_outer_pack(pack, a, b, y, channels, rows, row_packs);
}

/// The same with kHeld registers and more, for the sake of a branch that no launch with packs enters.
template <int kHeld>
__global__ void control_outer_held_kernel(const half* a, const half* b, half* y,
                                          std::uint32_t packs, FastDivisor channels,
                                          FastDivisor rows, FastDivisor row_packs) {
  const std::uint32_t pack = blockIdx.x * blockDim.x + threadIdx.x;
  if (pack < packs) {
    add_outer_pack(pack, a, b, y, channels, rows, row_packs);
  } else if (packs == 0) {
    hold<kHeld>(a, y);
  }
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

/// As chapter 04's rung B8.
struct FastStrides {
  int rank;
  FastDivisor extent[7];
  std::uint32_t in0[7], in1[7];
};
__global__ void control_strided_fast_kernel(std::uint32_t n, FastStrides strides, const half* a,
                                            const half* b, half* y) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  std::uint32_t rest = i, offset0 = 0, offset1 = 0;
  for (int d = strides.rank - 1; d > 0; --d) {
    const DivMod at = strides.extent[d].divmod(rest);
    rest = at.quotient;
    offset0 += at.remainder * strides.in0[d];
    offset1 += at.remainder * strides.in1[d];
  }
  y[i] = a[offset0 + rest * strides.in0[0]] + b[offset1 + rest * strides.in1[0]];
}

// ---- Launches ---------------------------------------------------------------------------------

template <int kWidth, class Channel>
TwoInputs<half> packs(std::string name, LaunchOptions options = {}) {
  return row(std::move(name), control_channel_sum_kernel<kWidth, Channel>, kWidth, options,
             Channel{});
}

template <class Index>
TwoInputs<half> strided(std::string name,
                        void (*kernel)(Index, Strides<Index>, const half*, const half*, half*)) {
  const Strides<Index> strides{3,
                               {static_cast<Index>(kChannels * kPixels), Index{kPixels}, 1},
                               {static_cast<Index>(kChannels * kPixels), Index{kPixels}, 1},
                               {0, 1, 0}};
  return {std::move(name),
          [=](const half* a, const half* b, half* y, std::int64_t n, cudaStream_t stream) {
            return launch(kernel, {grid_1d(n, kThreads), dim3(kThreads)}, stream,
                          static_cast<Index>(n), strides, a, b, y);
          }};
}

TwoInputs<half> strided_fast(int threads) {
  FastStrides strides{3, {}, {kChannels * kPixels, kPixels, 1}, {0, 1, 0}};
  strides.extent[1] = FastDivisor(kChannels);
  strides.extent[2] = FastDivisor(kPixels);
  return {"strided_fast_b" + std::to_string(threads),
          [=](const half* a, const half* b, half* y, std::int64_t n, cudaStream_t stream) {
            return launch_elements(control_strided_fast_kernel, n, 1, {}, stream, {threads},
                                   static_cast<std::uint32_t>(n), strides, a, b, y);
          }};
}

/// Blocks of 256 threads, so that the blocks are not the limit.
template <class Divisor, class Index>
TwoInputs<half> outer_packs(std::string name) {
  constexpr auto kSmall = [](std::int64_t extent) { return static_cast<std::uint32_t>(extent); };
  return {std::move(name),
          [=](const half* a, const half* b, half* y, std::int64_t n, cudaStream_t stream) {
            return launch_elements(control_outer_pack_kernel<Divisor, Index>, n, 8, {}, stream,
                                   {256}, a, b, y, static_cast<Index>(n / 8),
                                   Divisor{kSmall(kChannels)}, Divisor{kSmall(kSide)},
                                   Divisor{kSmall(kSide / 8)});
          }};
}

/// The fast one, as far as the multiprocessors hold `resident` threads at once.
TwoInputs<half> outer_packs_at(int resident) {
  return {"outer_8_fast_r" + std::to_string(resident),
          [=](const half* a, const half* b, half* y, std::int64_t n, cudaStream_t stream) {
            constexpr int kBlock = 256;
            const auto kernel = control_outer_pack_kernel<FastDivisor, std::uint32_t>;
            return launch(kernel, shape_at(kernel, n / 8, kBlock, resident), stream, a, b, y,
                          static_cast<std::uint32_t>(n / 8), FastDivisor{kChannels},
                          FastDivisor{kSide}, FastDivisor{kSide / 8});
          }};
}

/// The same by registers: kHeld of them and some more make 32, 40 or 64.
template <int kHeld>
TwoInputs<half> outer_packs_held() {
  constexpr int kRegisters = kHeld < 28 ? 32 : kHeld < 52 ? 40 : 64;
  return {"outer_8_fast_registers" + std::to_string(kRegisters),
          [](const half* a, const half* b, half* y, std::int64_t n, cudaStream_t stream) {
            constexpr int kBlock = 256;
            return launch(control_outer_held_kernel<kHeld>, {grid_1d(n / 8, kBlock), dim3(kBlock)},
                          stream, a, b, y, static_cast<std::uint32_t>(n / 8),
                          FastDivisor{kChannels}, FastDivisor{kSide}, FastDivisor{kSide / 8});
          }};
}

struct Sum {
  using Packs = ElementByElement;
  __device__ float operator()(float a, float b) const { return a + b; }
};

TwoInputs<float> outer_sum(std::string name, BroadcastLimits limits) {
  return {std::move(name),
          [=](const float* a, const float* b, float* y, std::int64_t, cudaStream_t stream) {
            const Broadcast broadcast =
                broadcast_strides({kImages, 1, kSide, 1}, {1, kChannels, 1, kSide});
            return launch_broadcast(broadcast, a, b, y, Sum{}, stream, limits);
          }};
}

}  // namespace

std::vector<TwoInputs<float>> outer_sums() {
  BroadcastLimits one_pack;
  one_pack.enough_threads = one_pack.most_elements;
  return {outer_sum("outer_sum", {}), outer_sum("outer_sum_one_pack", one_pack)};
}

std::vector<TwoInputs<half>> outer_pack_sums() {
  return {outer_packs<PlainDivisor, std::int64_t>("outer_8_divide64"),
          outer_packs<FastDivisor, std::uint32_t>("outer_8_fast"),
          outer_packs_at(2048),
          outer_packs_at(1536),
          outer_packs_at(1024),
          outer_packs_at(512),
          outer_packs_held<1>(),
          outer_packs_held<28>(),
          outer_packs_held<52>()};
}

std::vector<TwoInputs<half>> channel_sums() {
  constexpr Overlap kOverlap = Overlap::previous_kernel;
  return {
      packs<1, Divide64>("channel_1_divide64"),
      packs<1, Divide32>("channel_1_divide32"),
      packs<1, DivideFast>("channel_1_fast"),
      packs<8, Divide64>("channel_8_divide64"),
      packs<8, Divide32>("channel_8_divide32"),
      packs<8, DivideFast>("channel_8_fast"),
      packs<8, DivideFast>("channel_8_fast_overlap", {kThreads, kOverlap}),
      packs<8, DivideFirst>("channel_8_fast_index_first", {kThreads, kOverlap}),
      strided_fast(128),
      strided_fast(256),
      strided<unsigned>("strided_index32", control_strided_kernel<unsigned>),
      strided<unsigned>("strided_index32_constant", control_strided_constant_kernel<unsigned>),
      strided<std::int64_t>("strided_index64", control_strided_kernel<std::int64_t>),
      strided<std::int64_t>("strided_index64_constant",
                            control_strided_constant_kernel<std::int64_t>),
  };
}

}  // namespace tutorial::controls
