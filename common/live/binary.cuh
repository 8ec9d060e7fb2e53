// Rows of the chapters with two operands: kernels of a, b and y.
#pragma once

#include "common/launch.cuh"
#include "common/live/live.h"

namespace tutorial::live {

/// By launch(a, b, y, controls).
template <class In, class Out, class Launch>
Kernel binary(const char* chapter, const char* rung, Launch launch,
              std::int64_t elements_of_b = 0) {
  return {chapter,
          rung,
          {{"a", sizeof(In)}, {"b", sizeof(In), elements_of_b}, {"y", sizeof(Out)}},
          [=](const Pointers& at, const Controls& set) {
            return launch(static_cast<const In*>(at[0]), static_cast<const In*>(at[1]),
                          static_cast<Out*>(at[2]), set);
          }};
}

/// By launch_elements() of kernel(a, b, y, n, op); the alignments are those of a and b, and of y.
template <class In, class Out, class Op>
Kernel binary(const char* chapter, const char* rung,
              void (*kernel)(const In*, const In*, Out*, std::int64_t, Op), int per_thread,
              std::size_t alignment, std::size_t out_alignment) {
  return binary<In, Out>(chapter, rung, [=](const In* a, const In* b, Out* y, const Controls& set) {
    return launch_elements(kernel, set.n, per_thread,
                           {{a, alignment}, {b, alignment}, {y, out_alignment}}, nullptr,
                           {set.threads}, a, b, y, set.n, Op{});
  });
}

}  // namespace tutorial::live
