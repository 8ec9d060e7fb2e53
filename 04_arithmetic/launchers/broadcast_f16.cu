// Ladder B for half, and the kernel beside it that halves alone have.
#include "04_arithmetic/launchers/broadcast_launch.cuh"

namespace tutorial {

TUTORIAL_ARITHMETIC_BROADCAST(half);
TUTORIAL_ARITHMETIC_PACKED(half);

cudaError_t arithmetic_fp16_strided(const ArithmeticCall<half>& call, const Broadcast& broadcast,
                                    int threads) {
  if (threads <= 0) return refuse(cudaErrorInvalidConfiguration, "a block has at least one thread");
  cudaError_t error = launchers::check(call, broadcast);
  if (error == cudaSuccess) {
    error = check_operands(broadcast.elements, call.in0, call.in1, call.out, 16);
  }
  if (error != cudaSuccess || broadcast.elements == 0) return error;
  if (!fits_half8(broadcast)) {
    return refuse(cudaErrorInvalidValue, "the broadcast does not consist of groups of eight");
  }
  const Broadcast groups = in_groups_of_eight(merge_dimensions(broadcast));
  const LaunchShape shape{grid_1d(groups.elements, threads), dim3(static_cast<unsigned>(threads)),
                          static_cast<std::size_t>(threads) * 2 * sizeof(float4)};
  return with_functor(call, [&](auto op) {
    return launch(arithmetic_fp16_strided_kernel<decltype(op)>, shape, call.stream, groups.elements,
                  strided_param(groups), call.in0, call.in1, call.out, op);
  });
}

}  // namespace tutorial
