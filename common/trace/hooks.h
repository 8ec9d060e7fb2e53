// What g++ -fsanitize=thread calls before every access, as one function to be told of all of them.
#pragma once

#include "common/trace/cost.h"

#include <cstddef>
#include <cstdint>

namespace tutorial::trace {

/// One access, before it is made. `is_range`: no aligned access of 1, 2, 4, 8 or 16 bytes.
struct Seen {
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  Operation operation = Operation::load;
  std::uintptr_t pc = 0;  ///< where the hook returns to
  bool is_range = false;
  bool is_volatile = false;
};

/// Is told of every access; nullptr: nobody is.
extern void (*on_access)(const Seen& access);
/// Is told of every __threadfence() and the like.
extern void (*on_fence)();
/// Is told of atomic loads: in a kernel an exchange follows, which is seen.
extern void (*on_atomic_load)(const Seen& access);

}  // namespace tutorial::trace
