#pragma once
/// \file
/// The promises and the accuracy of a launcher with one input and one output of the same type.
///
/// Every function template here exists for T = float, __half and __nv_bfloat16. A reference is the
/// formula in double; several threads call it at once.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tutorial::test {

using Reference = double (*)(double);

/// A launcher: y[i] = f(x[i]) for i in [0, n), enqueued on the stream.
template <class T>
using UnaryLauncher =
    std::function<cudaError_t(const T* x, T* y, std::int64_t n, cudaStream_t stream)>;

/// One rung of a ladder, and what it claims.
template <class T>
struct UnaryRung {
  std::string name;  ///< as in the README and in the benchmark: "f16x8_pack"
  UnaryLauncher<T> launch;
  int width;              ///< elements per thread
  std::size_t alignment;  ///< bytes that x and y need; sizeof(T) if any element will do
  double max_ulp;         ///< the largest error allowed, in ULP of T, over all inputs
};

/// The rung of that name; throws std::out_of_range if the ladder has none.
template <class T>
UnaryRung<T> rung_named(const std::string& name, const std::vector<UnaryRung<T>>& ladder) {
  for (const UnaryRung<T>& rung : ladder) {
    if (rung.name == name) return rung;
  }
  throw std::out_of_range("no rung is called " + name);
}

/// Uploads `inputs`, launches on the default stream, waits, and returns the outputs.
/// Throws std::runtime_error if the launch fails, or if the kernel wrote outside its output.
template <class T>
std::vector<T> run_unary(const UnaryLauncher<T>& launch, const std::vector<T>& inputs);

/// The largest error of a set of outputs.
struct WorstError {
  double ulp = 0;  ///< infinite for an unexpected NaN, infinity or number
  double at_input = 0;
  double expected = 0;
  double actual = 0;
  std::int64_t count = 0;  ///< outputs that were looked at
};

/// Compares outputs[i] with reference(inputs[i]) for every i, on all cores.
template <class T>
WorstError worst_error(const std::vector<T>& inputs, const std::vector<T>& outputs,
                       Reference reference);

/// Every promise that the launcher breaks, a sentence each; empty for a good one.
///
/// Tried are: the n ladder, with canaries around the output and with an input that ends where its
/// allocation ends; every offset of x and of y from a 16-byte boundary (success and right results
/// where the rung's alignment is met, cudaErrorMisalignedAddress and nothing written elsewhere);
/// y == x; null pointers and negative n; a stream that does not wait for the default one. On a GPU
/// also that the work goes to that stream and that the launcher does not synchronise.
template <class T>
std::vector<std::string> launcher_violations(const UnaryRung<T>& rung, Reference reference);

/// The largest error of each rung, in the rungs' order. The reference is evaluated once for all.
///
/// half and bf16: all 65,536 inputs. float: a dense sample over every exponent in the cpu backend,
/// all 2^32 values on a GPU.
template <class T>
std::vector<WorstError> measure_accuracy(const std::vector<UnaryRung<T>>& rungs,
                                         Reference reference);

/// The sizes that no 32-bit index reaches: a signed one ends before the first, an unsigned one
/// before the second.
inline constexpr std::int64_t past_2_31 = (std::int64_t{1} << 31) + 1027;
inline constexpr std::int64_t past_2_32 = (std::int64_t{1} << 32) + 1027;

/// Runs n elements, more than 2^31, on the GPU: what is wrong with them, or an empty string. Every
/// output is looked at, and the canaries around them.
template <class T>
std::string violation_past_2_31(const UnaryRung<T>& rung, Reference reference,
                                std::int64_t n = past_2_31);

/// Fails the running test case with the list of launcher_violations(), unless it is empty.
template <class T>
void check_launcher_promises(const UnaryRung<T>& rung, Reference reference);

/// The same for every rung of a ladder.
template <class T>
void check_launcher_promises(const std::vector<UnaryRung<T>>& rungs, Reference reference) {
  for (const UnaryRung<T>& rung : rungs) check_launcher_promises(rung, reference);
}

/// Fails the running test case if the rung's largest error, by measure_accuracy(), exceeds its
/// max_ulp, or if it answers NaN to anything but where the reference does.
///
/// If the environment names a directory in TUTORIAL_RECORD_DIR, the result is written there as
/// accuracy.<chapter>.<rung>.json.
template <class T>
void check_accuracy(const UnaryRung<T>& rung, Reference reference, const std::string& chapter);
template <class T>
void check_accuracy(const std::vector<UnaryRung<T>>& rungs, Reference reference,
                    const std::string& chapter);

/// Fails the running test case with violation_past_2_31(), unless that is empty: with past_2_32
/// elements if the GPU's memory holds them, with past_2_31 else. Skips the test case in the cpu
/// backend and on a GPU with too little memory: let it be the only check there.
template <class T>
void check_past_2_31(const UnaryRung<T>& rung, Reference reference);

}  // namespace tutorial::test
