// The launcher of the reader's rung, alone: a changed kernel is compiled in a second.
#include "04_arithmetic/your_arithmetic.cuh"

#include "04_arithmetic/launchers/broadcast.h"

namespace tutorial {

cudaError_t your_arithmetic(const half* in0, const half* in1, half* out, std::int64_t n,
                            std::int64_t channels, std::int64_t pixels, cudaStream_t stream) {
  constexpr int kPerThread = kYourArithmetic.per_thread;
  constexpr std::size_t kAlignment = kYourArithmetic.alignment;
  if (n > 0 && (channels < 1 || pixels < 1 || n % pixels != 0 || n / pixels % channels != 0 ||
                pixels % kPerThread != 0)) {
    return cudaErrorInvalidValue;
  }
  return launch_elements(your_arithmetic_kernel, n, kPerThread,
                         {{in0, kAlignment}, {in1, sizeof(half)}, {out, kAlignment}}, stream, {},
                         in0, in1, out, n, channels, pixels);
}

RungClaims your_arithmetic_claims() { return kYourArithmetic; }

}  // namespace tutorial
