// Threads that help the calling thread with one task at a time.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tutorial::cpu {

class WorkerPool {
 public:
  static WorkerPool& instance();

  WorkerPool() = default;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  /// Runs `task` on the calling thread and on up to `workers` - 1 others; returns when it has
  /// returned everywhere. The calling thread is not kept waiting for a helper that has not begun.
  /// One call at a time.
  void run(int workers, const std::function<void()>& task);

 private:
  void help();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::vector<std::thread> helpers_;
  const std::function<void()>* task_ = nullptr;
  int wanted_ = 0;   // helpers that may still join
  int working_ = 0;  // helpers at work
  bool stopping_ = false;
};

}  // namespace tutorial::cpu
