// Ranges of this program's addresses.
#pragma once

#include "common/executor/qualifiers.h"

#if defined(__EMSCRIPTEN__)
extern "C" char __start_tutorial_shared[], __stop_tutorial_shared[];
#else
#include <link.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tutorial::trace {

struct Extent {
  std::uintptr_t begin = 0, end = 0;
  bool holds(std::uintptr_t address) const { return address >= begin && address < end; }
  /// Grows until it holds these bytes.
  void add(std::uintptr_t address, std::size_t bytes) {
    if (begin == end) *this = {address, address};
    *this = {std::min(begin, address), std::max<std::uintptr_t>(end, address + bytes)};
  }
};

inline Extent extent_of(const void* memory, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  return {begin, begin + bytes};
}

template <class T>
bool lies_in(std::uintptr_t address, const T& object) {
  return extent_of(&object, sizeof(T)).holds(address);  // NOLINT(bugprone-sizeof-expression)
}

/// Of threadIdx and the like.
inline bool is_position(std::uintptr_t address) {
  return lies_in(address, threadIdx) || lies_in(address, blockIdx) || lies_in(address, blockDim) ||
         lies_in(address, gridDim);
}

/// The calling thread's thread-local variables of the program itself, and with them the `__shared__`
/// arrays.
inline Extent thread_locals() {
#if defined(__EMSCRIPTEN__)
  return extent_of(__start_tutorial_shared, __stop_tutorial_shared - __start_tutorial_shared);
#else
  Extent extent;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          if (part.p_type != PT_TLS) continue;
          *static_cast<Extent*>(result) = extent_of(info->dlpi_tls_data, part.p_memsz);
        }
        return 1;  // the first is the program itself
      },
      &extent);
  return extent;
#endif
}

}  // namespace tutorial::trace
