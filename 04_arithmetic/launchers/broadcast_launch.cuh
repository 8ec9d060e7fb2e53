// The launchers of ladder B, for any type and functor. Sources that instantiate them for a type
// include this: a source for each, because nine operations in ten kernels are enough for one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "04_arithmetic/ladder_b_broadcast.cuh"
#include "04_arithmetic/launchers/broadcast.h"
#include "04_arithmetic/launchers/broadcast_param.h"
#include "04_arithmetic/launchers/checks.h"
#include "04_arithmetic/launchers/int8_math.cuh"
#include "common/broadcast.cuh"

namespace tutorial::launchers {

/// launch_functor(Arithmetic<op, T>{}), with an op that the compiler knows.
template <class T, class F>
cudaError_t with_functor(ArithmeticOp op, F&& launch_functor) {
  if (!is_known(op)) return refuse(cudaErrorInvalidValue, "the operation is none of the nine");
  return with_op(op, cudaErrorInvalidValue, [&](auto known) {
    return launch_functor(Arithmetic<decltype(known)::value, T>{});
  });
}

/// launch_known(ArithmeticOpConstant<op>{}), with an op that the compiler knows.
template <class F>
cudaError_t with_int8_op(ArithmeticOp op, Int8Scales scales, F&& launch_known) {
  if (!is_known(op)) return refuse(cudaErrorInvalidValue, "the operation is none of the nine");
  if (const cudaError_t error = check_scales(scales); error != cudaSuccess) return error;
  return with_op(op, cudaErrorInvalidValue, launch_known);
}

/// The operands and the result of one call.
template <class T>
struct Operands {
  const T* in0;
  const T* in1;
  T* out;
};

/// Launches kernel(count, extra..., in0, in1, out, op), a thread for each of `n` > 0 elements.
template <class T, class Op, class... Params, class... Extra>
cudaError_t launch_one_each(void (*kernel)(Params...), std::int64_t n, const Operands<T>& at, Op op,
                            cudaStream_t stream, const Extra&... extra) {
  return launch(kernel, {grid_1d(n, kThreads), dim3(kThreads)}, stream, extra..., at.in0, at.in1,
                at.out, op);
}

template <class T>
cudaError_t check(std::int64_t n, const Operands<T>& at) {
  return check_operands(n, at.in0, at.in1, at.out);
}

// ---- Rungs 1 to 4 -------------------------------------------------------------------------------

template <class T, class Op>
cudaError_t one_scalar(std::int64_t n, bool first_shorter, const Operands<T>& at, Op op,
                       cudaStream_t stream) {
  cudaError_t error = check_form(n, {});
  if (error == cudaSuccess) error = check(n, at);
  if (error != cudaSuccess || n == 0) return error;
  return launch_one_each(arithmetic_one_scalar_kernel<T, Op>, n, at, op, stream, n, first_shorter);
}

template <class T, class Op>
cudaError_t one_dimension(std::int64_t n, std::int64_t inner, bool first_shorter,
                          const Operands<T>& at, Op op, cudaStream_t stream) {
  cudaError_t error = check_form(n, {{"inner", inner}});
  if (error == cudaSuccess) error = check(n, at);
  if (error != cudaSuccess || n == 0) return error;
  return launch_one_each(arithmetic_one_dimension_kernel<T, Op>, n, at, op, stream, n, inner,
                         first_shorter);
}

template <class T, class Op>
cudaError_t one_not_broadcast(std::int64_t n, std::int64_t axis, std::int64_t inner,
                              bool first_shorter, const Operands<T>& at, Op op,
                              cudaStream_t stream) {
  cudaError_t error = check_form(n, {{"inner", inner}, {"axis", axis}});
  if (error == cudaSuccess) error = check(n, at);
  if (error != cudaSuccess || n == 0) return error;
  return launch_one_each(arithmetic_one_not_broadcast_kernel<T, Op>, n, at, op, stream, n, axis,
                         inner, first_shorter);
}

template <class T, class Op>
cudaError_t one_broadcast(std::int64_t n, std::int64_t outer_stride, std::int64_t inner,
                          bool first_shorter, const Operands<T>& at, Op op, cudaStream_t stream) {
  cudaError_t error = check_form(n, {{"outer_stride", outer_stride}});
  if (error == cudaSuccess && n > 0) error = check_form(outer_stride, {{"inner", inner}});
  if (error == cudaSuccess) error = check(n, at);
  if (error != cudaSuccess || n == 0) return error;
  return launch_one_each(arithmetic_one_broadcast_kernel<T, Op>, n, at, op, stream, n, outer_stride,
                         inner, first_shorter);
}

// ---- Rungs 5 to 10 ------------------------------------------------------------------------------

template <class T>
cudaError_t check(const Broadcast& broadcast, const Operands<T>& at) {
  const cudaError_t error = check_broadcast(broadcast);
  return error != cudaSuccess ? error : check(broadcast.elements, at);
}

template <class T, class Op>
cudaError_t strided(const Broadcast& broadcast, const Operands<T>& at, Op op, cudaStream_t stream) {
  const cudaError_t error = check(broadcast, at);
  if (error != cudaSuccess || broadcast.elements == 0) return error;
  return launch_one_each(arithmetic_strided_kernel<T, Op>, broadcast.elements, at, op, stream,
                         broadcast.elements, strided_param(broadcast));
}

template <class T, class Op>
cudaError_t strided_merged(const Broadcast& broadcast, const Operands<T>& at, Op op,
                           cudaStream_t stream) {
  const cudaError_t error = check_broadcast(broadcast);
  return error != cudaSuccess ? error : strided(merge_dimensions(broadcast), at, op, stream);
}

template <class T, class Op>
cudaError_t strided_32(const Broadcast& broadcast, const Operands<T>& at, Op op,
                       cudaStream_t stream) {
  cudaError_t error = check(broadcast, at);
  if (error != cudaSuccess || broadcast.elements == 0) return error;
  error = check_32_bits(broadcast);
  if (error != cudaSuccess) return error;
  const Broadcast merged = merge_dimensions(broadcast);
  return launch_one_each(arithmetic_strided_32_kernel<T, Op>, merged.elements, at, op, stream,
                         static_cast<std::uint32_t>(merged.elements), strided_param_32(merged));
}

template <class T, class Op>
cudaError_t strided_fast(const Broadcast& broadcast, const Operands<T>& at, Op op,
                         cudaStream_t stream) {
  cudaError_t error = check(broadcast, at);
  if (error != cudaSuccess || broadcast.elements == 0) return error;
  error = check_32_bits(broadcast);
  if (error != cudaSuccess) return error;
  const Broadcast merged = merge_dimensions(broadcast);
  return launch_one_each(arithmetic_strided_fast_kernel<T, Op>, merged.elements, at, op, stream,
                         static_cast<std::uint32_t>(merged.elements), strided_param_fast(merged));
}

template <class T, class Op>
cudaError_t rows(const Broadcast& broadcast, const Operands<T>& at, Op op, cudaStream_t stream) {
  const cudaError_t error = check(broadcast, at);
  if (error != cudaSuccess || broadcast.elements == 0) return error;
  if (!fits_rows(broadcast)) {
    return refuse(cudaErrorInvalidValue,
                  "more than three dimensions are left after merging, or the last one is strided");
  }
  const Rows param = rows_param(merge_dimensions(broadcast), at.in0, at.in1, at.out, sizeof(T));
  return launch(arithmetic_rows_kernel<T, Op>, rows_shape(param, 16 / static_cast<int>(sizeof(T))),
                stream, param, at.in0, at.in1, at.out, op);
}

template <class T, class Op>
cudaError_t packed(const Broadcast& broadcast, const Operands<T>& at, Op op, cudaStream_t stream) {
  const cudaError_t error = check(broadcast, at);
  if (error != cudaSuccess || broadcast.elements == 0) return error;
  if (!is_of_shapes(broadcast)) {
    return refuse(cudaErrorInvalidValue, "strides that are not those of two contiguous tensors");
  }
  return launch_broadcast(broadcast, at.in0, at.in1, at.out, op, stream);
}

}  // namespace tutorial::launchers

