// The launchers of ladder C, for any type and functor; a source for each family of types
// instantiates them.
#pragma once

#include "04_arithmetic/ladder_c_nhwc.cuh"
#include "04_arithmetic/launchers/checks.h"
#include "04_arithmetic/launchers/int8_math.cuh"
#include "04_arithmetic/launchers/nhwc.h"
#include "04_arithmetic/launchers/nhwc_param.h"
#include "common/broadcast.cuh"

namespace tutorial::launchers {

/// One call: two tensors in NHWC8 storage and their shapes.
template <class T>
struct NhwcOperands {
  const TensorShape& shape0;
  const T* in0;
  const TensorShape& shape1;
  const T* in1;
  T* out;
};

/// launch_functor(Arithmetic<op, T>{}), with an op that the compiler knows.
template <class T, class F>
cudaError_t with_nhwc_functor(ArithmeticOp op, F&& launch_functor) {
  if (!is_known(op)) return refuse(cudaErrorInvalidValue, "the operation is none of the nine");
  return with_op(op, cudaErrorInvalidValue, [&](auto known) {
    return launch_functor(Arithmetic<decltype(known)::value, T>{});
  });
}

template <class T, class Op>
cudaError_t limit_nhwc(const NhwcOperands<T>& at, Op op, cudaStream_t stream) {
  NhwcBroadcast broadcast;
  cudaError_t error = make_nhwc_broadcast(at.shape0, at.shape1, &broadcast);
  if (error == cudaSuccess) error = check_operands(broadcast.elements, at.in0, at.in1, at.out);
  if (error != cudaSuccess || broadcast.elements == 0) return error;
  return launch(arithmetic_limit_nhwc_kernel<T, Op>,
                {grid_1d(broadcast.elements, kThreads), dim3(kThreads)}, stream, broadcast, at.in0,
                at.in1, at.out, op);
}

template <class T, class Op>
cudaError_t nhwc_pack(const NhwcOperands<T>& at, Op op, cudaStream_t stream) {
  NhwcBroadcast broadcast;
  cudaError_t error = make_nhwc_broadcast(at.shape0, at.shape1, &broadcast);
  if (error == cudaSuccess) error = check_operands(broadcast.elements, at.in0, at.in1, at.out);
  if (error == cudaSuccess) {
    error = check_alignment(broadcast.elements, at.in0, at.in1, at.out, 16);
  }
  if (error != cudaSuccess || broadcast.elements == 0) return error;
  if (!fits_nhwc_pack(at.shape0, at.shape1)) {
    return refuse(cudaErrorInvalidValue, "2^32 elements or more, and this rung counts in 32 bits");
  }
  const NhwcPacks packs = nhwc_packs(at.shape0, at.shape1, kNhwcWidth<T>);
  return launch(arithmetic_nhwc_pack_kernel<T, Op>,
                {grid_1d(packs.packs, kThreads), dim3(kThreads)}, stream, packs, at.in0, at.in1,
                at.out, op);
}

/// Whether the operator takes packs.
template <class T>
bool takes_packs(const NhwcOperands<T>& at) {
  return is_aligned(at.in0, 16) && is_aligned(at.in1, 16) && is_aligned(at.out, 16) &&
         fits_nhwc_pack(at.shape0, at.shape1);
}

}  // namespace tutorial::launchers

namespace tutorial {

template <class T>
cudaError_t arithmetic_limit_nhwc(ArithmeticOp op, const TensorShape& shape0, const T* in0,
                                  const TensorShape& shape1, const T* in1, T* out,
                                  cudaStream_t stream) {
  return launchers::with_nhwc_functor<T>(op, [&](auto functor) {
    return launchers::limit_nhwc<T>({shape0, in0, shape1, in1, out}, functor, stream);
  });
}

template <class T>
cudaError_t arithmetic_nhwc_pack(ArithmeticOp op, const TensorShape& shape0, const T* in0,
                                 const TensorShape& shape1, const T* in1, T* out,
                                 cudaStream_t stream) {
  return launchers::with_nhwc_functor<T>(op, [&](auto functor) {
    return launchers::nhwc_pack<T>({shape0, in0, shape1, in1, out}, functor, stream);
  });
}

template <class T>
cudaError_t arithmetic_nhwc(ArithmeticOp op, const TensorShape& shape0, const T* in0,
                            const TensorShape& shape1, const T* in1, T* out, cudaStream_t stream) {
  return launchers::takes_packs<T>({shape0, in0, shape1, in1, out})
             ? arithmetic_nhwc_pack(op, shape0, in0, shape1, in1, out, stream)
             : arithmetic_limit_nhwc(op, shape0, in0, shape1, in1, out, stream);
}

}  // namespace tutorial

/// Instantiates the launchers for one type.
#define TUTORIAL_ARITHMETIC_NHWC(T)                                   \
  template cudaError_t tutorial::arithmetic_limit_nhwc<T>(            \
      tutorial::ArithmeticOp, const tutorial::TensorShape&, const T*, \
      const tutorial::TensorShape&, const T*, T*, cudaStream_t);      \
  template cudaError_t tutorial::arithmetic_nhwc_pack<T>(             \
      tutorial::ArithmeticOp, const tutorial::TensorShape&, const T*, \
      const tutorial::TensorShape&, const T*, T*, cudaStream_t);      \
  template cudaError_t tutorial::arithmetic_nhwc<T>(                  \
      tutorial::ArithmeticOp, const tutorial::TensorShape&, const T*, \
      const tutorial::TensorShape&, const T*, T*, cudaStream_t)
