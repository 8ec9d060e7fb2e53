// A timer that counts what the program does itself.

#include "common/check/deadline.h"

#include "common/check/region.h"

#include <sys/time.h>
#include <ucontext.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

namespace tutorial::check {

namespace {

void (*timer_handler)(std::uintptr_t pc) = nullptr;

void set_timer(long seconds, long microseconds = 0) {
  itimerval timer{};
  timer.it_value = {seconds, microseconds};
  setitimer(ITIMER_VIRTUAL, &timer, nullptr);  // not what the system spends on new memory
}

void on_signal(int, siginfo_t*, [[maybe_unused]] void* context) {
  std::uintptr_t pc = 0;
#if defined(__x86_64__)
  pc = static_cast<std::uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  pc = static_cast<ucontext_t*>(context)->uc_mcontext.pc;
#endif
  timer_handler(pc);
}

}  // namespace

long Deadline::limit() {
  const char* const value = std::getenv("TUTORIAL_CHECK_SECONDS");
  const long seconds = value == nullptr ? 10 : std::strtol(value, nullptr, 10);
  return std::max(seconds, 1L);
}

void Deadline::begins(long seconds) {
  is_over_ = false;
  cells_made_ = Cells::made;
  set_timer(seconds);
}

void Deadline::ends() { set_timer(0); }

bool Deadline::is_final(bool may_get_on) {
  if (is_over_) return true;
  if (may_get_on && Cells::made != cells_made_) {
    cells_made_ = Cells::made;
    set_timer(limit());
  } else {
    is_over_ = true;
    set_timer(0, 200000);
  }
  return false;
}

void handle_signals(void (*on_timer)(std::uintptr_t pc), void (*on_crash)(int signal)) {
  static char stack[1 << 16];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  timer_handler = on_timer;
  struct sigaction action {};
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  action.sa_sigaction = on_signal;
  sigaction(SIGVTALRM, &action, nullptr);
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND);
  action.sa_handler = on_crash;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    sigaction(signal, &action, nullptr);
}

}  // namespace tutorial::check
