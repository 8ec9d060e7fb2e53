// Tensors of any strides, host side. The kernels are those of common/strided.cuh.
#pragma once

#include <cuda_runtime.h>

#include <type_traits>

#include "04_arithmetic/launchers/op.h"
#include "common/strided.h"

namespace tutorial {

/// out = op(in0, in1) over a loop whose tensors are out, in0 and in1: promises and errors as in
/// broadcast.h. The loop comes from make_strided_loop(), and is not checked again. [sizeof(T)]
template <class T>
cudaError_t arithmetic_strided_loop(const ArithmeticCall<T>& call, const StridedLoop& loop);

/// What a number beside elements of T is: a float where these compute in float.
template <class T>
using NumberOf = std::conditional_t<std::is_integral_v<T>, T, float>;

/// The same with a number as one operand, the first if `number_first`; the tensor is call.in0, and
/// call.in1 is not used. T: float, half, __nv_bfloat16, std::int32_t or std::int64_t.
template <class T>
cudaError_t arithmetic_number_loop(const ArithmeticCall<T>& call, NumberOf<T> number,
                                   bool number_first, const StridedLoop& loop);

}  // namespace tutorial
