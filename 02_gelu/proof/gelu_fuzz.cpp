// Random calls of GELU and of its ladder.
#include <vector>

#include "02_gelu/gelu_rungs.h"
#include "common/proof/fuzz/rungs.h"

namespace tutorial::fuzz {
namespace {

/// The operator; also for values of GeluApproximate that are none.
template <class T>
void try_operator(FuzzInput& input, double max_ulp) {
  Trial trial(input, "gelu");
  const auto approximate = static_cast<GeluApproximate>(input.one_in(16) ? 2 : input.below(2));
  if (approximate != GeluApproximate::none && approximate != GeluApproximate::tanh) {
    trial.describe("no such approximation");
    trial.mistake(cudaErrorInvalidValue);
  }
  try_unary(trial, gelu_operator_rung<T>(approximate, test::Format<T>::name, max_ulp),
            gelu_reference(approximate));
}

template <class T>
void try_ladder(FuzzInput& input, std::vector<UnaryRung<T>> (*rungs)(GeluApproximate approximate)) {
  Trial trial(input, "ladder of gelu");
  const auto approximate = static_cast<GeluApproximate>(input.below(2));
  try_unary(trial, input.pick(rungs(approximate)), gelu_reference(approximate));
}

}  // namespace

void try_input(FuzzInput& input) {
  switch (input.below(10)) {
    case 0:
      return try_operator<float>(input, kGeluF32MaxUlp);
    case 1:
      return try_operator<half>(input, 0.51);
    case 2:
      return try_operator<Bf16>(input, 0.51);
    case 3:
    case 4:
      return try_ladder(input, gelu_rungs_f32);
    case 5:
      return try_ladder(input, gelu_rungs_bf16);
    case 6:
      return try_ladder(input, gelu_rungs_fp8<E4m3>);
    case 7:
      return try_ladder(input, gelu_rungs_fp8<E5m2>);
    default:
      return try_ladder(input, gelu_rungs_f16);
  }
}

}  // namespace tutorial::fuzz
