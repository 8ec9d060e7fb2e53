// Asynchronous copies to shared memory: what they store is there when their thread has waited for them, and not before.
#pragma once

#include <vector>

#include "common/executor/qualifiers.h"

namespace tutorial::cpu {

struct LateStore {
  int4* to;
  int4 value;
};

/// Keeps what the calling thread of a kernel has copied, until it waits or its block ends.
void store_late(void* to, const int4& value);

/// What the calling thread has to store now.
std::vector<LateStore> take_late_stores();

}  // namespace tutorial::cpu
