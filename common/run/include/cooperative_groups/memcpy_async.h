// cooperative_groups::memcpy_async: the group's threads copy, each a part, which is there behind wait(), a barrier.
#pragma once

#include "common/run/include/cooperative_groups.h"
#include "common/run/include/cuda_pipeline.h"

#include <cstring>

namespace cooperative_groups {

/// Each call is a batch.
template <class Group, class T>
[[gnu::always_inline]] inline void memcpy_async(const Group& group, T* to, const T* from,
                                                std::size_t bytes) {
  constexpr unsigned kBytes = alignof(T) < 16 ? alignof(T) : 16;  // of one access
  const std::size_t count = bytes / sizeof(T);
  for (std::size_t i = group.thread_rank(); i < count; i += group.num_threads()) {
    const T element = from[i];
    for (std::size_t begin = 0; begin < sizeof(T); begin += kBytes) {
      int4 value = {};
      std::memcpy(&value, reinterpret_cast<const char*>(&element) + begin, kBytes);
      tutorial::cpu::store_late(reinterpret_cast<char*>(to + i) + begin, value, kBytes);
    }
  }
  __pipeline_commit();
}

/// With the numbers of elements of both sides; the smaller one is copied.
template <class Group, class T>
[[gnu::always_inline]] inline void memcpy_async(const Group& group, T* to, std::size_t to_count,
                                                const T* from, std::size_t from_count) {
  memcpy_async(group, to, from, (to_count < from_count ? to_count : from_count) * sizeof(T));
}

/// For all batches but the last kStages.
template <unsigned kStages, class Group>
[[gnu::always_inline]] inline void wait_prior(const Group& group, TUTORIAL_HERE) {
  __pipeline_wait_prior(kStages);
  group.sync(file, line);
}
template <class Group>
[[gnu::always_inline]] inline void wait(const Group& group, TUTORIAL_HERE) {
  wait_prior<0>(group, file, line);
}

}  // namespace cooperative_groups
