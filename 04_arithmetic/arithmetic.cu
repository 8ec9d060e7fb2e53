// The operator: it checks its arguments, merges dimensions and calls one of two launchers.
#include "04_arithmetic/arithmetic.h"

#include "04_arithmetic/launchers/functor.cuh"
#include "common/broadcast.cuh"

namespace tutorial {

namespace {

/// Tensors without gaps, of shapes that broadcast.
template <class T>
cudaError_t operate(const ArithmeticCall<T>& call, const TensorShape& shape0,
                    const TensorShape& shape1) {
  Broadcast broadcast;
  cudaError_t error = check_op(call);
  if (error == cudaSuccess) error = make_broadcast(shape0, shape1, &broadcast);
  if (error == cudaSuccess) {
    error = check_operands(broadcast.elements, call.in0, call.in1, call.out);
  }
  if (error != cudaSuccess || broadcast.elements == 0) return error;
  return is_nobroadcast(broadcast) ? arithmetic_contiguous(call, broadcast.elements)
                                   : arithmetic_packed(call, broadcast);
}

/// Tensors of any strides.
template <class T>
cudaError_t operate(const ArithmeticCall<T>& call, const TensorLayout& of_in0,
                    const TensorLayout& of_in1, const TensorLayout& of_out) {
  StridedLoop loop;
  cudaError_t error = check_op(call);
  if (error == cudaSuccess) error = make_strided_loop(of_out, {of_in0, of_in1}, &loop);
  if (error == cudaSuccess) error = check_operands(loop.elements, call.in0, call.in1, call.out);
  if (error != cudaSuccess || loop.elements == 0) return error;
  if (is_contiguous(loop)) return arithmetic_contiguous(call, loop.elements);
  return is_broadcast(loop) ? arithmetic_packed(call, to_broadcast(loop))
                            : arithmetic_strided_loop(call, loop);
}

/// A tensor and a number.
template <class T>
cudaError_t operate(ArithmeticOp op, const TensorView<const T>& in, NumberOf<T> number,
                    bool number_first, const TensorView<T>& out, cudaStream_t stream) {
  StridedLoop loop;
  cudaError_t error = check_op(op);
  if (error == cudaSuccess) error = make_strided_loop(out.layout, {in.layout}, &loop);
  if (error == cudaSuccess) error = check_operands(loop.elements, in.data, in.data, out.data);
  if (error != cudaSuccess || loop.elements == 0) return error;
  return arithmetic_number_loop<T>({op, in.data, nullptr, out.data, stream}, number, number_first,
                                   loop);
}

}  // namespace

template <class T>
cudaError_t arithmetic(ArithmeticOp op, const TensorShape& shape0, const T* in0,
                       const TensorShape& shape1, const T* in1, T* out, cudaStream_t stream) {
  return operate<T>({op, in0, in1, out, stream}, shape0, shape1);
}

cudaError_t arithmetic(ArithmeticOp op, const TensorShape& shape0, const std::int8_t* in0,
                       const TensorShape& shape1, const std::int8_t* in1, std::int8_t* out,
                       Int8Scales scales, cudaStream_t stream) {
  return operate<std::int8_t>({op, in0, in1, out, stream, scales}, shape0, shape1);
}

template <class T>
cudaError_t arithmetic(ArithmeticOp op, const TensorView<const T>& in0,
                       const TensorView<const T>& in1, const TensorView<T>& out,
                       cudaStream_t stream) {
  return operate<T>({op, in0.data, in1.data, out.data, stream}, in0.layout, in1.layout, out.layout);
}

template <class T>
cudaError_t arithmetic(ArithmeticOp op, const TensorView<const T>& in0, NumberOf<T> number,
                       const TensorView<T>& out, cudaStream_t stream) {
  return operate(op, in0, number, false, out, stream);
}

template <class T>
cudaError_t arithmetic(ArithmeticOp op, NumberOf<T> number, const TensorView<const T>& in1,
                       const TensorView<T>& out, cudaStream_t stream) {
  return operate(op, in1, number, true, out, stream);
}

cudaError_t arithmetic(ArithmeticOp op, const TensorView<const std::int8_t>& in0,
                       const TensorView<const std::int8_t>& in1, const TensorView<std::int8_t>& out,
                       Int8Scales scales, cudaStream_t stream) {
  return operate<std::int8_t>({op, in0.data, in1.data, out.data, stream, scales}, in0.layout,
                              in1.layout, out.layout);
}

#define TUTORIAL_ARITHMETIC(T)                                                              \
  template cudaError_t arithmetic<T>(ArithmeticOp, const TensorShape&, const T*,            \
                                     const TensorShape&, const T*, T*, cudaStream_t);       \
  template cudaError_t arithmetic<T>(ArithmeticOp, const TensorView<const T>&,              \
                                     const TensorView<const T>&, const TensorView<T>&,      \
                                     cudaStream_t);                                         \
  template cudaError_t arithmetic<T>(ArithmeticOp, const TensorView<const T>&, NumberOf<T>, \
                                     const TensorView<T>&, cudaStream_t);                   \
  template cudaError_t arithmetic<T>(ArithmeticOp, NumberOf<T>, const TensorView<const T>&, \
                                     const TensorView<T>&, cudaStream_t);
TUTORIAL_FOR_FLOATS(TUTORIAL_ARITHMETIC)
TUTORIAL_ARITHMETIC(std::int32_t)
TUTORIAL_ARITHMETIC(std::int64_t)

}  // namespace tutorial
