// For the worked answers that are functions of one 16-bit number: every value against a formula in double.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "common/elementwise.cuh"
#include "common/proof/inputs.h"
#include "common/proof/speed.h"
#include "common/proof/ulp.h"

namespace tutorial::test {

/// main()'s answer: 0 if op is within `claim` ULP of `reference` for all 65,536 values of T, NaN for
/// NaN, zeros with their sign. T: half or __nv_bfloat16.
template <class T, class Op>
int check_every_value(Op op, double (*reference)(double), double claim) {
  const std::vector<T> x = all_values<T>();
  const auto n = static_cast<std::int64_t>(x.size());
  const DeviceArray<T> from(x), to(x.size());
  const cudaError_t error = launch_elementwise(from.data(), to.data(), n, op, nullptr, {});
  if (error != cudaSuccess) return verdict(false, cudaGetErrorString(error));
  const std::vector<T> y = to.download();
  double largest = -1.0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float value = static_cast<float>(x[i]);
    if (std::isnan(value)) {
      if (!std::isnan(static_cast<float>(y[i]))) return verdict(false, "NaN does not give NaN");
      continue;
    }
    const double exact = reference(double{value});
    if (exact == 0.0 && static_cast<float>(y[i]) == 0.0f &&
        std::signbit(exact) != std::signbit(static_cast<float>(y[i]))) {
      return verdict(false, "a zero of the wrong sign, at x = " + std::to_string(value));
    }
    const double off = ulp_error(y[i], exact);
    if (!(off <= largest)) {
      largest = off;
      at = i;
    }
  }
  const auto input = static_cast<float>(x[at]);
  const DeviceArray<T> long_x(kTimedElements), long_y(kTimedElements);
  const std::string took = speed(2 * sizeof(T) * kTimedElements, [&] {
    return launch_elementwise(long_x.data(), long_y.data(), kTimedElements, op, nullptr, {});
  });
  return verdict(
      largest <= claim,
      error_sentence(largest, input, reference(double{input}), static_cast<float>(y[at])) + took);
}

}  // namespace tutorial::test
