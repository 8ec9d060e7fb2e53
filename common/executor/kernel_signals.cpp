// Signals of kernels.

#include "common/executor/kernel_signals.h"

#include "common/executor/block.h"
#include "common/executor/watcher.h"
#include "common/executor/worker.h"

#include <ucontext.h>
#include <csignal>
#include <initializer_list>

namespace tutorial::cpu {
namespace {

bool catches = false;

thread_local KernelSignal found;

/// Where the thread goes on after the handler, on the stack of the fiber that it gives up.
[[noreturn]] void leave_kernel() { Worker::of_this_thread().give_up_thread(found); }

void go_on_in_leave_kernel(ucontext_t& context, std::uintptr_t stack_top) {
  const std::uintptr_t stack = stack_top & ~std::uintptr_t{15};
  const auto place = reinterpret_cast<std::uintptr_t>(&leave_kernel);
#if defined(__x86_64__)
  context.uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(stack - 8);  // as after a call
  context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(place);
#elif defined(__aarch64__)
  context.uc_mcontext.sp = stack;
  context.uc_mcontext.pc = place;
#endif
}

void on_signal(int number, siginfo_t* info, void* context) {
  if (running_block == nullptr || watcher != nullptr) {  // the host's own
    std::signal(number, SIG_DFL);
    return;  // and once more
  }
  found = {number, reinterpret_cast<std::uintptr_t>(info->si_addr)};
  go_on_in_leave_kernel(*static_cast<ucontext_t*>(context),
                        Worker::of_this_thread().running_fiber()->stack_top());
}

}  // namespace

void catch_kernel_signals() {
#if defined(__x86_64__) || defined(__aarch64__)
  catches = true;
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE}) sigaction(number, &action, nullptr);
#endif
}

SignalStack::SignalStack() {
  if (!catches) return;
  memory_ = std::make_unique<char[]>(kBytes);
  stack_t stack{};
  stack.ss_sp = memory_.get();
  stack.ss_size = kBytes;
  sigaltstack(&stack, nullptr);
}

SignalStack::~SignalStack() {
  if (memory_ == nullptr) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}

}  // namespace tutorial::cpu
