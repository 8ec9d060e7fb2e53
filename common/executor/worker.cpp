// A worker runs blocks one after the other.

#define TUTORIAL_CPU_WRITES_POSITION
#include "common/executor/worker.h"

#include "common/executor/block_texts.h"
#include "common/executor/device_memory.h"
#include "common/executor/shared_variables.h"
#include "common/executor/watcher.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

namespace tutorial::cpu {

Worker& Worker::of_this_thread() {
  thread_local Worker worker;
  return worker;
}

/// Every fiber is free when its worker ends; each is resumed once more, to return.
Worker::~Worker() {
  stopping_ = true;
  for (const auto& fiber : fibers_) switch_to(*fiber);
}

void Worker::run_blocks(const Launch& launch, BlockSource& source, bool reverse) {
  launch_ = &launch;
  source_ = &source;
  reverse_ = reverse;
  blockDim = launch.block;
  gridDim = launch.grid;
  while (begin_next_block()) {
    switch_to(*free_fiber());
    if (running_block != nullptr) end_block();
  }
}

bool Worker::begin_next_block() {
  uint3 index;
  if (!source_->take(index)) return false;
  prepare_dynamic_shared(launch_->shared_bytes);
  for (LateStores& of_thread : late_stores_) {
    of_thread.stores.clear();
    of_thread.batches = 0;
  }
  ++block_number;
  poison_shared_variables_of_files();
  blockIdx = index;
  block_.begin(launch_->threads, launch_->block, index, reverse_);
  if (watcher != nullptr) watcher->block_begins();
  running_block = &block_;
  return true;
}

void Worker::end_block() {
  running_block = nullptr;
  if (block_.failure().empty()) return;
  if (watcher != nullptr) watcher->block_fails(block_.failure());
  source_->fail(block_.failure(), block_.error());
}

/// A block in which no thread has had to wait is over when its threads have returned, and the next
/// one can begin on the same fiber.
bool Worker::goes_on_with_next_block() {
  if (block_.has_waited()) return false;
  end_block();
  return begin_next_block();
}

void Worker::hand_over() {
  Fiber* const next = block_.next_fiber();
  Fiber& target = next != nullptr ? *next : own_stack_;
  if (&target != running_) switch_to(target);
}

void Worker::switch_to(Fiber& next) {
  Fiber& self = *running_;
  running_ = &next;
  self.switch_to(next);
}

void Worker::give_up_thread(const KernelSignal& signal) {
  char what[128];
  if (signal.number == SIGFPE) {
    std::snprintf(what, sizeof(what), "divides an integer by 0");
  } else if (running_->is_below(signal.address)) {
    std::snprintf(what, sizeof(what), "needs more than its stack of %zu KiB for local variables",
                  running_->stack_kib());
  } else {
    std::snprintf(what, sizeof(what), "accesses the address 0x%zx, where it has no memory",
                  static_cast<std::size_t>(signal.address));
  }
  block_.record_signal(what,
                       signal.number == SIGFPE ? cudaErrorLaunchFailure : cudaErrorIllegalAddress);
  for (auto& fiber : fibers_) {
    if (fiber.get() != running_) continue;
    static_cast<void>(fiber.release());  // nobody may resume it, nor take it apart
    fibers_.erase(fibers_.begin() + (&fiber - fibers_.data()));
    break;
  }
  hand_over();
  std::abort();  // nobody resumes it
}

Fiber* Worker::free_fiber() {
  if (free_fibers_.empty()) {
    free_fibers_.reserve(fibers_.size() + 1);
    fibers_.push_back(std::make_unique<Fiber>(stacks_.take(), &Worker::run_fiber, this));
    return fibers_.back().get();
  }
  Fiber* const fiber = free_fibers_.back();
  free_fibers_.pop_back();
  return fiber;
}

/// What a fiber does all its life.
Fiber& Worker::run_fiber(void* worker) {
  Worker& self = *static_cast<Worker*>(worker);
  while (!self.stopping_) {
    do {
      while (self.run_threads()) {
      }
    } while (self.goes_on_with_next_block());
    self.free_fibers_.push_back(self.running_);
    self.hand_over();
  }
  self.running_ = &self.own_stack_;
  return self.own_stack_;
}

/// Whether the fiber is to go on with further threads.
bool Worker::run_threads() {
  try {
    block_.run_threads();
  } catch (const ThreadEnds&) {
    return block_.end_thread();
  } catch (const Abandoned&) {
    // The block has its report; this fiber is free again.
  } catch (const std::exception& exception) {
    block_.end_with_exception(exception.what());
  } catch (...) {
    block_.end_with_exception("of an unknown type");
  }
  return false;
}

LateStores& Worker::late_stores(std::size_t thread) {
  if (late_stores_.size() <= thread) late_stores_.resize(thread + 1);
  return late_stores_[thread];
}

/// Filled with NaN for every block, so that a read of memory that no thread wrote shows. A GPU does
/// not clear it: there such a read gives whatever is left from before.
void Worker::prepare_dynamic_shared(std::size_t bytes) {
  if (bytes == dynamic_shared_bytes_) {
    if (bytes != 0) std::memset(dynamic_shared_.get(), 0xFF, bytes);
    return;
  }
  dynamic_shared_ = bytes == 0 ? nullptr : DeviceMemory::instance().take(bytes, 128);
  dynamic_shared_bytes_ = dynamic_shared_ == nullptr ? 0 : bytes;
  if (dynamic_shared_bytes_ != bytes) throw std::bad_alloc();
}

void refuse_host_call(const char* function) {
  throw std::logic_error(std::string(function) + " was called outside of a kernel");
}

void fail_assertion(const char* text, const char* file, int line, const char* function) {
  if (running_block == nullptr) {
    std::fprintf(stderr, "%s:%d: %s: Assertion `%s' failed.\n", file, line, function, text);
    std::abort();
  }
  char report[1024];
  std::snprintf(report, sizeof(report),
                "%s:%d: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.", file,
                line, function, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y,
                threadIdx.z, text);
  std::fprintf(stderr, "%s\n", report);
  running_block->end_thread_with(report, cudaErrorAssert);
}

void trap(Where where) { calling_block("__trap").fault("__trap() in " + text_of(where)); }

void waits_for_previous_grid() {
  if (watcher != nullptr) watcher->waits_for_previous_grid();
}

void reads_what_previous_grid_reads() {
  if (watcher != nullptr) watcher->reads_what_previous_grid_reads();
}

void lets_next_grid_begin() {
  if (watcher == nullptr) return;
  watcher->lets_next_grid_begin(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
}

void* dynamic_shared() { return Worker::of_this_thread().dynamic_shared(); }

}  // namespace tutorial::cpu
