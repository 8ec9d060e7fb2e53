// What launchers make of the device: two_inputs() on GPUs of which the numbers are public.

#include "common/launch.cuh"

#include "common/proof/catch.h"

#if defined(TUTORIAL_BACKEND_CPU)
#include "common/executor/executor.h"
#endif

using namespace tutorial;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

/// A GPU, and what common/notes/controls_in_flight.md says of it.
struct Gpu {
  const char* name;
  DeviceLimits limits;
  std::size_t large_above;
  int threads;
};
const Gpu kGpus[] = {
    {"T4", {40, 1024, 4 * kMiB}, 4 * kMiB, 352},
    {"A100", {108, 2048, 40 * kMiB}, 64 * kMiB, 704},
    {"H100", {132, 2048, 50 * kMiB}, 64 * kMiB, 704},
    {"H200", {132, 2048, 60 * kMiB}, 64 * kMiB, 704},
    {"B200", {148, 2048, 126 * kMiB}, 128 * kMiB, 704},
    {"a device that does not say", {}, 64 * kMiB, 704},
};

}  // namespace

TEST_CASE("two_inputs: large blocks where the arrays exceed the L2, two to a multiprocessor") {
  for (const Gpu& gpu : kGpus) {
    CAPTURE(gpu.name);
    for (const std::size_t bytes : {std::size_t{3}, std::size_t{6}, std::size_t{12}}) {
      const auto most = static_cast<std::int64_t>(gpu.large_above / bytes);
      CHECK(two_inputs(most, bytes, gpu.limits).threads == 256);
      CHECK(two_inputs(most + 1, bytes, gpu.limits).threads == gpu.threads);
    }
    const int slots = gpu.limits.threads_each;
    if (slots > 0) CHECK((2 * gpu.threads <= slots && 3 * gpu.threads > slots));
  }
}

#if defined(TUTORIAL_BACKEND_CPU)
TEST_CASE("two_inputs asks the device") {
  cpu::set_device({142, 1536, 96 << 20});
  CHECK(resident_threads() == 142 * 1536);
  const auto most = static_cast<std::int64_t>(128 * kMiB / 6);
  CHECK(two_inputs(most, 6).threads == 256);
  CHECK(two_inputs(most + 1, 6).threads == 544);
  cpu::set_device({});
}
#endif
