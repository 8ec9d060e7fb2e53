// The bug museum, second room: mistakes about shapes. arithmetic_test.cpp shows how each one fails.
// Nothing outside the tests uses them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/broadcast.h"

namespace tutorial::exhibits {

/// Merges from the innermost dimension outwards and gives up at the first pair of neighbours that
/// does not merge; a size of 1 that is not at the end stays, too. Right, and slow.
Broadcast merge_until_a_mismatch(const Broadcast& broadcast);

/// in0 + in1 in NHWC8 storage by the kernel of C1, with strides as the library computes them:
/// it remembers one broadcast axis of in1, the first that it finds from the inside, and sets its
/// stride to 0.
cudaError_t limit_nhwc_one_axis(const TensorShape& shape0, const float* in0,
                                const TensorShape& shape1, const float* in1, float* out,
                                cudaStream_t stream);

/// one_dimension with `int32_t inner_dim` and `int calc_index`, as the library has them. `first`
/// stands for the elements before, so that a small launch shows what a large one does: the thread
/// of element first + k writes to place[k] which element of the shorter operand it would read.
cudaError_t one_dimension_narrow(std::int64_t first, std::int64_t inner, std::int64_t* place,
                                 std::int64_t n, cudaStream_t stream);

}  // namespace tutorial::exhibits
