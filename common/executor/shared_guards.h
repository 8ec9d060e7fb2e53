// What the compiler keeps beside a `__shared__` variable of a class: for the tracer (common/trace).
#pragma once

namespace tutorial::cpu {

/// Whether `address` is the calling thread's note that a variable has been constructed.
bool is_guard(const void* address);

}  // namespace tutorial::cpu
