// What the launchers of this chapter share: their checks, each with its sentence, and choices of
// shape.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>

#include "common/launch.cuh"
#include "common/refusal.h"

namespace tutorial::primitives {

/// Whether the sizes are those of a matrix; a refusal if not.
inline cudaError_t check_matrix(std::int64_t rows, std::int64_t columns) {
  if (rows < 0 || columns < 0) {
    return refuse(cudaErrorInvalidValue, "a matrix of " + std::to_string(rows) + " x " +
                                             std::to_string(columns) + " has a negative size");
  }
  if (columns > 0 && rows > std::numeric_limits<std::int64_t>::max() / columns) {
    return refuse(cudaErrorInvalidValue, "a matrix of " + std::to_string(rows) + " x " +
                                             std::to_string(columns) +
                                             " has 2^63 elements or more");
  }
  return cudaSuccess;
}

/// The checks of an operation x -> y on all elements of a matrix.
template <class T>
cudaError_t check_rows(const T* x, const T* y, std::int64_t rows, std::int64_t columns) {
  if (const cudaError_t error = check_matrix(rows, columns); error != cudaSuccess) return error;
  const bool any = rows > 0 && columns > 0;
  return check_buffers({{x, alignof(T), "x", any}, {y, alignof(T), "y", any}});
}

/// Whether a workspace has the bytes that are needed.
inline cudaError_t check_workspace(std::size_t bytes, std::size_t needed) {
  if (bytes >= needed) return cudaSuccess;
  return refuse(cudaErrorInvalidValue, "the workspace has " + std::to_string(bytes) +
                                           " bytes, and this operation needs " +
                                           std::to_string(needed));
}

/// Whether a row, and the base, is a whole number of 16-byte vectors of T.
template <class T>
bool in_vectors(std::int64_t columns, std::initializer_list<const void*> pointers) {
  bool aligned = columns % (16 / static_cast<std::int64_t>(sizeof(T))) == 0;
  for (const void* pointer : pointers) aligned = aligned && is_aligned(pointer, 16);
  return aligned;
}

/// What totals are computed in: float for the floating-point types, integers in themselves.
template <class T>
using AccOf = std::conditional_t<std::is_integral_v<T>, T, float>;

inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0); }

/// The smallest power of two >= n, n >= 1, but at most `most`.
inline std::int64_t power_of_two(std::int64_t n, std::int64_t most) {
  std::int64_t power = 1;
  while (power < n && power < most) power *= 2;
  return power;
}

/// blocks of `threads` x `rows_each` threads for all the rows.
inline LaunchShape rows_shape(std::int64_t rows, std::int64_t threads, std::int64_t rows_each) {
  return {grid_1d(rows, rows_each),
          dim3(static_cast<unsigned>(threads), static_cast<unsigned>(rows_each)), 0,
          Overlap::previous_kernel};
}

}  // namespace tutorial::primitives
