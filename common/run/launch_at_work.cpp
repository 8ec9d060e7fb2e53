// Who watches the clock while a launch runs.

#include "common/run/launch_at_work.h"

#include "common/executor/block_texts.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

namespace tutorial::run {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr seconds kPatience{10};

std::string text_of(dim3 shape) {
  return shape.y == 1 && shape.z == 1 ? std::to_string(shape.x) : cpu::text_of(shape);
}

std::string text_of(const cpu::Launch& launch) {
  return std::string(launch.name) + "<<<" + text_of(launch.grid) + ", " + text_of(launch.block) +
         ">>> in " + cpu::text_of(launch.where);
}

char stopped[512] = "";  // what a signal that ends the program says; empty: no launch is at work

void on_end(int signal) {
  if (stopped[0] != '\0') {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, stopped, std::strlen(stopped));
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// A thread of its own, because the launch has the program's.
class Clerk {
 public:
  static Clerk& instance() {
    static Clerk& clerk = *new Clerk;  // the program may end by exit() in another thread
    return clerk;
  }

  void begins(const cpu::Launch& launch) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (++depth_ > 1) return;  // a launch from a kernel, or of another thread
    launch_ = &launch;
    begun_ = Clock::now();
    is_told_ = false;
    changed_.notify_one();
    std::snprintf(stopped, sizeof stopped, "\nrun: stopped in %s\n", text_of(launch).c_str());
  }

  void ends() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--depth_ > 0) return;
    launch_ = nullptr;
    stopped[0] = '\0';
  }

 private:
  Clerk() {
    for (const int signal : {SIGINT, SIGTERM}) {
      if (std::signal(signal, on_end) != SIG_DFL)
        std::signal(signal, SIG_DFL);  // the program's own
    }
    std::thread([this] { watch(); }).detach();
  }

  void watch() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait_for(lock, seconds(1));
      if (launch_ == nullptr) continue;
      if (is_told_ || Clock::now() - begun_ < kPatience) continue;
      is_told_ = true;
      std::fprintf(stderr, "run: at work for %lld s: %s\n",
                   static_cast<long long>(kPatience.count()), text_of(*launch_).c_str());
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  const cpu::Launch* launch_ = nullptr;
  Clock::time_point begun_;
  bool is_told_ = false;
  int depth_ = 0;
};

}  // namespace

LaunchAtWork::LaunchAtWork(const cpu::Launch& launch) { Clerk::instance().begins(launch); }

LaunchAtWork::~LaunchAtWork() { Clerk::instance().ends(); }

}  // namespace tutorial::run
