// A kernel on eight-bit floats, launched with blocks of any size.
#pragma once

#include "common/types.h"

namespace tutorial::test {

/// y[i] = -x[i] by elementwise_table_kernel, in blocks of `threads`. Aligned to 16 bytes.
cudaError_t negate_by_table(const E4m3* x, E4m3* y, std::int64_t n, int threads,
                            cudaStream_t stream);

}  // namespace tutorial::test
