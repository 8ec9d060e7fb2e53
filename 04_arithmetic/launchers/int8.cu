// The launchers of ladder D.
#include "04_arithmetic/launchers/int8.h"

#include "04_arithmetic/ladder_d_int8.cuh"
#include "04_arithmetic/launchers/broadcast.h"
#include "04_arithmetic/launchers/functor.cuh"
#include "common/elementwise_binary.cuh"

namespace tutorial {

namespace {

constexpr LaunchOptions kOverlapping{kThreads, Overlap::previous_kernel};

/// What every launcher of this file checks first.
cudaError_t check(ArithmeticOp op, Int8Scales scales) {
  const cudaError_t error = check_op(op);
  return error != cudaSuccess ? error : check_scales(scales);
}

/// One element a thread, any pointers.
template <class Op>
cudaError_t launch_one(const std::int8_t* in0, const std::int8_t* in1, std::int8_t* out,
                       std::int64_t n, Op op, cudaStream_t stream) {
  return launch_binary(arithmetic_nobroadcast_kernel<std::int8_t, Op>, in0, in1, out, n, 1, 1,
                       stream, {}, op);
}

/// Sixteen elements a thread, 16-byte aligned pointers: by registers of four where the functor
/// takes four, byte by byte where it does not.
template <class Conversion, class Values>
cudaError_t launch_sixteen(const std::int8_t* in0, const std::int8_t* in1, std::int8_t* out,
                           std::int64_t n, OnInt8<Conversion, Values> op, cudaStream_t stream,
                           LaunchOptions options) {
  return launch_binary(arithmetic_int8x16_kernel<OnInt8<Conversion, Values>>, in0, in1, out, n, 16,
                       16, stream, options, op);
}
template <ArithmeticOp op>
cudaError_t launch_sixteen(const std::int8_t* in0, const std::int8_t* in1, std::int8_t* out,
                           std::int64_t n, ArithmeticInt8<op> functor, cudaStream_t stream,
                           LaunchOptions options) {
  return launch_binary(arithmetic_pack_kernel<std::int8_t, ArithmeticInt8<op>>, in0, in1, out, n,
                       16, 16, stream, options, functor);
}

}  // namespace

cudaError_t arithmetic_nobroadcast_int8(ArithmeticOp op, const std::int8_t* in0,
                                        const std::int8_t* in1, std::int8_t* out, std::int64_t n,
                                        Int8Scales scales, cudaStream_t stream) {
  if (const cudaError_t error = check(op, scales); error != cudaSuccess) return error;
  return with_op(op, cudaErrorInvalidValue, [&](auto known) {
    return launch_one(in0, in1, out, n, ArithmeticInt8<decltype(known)::value>{scales}, stream);
  });
}

cudaError_t arithmetic_int8x16(ArithmeticOp op, const std::int8_t* in0, const std::int8_t* in1,
                               std::int8_t* out, std::int64_t n, Int8Scales scales,
                               cudaStream_t stream) {
  if (const cudaError_t error = check(op, scales); error != cudaSuccess) return error;
  return with_op(op, cudaErrorInvalidValue, [&](auto known) {
    return launch_sixteen(in0, in1, out, n, ArithmeticInt8<decltype(known)::value>{scales}, stream,
                          {});
  });
}

cudaError_t arithmetic_int8x16_fast(ArithmeticOp op, const std::int8_t* in0, const std::int8_t* in1,
                                    std::int8_t* out, std::int64_t n, Int8Scales scales,
                                    cudaStream_t stream) {
  if (const cudaError_t error = check(op, scales); error != cudaSuccess) return error;
  return with_op(op, cudaErrorInvalidValue, [&](auto known) {
    return with_int8<decltype(known)::value>(scales, [&](auto functor) {
      return launch_sixteen(in0, in1, out, n, functor, stream, {});
    });
  });
}

cudaError_t arithmetic_int8x16_magic(ArithmeticOp op, const std::int8_t* in0,
                                     const std::int8_t* in1, std::int8_t* out, std::int64_t n,
                                     Int8Scales scales, cudaStream_t stream) {
  if (const cudaError_t error = check(op, scales); error != cudaSuccess) return error;
  if (!is_fast(scales)) return arithmetic_int8x16(op, in0, in1, out, n, scales, stream);
  return with_op(op, cudaErrorInvalidValue, [&](auto known) {
    const ArithmeticInt8Magic<decltype(known)::value> functor{{int8_constants(scales)}};
    return launch_sixteen(in0, in1, out, n, functor, stream, {});
  });
}

cudaError_t arithmetic_int8x16_folded(ArithmeticOp op, const std::int8_t* in0,
                                      const std::int8_t* in1, std::int8_t* out, std::int64_t n,
                                      Int8Scales scales, cudaStream_t stream) {
  if (const cudaError_t error = check(op, scales); error != cudaSuccess) return error;
  return with_op(op, cudaErrorInvalidValue, [&](auto known) {
    constexpr ArithmeticOp kOp = decltype(known)::value;
    if constexpr (kHasFoldedForm<kOp>) {
      if (!is_foldable(scales)) {
        return refuse(cudaErrorInvalidValue, "products of the scales leave the normal floats");
      }
      const ArithmeticInt8Folded<kOp> functor{{int8_folded(scales)}};
      return launch_sixteen(in0, in1, out, n, functor, stream, {});
    } else {
      return refuse(cudaErrorNotSupported,
                    std::string(name_of(kOp)) + " of int8 has no form with folded scales");
    }
  });
}

cudaError_t arithmetic_contiguous(ArithmeticOp op, const std::int8_t* in0, const std::int8_t* in1,
                                  std::int8_t* out, std::int64_t n, Int8Scales scales,
                                  cudaStream_t stream) {
  if (const cudaError_t error = check(op, scales); error != cudaSuccess) return error;
  if (!is_aligned(in0, 16) || !is_aligned(in1, 16) || !is_aligned(out, 16)) {
    return arithmetic_packed<std::int8_t>({op, in0, in1, out, stream, scales},
                                          broadcast_strides({n}, {n}));
  }
  return with_op(op, cudaErrorInvalidValue, [&](auto known) {
    return with_int8<decltype(known)::value>(scales, [&](auto functor) {
      return launch_sixteen(in0, in1, out, n, functor, stream, kOverlapping);
    });
  });
}

}  // namespace tutorial
