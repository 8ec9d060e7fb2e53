#include "common/executor/late_stores.h"

#include "common/executor/worker.h"

#include <utility>

namespace tutorial::cpu {

namespace {

std::vector<LateStore>& of_calling_thread() {
  const std::size_t thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  return Worker::of_this_thread().late_stores(thread);
}

}  // namespace

void store_late(void* to, const int4& value) {
  of_calling_thread().push_back({static_cast<int4*>(to), value});
}

std::vector<LateStore> take_late_stores() { return std::exchange(of_calling_thread(), {}); }

}  // namespace tutorial::cpu
