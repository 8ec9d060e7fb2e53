// Operands for the tests with shapes, and what the contiguous kernel makes of them.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "04_arithmetic/launchers/contiguous.h"
#include "common/proof/broadcast_cases.h"
#include "common/proof/buffers.h"
#include "common/proof/catch.h"
#include "common/proof/ulp.h"

namespace tutorial {

inline constexpr Int8Scales kTestScales{0.375f, 0.25f, 0.5f};

/// check(a zero of the type), in a section for each type of the operator.
template <class Check>
void in_every_type(const Check& check) {
  SECTION("f32") { check(0.0f); }
  SECTION("f16") { check(half{}); }
  SECTION("bf16") { check(__nv_bfloat16{}); }
  SECTION("i32") { check(std::int32_t{}); }
  SECTION("i64") { check(std::int64_t{}); }
  SECTION("i8") { check(std::int8_t{}); }
}

/// Values of each magnitude and sign, zeros among them, and for floating-point types infinities and
/// NaN; different from one operand (`which`: 0 or 1) to the other, in an order that no small stride
/// repeats.
template <class T>
std::vector<T> test_values(const TensorShape& shape, int which) {
  return test::values_of<T>(shape, [which](std::int64_t i) {
    const std::int64_t k = (i * 37 + 11 * which + i / 64) % 101;
    if constexpr (std::is_same_v<T, std::int8_t>) {
      return static_cast<T>((k * 53 + i) % 256 - 128);
    } else if constexpr (std::is_integral_v<T>) {
      if (k == 0) return std::numeric_limits<T>::min();
      if (k == 1) return std::numeric_limits<T>::max();
      if (k < 12) return static_cast<T>(k - 6);
      return static_cast<T>(k % 2 == 0 ? k * 7919 + i : -k * 104729 - i);
    } else {
      constexpr float kInfinity = std::numeric_limits<float>::infinity();
      constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
      constexpr float kSpecial[] = {0.0f, -0.0f, kInfinity, -kInfinity, kNaN, 1.0f, -1.0f, 2.0f};
      if (k < 8) return test::from_double<T>(kSpecial[k]);
      return test::from_double<T>(static_cast<double>(k - 50) / 7.0 +
                                  static_cast<double>(i % 64) / 64);
    }
  });
}

/// Whether two results are the same: to the bit, but that one NaN is as good as another.
template <class T>
bool same_value(const T& expected, const T& actual) {
  if constexpr (!std::is_integral_v<T>) {
    if (std::isnan(test::to_double(expected))) return std::isnan(test::to_double(actual));
  }
  return std::memcmp(&expected, &actual, sizeof(T)) == 0;
}

/// What the first rung gives for arrays of the same length; int8 with kTestScales.
template <class T>
std::vector<T> contiguous_results(ArithmeticOp op, const std::vector<T>& in0,
                                  const std::vector<T>& in1) {
  std::vector<T> results(in0.size());
  if (results.empty()) return results;
  const std::size_t bytes = results.size() * sizeof(T);
  const test::DeviceBytes device0(bytes), device1(bytes), device(bytes);
  using test::require_success;
  require_success(cudaMemcpy(device0.data(), in0.data(), bytes, cudaMemcpyHostToDevice), "copy");
  require_success(cudaMemcpy(device1.data(), in1.data(), bytes, cudaMemcpyHostToDevice), "copy");
  const auto* a = reinterpret_cast<const T*>(device0.data());
  const auto* b = reinterpret_cast<const T*>(device1.data());
  auto* y = reinterpret_cast<T*>(device.data());
  const auto n = static_cast<std::int64_t>(results.size());
  const ArithmeticRung<T>& nobroadcast = arithmetic_rungs<T>().front();
  require_success(nobroadcast.launch({op, a, b, y, nullptr, kTestScales}, n), "nobroadcast");
  require_success(cudaMemcpy(results.data(), y, bytes, cudaMemcpyDeviceToHost), "copy");
  return results;
}

}  // namespace tutorial
