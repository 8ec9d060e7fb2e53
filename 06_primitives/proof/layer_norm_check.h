// What the answers about the layer norm are held to: rows far from zero, against a double.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "common/cluster.cuh"
#include "common/proof/speed.h"
#include "common/proof/worse.h"

namespace tutorial::test {

/// main()'s result for kernel(x, y, columns, epsilon), which gives so many values to a thread, and a
/// row to a block, or to a cluster of several.
inline int check_layer_norm(void (*kernel)(const float*, float*, std::int64_t, float),
                            unsigned per_thread, unsigned columns = 4096, unsigned blocks = 1) {
  if (blocks > 1 && !runs_in_clusters(kernel)) {
    std::printf("skipped: no GPU with clusters\n");
    return 4;
  }
  const unsigned rows = 262144 / columns;
  LaunchShape shape{dim3(rows * blocks), dim3(columns / blocks / per_thread)};
  shape.cluster = blocks;
  cudaError_t error = cudaSuccess;
  double worst = 0.0;
  // Beside a variance of a twelfth only the second epsilon counts; the second mean has no short binary form.
  for (const auto& [from, epsilon] : {std::pair(1000.0f, 1e-5f), std::pair(1000.3f, 1e-2f)}) {
    std::vector<float> x;
    for (std::int64_t i = 0; i < std::int64_t{rows} * columns; ++i) {
      x.push_back(from + static_cast<float>(i * 2654435761 % 4099) / 4099.0f);
    }
    const DeviceArray<float> in(x), out(x.size());
    error = launch(kernel, shape, nullptr, in.data(), out.data(), columns, epsilon);
    if (error != cudaSuccess) break;
    const std::vector<float> y = out.download();
    for (std::size_t row = 0; row < rows; ++row) {
      const float* of = &x[row * columns];
      double mean = 0.0, variance = 0.0;
      for (std::size_t c = 0; c < columns; ++c) mean += of[c] / static_cast<double>(columns);
      for (std::size_t c = 0; c < columns; ++c) variance += std::pow(of[c] - mean, 2) / columns;
      for (std::size_t c = 0; c < columns; ++c) {
        const double exact = (of[c] - mean) / std::sqrt(variance + static_cast<double>(epsilon));
        worst = worse(worst, std::fabs(static_cast<double>(y[row * columns + c]) - exact));
      }
    }
  }
  // The mean lies near 1000, whose floats are 6e-5 apart, and the deviation is 0.29.
  const DeviceArray<float> long_x(kTimedElements), long_y(kTimedElements);
  shape.grid.x = static_cast<unsigned>(kTimedElements / columns) * blocks;
  const std::string took = speed(8 * kTimedElements, [&] {
    return launch(kernel, shape, nullptr, long_x.data(), long_y.data(), columns, 1e-5f);
  });
  return verdict(error == cudaSuccess && worst < 1e-3,
                 "largest error " + std::to_string(worst) + took);
}

}  // namespace tutorial::test
