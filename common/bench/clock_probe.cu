// The clock of the multiprocessors, from cycles counted over a time on the global timer.

#include "common/bench/clocks.h"
#include "common/bench/replay.h"
#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/proof/device.h"

namespace tutorial::bench {

#if defined(TUTORIAL_BACKEND_CUDA)

namespace {

__device__ __forceinline__ long long nanoseconds() {
  long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)::"memory");
  return now;
}

/// The global timer ticks once a microsecond or less: both ends begin with a tick.
__device__ __forceinline__ long long next_tick() {
  const long long now = nanoseconds();
  long long then = now;
  while (then == now) then = nanoseconds();
  return then;
}

__global__ void clock_probe_kernel(long long* counted) {
  constexpr long long kNanoseconds = 200000;
  const long long begin = next_tick(), cycles = clock64();
  long long end = begin;
  while (end - begin < kNanoseconds) end = next_tick();
  counted[0] = clock64() - cycles;
  counted[1] = end - begin;
}

}  // namespace

double probe_sm_mhz(cudaStream_t stream) {
  static test::DeviceBytes& counted = *new test::DeviceBytes(2 * sizeof(long long));
  auto* const there = reinterpret_cast<long long*>(counted.data());
  run_once(
      [there](std::size_t, cudaStream_t on) {
        return launch(clock_probe_kernel, {dim3(1), dim3(1)}, on, there);
      },
      stream);
  long long here[2] = {};
  test::require_success(cudaMemcpy(here, there, sizeof(here), cudaMemcpyDeviceToHost),
                        "cudaMemcpy");
  return static_cast<double>(here[0]) / static_cast<double>(here[1]) * 1e3;
}

#else

double probe_sm_mhz(cudaStream_t) { return 0; }

#endif

}  // namespace tutorial::bench
