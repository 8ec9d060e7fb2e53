// Random calls of GELU.
#include <vector>

#include "02_gelu/gelu.h"
#include "02_gelu/proof/gelu_reference.h"
#include "common/proof/fuzz/rungs.h"

namespace tutorial::fuzz {
namespace {

/// The operator; also for values of GeluApproximate that are none.
template <class T>
void try_operator(FuzzInput& input) {
  Trial trial(input, "gelu");
  const auto approximate = static_cast<GeluApproximate>(input.one_in(16) ? 2 : input.below(2));
  if (approximate != GeluApproximate::none && approximate != GeluApproximate::tanh) {
    trial.describe("no such approximation");
    trial.mistake(cudaErrorInvalidValue);
  }
  try_unary(trial, gelu_operator_rung<T>(approximate), gelu_reference(approximate));
}

}  // namespace

void try_input(FuzzInput& input) {
  switch (input.below(3)) {
    case 0:
      return try_operator<float>(input);
    case 1:
      return try_operator<half>(input);
    default:
      return try_operator<Bf16>(input);
  }
}

}  // namespace tutorial::fuzz
