// Tensors of any strides, host side. The kernels are those of common/strided.cuh.
#pragma once

#include <cuda_runtime.h>

#include "04_arithmetic/launchers/op.h"
#include "common/strided.h"

namespace tutorial {

/// out = op(in0, in1) over a loop whose tensors are out, in0 and in1: promises and errors as in
/// broadcast.h. The loop comes from make_strided_loop(), and is not checked again. [sizeof(T)]
template <class T>
cudaError_t arithmetic_strided_loop(const ArithmeticCall<T>& call, const StridedLoop& loop);

}  // namespace tutorial
