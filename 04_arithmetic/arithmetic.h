// The operator: out = op(in0, in1) for two tensors of any shapes that broadcast. And, through the
// headers that it includes, every kernel of this chapter by itself.
//
//   launchers/contiguous.h  ladders A and D: the same shape; what each operation gives
//   launchers/broadcast.h   ladder B: shapes that broadcast
//   launchers/nhwc.h        ladder C: images in NHWC8 storage
//   launchers/strided.h     any strides
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "04_arithmetic/launchers/broadcast.h"
#include "04_arithmetic/launchers/contiguous.h"
#include "04_arithmetic/launchers/nhwc.h"
#include "04_arithmetic/launchers/op.h"
#include "04_arithmetic/launchers/strided.h"
#include "common/broadcast.h"
#include "common/refusal.h"
#include "common/strided.h"

namespace tutorial {

/// out = op(in0, in1), broadcasting as NumPy does: shapes are aligned at the last dimension, and a
/// size of 1 takes the other's. T: float, half, __nv_bfloat16, std::int32_t or std::int64_t.
///
///   shape0, shape1  0 to 7 dimensions each, outermost first; {} is a scalar
///   in0, in1, out   contiguous row-major tensors, aligned to their element; `out` has the elements
///                   of the broadcast shape (broadcast_shape()), and may be an operand of that shape
///
/// The promises of common/rung.h hold. cudaErrorInvalidValue also answers an op that is none of the
/// nine, shapes that do not broadcast, more than 7 dimensions, a negative size, and 2^63 elements or
/// more; last_refusal() (common/refusal.h) says which.
template <class T>
cudaError_t arithmetic(ArithmeticOp op, const TensorShape& shape0, const T* in0,
                       const TensorShape& shape1, const T* in1, T* out, cudaStream_t stream);

/// The same for tensors of any strides (common/strided.h), in their own memory; both operands broadcast
/// to the shape of `out`, and `out` may be one that lies as it does.
template <class T>
cudaError_t arithmetic(ArithmeticOp op, const TensorView<const T>& in0,
                       const TensorView<const T>& in1, const TensorView<T>& out,
                       cudaStream_t stream);

/// The same with a number in the place of a tensor; its value travels with the launch. Beside half and
/// bf16 it is a float, as which they compute.
template <class T>
cudaError_t arithmetic(ArithmeticOp op, const TensorView<const T>& in0, NumberOf<T> number,
                       const TensorView<T>& out, cudaStream_t stream);
template <class T>
cudaError_t arithmetic(ArithmeticOp op, NumberOf<T> number, const TensorView<const T>& in1,
                       const TensorView<T>& out, cudaStream_t stream);

/// The same for int8 with scales (launchers/contiguous.h). Errors: also cudaErrorInvalidValue for a
/// scale that is not finite or not greater than 0.
cudaError_t arithmetic(ArithmeticOp op, const TensorShape& shape0, const std::int8_t* in0,
                       const TensorShape& shape1, const std::int8_t* in1, std::int8_t* out,
                       Int8Scales scales, cudaStream_t stream);
cudaError_t arithmetic(ArithmeticOp op, const TensorView<const std::int8_t>& in0,
                       const TensorView<const std::int8_t>& in1, const TensorView<std::int8_t>& out,
                       Int8Scales scales, cudaStream_t stream);

}  // namespace tutorial
