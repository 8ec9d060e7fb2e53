// Statistics for a row's counters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tutorial::bench {

/// The value below which `fraction` (0 to 1) of the samples lie, interpolated linearly. Needs at
/// least one sample.
inline double quantile(std::vector<double> samples, double fraction) {
  std::sort(samples.begin(), samples.end());
  const double position = fraction * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  const double weight = position - static_cast<double>(below);
  return samples[below] * (1 - weight) + samples[above] * weight;
}

inline double median(const std::vector<double>& samples) { return quantile(samples, 0.5); }

/// (p90 - p10) / median, in percent.
inline double spread_percent(const std::vector<double>& samples) {
  return (quantile(samples, 0.9) - quantile(samples, 0.1)) / median(samples) * 100;
}

}  // namespace tutorial::bench
