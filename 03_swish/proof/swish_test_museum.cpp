// The bug museum: each exhibit fails in the way that the README tells.
#include <cmath>
#include <limits>
#include <vector>

#include "03_swish/proof/museum/exhibits.cuh"
#include "03_swish/proof/swish_reference.h"
#include "03_swish/swish.h"
#include "common/launch.cuh"
#include "common/proof/binary.h"
#include "common/proof/catch.h"
#include "common/proof/support.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("museum: half flushes to -0 below -11.1", "[exhibit]") {
  require_device();
  const std::vector<half> x = {half(-11.0f), half(-11.5f), half(-14.0f), half(-kInfinity)};
  const std::vector<half> broken = run_unary<half>(exhibits::swish_f16_flushing, x);
  const std::vector<half> right = run_unary<half>(swish_rungs<half>().front().launch, x);

  CHECK(to_double(broken[0]) < 0.0);
  for (const std::size_t i : {1u, 2u}) {
    CHECK(to_double(broken[i]) == 0.0);  // the answer at -11.5 is -1.2e-4
    CHECK(std::signbit(to_double(broken[i])));
    CHECK(ulp_error(broken[i], swish_reference(to_double(x[i]))) > 100.0);
    CHECK(ulp_error(right[i], swish_reference(to_double(x[i]))) <= 16.0);
  }
  CHECK(std::isnan(to_double(broken[3])));
}

TEST_CASE("museum: an absolute tolerance does not see the flush", "[exhibit]") {
  require_device();
  const std::vector<half> x = {half(-11.5f), half(-14.0f)};
  const std::vector<half> broken = run_unary<half>(exhibits::swish_f16_flushing, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(std::fabs(to_double(broken[i]) - swish_reference(to_double(x[i]))) < 1e-3);
  }
}

TEST_CASE("museum: x sigmoid(x) at -infinity is NaN", "[exhibit]") {
  require_device();
  const std::vector<float> y =
      run_unary<float>(exhibits::swish_f32_nan, {-kInfinity, -1000.0f, kInfinity});
  CHECK(std::isnan(y[0]));
  CHECK(y[1] == 0.0f);  // every finite input is fine: 0 times a number
  CHECK(y[2] == kInfinity);
  CHECK(run_unary<float>(swish_rungs<float>().front().launch, {-kInfinity})[0] == 0.0f);
}

TEST_CASE("museum: __fdividef has a hole between 2^126 and 2^128", "[exhibit]") {
  require_device();
  const std::vector<float> x = {-87.0f, -87.5f, -88.5f};
  const std::vector<float> y = run_unary<float>(exhibits::swish_f32_fdividef, x);
  const std::vector<float> right =
      run_unary<float>(rung_named("f32x4_poly", swish_rungs<float>()).launch, x);
  CHECK(std::fabs(y[0] / swish_reference(x[0]) - 1.0) < 1e-4);
  for (const std::size_t i : {1u, 2u}) {
    CHECK(y[i] == 0.0f);  // 1 + e^-x is finite here, and so is the quotient: about -1e-36
    CHECK(ulp_error(right[i], swish_reference(x[i])) <= 2.0);
  }
}

TEST_CASE("museum: right for every half, wrong for bf16", "[exhibit]") {
  require_device();
  const std::vector<Bf16> x = {Bf16(-87.0f), Bf16(-88.0f), Bf16(-92.0f)};
  const std::vector<Bf16> broken = run_unary<Bf16>(exhibits::swish_bf16_flushing, x);
  const std::vector<Bf16> right =
      run_unary<Bf16>(rung_named("bf16x8_pack", swish_rungs<Bf16>()).launch, x);
  CHECK(ulp_error(broken[0], swish_reference(to_double(x[0]))) <= 0.51);
  for (const std::size_t i : {1u, 2u}) {
    CHECK(to_double(broken[i]) == 0.0);
    CHECK(ulp_error(broken[i], swish_reference(to_double(x[i]))) > 100.0);
    CHECK(ulp_error(right[i], swish_reference(to_double(x[i]))) <= 0.51);
  }
}

TEST_CASE("museum: two kernels in place square what they should multiply", "[exhibit]") {
  require_device();
  const GuardedBuffer<float> a(std::vector<float>{2.0f, -1.0f}), b(std::vector<float>{3.0f, 5.0f});
  REQUIRE(exhibits::swiglu_f32_overwriting(a.data(), b.data(), 2, nullptr) == cudaSuccess);
  const std::vector<float> y = b.download();
  for (std::size_t i = 0; i < 2; ++i) {
    const double swish = swish_reference(i == 0 ? 2.0 : -1.0);
    CHECK(std::fabs(y[i] - swish * swish) < 1e-6);  // b has no part in it
  }
}
