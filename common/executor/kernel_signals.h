// An access of a kernel to no memory ends the kernel, as on a GPU, and not the program.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tutorial::cpu {

/// From now on, a kernel that touches no memory, or divides an integer by 0, has failed.
void catch_kernel_signals();

/// What a signal has found. On the stack that it leaves: Worker::give_up_thread.
struct KernelSignal {
  int number;
  std::uintptr_t address;
};

/// A stack for the handler on this thread; the kernel's own may be at its end.
class SignalStack {
 public:
  SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;
  ~SignalStack();

 private:
  static constexpr std::size_t kBytes = std::size_t{64} << 10;
  std::unique_ptr<char[]> memory_;
};

}  // namespace tutorial::cpu
