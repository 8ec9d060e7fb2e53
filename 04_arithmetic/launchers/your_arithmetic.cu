// The launcher of the reader's rung, alone: a changed kernel is compiled in a second.
#include "04_arithmetic/your_arithmetic.cuh"

#include "04_arithmetic/launchers/contiguous.h"
#include "common/elementwise_binary.cuh"

namespace tutorial {

cudaError_t your_arithmetic(const half* in0, const half* in1, half* out, std::int64_t n,
                            cudaStream_t stream) {
  return launch_binary(your_arithmetic_kernel, in0, in1, out, n, kYourArithmetic.per_thread,
                       kYourArithmetic.alignment, stream);
}

RungClaims your_arithmetic_claims() { return kYourArithmetic; }

}  // namespace tutorial
