// Copies to shared memory that a kernel waits for later: what they store is there then, and not before.
#pragma once

#include "common/executor/cuda_language.h"
#include "common/executor/late_stores.h"

#include <cstddef>
#include <cstring>
#include <string>

[[noreturn]] inline void tutorial_refuse_copy(std::size_t bytes, std::size_t zeros,
                                              const char* file, int line) {
  tutorial::cpu::calling_block("__pipeline_memcpy_async")
      .fault("__pipeline_memcpy_async in " + std::string(file) + ":" + std::to_string(line) + ": " +
             std::to_string(bytes) + " bytes, of which " + std::to_string(zeros) +
             " are not read; it copies 4, 8 or 16");
}

/// 4, 8 or 16 bytes, of which the last `zeros` are not read. Inlined always, so that the line of an access is its caller's.
[[gnu::always_inline]] inline void __pipeline_memcpy_async(void* to, const void* from,
                                                           std::size_t bytes, std::size_t zeros = 0,
                                                           const char* file = __builtin_FILE(),
                                                           int line = __builtin_LINE()) {
  if ((bytes != 4 && bytes != 8 && bytes != 16) || zeros > bytes) {
    tutorial_refuse_copy(bytes, zeros, file, line);
  }
  int4 value = {};
  if (zeros != 0) {
    std::memcpy(&value, from, bytes - zeros);
  } else if (bytes == 16) {
    value = *static_cast<const int4*>(from);
  } else if (bytes == 8) {
    const int2 two = *static_cast<const int2*>(from);
    value.x = two.x;
    value.y = two.y;
  } else {
    std::memcpy(&value, from, bytes);
  }
  tutorial::cpu::store_late(to, value, static_cast<unsigned>(bytes));
}
inline void __pipeline_commit() { tutorial::cpu::end_batch_of_late_stores(); }
/// For all batches but the last `count`; what no __pipeline_commit() follows is waited for by none.
[[gnu::always_inline]] inline void __pipeline_wait_prior(std::size_t count) {
  const unsigned ended = tutorial::cpu::batches_of_late_stores();
  tutorial::cpu::make_late_stores(count < ended ? ended - static_cast<unsigned>(count) : 0);
}
