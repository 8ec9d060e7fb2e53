// Accesses that lie in no region, or not all in one: past an end, of memory that was freed, or of the host's.
#pragma once

#include "common/check/memory.h"
#include "common/check/problems.h"
#include "common/check/sentences.h"

namespace tutorial::check {

/// Tells of an access which begins in the region, or in none if it is nullptr. Whether the kernel can go on: the access
/// finds memory, and it is not the executor's own.
[[nodiscard]] bool tell_outside(Problems& problems, const Running& running, Memory& memory,
                                Region* region, const trace::Seen& seen);

}  // namespace tutorial::check
