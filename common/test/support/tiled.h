#pragma once
/// \file
/// A short input repeated over a long buffer, and the interval of outputs that each of its elements
/// accepts. The reference is evaluated once per element of the tile; judging an output of any
/// length is then a comparison of integers.

#include "common/test/support/inputs.h"
#include "common/test/support/ulp.h"

#include <cstdint>
#include <vector>

namespace tutorial::test {

/// What T may be where a reference says `expected` and `max_ulp` are allowed: the outputs whose
/// ulp_error is at most `max_ulp`, as one interval of order_of(); only NaN if NaN is expected.
struct Accepted {
  std::int32_t lowest;
  std::int32_t highest;
};

template <class T>
Accepted accepted(double expected, double max_ulp);

/// Inputs x[i] = tile[i % period], and what is accepted for y[i].
///
/// The period is odd, so that a kernel that reads from a wrong block, warp or vector reads other
/// values. T: float, __half or __nv_bfloat16.
template <class T>
class TiledReference {
 public:
  static constexpr std::int64_t default_period = (std::int64_t{1} << 19) - 1;

  TiledReference(double (*reference)(double), double max_ulp, std::int64_t period = default_period);

  const std::vector<T>& tile() const { return tile_; }

  /// The index of the first of `count` outputs that is not accepted, or -1. The outputs are
  /// y[first], y[first + 1], ... and the index counts from y[0].
  std::int64_t first_wrong(const T* outputs, std::int64_t first, std::int64_t count) const;

  /// The double reference for y[index].
  double expected(std::int64_t index) const;
  double input(std::int64_t index) const;

 private:
  double (*reference_)(double);
  std::vector<T> tile_;
  std::vector<Accepted> accepted_;
};

}  // namespace tutorial::test
