// Short inputs repeated over long buffers, and the interval of outputs that each element of the
// tile accepts. The reference is evaluated once per element of the tile; judging an output of any
// length is then a comparison of integers.
#pragma once

#include "common/proof/complaint.h"
#include "common/proof/device.h"
#include "common/proof/inputs.h"
#include "common/proof/parallel.h"
#include "common/proof/ulp.h"
#include "common/rung.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
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
  expected = in_range<T>(expected);
  const double slack = max_ulp * ulp<T>(expected);
  Accepted interval{detail::order_at_least<T>(expected - slack),
                    detail::order_at_most<T>(expected + slack)};
  if (overflow_error<T>(expected) <= max_ulp) {
    const std::int32_t infinity = order_of(from_double<T>(HUGE_VAL));
    (expected > 0 ? interval.highest : interval.lowest) = expected > 0 ? infinity : -infinity;
  }
  return interval;
}

/// y[i] of the inputs' i-th values, in double; several threads call it at once.
using Formula = std::function<double(const double* inputs)>;

/// `count` tiles of `period` values. The first are normal_values(); the second are the same, the
/// last one first; then both again, rotated.
template <class T>
std::vector<std::vector<T>> tiles(std::size_t count, std::int64_t period) {
  const std::vector<T> values = normal_values<T>(period);
  std::vector<std::vector<T>> all(count, values);
  for (std::size_t k = 0; k < count; ++k) {
    if (k % 2 == 1) std::reverse(all[k].begin(), all[k].end());
    std::rotate(all[k].begin(), all[k].begin() + static_cast<std::int64_t>(k / 2) * (period / 5),
                all[k].end());
  }
  return all;
}

/// Inputs in[k][i] = tile(k)[i % period], and what is accepted for y[i] = f(in[0][i], ...).
///
/// The period is odd, so that a kernel that reads from a wrong block, warp or vector reads other
/// values. T: as in unary.h.
template <class T>
class TiledReference {
 public:
  static constexpr std::int64_t default_period = (std::int64_t{1} << 19) - 1;

  TiledReference(Formula formula, std::vector<std::vector<T>> tiles, double max_ulp)
      : formula_(std::move(formula)), tiles_(std::move(tiles)), accepted_(tiles_[0].size()) {
    parallel_pieces(static_cast<std::int64_t>(accepted_.size()),
                    [&](int, std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i) {
                        accepted_[static_cast<std::size_t>(i)] = accepted<T>(expected(i), max_ulp);
                      }
                    });
  }
  TiledReference(Reference reference, double max_ulp, std::int64_t period = default_period)
      : TiledReference([reference](const double* x) { return reference(x[0]); },
                       test::tiles<T>(1, period), max_ulp) {}
  TiledReference(BinaryReference reference, double max_ulp, std::int64_t period = default_period)
      : TiledReference([reference](const double* in) { return reference(in[0], in[1]); },
                       test::tiles<T>(2, period), max_ulp) {}

  const std::vector<T>& tile(std::size_t input = 0) const { return tiles_[input]; }
  double input(std::int64_t index, std::size_t input = 0) const {
    return to_double(tiles_[input][position(index)]);
  }
  double expected(std::int64_t index) const {
    std::array<double, 8> values{};
    for (std::size_t k = 0; k < tiles_.size(); ++k) values[k] = input(index, k);
    return formula_(values.data());
  }

  /// The first n elements of an input.
  std::vector<T> inputs(std::int64_t n, std::size_t input = 0) const {
    std::vector<T> values(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      values[static_cast<std::size_t>(i)] = tiles_[input][position(i)];
    }
    return values;
  }

  /// The index of the first wrong one among y[first] to y[first + count - 1], or -1. They lie at
  /// `outputs`; the index counts from y[0].
  std::int64_t first_wrong(const T* outputs, std::int64_t first, std::int64_t count) const {
    std::size_t at = position(first);
    for (std::int64_t i = 0; i < count; ++i) {
      if (!accepts(accepted_[at], outputs[i])) return first + i;
      if (++at == accepted_.size()) at = 0;
    }
    return -1;
  }

  /// What is wrong with that one, or an empty string.
  std::string complaint(const T* outputs, std::int64_t first, std::int64_t count) const {
    const std::int64_t wrong = first_wrong(outputs, first, count);
    return wrong < 0 ? "" : describe(wrong, outputs[wrong - first]);
  }

  /// The same of y[0] to y[n - 1], with its numbers.
  Complaint judge(const T* y, std::int64_t n) const {
    const std::int64_t wrong = first_wrong(y, 0, n);
    if (wrong < 0) return {};
    return {"value",
            describe(wrong, y[wrong]),
            {{"index", static_cast<double>(wrong)},
             {"expected", expected(wrong)},
             {"actual", to_double(y[wrong])},
             {"ulp", ulp_error(y[wrong], expected(wrong))}}};
  }

  /// "y[7] = 0.5, expected 0.25 for x = 0.25 (1024 ULP)".
  std::string describe(std::int64_t index, T output) const {
    std::ostringstream text;
    text.precision(9);
    text << "y[" << index << "] = " << to_double(output) << ", expected " << expected(index)
         << " for ";
    for (std::size_t k = 0; k < tiles_.size(); ++k) {
      const char name = tiles_.size() == 1 ? 'x' : static_cast<char>('a' + k);
      text << (k > 0 ? ", " : "") << name << " = " << input(index, k);
    }
    text << " (" << ulp_error(output, expected(index)) << " ULP)";
    return text.str();
  }

 private:
  std::size_t position(std::int64_t index) const {
    return static_cast<std::size_t>(index) % accepted_.size();
  }

  static bool accepts(const Accepted& interval, T output) {
    const std::int32_t order = order_of(output);
    if (interval.lowest <= order && order <= interval.highest) return true;
    return interval.only_nan() && std::isnan(to_double(output));
  }

  Formula formula_;
  std::vector<std::vector<T>> tiles_;
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
