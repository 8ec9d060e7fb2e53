// The ladder's kernels as a page of the book runs them (common/live): a > b of halves, a byte for each answer.
#include "05_logical_relation/ladders/ladder_b_relation.cuh"
#include "common/live/binary.cuh"

namespace tutorial::live {

namespace {

template <class... Row>
Kernel row(const char* rung, Row... row) {
  return binary("05_logical_relation", rung, row...);
}

// The rows of launchers/ladder_b.cu.
[[maybe_unused]] const bool added = add({
    row("greater_f16", relation_kernel<half, Greater>, 1, 2, 1),
    row("greater_half8", relation_half8_kernel<Greater>, 8, 2, 1),
    row("greater_f16x8_pack", relation_pack_kernel<half, OneByOne<Greater>>, 8, 16, 8),
});

}  // namespace

}  // namespace tutorial::live
