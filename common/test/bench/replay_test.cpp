// The timing loop, with a clock and launches that are made up, and with those of this backend.

#include "common/bench/replay.h"

#include "common/bench/measure.h"
#include "common/bench/stage.h"
#include "common/bench/statistics.h"
#include "common/proof/catch.h"
#include "common/proof/device.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

using namespace tutorial::bench;
using tutorial::test::require_device;

namespace {

/// Every launch takes so long, and so much more in the first replay of a recording.
class MadeUp : public Replayer {
 public:
  explicit MadeUp(double seconds_each, double seconds_more = 0)
      : each_(seconds_each), more_(seconds_more) {}

  /// A launch for the loop: it takes no time, and is remembered.
  LaunchOnSet launch() {
    return [this](std::size_t set, cudaStream_t) {
      recorded.push_back(set);
      return cudaSuccess;
    };
  }

  void record(const std::function<cudaError_t(cudaStream_t)>& enqueue) override {
    recorded.clear();
    replays = 0;
    tutorial::test::require_success(enqueue(nullptr), "launch");
  }
  void warm_up() override { ++warm_ups; }
  void replay() override {
    seconds_ += each_ * static_cast<double>(recorded.size()) + (replays++ == 0 ? more_ : 0);
  }
  void mark() override { marks_.push_back(seconds_); }
  std::vector<float> milliseconds() override {
    std::vector<float> result;
    for (std::size_t i = 1; i < marks_.size(); ++i) {
      result.push_back(static_cast<float>((marks_[i] - marks_[i - 1]) * 1000));
    }
    marks_.clear();
    return result;
  }

  std::vector<std::size_t> recorded;  ///< the sets of the last recording's launches
  std::size_t replays = 0;            ///< of the last recording
  int warm_ups = 0;

 private:
  double each_, more_, seconds_ = 0;
  std::vector<double> marks_;
};

constexpr std::size_t kCount = 15;

std::vector<double> timed(MadeUp& gpu, std::size_t sets) {
  return seconds_per_launch(gpu, kGpuRules, gpu.launch(), sets, kCount);
}

}  // namespace

TEST_CASE("timing: a known time a launch is found, in seconds", "[bench]") {
  const double each = GENERATE(2e-6, 30e-6, 0.4e-3, 0.02);
  const std::size_t sets = GENERATE(std::size_t{1}, std::size_t{7});
  CAPTURE(each, sets);
  MadeUp gpu(each);
  const std::vector<double> seconds = timed(gpu, sets);
  REQUIRE(seconds.size() == kCount);
  for (const double found : seconds) CHECK(std::fabs(found / each - 1) < 0.01);
}

TEST_CASE("timing: launches take the sets in turn, in whole rounds", "[bench]") {
  const std::size_t sets =
      GENERATE(std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{64});
  MadeUp gpu(2e-6);
  timed(gpu, sets);
  CHECK(gpu.recorded.size() % sets == 0);
  for (std::size_t i = 0; i < gpu.recorded.size(); ++i) REQUIRE(gpu.recorded[i] == i % sets);
}

TEST_CASE("timing: a replay has ten launches and a millisecond of work, or more", "[bench]") {
  const double each = GENERATE(2e-6, 99e-6, 0.4e-3, 0.02);
  MadeUp gpu(each);
  timed(gpu, 1);
  CHECK(gpu.recorded.size() >= 10);
  CHECK(static_cast<double>(gpu.recorded.size()) * each >= 0.999e-3);
  CHECK(static_cast<double>(gpu.recorded.size()) <= std::max(10.0, 1e-3 / each + 1.5));
}

TEST_CASE("timing: the first replay warms up and does not count", "[bench]") {
  MadeUp gpu(30e-6, 1.0);
  for (const double found : timed(gpu, 3)) CHECK(std::fabs(found / 30e-6 - 1) < 0.01);
  CHECK(gpu.replays == kCount + 1);
  CHECK(gpu.warm_ups == 1);
}

TEST_CASE("timing: a launch that fails ends it", "[bench]") {
  MadeUp gpu(30e-6);
  int launches = 0;
  const auto third_fails = [&launches](std::size_t, cudaStream_t) {
    return ++launches == 3 ? cudaErrorInvalidValue : cudaSuccess;
  };
  CHECK_THROWS_AS(seconds_per_launch(gpu, kGpuRules, third_fails, 2, kCount), std::runtime_error);
  CHECK(launches == 3);
}

TEST_CASE("timing: the executor's clock counts a launch that lasts", "[bench]") {
  if (tutorial::test::on_gpu) SKIP("a host's pause is no part of a captured launch");
  using Clock = std::chrono::steady_clock;
  std::vector<std::size_t> visited;
  std::vector<double> lasted;  // as the launch itself sees it
  const auto lasts = [&](std::size_t set, cudaStream_t) {
    visited.push_back(set);
    const auto begin = Clock::now();
    while (Clock::now() < begin + std::chrono::milliseconds(5)) {
    }
    lasted.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    return cudaSuccess;
  };
  const std::vector<double> seconds = seconds_per_launch(lasts, 2, nullptr, 5);
  CHECK(visited == std::vector<std::size_t>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
  REQUIRE(seconds.size() == 5);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < 5; ++i) {
    ratios.push_back(2 * seconds[i] / (lasted[2 * i] + lasted[2 * i + 1]));
    CHECK(ratios[i] > 0.999);
  }
  // A busy machine may take the core away between the launches of some replays.
  CHECK(*std::min_element(ratios.begin(), ratios.end()) < 1.01);
}

TEST_CASE("timing: where the data fits in the L2, cold launches take longer than warm ones",
          "[bench]") {
  if (!tutorial::test::on_gpu) SKIP("an L2 cache takes a GPU");
  require_device();
  const Case copy = copy_case(sizeof(float), normal_tile<float>());
  constexpr Shape shape{1024, 2048};  // 16 MiB in and out
  cudaDeviceProp properties{};
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  if (static_cast<std::size_t>(properties.l2CacheSize) < 2 * bytes_moved(copy, shape)) {
    SKIP("the L2 is too small for 16 MiB");
  }
  const double cold = median(measure(copy, shape, Regime::cold));
  const double warm = median(measure(copy, shape, Regime::warm));
  CAPTURE(cold, warm);
  CHECK(cold > 1.2 * warm);
}

#if defined(__SANITIZE_ADDRESS__)
// A replay calls later what was made before. In this program AddressSanitizer also watches variables whose function
// has returned: a lambda in record() (replay.cpp) that captured its parameters by reference passed every test with
// an optimizer, and under AddressSanitizer without this the loop had no end. Fibers each need a shadow stack for it, so
// that the tests of kernels would take more than twice as long.
extern "C" const char* __asan_default_options() { return "detect_stack_use_after_return=1"; }

namespace {

[[gnu::noinline]] std::uintptr_t address_of_a_variable() {
  volatile int variable = 1;
  return reinterpret_cast<std::uintptr_t>(&variable);
}

}  // namespace

TEST_CASE("timing: a variable whose function has returned is watched") {
  CHECK(__asan_address_is_poisoned(reinterpret_cast<const void*>(address_of_a_variable())) == 1);
}
#endif
