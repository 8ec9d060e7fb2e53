// The accuracy of a launcher with one input and one output of the same type.
#pragma once

#include "common/rung.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Every function template here exists for T = float, __half, __nv_bfloat16, __nv_fp8_e4m3 and
// __nv_fp8_e5m2.

namespace tutorial::test {

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
  std::int64_t over = 0;   ///< of these, how many are off by more than is allowed
  double over_from = 0;    ///< the smallest and the largest input among them
  double over_to = 0;

  /// Takes one more output into account, of which `allowed` ULP are.
  void observe(double input, double wanted, double got, double error, double allowed) {
    if (!(error <= allowed)) {
      over_from = over == 0 ? input : std::fmin(over_from, input);
      over_to = over == 0 ? input : std::fmax(over_to, input);
      ++over;
    }
    if (count++ > 0 && error <= ulp) return;
    ulp = error;
    at_input = input;
    expected = wanted;
    actual = got;
  }

  /// Takes all outputs of another into account.
  void merge(const WorstError& other) {
    if (other.over > 0) {
      over_from = over == 0 ? other.over_from : std::fmin(over_from, other.over_from);
      over_to = over == 0 ? other.over_to : std::fmax(over_to, other.over_to);
      over += other.over;
    }
    if (other.count > 0 && (count == 0 || other.ulp > ulp)) {
      ulp = other.ulp;
      at_input = other.at_input;
      expected = other.expected;
      actual = other.actual;
    }
    count += other.count;
  }

  /// "2048 ULP at x = -0.0009: expected -0.0009, got -0.001 (31 of 65536 inputs exceed 0.51 ULP, x
  /// from -0.1 to -6e-08)".
  std::string description(double allowed, const char* input = "x",
                          const char* inputs = "inputs") const;
};

/// Compares outputs[i] with reference(inputs[i]) for every i, on all cores; `allowed`: in ULP.
template <class T>
WorstError worst_error(const std::vector<T>& inputs, const std::vector<T>& outputs,
                       Reference reference, double allowed = 0);

/// The largest error of each rung, in the rungs' order. The reference is evaluated once for all.
///
/// half and bf16: all 65,536 inputs; eight-bit types: all 256. float: a dense sample over every exponent in the cpu backend,
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
