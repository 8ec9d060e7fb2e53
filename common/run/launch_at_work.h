// The launch that runs now, for whoever waits for it.
#pragma once

#include "common/executor/executor.h"

namespace tutorial::run {

/// While it lives, its launch is at work: after ten seconds a line on stderr says so, and a signal that
/// ends the program (Ctrl-C, or a time limit) says which launch it has stopped.
class LaunchAtWork {
 public:
  explicit LaunchAtWork(const cpu::Launch& launch);
  LaunchAtWork(const LaunchAtWork&) = delete;
  LaunchAtWork& operator=(const LaunchAtWork&) = delete;
  ~LaunchAtWork();
};

}  // namespace tutorial::run
