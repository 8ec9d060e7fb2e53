// The checks that end in Catch2's assertions. What they check stands in the other files, which do
// without Catch2 and can be tested themselves.

#include "common/proof/catch.h"
#include "common/proof/record.h"
#include "common/proof/support.h"
#if defined(TUTORIAL_BACKEND_CPU)
#include "common/executor/executor.h"
#endif

#include <cstdlib>
#include <sstream>

namespace tutorial::test {

namespace {

bool gpu_required() {
  const char* required = std::getenv("TUTORIAL_REQUIRE_GPU");
  return required != nullptr && std::string(required) == "1";
}

/// Why no GPU can be used here, or an empty string.
std::string no_device() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) return std::string("no GPU: ") + cudaGetErrorString(error);
  return count > 0 ? "" : "no GPU";
}

std::string lines(const std::vector<std::string>& violations) {
  std::string text;
  for (const std::string& violation : violations) text += "  " + violation + "\n";
  return text;
}

std::string describe(const WorstError& worst) {
  std::ostringstream text;
  text.precision(9);
  text << worst.ulp << " ULP at x = " << worst.at_input << ": expected " << worst.expected
       << ", got " << worst.actual << " (" << worst.count << " inputs)";
  return text.str();
}

#if defined(TUTORIAL_BACKEND_CPU)
std::int64_t launched_blocks = 0, launched_threads = 0;  // the latter in a block

std::uint64_t run_no_block(const cpu::Launch& launch, bool) {
  launched_blocks = launch.grid.x;
  launched_threads = launch.block.x;
  return 0;
}
#endif

}  // namespace

void require_device() {
  if constexpr (!on_gpu) return;
  const std::string reason = no_device();
  if (reason.empty()) return;
  if (gpu_required()) FAIL(reason << ", and TUTORIAL_REQUIRE_GPU=1");
  SKIP(reason);
}

void check_promises(const std::string& rung, const Promises& promises) {
  const std::vector<std::string> violations = promise_violations(promises);
  INFO(rung << " breaks its promises:\n" << lines(violations));
  REQUIRE(violations.empty());
}

void check_blocks([[maybe_unused]] const std::string& rung, [[maybe_unused]] std::int64_t n,
                  [[maybe_unused]] int threads, [[maybe_unused]] int width,
                  [[maybe_unused]] const std::function<cudaError_t(std::int64_t)>& launch) {
#if !defined(TUTORIAL_BACKEND_CPU)
  SKIP("only the CPU executor shows the shape of a launch");
#else
  INFO(rung << ", n = " << n);
  launched_blocks = launched_threads = 0;
  cpu::set_launch_observer(run_no_block);
  const cudaError_t error = launch(n);
  cpu::set_launch_observer(nullptr);
  CHECK(error == cudaSuccess);
  CHECK(launched_threads == threads);
  const std::int64_t items = launched_threads * width;
  CHECK(launched_blocks == (n + items - 1) / items);
#endif
}

void check_two_input_blocks(const std::string& rung, std::size_t bytes, int width,
                            const std::function<cudaError_t(std::int64_t)>& launch) {
  const auto most = static_cast<std::int64_t>((std::size_t{64} << 20) / bytes);
  for (const std::int64_t n : {std::int64_t{1027}, most, most + 1, std::int64_t{1} << 32}) {
    check_blocks(rung, n, n <= most ? 256 : 704, width, launch);
  }
}

template <class T>
void check_accuracy(const std::vector<UnaryRung<T>>& rungs, Reference reference,
                    const std::string& chapter) {
  const std::vector<WorstError> worst = measure_accuracy(rungs, reference);
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    record({chapter, rungs[i].name, Format<T>::name, rungs[i].max_ulp, worst[i]});
    INFO(rungs[i].name << " is off by " << describe(worst[i]));
    CHECK(worst[i].ulp <= rungs[i].max_ulp);
  }
}

template <class T>
void check_accuracy(const UnaryRung<T>& rung, Reference reference, const std::string& chapter) {
  check_accuracy(std::vector<UnaryRung<T>>{rung}, reference, chapter);
}

template <class T>
void check_past_2_31(const UnaryRung<T>& rung, Reference reference) {
  if constexpr (!on_gpu) SKIP("2^31 elements take a GPU");
  require_device();
  std::size_t free = 0, total = 0;
  require_success(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  const auto fits = [free](std::int64_t n) {
    constexpr std::size_t reserve = std::size_t{1} << 28;
    return 2 * static_cast<std::size_t>(n) * sizeof(T) + reserve <= free;
  };
  if (!fits(past_2_31)) SKIP("2^31 elements take " << 4 * sizeof(T) << " GiB of GPU memory");
  const std::string violation =
      violation_past_2_31(rung, reference, fits(past_2_32) ? past_2_32 : past_2_31);
  INFO(rung.name << ": " << violation);
  REQUIRE(violation.empty());
}

#define TUTORIAL_INSTANTIATE(T)                                                                  \
  template void check_accuracy(const UnaryRung<T>&, Reference, const std::string&);              \
  template void check_accuracy(const std::vector<UnaryRung<T>>&, Reference, const std::string&); \
  template void check_past_2_31(const UnaryRung<T>&, Reference);
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(__half)
TUTORIAL_INSTANTIATE(__nv_bfloat16)
TUTORIAL_INSTANTIATE(__nv_fp8_e4m3)
TUTORIAL_INSTANTIATE(__nv_fp8_e5m2)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial::test
