// Random calls of GELU.
#include <cmath>

#include "02_gelu/backward/gelu_backward.h"
#include "02_gelu/gelu.h"
#include "02_gelu/proof/gelu_reference.h"
#include "common/proof/fuzz/rungs.h"

namespace tutorial::fuzz {
namespace {

/// One of the two variants, or now and then one that does not exist: a mistake.
GeluApproximate some_variant(Trial& trial) {
  const auto approximate =
      static_cast<GeluApproximate>(trial.input.one_in(16) ? 2 : trial.input.below(2));
  if (approximate != GeluApproximate::none && approximate != GeluApproximate::tanh) {
    trial.describe("no such approximation");
    trial.mistake(cudaErrorInvalidValue);
  }
  return approximate;
}

/// The operator; also for values of GeluApproximate that are none.
template <class T>
void try_operator(FuzzInput& input) {
  Trial trial(input, "gelu");
  const GeluApproximate approximate = some_variant(trial);
  try_unary(trial, gelu_operator_rung<T>(approximate), gelu_reference(approximate));
}

template <class T>
void try_backward(FuzzInput& input) {
  Trial trial(input, "gelu_backward");
  const GeluApproximate approximate = some_variant(trial);
  try_binary<T>(trial, gelu_backward_operator_rung<T>(approximate),
                gelu_backward_reference(approximate),
                [](double x, double dy) { return std::isnan(x) || !(std::fabs(dy) > 0x1p90); });
}

}  // namespace

void try_input(FuzzInput& input) {
  const bool is_backward = input.one_in(2);
  for_one_type(input, Floats{}, [&](auto type) {
    is_backward ? try_backward<decltype(type)>(input) : try_operator<decltype(type)>(input);
  });
}

}  // namespace tutorial::fuzz
