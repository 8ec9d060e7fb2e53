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

TEST_CASE("museum: a reference with the kernel's formula cannot see the cancellation",
          "[exhibit]") {
  require_device();
  const std::vector<float> x = {-1e-7f, -2e-8f};
  const std::vector<float> right = run_unary<float>(elu_rungs<float>().front().launch, x);
  CHECK(std::exp(x[0]) - 1.0f < 1.15f * right[0]);  // 19 % wrong, and then nothing is left:
  CHECK(std::exp(x[1]) - 1.0f == 0.0f);  // a test by this formula would fail the right kernel

  // In half the same formula loses everything sooner: at -1e-4, hexp(x) is 1.
  const std::vector<half> lost = run_unary<half>(f16_rung("f16x8_pack"), halves(1, -1e-4f));
  CHECK(to_double(lost[0]) == 0.0);
  const std::vector<half> kept = run_unary<half>(f16_rung("f16x8_pack_poly"), halves(1, -1e-4f));
  CHECK(ulp_error(kept[0], elu_reference(to_double(half(-1e-4f)))) <= 0.51);
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
