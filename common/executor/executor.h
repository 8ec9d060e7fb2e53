// The CPU executor: runs kernels that a host compiler has compiled, block by block, on the cores
// of this machine. launch() in common/launch.cuh is its user; tests use the settings and the
// reports.
#pragma once

#include "common/executor/block.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

// What it shows: logic, indexing, tails, bounds, barriers, warp operations; and, in a program built
// for tracing (common/trace), which bytes a warp asks for. What it cannot show: speed, caches,
// occupancy. See common/README.md.

namespace tutorial::cpu {

/// The order in which the threads of a block start, and in which they go on after a barrier; the
/// blocks that a worker takes follow it too. Between barriers a warp goes as far as it can. A
/// missing barrier that one order hides shows in the other.
enum class Order { forward, reverse };

/// Order of the launches to come. Until it is called: the environment variable TUTORIAL_CPU_ORDER
/// (forward or reverse), and forward without it.
void set_thread_order(Order order);
Order thread_order();

/// Worker threads of the launches to come, the calling thread included; `count` >= 1. Until it is
/// called: TUTORIAL_CPU_WORKERS, and every core without it.
void set_worker_count(int count);
int worker_count();

/// What the executor detected in the last launch that failed, as it was printed to stderr: the
/// fault, the block and the threads, file and line. Empty as long as no launch has failed.
std::string last_report();

/// One launch, as the workers see it.
struct Launch {
  const void* kernel;
  KernelThreads threads;
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes;
};

/// Is called before the first block of every launch and after its last one, on the launching
/// thread. Its answer, when the launch begins, is how many blocks to run, from the first on.
using LaunchObserver = std::uint64_t (*)(const Launch& launch, bool begins);

/// Sets the one observer; nullptr: none. For the tracer (common/trace).
void set_launch_observer(LaunchObserver observer);

/// Runs the launch to its end, or to the first fault. Returns
/// - cudaErrorInvalidConfiguration: a shape that no device accepts;
/// - cudaErrorInvalidValue: more dynamic shared memory than the kernel may use;
/// - cudaErrorNotSupported: called from within a kernel;
/// - cudaErrorLaunchFailure: a fault in the kernel; last_report() tells which.
/// Every error is also this thread's cudaGetLastError(). No error is sticky.
cudaError_t execute(const Launch& launch);

/// Runs `kernel` with `arguments`; see execute().
template <class... Params>
cudaError_t launch(void (*kernel)(Params...), dim3 grid, dim3 block, std::size_t shared_bytes,
                   const std::tuple<Params...>& arguments) {
  const KernelCall<Params...> call{kernel, arguments};
  return execute({reinterpret_cast<const void*>(kernel),
                  {&run_threads<Params...>, &call},
                  grid,
                  block,
                  shared_bytes});
}

}  // namespace tutorial::cpu
