// Ladder A for float, half and bf16, and the rungs that halves alone have.
#include "04_arithmetic/launchers/contiguous.h"

#include "04_arithmetic/launchers/contiguous_launch.cuh"

TUTORIAL_ARITHMETIC_CONTIGUOUS(float);
TUTORIAL_ARITHMETIC_CONTIGUOUS(half);
TUTORIAL_ARITHMETIC_CONTIGUOUS(__nv_bfloat16);

namespace tutorial {

cudaError_t arithmetic_half8_unaligned(ArithmeticOp op, const half* in0, const half* in1, half* out,
                                       std::int64_t n, cudaStream_t stream) {
  return with_arithmetic<half>(op, [&](auto functor) {
    return launch_binary(arithmetic_half8_unaligned_kernel<decltype(functor)>, in0, in1, out, n, 8,
                         alignof(half), stream, {}, functor);
  });
}

cudaError_t arithmetic_fp16(ArithmeticOp op, const half* in0, const half* in1, half* out,
                            std::int64_t n, cudaStream_t stream, int threads) {
  if (threads <= 0) return cudaErrorInvalidConfiguration;
  const cudaError_t error = check_arguments(n, {{in0, 16}, {in1, 16}, {out, 16}});
  if (error != cudaSuccess) return error;
  return with_arithmetic<half>(op, [&](auto functor) {
    if (n == 0) return cudaSuccess;
    const LaunchShape shape{grid_1d(n, std::int64_t{threads} * 8),
                            dim3(static_cast<unsigned>(threads)),
                            static_cast<std::size_t>(threads) * 2 * sizeof(float4)};
    return launch(arithmetic_fp16_kernel<decltype(functor)>, shape, stream, in0, in1, out, n,
                  functor);
  });
}

cudaError_t arithmetic_half8(ArithmeticOp op, const half* in0, const half* in1, half* out,
                             std::int64_t n, cudaStream_t stream) {
  return with_arithmetic<half>(op, [&](auto functor) {
    using Pair = ArithmeticPair<decltype(functor)::kOp, half2>;
    return launch_binary(arithmetic_half8_kernel<Pair>, in0, in1, out, n, 8, 16, stream, {},
                         Pair{});
  });
}

}  // namespace tutorial
