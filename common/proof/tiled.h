#pragma once
/// \file
/// A short input repeated over a long buffer, and the interval of outputs that each of its elements
/// accepts. The reference is evaluated once per element of the tile; judging an output of any
/// length is then a comparison of integers.

#include "common/proof/device.h"
#include "common/proof/inputs.h"
#include "common/proof/parallel.h"
#include "common/proof/ulp.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace tutorial::test {

/// What T may be where a reference says `expected` and `max_ulp` are allowed: the outputs whose
/// ulp_error() is at most `max_ulp`, as one interval of order_of(). Empty where NaN is expected.
struct Accepted {
  std::int32_t lowest;
  std::int32_t highest;

  bool only_nan() const { return lowest > highest; }
};

namespace detail {

/// The order of the smallest T that is at least `bound`, and of the largest that is at most
/// `bound`.
template <class T>
std::int32_t order_at_least(double bound) {
  const T nearest = from_double<T>(bound);
  return order_of(nearest) + (to_double(nearest) < bound ? 1 : 0);
}
template <class T>
std::int32_t order_at_most(double bound) {
  const T nearest = from_double<T>(bound);
  return order_of(nearest) - (to_double(nearest) > bound ? 1 : 0);
}

}  // namespace detail

/// `max_ulp` must be at least 0.5: below that no T may be close enough.
template <class T>
Accepted accepted(double expected, double max_ulp) {
  if (std::isnan(expected)) return {1, 0};
  const double slack = max_ulp * ulp<T>(expected);
  Accepted interval{detail::order_at_least<T>(expected - slack),
                    detail::order_at_most<T>(expected + slack)};
  if (overflow_error<T>(expected) <= max_ulp) {
    const std::int32_t infinity = order_of(from_double<T>(HUGE_VAL));
    (expected > 0 ? interval.highest : interval.lowest) = expected > 0 ? infinity : -infinity;
  }
  return interval;
}

/// Inputs x[i] = tile[i % period], and what is accepted for y[i] = f(x[i]).
///
/// The period is odd, so that a kernel that reads from a wrong block, warp or vector reads other
/// values. T: float, __half or __nv_bfloat16.
template <class T>
class TiledReference {
 public:
  static constexpr std::int64_t default_period = (std::int64_t{1} << 19) - 1;

  TiledReference(double (*reference)(double), double max_ulp, std::int64_t period = default_period)
      : reference_(reference), tile_(normal_values<T>(period)), accepted_(tile_.size()) {
    parallel_pieces(period, [&](int, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        accepted_[static_cast<std::size_t>(i)] = accepted<T>(expected(i), max_ulp);
      }
    });
  }

  const std::vector<T>& tile() const { return tile_; }
  double input(std::int64_t index) const { return to_double(tile_[position(index)]); }
  double expected(std::int64_t index) const { return reference_(input(index)); }

  /// x[0] to x[n - 1].
  std::vector<T> inputs(std::int64_t n) const {
    std::vector<T> values(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = tile_[position(i)];
    return values;
  }

  /// The index of the first wrong one among y[first] to y[first + count - 1], or -1. They lie at
  /// `outputs`; the index counts from y[0].
  std::int64_t first_wrong(const T* outputs, std::int64_t first, std::int64_t count) const {
    std::size_t at = position(first);
    for (std::int64_t i = 0; i < count; ++i) {
      if (!accepts(accepted_[at], outputs[i])) return first + i;
      if (++at == tile_.size()) at = 0;
    }
    return -1;
  }

  /// "y[7] = 0.5, expected 0.25 for x = 0.25 (1024 ULP)".
  std::string describe(std::int64_t index, T output) const {
    std::ostringstream text;
    text.precision(9);
    text << "y[" << index << "] = " << to_double(output) << ", expected " << expected(index)
         << " for x = " << input(index) << " (" << ulp_error(output, expected(index)) << " ULP)";
    return text.str();
  }

 private:
  std::size_t position(std::int64_t index) const {
    return static_cast<std::size_t>(index) % tile_.size();
  }

  static bool accepts(const Accepted& interval, T output) {
    const std::int32_t order = order_of(output);
    if (interval.lowest <= order && order <= interval.highest) return true;
    return interval.only_nan() && std::isnan(to_double(output));
  }

  double (*reference_)(double);
  std::vector<T> tile_;
  std::vector<Accepted> accepted_;
};

/// Fills `bytes` bytes of device memory with copies of a host tile, one behind the other, the last
/// one cut off where the memory ends. Waits until that is done.
inline void fill_with_tile(unsigned char* device, std::size_t bytes, const void* tile,
                           std::size_t tile_bytes) {
  std::size_t filled = std::min(bytes, tile_bytes);
  require_success(cudaMemcpy(device, tile, filled, cudaMemcpyHostToDevice), "cudaMemcpy");
  while (filled < bytes) {  // what is there is a whole number of tiles: append it to itself
    const std::size_t count = std::min(filled, bytes - filled);
    require_success(cudaMemcpy(device + filled, device, count, cudaMemcpyDeviceToDevice),
                    "cudaMemcpy");
    filled += count;
  }
  require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

}  // namespace tutorial::test
