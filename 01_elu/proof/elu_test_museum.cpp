// The bug museum: each exhibit fails in the way that the README tells. Inputs are longer than n says, so that a
// read past the end finds memory; canaries around the output show the writes.
#include <cmath>
#include <cstdint>
#include <vector>

#include "01_elu/elu.h"
#include "01_elu/proof/elu_reference.h"
#include "01_elu/proof/museum/exhibits.cuh"
#include "common/proof/catch.h"
#include "common/proof/support.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

const UnaryLauncher<half>& f16_rung(const char* name) {
  return rung_named(name, elu_rungs<half>()).launch;
}

std::vector<half> halves(std::size_t count, float value) {
  return std::vector<half>(count, half(value));
}

}  // namespace

TEST_CASE("museum: f16x2 indexed by halves skips every other pair and leaves the buffer",
          "[exhibit]") {
  require_device();
  constexpr std::int64_t n = 1024;
  const GuardedBuffer<half> x(halves(2 * n, 1.0f));
  const GuardedBuffer<half> y(n);
  REQUIRE(exhibits::elu_f16x2_misindexed(x.data(), y.data(), n, nullptr) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);

  CHECK_FALSE(y.intact());
  const std::vector<half> result = y.download();
  for (std::size_t i = 0; i < n; i += 4) {
    CHECK(to_double(result[i]) == 1.0);
    CHECK(to_double(result[i + 1]) == 1.0);
    CHECK(std::isnan(to_double(result[i + 2])));
    CHECK(std::isnan(to_double(result[i + 3])));
  }
}

TEST_CASE("museum: f32x4 that checks its first element overruns by up to three", "[exhibit]") {
  require_device();
  for (const std::int64_t n : {1024, 1025, 1026, 1027}) {
    INFO(n);
    const GuardedBuffer<float> x(std::vector<float>(1028, 1.0f));
    const GuardedBuffer<float> y(static_cast<std::size_t>(n));
    REQUIRE(exhibits::elu_f32x4_overrun(x.data(), y.data(), n, nullptr) == cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(y.intact() == (n % 4 == 0));  // a test that tries only round sizes sees nothing
  }
}

TEST_CASE("museum: pack without a tail drops the last n % 8 elements", "[exhibit]") {
  require_device();
  constexpr std::size_t n = 1029;
  const GuardedBuffer<half> x(halves(2048, 1.0f));
  const GuardedBuffer<half> y(n);
  REQUIRE(exhibits::elu_f16x8_dropped_tail(x.data(), y.data(), n, nullptr) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);

  const std::vector<half> result = y.download();
  CHECK(to_double(result[1023]) == 1.0);
  for (std::size_t i = 1024; i < n; ++i) {
    CHECK(std::isnan(to_double(result[i])));  // never written: still the NaN of a fresh buffer
  }
}

TEST_CASE("museum: exp(x) - 1 near zero", "[exhibit]") {
  require_device();
  const std::vector<float> x = {-1e-7f, -1e-8f, -1e-3f};
  const std::vector<float> broken = run_unary<float>(exhibits::elu_f32_cancelling, x);
  const std::vector<float> right = run_unary<float>(elu_rungs<float>().front().launch, x);

  const double expected = elu_reference(x[0]);
  CHECK(std::fabs(broken[0] - expected) > 0.15 * std::fabs(expected));  // 19 % wrong
  CHECK(broken[1] == 0.0f);                                             // and then nothing is left
  CHECK(ulp_error(broken[2], elu_reference(x[2])) > 10.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(ulp_error(right[i], elu_reference(x[i])) <= 2.0);
  }

  // In half the same formula loses everything sooner: at -1e-4, hexp(x) is 1.
  const std::vector<half> lost = run_unary<half>(f16_rung("f16x8_pack"), halves(1, -1e-4f));
  CHECK(to_double(lost[0]) == 0.0);
  const std::vector<half> kept = run_unary<half>(f16_rung("f16x8_pack_poly"), halves(1, -1e-4f));
  CHECK(ulp_error(kept[0], elu_reference(to_double(half(-1e-4f)))) <= 0.51);
}

TEST_CASE("museum: a reference with the kernel's formula cannot see the cancellation",
          "[exhibit]") {
  require_device();
  const std::vector<float> x = {-2e-8f};
  const float same_formula = std::exp(x[0]) - 1.0f;
  const float broken = run_unary<float>(exhibits::elu_f32_cancelling, x)[0];
  const float right = run_unary<float>(elu_rungs<float>().front().launch, x)[0];
  CHECK(broken == same_formula);  // both are 0: such a test passes the broken kernel,
  CHECK(right != same_formula);   // and would fail the right one
  CHECK(ulp_error(broken, elu_reference(x[0])) > 1e6);
}

TEST_CASE("museum: an index computed in 32 bits starts again at zero", "[exhibit]") {
  require_device();
  constexpr std::int64_t first = std::int64_t{1} << 32;
  const GuardedBuffer<std::int64_t> index(256);
  REQUIRE(exhibits::narrow_index(first, index.data(), 256, nullptr) == cudaSuccess);
  const std::vector<std::int64_t> result = index.download();
  CHECK(result[0] == 0);  // not 2^32
  CHECK(result[255] == 255);
}
