// cooperative_groups::inclusive_scan and exclusive_scan.
#pragma once

#include "common/run/include/cooperative_groups/reduce.h"

namespace cooperative_groups {

/// The values of the group's threads up to the calling one, reduced.
template <class Group, class T, class Operation>
std::decay_t<T> inclusive_scan(const Group& group, T&& value, Operation&& operation,
                               TUTORIAL_HERE) {
  const auto rank = static_cast<unsigned>(group.thread_rank());
  std::decay_t<T> result = value;
  for (unsigned distance = 1; distance < group.num_threads(); distance *= 2) {
    const auto before = group.shfl_up(result, distance, file, line);
    if (rank >= distance) result = operation(before, result);
  }
  return result;
}
template <class Group, class T>
std::decay_t<T> inclusive_scan(const Group& group, T&& value, TUTORIAL_HERE) {
  return inclusive_scan(group, value, plus<std::decay_t<T>>(), file, line);
}

/// The same without the calling thread's; the first has T{}.
template <class Group, class T, class Operation>
std::decay_t<T> exclusive_scan(const Group& group, T&& value, Operation&& operation,
                               TUTORIAL_HERE) {
  const auto all = inclusive_scan(group, value, operation, file, line);
  const auto before = group.shfl_up(all, 1, file, line);
  return group.thread_rank() == 0 ? std::decay_t<T>{} : before;
}
template <class Group, class T>
std::decay_t<T> exclusive_scan(const Group& group, T&& value, TUTORIAL_HERE) {
  return exclusive_scan(group, value, plus<std::decay_t<T>>(), file, line);
}

}  // namespace cooperative_groups
