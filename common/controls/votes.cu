// Why chapter 05's 16 votes a thread stay below a copy: fewer votes, and more registers.

#include "common/controls/controls.h"
#include "common/launch.cuh"

namespace tutorial::controls {

namespace {

constexpr int kBlock = 256;

/// As relation_ballot_wide_kernel, whole tiles only. kBlocks: blocks that an SM shall hold at once,
/// which sets how many registers the compiler may take.
template <int kVotes, int kBlocks>
__global__ void __launch_bounds__(kBlock, kBlocks)
    control_votes_kernel(const half* a, const half* b, unsigned* words) {
  wait_for_previous_grid();
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t first = (thread - lane) * kVotes;
  half left[kVotes], right[kVotes];
#pragma unroll
  for (int k = 0; k < kVotes; ++k) {
    left[k] = a[first + 32 * k + lane];
    right[k] = b[first + 32 * k + lane];
  }
  unsigned mine = 0;
#pragma unroll
  for (int k = 0; k < kVotes; ++k) {
    const unsigned word = __ballot_sync(0xffffffffu, left[k] > right[k]);
    if (lane == k) mine = word;
  }
  if (lane < kVotes) words[first / 32 + lane] = mine;
}

template <int kVotes, int kBlocks>
TwoInputs<half, unsigned> voting() {
  return {"votes_" + std::to_string(kVotes) + "_blocks_" + std::to_string(kBlocks),
          [](const half* a, const half* b, unsigned* words, std::int64_t n, cudaStream_t stream) {
            const LaunchShape shape{grid_1d(n, kBlock * kVotes), dim3(kBlock), 0,
                                    Overlap::previous_kernel};
            return launch(control_votes_kernel<kVotes, kBlocks>, shape, stream, a, b, words);
          }};
}

}  // namespace

std::vector<TwoInputs<half, unsigned>> votes() {
  return {voting<4, 8>(), voting<8, 8>(), voting<16, 8>(), voting<16, 4>()};
}

}  // namespace tutorial::controls
