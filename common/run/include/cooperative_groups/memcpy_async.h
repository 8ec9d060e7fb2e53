// cooperative_groups::memcpy_async: the group's threads copy, each a part; wait() is a barrier.
#pragma once

#include "common/run/include/cooperative_groups.h"

namespace cooperative_groups {

template <class Group, class T>
void memcpy_async(const Group& group, T* to, const T* from, std::size_t bytes) {
  const std::size_t count = bytes / sizeof(T);
  for (std::size_t i = group.thread_rank(); i < count; i += group.num_threads()) to[i] = from[i];
}

/// With the numbers of elements of both sides; the smaller one is copied.
template <class Group, class T>
void memcpy_async(const Group& group, T* to, std::size_t to_count, const T* from,
                  std::size_t from_count) {
  memcpy_async(group, to, from, (to_count < from_count ? to_count : from_count) * sizeof(T));
}

template <class Group>
void wait(const Group& group, TUTORIAL_HERE) {
  group.sync(file, line);
}
template <unsigned kStages, class Group>
void wait_prior(const Group& group, TUTORIAL_HERE) {
  group.sync(file, line);
}

}  // namespace cooperative_groups
