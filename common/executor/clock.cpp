// Time in a kernel.

#include "common/executor/block_functions.h"

#include <chrono>
#include <ctime>
#include <thread>

namespace tutorial::cpu {

std::uint64_t nanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

void sleep(unsigned nanoseconds) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(nanoseconds));
}

}  // namespace tutorial::cpu

/// One name is two functions in CUDA: the device's counts cycles, the host's microseconds of
/// processor time. Takes the place of the C library's.
extern "C" clock_t clock() noexcept {
  if (tutorial::cpu::running_block != nullptr) return clock64();
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * CLOCKS_PER_SEC + time.tv_nsec / (1000000000 / CLOCKS_PER_SEC);
}
