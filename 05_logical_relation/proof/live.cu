// The ladder's kernels as a page of the book runs them (common/live): a > b of halves, a byte for each answer.
#include "05_logical_relation/ladders/ladder_b_relation.cuh"
#include "05_logical_relation/launchers/launch.cuh"
#include "common/live/live.h"

namespace tutorial::live {

namespace {

template <class Op>
Kernel row(const char* rung, void (*kernel)(const half*, const half*, Byte*, std::int64_t, Op),
           int per_thread, std::size_t in_alignment, std::size_t out_alignment) {
  return {"05_logical_relation",
          rung,
          {{"a", 2}, {"b", 2}, {"y", 1}},
          [=](const Pointers& at, const Controls& set) {
            return launch_answers(kernel, static_cast<const half*>(at[0]),
                                  static_cast<const half*>(at[1]), at[2], set.n, per_thread,
                                  in_alignment, out_alignment, Op{}, nullptr, {set.threads});
          }};
}

// The rows of launchers/ladder_b.cu.
[[maybe_unused]] const bool added = add({
    row("greater_f16", relation_kernel<half, Greater>, 1, 2, 1),
    row("greater_half8", relation_half8_kernel<Greater>, 8, 2, 1),
    row("greater_f16x8_pack", relation_pack_kernel<half, OneByOne<Greater>>, 8, 16, 8),
});

}  // namespace

}  // namespace tutorial::live
