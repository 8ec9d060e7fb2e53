// Ladder C for the integer types, and for int8 with scales.
#include "04_arithmetic/launchers/nhwc_launch.cuh"

TUTORIAL_ARITHMETIC_NHWC(std::int32_t);
TUTORIAL_ARITHMETIC_NHWC(std::int64_t);

namespace tutorial {
namespace {

using Int8Operands = launchers::NhwcOperands<std::int8_t>;

/// launch_known(ArithmeticOpConstant<op>{}), with an op that the compiler knows.
template <class F>
cudaError_t with_int8_op(ArithmeticOp op, Int8Scales scales, F&& launch_known) {
  if (!is_known(op)) return refuse(cudaErrorInvalidValue, "the operation is none of the nine");
  if (const cudaError_t error = check_scales(scales); error != cudaSuccess) return error;
  return with_op(op, cudaErrorInvalidValue, launch_known);
}

}  // namespace

cudaError_t arithmetic_limit_nhwc_int8(ArithmeticOp op, const TensorShape& shape0,
                                       const std::int8_t* in0, const TensorShape& shape1,
                                       const std::int8_t* in1, std::int8_t* out, Int8Scales scales,
                                       cudaStream_t stream) {
  return with_int8_op(op, scales, [&](auto known) {
    const ArithmeticInt8<decltype(known)::value> functor{scales};
    return launchers::limit_nhwc(Int8Operands{shape0, in0, shape1, in1, out}, functor, stream);
  });
}

cudaError_t arithmetic_nhwc_pack_int8(ArithmeticOp op, const TensorShape& shape0,
                                      const std::int8_t* in0, const TensorShape& shape1,
                                      const std::int8_t* in1, std::int8_t* out, Int8Scales scales,
                                      cudaStream_t stream) {
  return with_int8_op(op, scales, [&](auto known) {
    return with_int8<decltype(known)::value>(scales, [&](auto functor) {
      return launchers::nhwc_pack(Int8Operands{shape0, in0, shape1, in1, out}, functor, stream);
    });
  });
}

cudaError_t arithmetic_nhwc_int8(ArithmeticOp op, const TensorShape& shape0, const std::int8_t* in0,
                                 const TensorShape& shape1, const std::int8_t* in1,
                                 std::int8_t* out, Int8Scales scales, cudaStream_t stream) {
  return launchers::takes_packs<std::int8_t>({shape0, in0, shape1, in1, out})
             ? arithmetic_nhwc_pack_int8(op, shape0, in0, shape1, in1, out, scales, stream)
             : arithmetic_limit_nhwc_int8(op, shape0, in0, shape1, in1, out, scales, stream);
}

}  // namespace tutorial
