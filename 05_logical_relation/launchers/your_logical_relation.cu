// The launcher of the reader's rung, alone: a changed kernel is compiled in a second.
#include "05_logical_relation/your_logical_relation.cuh"

#include <algorithm>

#include "05_logical_relation/launchers/launch.cuh"
#include "05_logical_relation/logical_relation.h"

namespace tutorial {

cudaError_t your_logical_relation(const half* a, const half* b, Byte* y, std::int64_t n,
                                  cudaStream_t stream) {
  const auto out_alignment = static_cast<std::size_t>(std::min(kYourRelation.per_thread, 16));
  return launch_answers(your_relation_kernel, a, b, y, n, kYourRelation.per_thread,
                        kYourRelation.alignment, out_alignment, Greater{}, stream);
}

RungClaims your_logical_relation_claims() { return kYourRelation; }

}  // namespace tutorial