namespace tutorial {

template <class T>
cudaError_t arithmetic_one_scalar(ArithmeticOp op, std::int64_t n, bool first_shorter, const T* in0,
                                  const T* in1, T* out, cudaStream_t stream) {
  return launchers::with_functor<T>(op, [&](auto functor) {
    return launchers::one_scalar(n, first_shorter, launchers::Operands<T>{in0, in1, out}, functor,
                                 stream);
  });
}

template <class T>
cudaError_t arithmetic_one_dimension(ArithmeticOp op, std::int64_t n, std::int64_t inner,
                                     bool first_shorter, const T* in0, const T* in1, T* out,
                                     cudaStream_t stream) {
  return launchers::with_functor<T>(op, [&](auto functor) {
    return launchers::one_dimension(n, inner, first_shorter, launchers::Operands<T>{in0, in1, out},
                                    functor, stream);
  });
}

template <class T>
cudaError_t arithmetic_one_not_broadcast(ArithmeticOp op, std::int64_t n, std::int64_t axis,
                                         std::int64_t inner, bool first_shorter, const T* in0,
                                         const T* in1, T* out, cudaStream_t stream) {
  return launchers::with_functor<T>(op, [&](auto functor) {
    return launchers::one_not_broadcast(n, axis, inner, first_shorter,
                                        launchers::Operands<T>{in0, in1, out}, functor, stream);
  });
}

template <class T>
cudaError_t arithmetic_one_broadcast(ArithmeticOp op, std::int64_t n, std::int64_t outer_stride,
                                     std::int64_t inner, bool first_shorter, const T* in0,
                                     const T* in1, T* out, cudaStream_t stream) {
  return launchers::with_functor<T>(op, [&](auto functor) {
    return launchers::one_broadcast(n, outer_stride, inner, first_shorter,
                                    launchers::Operands<T>{in0, in1, out}, functor, stream);
  });
}

template <class T>
cudaError_t arithmetic_strided(ArithmeticOp op, const Broadcast& broadcast, const T* in0,
                               const T* in1, T* out, cudaStream_t stream) {
  return launchers::with_functor<T>(op, [&](auto functor) {
    return launchers::strided(broadcast, launchers::Operands<T>{in0, in1, out}, functor, stream);
  });
}

template <class T>
cudaError_t arithmetic_strided_merged(ArithmeticOp op, const Broadcast& broadcast, const T* in0,
                                      const T* in1, T* out, cudaStream_t stream) {
  return launchers::with_functor<T>(op, [&](auto functor) {
    return launchers::strided_merged(broadcast, launchers::Operands<T>{in0, in1, out}, functor,
                                     stream);
  });
}

template <class T>
cudaError_t arithmetic_strided_32(ArithmeticOp op, const Broadcast& broadcast, const T* in0,
                                  const T* in1, T* out, cudaStream_t stream) {
  return launchers::with_functor<T>(op, [&](auto functor) {
    return launchers::strided_32(broadcast, launchers::Operands<T>{in0, in1, out}, functor, stream);
  });
}

template <class T>
cudaError_t arithmetic_strided_fast(ArithmeticOp op, const Broadcast& broadcast, const T* in0,
                                    const T* in1, T* out, cudaStream_t stream) {
  return launchers::with_functor<T>(op, [&](auto functor) {
    return launchers::strided_fast(broadcast, launchers::Operands<T>{in0, in1, out}, functor,
                                   stream);
  });
}

template <class T>
cudaError_t arithmetic_rows(ArithmeticOp op, const Broadcast& broadcast, const T* in0, const T* in1,
                            T* out, cudaStream_t stream) {
  return launchers::with_functor<T>(op, [&](auto functor) {
    return launchers::rows(broadcast, launchers::Operands<T>{in0, in1, out}, functor, stream);
  });
}

template <class T>
cudaError_t arithmetic_packed(ArithmeticOp op, const Broadcast& broadcast, const T* in0,
                              const T* in1, T* out, cudaStream_t stream) {
  return launchers::with_functor<T>(op, [&](auto functor) {
    return launchers::packed(broadcast, launchers::Operands<T>{in0, in1, out}, functor, stream);
  });
}

}  // namespace tutorial

