// The bug museum: each exhibit fails in the way that the README tells.
#include <algorithm>
#include <cmath>
#include <limits>

#include "06_primitives/proof/museum/exhibits.cuh"
#include "06_primitives/proof/test_data.h"

#if defined(TUTORIAL_BACKEND_CPU)
#include "common/executor/executor.h"
#endif

using namespace tutorial;
using namespace tutorial::test;

namespace {

int slow_tiles(std::int64_t n, bool mended) {
  const auto count = static_cast<std::size_t>(n);
  const ExactBuffer<float> x(std::vector<float>(count, 1.5f));
  const GuardedBuffer<float> y(count);
  const GuardedBuffer<int> slow(std::vector<int>{0});
  REQUIRE(exhibits::exact_tile_on_slow_path(x.data(), y.data(), n, mended, slow.data(), nullptr) ==
          cudaSuccess);
  CHECK(y.download() == std::vector<float>(count, 3.0f));  // slow or not, it is right
  CHECK(y.intact());
  return slow.download()[0];
}

}  // namespace

TEST_CASE("museum: `<` for `<=` sends an exactly full last tile down the slow path", "[exhibit]") {
  require_device();
  constexpr std::int64_t tile = 4 * 128;
  CHECK(slow_tiles(4 * tile, false) == 1);
  CHECK(slow_tiles(4 * tile, true) == 0);
  for (const std::int64_t n : {4 * tile - 1, 4 * tile + 1}) {
    CHECK(slow_tiles(n, false) == 1);  // a real tail: no test of results tells the two apart
    CHECK(slow_tiles(n, true) == 1);
  }
}

TEST_CASE("museum: Init through the type of the result loses the digits of the value",
          "[exhibit]") {
  require_device();
  const ExactBuffer<float> x(std::vector<float>(32, 9.0f));
  const auto quotient = [&](float value) {
    const GuardedBuffer<int> y(32);
    REQUIRE(exhibits::init_wrong_cast(x.data(), y.data(), 32, value, nullptr) == cudaSuccess);
    const std::vector<int> result = y.download();
    CHECK(result == std::vector<int>(32, result[0]));
    return result[0];
  };
  CHECK(quotient(1.0f) == 9);    // the value that the library uses
  CHECK(quotient(1.5f) == 9);    // and not 6: the register holds 1
  CHECK(quotient(-2.5f) == -4);  // and not -3: it holds -2
}

#if defined(TUTORIAL_BACKEND_CPU)
TEST_CASE("museum: a missing barrier is hidden by one order and shown by the other",
          "[exhibit][exchange]") {
  const cpu::Order before = cpu::thread_order();
  const ExactBuffer<float> ones(std::vector<float>(256, 1.0f));
  const auto sum_of_ones = [&](cpu::Order order) {
    cpu::set_thread_order(order);
    const GuardedBuffer<float> sum(1);
    CHECK(exhibits::reduce_without_barrier(ones.data(), sum.data(), 256, nullptr) == cudaSuccess);
    return sum.download()[0];
  };
  const float forward = sum_of_ones(cpu::Order::forward);
  const float reverse = sum_of_ones(cpu::Order::reverse);
  cpu::set_thread_order(before);
  CHECK(forward == 256.0f);    // the last thread really is the last
  CHECK(std::isnan(reverse));  // it is the first, and finds its own element among NaN
}
#endif

TEST_CASE("museum: a sorting network without its last stage leaves a hill", "[exhibit][exchange]") {
  require_device();
  for (const std::size_t n : {32U, 256U, 1024U}) {
    std::vector<int> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<int>(i * 7919 % n);
    const auto run = [&] {
      const ExactBuffer<int> x(keys);
      const GuardedBuffer<int> y(n);
      REQUIRE(exhibits::sort_skips_stage(x.data(), y.data(), static_cast<std::int64_t>(n),
                                         nullptr) == cudaSuccess);
      CHECK(y.intact());
      return y.download();
    };
    const auto middle = static_cast<std::ptrdiff_t>(n / 2);
    const std::vector<int> hill = run();
    CHECK_FALSE(std::is_sorted(hill.begin(), hill.end()));
    CHECK(std::is_sorted(hill.begin(), hill.begin() + middle));  // up,
    CHECK(std::is_sorted(hill.rbegin(), hill.rend() - middle));  // and down again

    // A row that fills half of the tile, and the largest key behind it: nothing shows.
    std::fill(keys.begin() + middle, keys.end(), std::numeric_limits<int>::max());
    const std::vector<int> short_row = run();
    CHECK(std::is_sorted(short_row.begin(), short_row.end()));
  }
}

TEST_CASE("museum: an unsigned guard opens wide beyond the edge", "[exhibit]") {
  require_device();
  const GuardedBuffer<float> x(std::vector<float>(256, 1.0f));
  for (const std::size_t n : {256U, 255U, 253U, 252U, 251U, 70U}) {
    INFO(n);
    const GuardedBuffer<float> y(n);
    REQUIRE(exhibits::unsigned_guard(x.data(), y.data(), static_cast<std::int64_t>(n), nullptr) ==
            cudaSuccess);
    CHECK(y.download() == std::vector<float>(n, 1.0f));
    // As long as no thread stands wholly beyond the edge, nothing shows; at the edge itself what is
    // left is 0, and still nothing.
    CHECK(y.intact() == (n >= 252));
  }
}
