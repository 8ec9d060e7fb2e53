// Asynchronous copies to shared memory: what they store is there when their thread has waited for them, and not before.
#pragma once

#include <deque>

#include "common/executor/qualifiers.h"

namespace tutorial::cpu {

struct LateStore {
  void* to;
  int4 value;      ///< its first bytes
  unsigned bytes;  ///< 1, 2, 4, 8 or 16
  unsigned batch;
};

/// Of one thread.
struct LateStores {
  std::deque<LateStore> stores;
  unsigned batches = 0;  ///< that have ended
};

/// Keeps what the calling thread of a kernel has copied, until it waits or its block ends.
void store_late(void* to, const int4& value, unsigned bytes = sizeof(int4));
/// What the thread has copied since it last called this is a batch; how many it has ended.
void end_batch_of_late_stores();
unsigned batches_of_late_stores();
/// Takes out the thread's next copy, if it is of its first `batches` batches.
bool take_late_store(unsigned batches, LateStore& late);

/// Stores what is of the thread's first `batches` batches, in the kernel's own code: so the accesses are seen.
[[gnu::always_inline]] inline void make_late_stores(unsigned batches = ~0U) {
  for (LateStore late; take_late_store(batches, late);) {
    if (late.bytes == 16) {
      *static_cast<int4*>(late.to) = late.value;
    } else if (late.bytes == 8) {
      *static_cast<int2*>(late.to) = make_int2(late.value.x, late.value.y);
    } else if (late.bytes == 4) {
      *static_cast<int*>(late.to) = late.value.x;
    } else if (late.bytes == 2) {
      *static_cast<short*>(late.to) = static_cast<short>(late.value.x);
    } else {
      *static_cast<signed char*>(late.to) = static_cast<signed char>(late.value.x);
    }
  }
}

}  // namespace tutorial::cpu
