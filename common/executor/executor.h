// The CPU executor: runs kernels that a host compiler has compiled, block by block, on the cores
// of this machine. launch() in common/launch.cuh is its user; tests use the settings and the
// reports.
#pragma once

#include "common/executor/block.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

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

/// When a program learns that a kernel failed.
enum class KernelErrors {
  at_once,  ///< the launch returns it, and it is forgotten when it has been asked for
  pending,  ///< as on a GPU: the next call that waits for kernels returns it, and every one after it
};

/// For the launches to come; at_once, until it is called.
void set_kernel_errors(KernelErrors errors);
KernelErrors when_kernel_errors();

/// What the executor answers to those that ask for the device's attributes. It changes which kernel a
/// launcher chooses, and in how many blocks; not how a kernel runs.
struct Device {
  int multiprocessors = 0;  ///< 0: as many as this machine has cores
  int threads_each = 2048;
  int l2_bytes = 0;
  int cluster = 16;  ///< the most blocks of one, where the kernel has asked for them
};
inline constexpr Device kH200{132, 2048, 60 << 20};

/// For the calls to come; set_device({}) is what the executor begins with.
void set_device(const Device& device);

/// An argument of a launch.
struct Argument {
  const void* value;
  std::size_t bytes;
  std::size_t pointee;  ///< of a pointer: the bytes of what it points to; 0: it is none
};

template <class T>
constexpr std::size_t pointee_bytes() {
  using Pointee = std::remove_pointer_t<T>;
  if constexpr (std::is_same_v<Pointee, T>) {
    return 0;
  } else if constexpr (std::is_void_v<Pointee>) {
    return 1;
  } else {
    return sizeof(Pointee);
  }
}

/// One launch, as the workers see it.
struct Launch {
  const void* kernel;
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes;
  bool overlaps;  ///< it asked for Overlap::previous_kernel; for the checks, nothing changes here
  /// What the source of a program of its own says (common/run); nullptr: not known.
  const char* name = nullptr;        ///< of the kernel, as the launch spells it
  const char* parameters = nullptr;  ///< the kernel's, by their names: "x,y,n"
  Where where{};                     ///< of the launch
  cudaStream_t stream = nullptr;
  unsigned cluster = 1;  ///< blocks of a cluster, side by side in x
  KernelThreads threads{};
  std::size_t threads_bytes = 0;  ///< of what threads.data points to
  const Argument* arguments = nullptr;
  std::size_t argument_count = 0;
};

/// Is called before the first block of every launch and after its last one, on the launching
/// thread. Its answer, when the launch begins, is how many blocks to run, from the first on.
using LaunchObserver = std::uint64_t (*)(const Launch& launch, bool begins);

/// Sets the one observer; nullptr: none. For the tracer (common/trace).
void set_launch_observer(LaunchObserver observer);

/// Of the launches to come the first `count` blocks run and the last; 0: all. For the checks (common/check).
void run_ends(std::uint64_t count);

/// Runs the launch to its end, or to the first fault. Returns
/// - cudaErrorInvalidConfiguration: a shape that no device accepts;
/// - cudaErrorInvalidValue: more dynamic shared memory than the kernel may use;
/// - cudaErrorNotSupported: called from within a kernel: later.h is for these;
/// - cudaErrorLaunchFailure: a fault in the kernel; last_report() tells which.
/// - cudaErrorAssert: a device assertion failed.
/// In a stream that is captured it runs when the graph is launched.
/// Every error is also this thread's cudaGetLastError(). KernelErrors says when the last two are told.
cudaError_t execute(const Launch& launch);

/// The same of a launch whose last four members are these.
cudaError_t execute(Launch launch, KernelThreads threads, std::size_t threads_bytes,
                    const Argument* arguments, std::size_t argument_count);

/// Runs `call(arguments...)`, each thread with its own copies, in a launch that says the rest. (What depends on no type
/// stands elsewhere: this and run_row() are compiled for every list of parameters.)
template <class Call, class... Params>
__attribute__((always_inline)) inline cudaError_t execute_call(const Launch& launch,
                                                               const Call& call,
                                                               const Params&... arguments) {
  const auto thread = [=] { call(arguments...); };
  const Argument list[] = {
      {&arguments, sizeof arguments, pointee_bytes<std::remove_cv_t<Params>>()}..., {}};
  return execute(launch, {&run_row<decltype(thread)>, &thread}, sizeof thread, list,
                 sizeof...(Params));
}

}  // namespace tutorial::cpu
