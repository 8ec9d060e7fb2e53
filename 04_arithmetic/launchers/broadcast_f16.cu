// Ladder B for half.
#include "04_arithmetic/launchers/broadcast_launch.cuh"

TUTORIAL_ARITHMETIC_BROADCAST(half);

namespace tutorial {

cudaError_t arithmetic_fp16_strided(ArithmeticOp op, const Broadcast& broadcast, const half* in0,
                                    const half* in1, half* out, cudaStream_t stream, int threads) {
  if (threads <= 0) return refuse(cudaErrorInvalidConfiguration, "a block has at least one thread");
  cudaError_t error = check_broadcast(broadcast);
  if (error == cudaSuccess) error = check_operands(broadcast.elements, in0, in1, out);
  if (error == cudaSuccess) error = check_alignment(broadcast.elements, in0, in1, out, 16);
  if (error != cudaSuccess) return error;
  return launchers::with_functor<half>(op, [&](auto functor) {
    if (broadcast.elements == 0) return cudaSuccess;
    if (!fits_half8(broadcast)) {
      return refuse(cudaErrorInvalidValue, "the broadcast does not consist of groups of eight");
    }
    const Broadcast groups = in_groups_of_eight(merge_dimensions(broadcast));
    const LaunchShape shape{grid_1d(groups.elements, threads), dim3(static_cast<unsigned>(threads)),
                            static_cast<std::size_t>(threads) * 2 * sizeof(float4)};
    return launch(arithmetic_fp16_strided_kernel<decltype(functor)>, shape, stream, groups.elements,
                  strided_param(groups), in0, in1, out, functor);
  });
}

}  // namespace tutorial
