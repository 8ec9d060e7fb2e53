// cooperative_groups::reduce.
#pragma once

#include "common/run/include/cooperative_groups.h"

namespace cooperative_groups {

template <class T = void>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T = void>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T = void>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T = void>
struct bit_and {
  T operator()(T a, T b) const { return a & b; }
};
template <class T = void>
struct bit_or {
  T operator()(T a, T b) const { return a | b; }
};
template <class T = void>
struct bit_xor {
  T operator()(T a, T b) const { return a ^ b; }
};

/// Every thread's value of the group, reduced; every thread has the result. In steps that double the
/// distance, where the group is a tile; else from rank to rank.
template <class Group, class T, class Operation>
std::decay_t<T> reduce(const Group& group, T&& value, Operation&& operation, TUTORIAL_HERE) {
  const auto size = static_cast<unsigned>(group.num_threads());
  const auto rank = static_cast<unsigned>(group.thread_rank());
  std::decay_t<T> result = value;
  if ((size & (size - 1)) == 0) {
    for (unsigned distance = size / 2; distance > 0; distance /= 2) {
      const auto other = group.shfl(result, rank ^ distance, file, line);
      result = rank & distance ? operation(other, result) : operation(result, other);
    }
    return result;
  }
  result = group.shfl(value, 0, file, line);
  for (unsigned other = 1; other < size; ++other) {
    result = operation(result, group.shfl(value, other, file, line));
  }
  return result;
}

/// The result, in one atomic operation of one thread.
template <class Group, class T, class U, class Operation>
void reduce_store_async(const Group& group, T* to, U&& value, Operation&& operation,
                        TUTORIAL_HERE) {
  const T result = reduce(group, static_cast<T>(value), operation, file, line);
  if (group.thread_rank() == 0) *to = result;
}

}  // namespace cooperative_groups
