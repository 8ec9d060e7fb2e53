// The bits of a value, seen as another type.
#pragma once

#include <cstring>

namespace tutorial::cpu {

/// The bits of `value`, as a To of the same size.
template <class To, class From>
To bit_cast(const From& value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(static_cast<void*>(&result), &value, sizeof(To));
  return result;
}

}  // namespace tutorial::cpu
