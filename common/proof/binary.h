#pragma once
/// \file
/// The promises and the accuracy of a launcher with two inputs and one output of the same type.
///
/// T: float, __half or __nv_bfloat16. A reference is the formula in double; several threads call it
/// at once.

#include "common/proof/buffers.h"
#include "common/proof/ulp.h"
#include "common/proof/unary.h"

#include <string>
#include <vector>

namespace tutorial::test {

using BinaryReference = double (*)(double, double);

/// A launcher: y[i] = f(a[i], b[i]) for i in [0, n), enqueued on the stream.
template <class T>
using BinaryLauncher =
    std::function<cudaError_t(const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream)>;

/// One rung of a ladder, and what it claims.
template <class T>
struct BinaryRung {
  std::string name;  ///< as in the README and in the benchmark: "swiglu_f16"
  BinaryLauncher<T> launch;
  int width;              ///< elements per thread
  std::size_t alignment;  ///< bytes that a, b and y need; sizeof(T) if any element will do
  double max_ulp;         ///< the largest error allowed, in ULP of T
};

/// The rung with one array as both of its inputs: a rung with one input, x -> f(x, x). A kernel
/// that mixes up the places of a and b computes something else from it.
template <class T>
UnaryRung<T> with_both_inputs_the_same(const BinaryRung<T>& rung) {
  const auto launch = [both = rung.launch](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
    return both(x, x, y, n, stream);
  };
  return {rung.name + "(x, x)", launch, rung.width, rung.alignment, rung.max_ulp};
}

/// Every promise that the launcher breaks, a sentence each: those of a launcher with one input, for
/// f(x, x), for f(x, c) and for f(c, x). So each of a and b is tried at every offset, null, and in
/// place (y == a, y == b).
template <BinaryReference reference, class T>
std::vector<std::string> launcher_violations(const BinaryRung<T>& rung) {
  constexpr double c = 1.5;
  constexpr std::size_t most = (std::size_t{1} << 20) + 1024;  // more than the n ladder's largest
  const GuardedBuffer<T> constant(std::vector<T>(most, from_double<T>(c)));
  std::vector<std::string> violations;
  const auto try_as = [&](const std::string& inputs, const UnaryLauncher<T>& launch,
                          Reference of_one) {
    const UnaryRung<T> unary{rung.name + inputs, launch, rung.width, rung.alignment, rung.max_ulp};
    for (const std::string& violation : launcher_violations(unary, of_one)) {
      violations.push_back(inputs);
      violations.back().append(": ").append(violation);
    }
  };
  try_as("(x, x)", with_both_inputs_the_same(rung).launch,
         [](double x) { return reference(x, x); });
  try_as(
      "(x, c)",
      [&](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
        return rung.launch(x, constant.data(), y, n, stream);
      },
      [](double x) { return reference(x, c); });
  try_as(
      "(c, x)",
      [&](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
        return rung.launch(constant.data(), x, y, n, stream);
      },
      [](double x) { return reference(c, x); });
  return violations;
}

/// Fails the running test case with that list, unless it is empty.
void require_no_violations(const std::string& rung, const std::vector<std::string>& violations);

/// Fails the running test case with launcher_violations(), unless that is empty.
template <BinaryReference reference, class T>
void check_launcher_promises(const BinaryRung<T>& rung) {
  require_no_violations(rung.name, launcher_violations<reference>(rung));
}

/// The largest error over all pairs of an a and a b. `at_input` is the a.
template <class T>
WorstError worst_error_of_pairs(const BinaryLauncher<T>& launch, const std::vector<T>& a,
                                const std::vector<T>& b, BinaryReference reference);

/// Fails the running test case if the rung's largest error over those pairs exceeds its max_ulp, or
/// if it answers NaN to anything but where the reference does. Recorded like that of a UnaryRung.
template <class T>
void check_accuracy(const BinaryRung<T>& rung, BinaryReference reference, const std::vector<T>& a,
                    const std::vector<T>& b, const std::string& chapter);

}  // namespace tutorial::test
