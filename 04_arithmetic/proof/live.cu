// The ladders' kernels as a page of the book runs them (common/live): sums of halves.
#include "04_arithmetic/ladders/ladder_a_same_shape.cuh"
#include "04_arithmetic/ladders/ladder_b_broadcast.cuh"
#include "common/broadcast.cuh"
#include "common/live/binary.cuh"

namespace tutorial::live {

namespace {

using Add = Arithmetic<ArithmeticOp::Add, half>;
constexpr std::int64_t kChannels = 8, kPixels = 64;

template <class Op>
Kernel of_one_shape(const char* rung,
                    void (*kernel)(const half*, const half*, half*, std::int64_t, Op),
                    int per_thread, std::size_t alignment) {
  return binary("04_arithmetic", rung, kernel, per_thread, alignment, alignment);
}

/// Rung A3, as contiguous.cu launches it: sixteen bytes of shared memory for each operand of a thread.
cudaError_t shared(const half* a, const half* b, half* y, const Controls& set) {
  const cudaError_t error = check_arguments(set.n, {{a, 16}, {b, 16}, {y, 16}});
  if (error != cudaSuccess || set.n == 0) return error;
  const auto threads = static_cast<unsigned>(set.threads);
  return launch(
      arithmetic_fp16_kernel<Add>,
      {grid_1d(set.n, std::int64_t{threads} * 8), dim3(threads), threads * 2 * sizeof(float4)},
      nullptr, a, b, y, set.n, Add{});
}

/// b has a number for each channel.
template <class Launch>
Kernel of_channels(const char* rung, Launch launch, std::vector<std::string> controls) {
  Kernel made = binary<half, half>(
      "04_arithmetic", rung,
      [launch](const half* a, const half* b, half* y, const Controls& set) {
        if (set.n % (kChannels * kPixels) != 0) {
          return refuse(cudaErrorInvalidValue,
                        "here an image has 8 channels of 64 pixels, so n is a multiple of 512");
        }
        return launch(a, b, y, set);
      },
      kChannels);
  made.controls = std::move(controls);
  return made;
}

cudaError_t one_not_broadcast(const half* a, const half* b, half* y, const Controls& set) {
  const cudaError_t error = check_operands(set.n, a, b, y);
  if (error != cudaSuccess || set.n == 0) return error;
  return launch(arithmetic_one_not_broadcast_kernel<half, Add>,
                {grid_1d(set.n, set.threads), dim3(static_cast<unsigned>(set.threads))}, nullptr,
                set.n, kChannels, kPixels, false, a, b, y, Add{});
}

cudaError_t packed(const half* a, const half* b, half* y, const Controls& set) {
  const std::int64_t images = set.n / (kChannels * kPixels);
  const Broadcast broadcast = broadcast_strides({images, kChannels, kPixels}, {kChannels, 1});
  return launch_broadcast(broadcast, a, b, y, Add{}, nullptr);
}

// The rows of launchers/contiguous_launch.cuh and broadcast_launch.cuh, without f16x8_h2: clang copies its structure
// half by half, where g++ and nvcc copy 16 bytes.
[[maybe_unused]] const bool added = add({
    of_one_shape("add_f16", arithmetic_nobroadcast_kernel<half, Add>, 1, 2),
    of_one_shape("add_f16x8_unaligned", arithmetic_half8_unaligned_kernel<Add>, 8, 2),
    binary<half, half>("04_arithmetic", "add_f16x8_shared", shared),
    of_one_shape("add_f16x8_pack", arithmetic_pack_kernel<half, Add>, 8, 16),
    of_channels("one_not_broadcast_f16_1C11", one_not_broadcast, {"threads"}),
    of_channels("packed_f16_1C11", packed, {}),
});

}  // namespace

}  // namespace tutorial::live
