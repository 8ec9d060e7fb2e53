// The threads that help the calling one.

#include "common/executor/worker_pool.h"

#include <cstddef>

namespace tutorial::cpu {

WorkerPool& WorkerPool::instance() {
  static WorkerPool pool;
  return pool;
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void WorkerPool::run(int workers, const std::function<void()>& task) {
  const int wanted = workers - 1;
  if (wanted > 0) {
    const std::lock_guard<std::mutex> lock(mutex_);
    while (helpers_.size() < static_cast<std::size_t>(wanted)) {
      helpers_.emplace_back([this] { help(); });
    }
    task_ = &task;
    wanted_ = wanted;
    wake_.notify_all();
  }
  task();
  if (wanted > 0) {
    std::unique_lock<std::mutex> lock(mutex_);
    wanted_ = 0;
    done_.wait(lock, [this] { return working_ == 0; });
  }
}

void WorkerPool::help() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || wanted_ > 0; });
    if (stopping_) return;
    --wanted_;
    ++working_;
    const std::function<void()>& task = *task_;
    lock.unlock();
    task();
    lock.lock();
    if (--working_ == 0) done_.notify_all();
  }
}

}  // namespace tutorial::cpu
