// For the exercises in which the reader writes a whole program: a function from vectors to vectors, which
// allocates, copies, launches and copies back. main() calls it at lengths at which mistakes show.
#pragma once

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/proof/answer.h"

namespace tutorial::test {

/// Ends the program where a CUDA call did not work.
inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("wrong: CUDA says: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// What is wrong with y, or an empty string: expected(i) is the answer, up to a hundred-thousandth of it.
template <class T, class Expected>
std::string difference(const std::vector<T>& y, Expected expected) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double right = expected(i), got = static_cast<float>(y[i]);
    if (std::fabs(got - right) <= 1e-5 * std::fabs(right)) continue;
    return "y[" + std::to_string(i) + "] = " + std::to_string(got) + ", expected " +
           std::to_string(right);
  }
  return "";
}

/// main()'s answer. wrong(n): what is wrong with n elements, or an empty string.
template <class Wrong>
int at_every_length(Wrong wrong) {
  const std::int64_t drawn = sizes().draw(2, 5000);
  for (const std::int64_t length :
       {std::int64_t{1}, std::int64_t{7}, std::int64_t{128}, std::int64_t{129}, std::int64_t{1000},
        drawn, std::int64_t{5003}}) {
    const auto n = static_cast<std::size_t>(length);
    const std::string found = wrong(n);
    check(cudaDeviceSynchronize());
    if (!found.empty()) return verdict(false, std::to_string(n) + " elements: " + found);
  }
  return verdict(true, "every length that was tried, from 1 to 5,003");
}

}  // namespace tutorial::test