/// Instantiates the launchers for one type.
#define TUTORIAL_ARITHMETIC_BROADCAST(T)                                                           \
  template cudaError_t tutorial::arithmetic_one_scalar<T>(                                         \
      tutorial::ArithmeticOp, std::int64_t, bool, const T*, const T*, T*, cudaStream_t);           \
  template cudaError_t tutorial::arithmetic_one_dimension<T>(tutorial::ArithmeticOp, std::int64_t, \
                                                             std::int64_t, bool, const T*,         \
                                                             const T*, T*, cudaStream_t);          \
  template cudaError_t tutorial::arithmetic_one_not_broadcast<T>(                                  \
      tutorial::ArithmeticOp, std::int64_t, std::int64_t, std::int64_t, bool, const T*, const T*,  \
      T*, cudaStream_t);                                                                           \
  template cudaError_t tutorial::arithmetic_one_broadcast<T>(                                      \
      tutorial::ArithmeticOp, std::int64_t, std::int64_t, std::int64_t, bool, const T*, const T*,  \
      T*, cudaStream_t);                                                                           \
  template cudaError_t tutorial::arithmetic_strided<T>(                                            \
      tutorial::ArithmeticOp, const tutorial::Broadcast&, const T*, const T*, T*, cudaStream_t);   \
  template cudaError_t tutorial::arithmetic_strided_merged<T>(                                     \
      tutorial::ArithmeticOp, const tutorial::Broadcast&, const T*, const T*, T*, cudaStream_t);   \
  template cudaError_t tutorial::arithmetic_strided_32<T>(                                         \
      tutorial::ArithmeticOp, const tutorial::Broadcast&, const T*, const T*, T*, cudaStream_t);   \
  template cudaError_t tutorial::arithmetic_strided_fast<T>(                                       \
      tutorial::ArithmeticOp, const tutorial::Broadcast&, const T*, const T*, T*, cudaStream_t);   \
  template cudaError_t tutorial::arithmetic_rows<T>(                                               \
      tutorial::ArithmeticOp, const tutorial::Broadcast&, const T*, const T*, T*, cudaStream_t);   \
  template cudaError_t tutorial::arithmetic_packed<T>(                                             \
      tutorial::ArithmeticOp, const tutorial::Broadcast&, const T*, const T*, T*, cudaStream_t)
