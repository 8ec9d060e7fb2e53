#include "common/executor/late_stores.h"

#include "common/executor/watcher.h"
#include "common/executor/worker.h"

#include <cstdint>

namespace tutorial::cpu {

namespace {

LateStores& of_calling_thread() {
  const std::size_t thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  return Worker::of_this_thread().late_stores(thread);
}

}  // namespace

void store_late(void* to, const int4& value, unsigned bytes) {
  LateStores& mine = of_calling_thread();
  mine.stores.push_back({to, value, bytes, mine.batches});
  if (watcher == nullptr) return;
  watcher->copies_late(to, bytes, reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
}

void end_batch_of_late_stores() { ++of_calling_thread().batches; }

unsigned batches_of_late_stores() { return of_calling_thread().batches; }

bool take_late_store(unsigned batches, LateStore& late) {
  std::deque<LateStore>& stores = of_calling_thread().stores;
  if (stores.empty() || stores.front().batch >= batches) return false;
  late = stores.front();
  stores.pop_front();
  if (watcher != nullptr) watcher->has_waited_for_copy(late.to);
  return true;
}

}  // namespace tutorial::cpu
