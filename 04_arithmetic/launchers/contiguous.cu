// Ladder A for float, half and bf16, and the launcher that halves alone have.
#include "04_arithmetic/launchers/contiguous_launch.cuh"

TUTORIAL_FOR_FLOATS(TUTORIAL_ARITHMETIC_CONTIGUOUS)

namespace tutorial {

cudaError_t arithmetic_fp16(ArithmeticOp op, const half* in0, const half* in1, half* out,
                            std::int64_t n, cudaStream_t stream, int threads) {
  if (threads <= 0) return cudaErrorInvalidConfiguration;
  cudaError_t error = check_arguments(n, {{in0, 16}, {in1, 16}, {out, 16}});
  if (error == cudaSuccess) error = check_op(op);
  if (error != cudaSuccess || n == 0) return error;
  const LaunchShape shape{grid_1d(n, std::int64_t{threads} * 8),
                          dim3(static_cast<unsigned>(threads)),
                          static_cast<std::size_t>(threads) * 2 * sizeof(float4)};
  return with_functor<half>({op, in0, in1, out, stream}, [&](auto functor) {
    return launch(arithmetic_fp16_kernel<decltype(functor)>, shape, stream, in0, in1, out, n,
                  functor);
  });
}

}  // namespace tutorial
