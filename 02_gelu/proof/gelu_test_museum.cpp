// The bug museum: each exhibit fails in the way that the README tells.
#include <cmath>
#include <limits>
#include <vector>

#include "02_gelu/gelu.h"
#include "02_gelu/proof/gelu_reference.h"
#include "02_gelu/proof/museum/exhibits.cuh"
#include "common/launch.cuh"
#include "common/proof/catch.h"
#include "common/proof/support.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The largest |GELU(x)| that a float rung gets wrong by more than 1000 ULP, x below zero.
double first_lost(const UnaryLauncher<float>& launch, Reference reference) {
  std::vector<float> x;
  for (int i = 0; i < 1400; ++i) x.push_back(-0.01f * static_cast<float>(i));
  const std::vector<float> y = run_unary<float>(launch, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (ulp_error(y[i], reference(x[i])) > 1000.0) return std::fabs(reference(x[i]));
  }
  return 0.0;
}

}  // namespace

TEST_CASE("museum: tanh from two exponentials in half is NaN from x = 4.03 on", "[exhibit]") {
  require_device();
  const std::vector<half> x = all_values<half>();
  const std::vector<half> y = run_unary<half>(exhibits::gelu_f16_overflowing, x);
  int count = 0;
  double smallest = kInfinity;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(to_double(x[i])) || !std::isnan(to_double(y[i]))) continue;
    ++count;
    smallest = std::fmin(smallest, to_double(x[i]));
  }
  CHECK(smallest > 4.02);  // e^(2u) passes 65504, the largest half
  CHECK(smallest < 4.04);
  CHECK(count > 14000);  // every half from there to the top
  CHECK(count < 15000);
}

TEST_CASE("museum: the clamp on the wrong variable makes gelu(100) 88.38", "[exhibit]") {
  require_device();
  const std::vector<float> x = {100.0f, 88.0f, 1e30f};
  const std::vector<float> y = run_unary<float>(exhibits::gelu_f32_clamped, x);
  CHECK(std::fabs(y[0] - 88.376f) < 0.001f);
  CHECK(y[1] == 88.0f);
  CHECK(std::fabs(y[2] - 88.376f) < 0.001f);
}

TEST_CASE("museum: a constant of type double changes the speed, not the result", "[exhibit]") {
  require_device();
  std::vector<float> x;
  for (int i = -400; i <= 400; ++i) x.push_back(0.01f * static_cast<float>(i));
  const std::vector<float> wide = run_unary<float>(exhibits::gelu_f32x4_double_constant, x);
  const std::vector<float> narrow = run_unary<float>(exhibits::gelu_f32x4_float_constant, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    INFO(x[i]);
    CHECK(std::fabs(wide[i] - narrow[i]) <= 1e-6f);  // a test of values cannot find it
  }
}

TEST_CASE("museum: minus infinity times zero", "[exhibit]") {
  require_device();
  const std::vector<float> x = {-kInfinity, -100.0f};
  const std::vector<float> broken = run_unary<float>(exhibits::gelu_f32_unguarded, x);
  CHECK(std::isnan(broken[0]));
  CHECK(broken[1] == 0.0f);
}

TEST_CASE("museum: 1 + tanh and 1 + erf lose the left tail", "[exhibit]") {
  require_device();
  for (const GeluApproximate approximate : {GeluApproximate::tanh, GeluApproximate::none}) {
    const Reference reference = gelu_reference(approximate);
    const auto rungs = gelu_rungs<float>(approximate);
    // Three digits are gone where the result is still a thousandth, not somewhere in the dust.
    CHECK(first_lost(rungs.front().launch, reference) > 1e-5);
    CHECK(first_lost(rungs.back().launch, reference) == 0.0);
  }
}
