// How long a block may work, in seconds of the processor; and the signals that end a program.
#pragma once

#include <cstdint>

namespace tutorial::check {

/// A launch has an end if its blocks have, and takes as long as it is large. So it is the block that has a limit.
class Deadline {
 public:
  /// In seconds: TUTORIAL_CHECK_SECONDS, or 10.
  static long limit();

  /// A block begins; `seconds` is its limit.
  void begins(long seconds);
  static void ends();

  /// From then on a thread is to be stopped where it next accesses memory or waits.
  bool is_over() const { return is_over_; }
  /// The timer has run out. Whether the thread is to be stopped where it is, since it has done neither for so long.
  /// `may_get_on`: who comes to memory which it had not accessed before is given as long again.
  bool is_final(bool may_get_on);

 private:
  volatile bool is_over_ = false;
  std::uint64_t cells_made_ = 0;
};

/// From now on these are called when the timer has run out, with the address where the program was interrupted, and
/// when a signal ends the program.
void handle_signals(void (*on_timer)(std::uintptr_t pc), void (*on_crash)(int signal));

}  // namespace tutorial::check
