// The accuracy of a launcher with two inputs and one output of the same type.
#pragma once

#include "common/proof/buffers.h"
#include "common/proof/ulp.h"
#include "common/proof/unary.h"

#include <string>
#include <utility>
#include <vector>

// T: float, __half or __nv_bfloat16.

namespace tutorial::test {

/// As run_unary().
template <class T>
std::vector<T> run_binary(const BinaryLauncher<T>& launch, const std::vector<T>& a,
                          const std::vector<T>& b);

/// The rung with one array as both of its inputs: a rung with one input, x -> f(x, x). A kernel
/// that reads a and b at different places computes something else.
template <class T>
UnaryRung<T> with_both_inputs_the_same(const BinaryRung<T>& rung) {
  const auto launch = [both = rung.launch](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
    return both(x, x, y, n, stream);
  };
  return {rung.name + "(x, x)", launch, rung.width, rung.alignment, rung.max_ulp};
}

/// The largest error over all pairs of an a and a b. `at_input` is the a; `allowed`: in ULP.
template <class T>
WorstError worst_error_of_pairs(const BinaryLauncher<T>& launch, const std::vector<T>& a,
                                const std::vector<T>& b, BinaryReference reference,
                                double allowed = 0);

/// Fails the running test case if the rung's largest error over those pairs exceeds its max_ulp, or
/// if it answers NaN to anything but where the reference does. Recorded like that of a UnaryRung.
template <class T>
void check_accuracy(const BinaryRung<T>& rung, BinaryReference reference, const std::vector<T>& a,
                    const std::vector<T>& b, const std::string& chapter);

}  // namespace tutorial::test
