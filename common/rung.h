// What a reader's rung claims of itself, for the test and the benchmark.
#pragma once

#include <cstddef>

namespace tutorial {

struct RungClaims {
  int per_thread;         ///< elements a thread
  std::size_t alignment;  ///< bytes that x and y need
  double max_ulp;         ///< largest error that the test allows, in ULP of the output type
};

}  // namespace tutorial
