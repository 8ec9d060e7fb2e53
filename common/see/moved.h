// A test of what kernels move: tensors as users have them, against the bytes that an operation needs of them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/strided.h"

namespace tutorial::trace {

/// Rows in device memory of their own: of `columns` elements, `pitch` apart, the first `at` elements past a line.
struct Rows {
  std::int64_t rows, columns, pitch;
  std::int64_t at = 0;
};

/// One call of an operator.
class MovedCase {
 public:
  explicit MovedCase(std::string called) : name(std::move(called)) {}

  /// Rows that the operation reads, or writes: each of their sectors once.
  template <class T>
  TensorView<T> tensor(const Rows& of) {
    const auto size = static_cast<std::int64_t>(sizeof(T));
    auto* const first = static_cast<T*>(memory((of.at + of.rows * of.pitch) * size)) + of.at;
    need(first, of.rows, of.columns * size, of.pitch * size);
    return {first, {{of.rows, of.columns}, {of.pitch, 1}}};
  }

  std::string name;
  std::function<cudaError_t()> call;
  std::uint64_t needed = 0;  ///< bytes, in whole sectors

 private:
  static void* memory(std::int64_t bytes);
  void need(const void* first, std::int64_t rows, std::int64_t row_bytes, std::int64_t pitch_bytes);
};

/// A program's main: a line for each case, and 1 if one moves more than 1.02 times what it needs, else 0.
///
/// What is moved: the sectors that a block loads and those that it stores, each once a block. So much
/// passes between the L2 and a multiprocessor if a block finds in the L1 what it has loaded before.
int judge_moved(const std::vector<MovedCase>& cases);

}  // namespace tutorial::trace
