// The larger of two errors.
#pragma once

#include <cmath>

namespace tutorial::test {

/// A NaN is worse than every number; std::max and std::fmax drop it, and with it what was not written.
inline double worse(double a, double b) { return std::isnan(a) || a > b ? a : b; }

}  // namespace tutorial::test
