// Ladder B for int8 with scales, but for its last rung.
#include "04_arithmetic/launchers/broadcast_launch.cuh"

namespace tutorial {
namespace {

using Int8Operands = launchers::Operands<std::int8_t>;

/// launch_functor(ArithmeticInt8<op>{scales}).
template <class F>
cudaError_t with_arithmetic_int8(ArithmeticOp op, Int8Scales scales, F&& launch_functor) {
  return launchers::with_int8_op(op, scales, [&](auto known) {
    return launch_functor(ArithmeticInt8<decltype(known)::value>{scales});
  });
}

}  // namespace

cudaError_t arithmetic_one_scalar_int8(ArithmeticOp op, std::int64_t n, bool first_shorter,
                                       const std::int8_t* in0, const std::int8_t* in1,
                                       std::int8_t* out, Int8Scales scales, cudaStream_t stream) {
  return with_arithmetic_int8(op, scales, [&](auto functor) {
    return launchers::one_scalar(n, first_shorter, Int8Operands{in0, in1, out}, functor, stream);
  });
}

cudaError_t arithmetic_one_dimension_int8(ArithmeticOp op, std::int64_t n, std::int64_t inner,
                                          bool first_shorter, const std::int8_t* in0,
                                          const std::int8_t* in1, std::int8_t* out,
                                          Int8Scales scales, cudaStream_t stream) {
  return with_arithmetic_int8(op, scales, [&](auto functor) {
    return launchers::one_dimension(n, inner, first_shorter, Int8Operands{in0, in1, out}, functor,
                                    stream);
  });
}

cudaError_t arithmetic_one_not_broadcast_int8(ArithmeticOp op, std::int64_t n, std::int64_t axis,
                                              std::int64_t inner, bool first_shorter,
                                              const std::int8_t* in0, const std::int8_t* in1,
                                              std::int8_t* out, Int8Scales scales,
                                              cudaStream_t stream) {
  return with_arithmetic_int8(op, scales, [&](auto functor) {
    return launchers::one_not_broadcast(n, axis, inner, first_shorter, Int8Operands{in0, in1, out},
                                        functor, stream);
  });
}

cudaError_t arithmetic_one_broadcast_int8(ArithmeticOp op, std::int64_t n,
                                          std::int64_t outer_stride, std::int64_t inner,
                                          bool first_shorter, const std::int8_t* in0,
                                          const std::int8_t* in1, std::int8_t* out,
                                          Int8Scales scales, cudaStream_t stream) {
  return with_arithmetic_int8(op, scales, [&](auto functor) {
    return launchers::one_broadcast(n, outer_stride, inner, first_shorter,
                                    Int8Operands{in0, in1, out}, functor, stream);
  });
}

cudaError_t arithmetic_strided_int8(ArithmeticOp op, const Broadcast& broadcast,
                                    const std::int8_t* in0, const std::int8_t* in1,
                                    std::int8_t* out, Int8Scales scales, cudaStream_t stream) {
  return with_arithmetic_int8(op, scales, [&](auto functor) {
    return launchers::strided(broadcast, Int8Operands{in0, in1, out}, functor, stream);
  });
}

cudaError_t arithmetic_strided_merged_int8(ArithmeticOp op, const Broadcast& broadcast,
                                           const std::int8_t* in0, const std::int8_t* in1,
                                           std::int8_t* out, Int8Scales scales,
                                           cudaStream_t stream) {
  return with_arithmetic_int8(op, scales, [&](auto functor) {
    return launchers::strided_merged(broadcast, Int8Operands{in0, in1, out}, functor, stream);
  });
}

cudaError_t arithmetic_strided_32_int8(ArithmeticOp op, const Broadcast& broadcast,
                                       const std::int8_t* in0, const std::int8_t* in1,
                                       std::int8_t* out, Int8Scales scales, cudaStream_t stream) {
  return with_arithmetic_int8(op, scales, [&](auto functor) {
    return launchers::strided_32(broadcast, Int8Operands{in0, in1, out}, functor, stream);
  });
}

cudaError_t arithmetic_strided_fast_int8(ArithmeticOp op, const Broadcast& broadcast,
                                         const std::int8_t* in0, const std::int8_t* in1,
                                         std::int8_t* out, Int8Scales scales, cudaStream_t stream) {
  return with_arithmetic_int8(op, scales, [&](auto functor) {
    return launchers::strided_fast(broadcast, Int8Operands{in0, in1, out}, functor, stream);
  });
}

cudaError_t arithmetic_rows_int8(ArithmeticOp op, const Broadcast& broadcast,
                                 const std::int8_t* in0, const std::int8_t* in1, std::int8_t* out,
                                 Int8Scales scales, cudaStream_t stream) {
  return with_arithmetic_int8(op, scales, [&](auto functor) {
    return launchers::rows(broadcast, Int8Operands{in0, in1, out}, functor, stream);
  });
}

}  // namespace tutorial
