// What the compiler keeps beside a `__shared__` variable of a class: for the tracer (common/trace).
#pragma once

#include <cstdint>

namespace tutorial::cpu {

/// Whether `address` is the calling thread's note that a variable has been constructed.
bool is_guard(std::uintptr_t address);

}  // namespace tutorial::cpu
