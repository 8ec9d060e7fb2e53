// What malloc() and new give a program.
#pragma once

#include "common/trace/extent.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace tutorial::check {

/// The arrays of the program's heap: how far one goes that a copy reads or fills, and whether a kernel has
/// allocated it. Only the functions of runtime_calls.cpp write here.
class Heap {
 public:
  struct Array {
    trace::Extent bytes;
    std::uintptr_t pc = 0;  ///< of the call that allocated it
    bool is_kernels = false;
  };

  static Heap& instance();
  /// Until then nothing is noted.
  static void start();
  /// Whether a call is to be noted: of the program, and not made by this class.
  static bool listens();

  void allocates(const void* pointer, std::size_t bytes, std::uintptr_t pc, bool is_kernels);
  /// What the address was the beginning of; no bytes: of nothing.
  Array frees(const void* pointer);
  /// What the address lies in.
  Array at(const void* pointer);

 private:
  std::mutex mutex_;
  std::map<std::uintptr_t, Array> arrays_;
};

}  // namespace tutorial::check
