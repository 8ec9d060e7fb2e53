// The last rung of ladder B for int8 with scales: it has two functors for each operation.
#include "04_arithmetic/launchers/broadcast_launch.cuh"

namespace tutorial {

// The last rung is the operator's: the functor that is fastest for these scales.
cudaError_t arithmetic_packed_int8(ArithmeticOp op, const Broadcast& broadcast,
                                   const std::int8_t* in0, const std::int8_t* in1, std::int8_t* out,
                                   Int8Scales scales, cudaStream_t stream) {
  return launchers::with_int8_op(op, scales, [&](auto known) {
    return with_int8<decltype(known)::value>(scales, [&](auto functor) {
      return launchers::packed(broadcast, launchers::Operands<std::int8_t>{in0, in1, out}, functor,
                               stream);
    });
  });
}

}  // namespace tutorial
