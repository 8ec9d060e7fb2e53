// launch_broadcast() on random pairs of shapes: common_test tries them, and common_fuzz under the sanitizers.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "common/proof/broadcast_cases.h"
#include "common/refusal.h"
#include "common/test/broadcast_kernels.h"

namespace tutorial::test {

/// A small number, which is exact in every type.
template <class T>
T value(std::int64_t i, std::int64_t factor) {
  return static_cast<T>(static_cast<float>(i * factor % 251 - 125));
}

/// Tries pairs of shapes; each chooses its limits and its pointers' alignment, so that a
/// pair that fails, fails again.
template <class In, class Out, class Op>
std::string first_wrong(const Op& op, cudaError_t (*launch)(const Broadcast&, const In*, const In*,
                                                            Out*, LimitsToTry, cudaStream_t)) {
  const std::uint64_t seed = random_seed();
  std::printf("TUTORIAL_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return first_failure(seed, 4000, [&](const ShapePair& shapes) -> std::string {
    const auto choice =
        static_cast<std::size_t>(elements_of(shapes.shape0) * 7 + elements_of(shapes.shape1) * 3);
    const LimitsToTry limits[] = {{0, 0},  {0, 1},   {0, 5},         {40, 0},
                                  {17, 1}, {300, 2}, {0, 0, 1, 1, 1}};
    const Offsets offsets[] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    Broadcast broadcast;
    if (make_broadcast(shapes.shape0, shapes.shape1, &broadcast) != cudaSuccess) {
      return last_refusal();
    }
    const BroadcastTrial<In, Out> trial(
        shapes, [](std::int64_t i) { return value<In>(i, 37); },
        [](std::int64_t i) { return value<In>(i, 101); }, op, offsets[choice / 7 % 6]);
    return trial.violation([&](const In* in0, const In* in1, Out* out) {
      return launch(broadcast, in0, in1, out, limits[choice % 7], nullptr);
    });
  });
}

inline std::string first_wrong_as_wide() {
  const auto op = [](auto a, auto b) {
    return static_cast<decltype(a)>(7 * static_cast<std::int64_t>(a) -
                                    static_cast<std::int64_t>(b));
  };
  return first_wrong<std::int32_t, std::int32_t>(op, mixed_up) +
         first_wrong<std::int8_t, std::int8_t>(op, mixed_up) +
         first_wrong<std::int64_t, std::int64_t>(op, mixed_up);
}

inline std::string first_wrong_of_a_byte() {
  const auto op = [](auto a, auto b) {
    return static_cast<unsigned char>(static_cast<float>(a) > static_cast<float>(b) ? 1 : 0);
  };
  return first_wrong<__half, unsigned char>(op, greater) +
         first_wrong<float, unsigned char>(op, greater) +
         first_wrong<std::int64_t, unsigned char>(op, greater);
}

inline std::string first_wrong_wider() {
  const auto op = [](std::int8_t a, std::int8_t b) { return std::int32_t{a} * 1000 + b; };
  return first_wrong<std::int8_t, std::int32_t>(op, widened);
}

}  // namespace tutorial::test
