// Ladder B for int8 with scales.
#include "04_arithmetic/arithmetic_broadcast_launch.cuh"

namespace tutorial {
namespace {

using Int8Operands = launchers::Operands<std::int8_t>;

/// launch_known(ArithmeticOpConstant<op>{}), with an op that the compiler knows.
template <class F>
cudaError_t with_int8_op(ArithmeticOp op, Int8Scales scales, F&& launch_known) {
  if (!is_known(op)) return refuse(cudaErrorInvalidValue, "the operation is none of the nine");
  if (const cudaError_t error = check_scales(scales); error != cudaSuccess) return error;
  return with_op(op, cudaErrorInvalidValue, launch_known);
}

/// launch_functor(ArithmeticInt8<op>{scales}).
template <class F>
cudaError_t with_arithmetic_int8(ArithmeticOp op, Int8Scales scales, F&& launch_functor) {
  return with_int8_op(op, scales, [&](auto known) {
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

// The last rung is the operator's: the functor that is fastest for these scales.
cudaError_t arithmetic_packed_int8(ArithmeticOp op, const Broadcast& broadcast,
                                   const std::int8_t* in0, const std::int8_t* in1, std::int8_t* out,
                                   Int8Scales scales, cudaStream_t stream) {
  return with_int8_op(op, scales, [&](auto known) {
    return with_int8<decltype(known)::value>(scales, [&](auto functor) {
      return launchers::packed(broadcast, Int8Operands{in0, in1, out}, functor, stream);
    });
  });
}

}  // namespace tutorial
