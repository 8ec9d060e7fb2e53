// Cooperative groups on the CPU executor: blocks, tiles of up to 32 threads, coalesced threads. Stands
// before NVIDIA's header of this name for programs of readers (./tutorial run).
#pragma once

#include "common/executor/cluster_functions.h"
#include "common/executor/cuda_language.h"
#include "common/executor/refused.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

// The trailing parameters are not for callers: their defaults name the place of the call.
#define TUTORIAL_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

namespace cooperative_groups {

namespace detail {

inline unsigned rank_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }
inline unsigned lane() { return rank_in_block() % 32; }

/// The lanes of the calling thread's tile of `size` threads.
inline unsigned tile_mask(unsigned size) {
  const unsigned all = size == 32 ? ~0U : (1U << size) - 1;
  return all << (lane() & ~(size - 1));
}

/// Any value of up to 32 bytes, shuffled in words.
template <class T>
T shuffle(unsigned mask, const T& value, unsigned from, const char* file, int line) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 32,
                "a group shuffles trivially copyable values of up to 32 bytes");
  std::uint64_t words[4] = {};
  std::memcpy(words, &value, sizeof(T));
  for (std::size_t i = 0; i * 8 < sizeof(T); ++i) {
    words[i] = __shfl_sync(mask, words[i], static_cast<int>(from), 32, file, line);
  }
  T result = value;
  std::memcpy(static_cast<void*>(&result), words, sizeof(T));
  return result;
}

}  // namespace detail

// ---- Groups -------------------------------------------------------------------------------------

template <unsigned kSize, class Parent>
class thread_block_tile;

/// Any group: the lanes of a mask, or all of a block.
class thread_group {
 public:
  unsigned long long num_threads() const {
    return is_block_ ? detail::threads_of_block() : count(mask_);
  }
  unsigned long long size() const { return num_threads(); }
  unsigned long long thread_rank() const {
    return is_block_ ? detail::rank_in_block() : count(mask_ & ((1U << detail::lane()) - 1));
  }
  void sync(TUTORIAL_HERE) const {
    if (is_block_) {
      __syncthreads(file, line);
    } else {
      __syncwarp(mask_, file, line);
    }
  }
  bool is_valid() const { return true; }

 protected:
  thread_group(bool is_block, unsigned mask) : is_block_(is_block), mask_(mask) {}

  static unsigned count(unsigned mask) { return static_cast<unsigned>(__builtin_popcount(mask)); }

  bool is_block_;
  unsigned mask_;

  friend thread_group tiled_partition(const thread_group& parent, unsigned size);
};

class thread_block : public thread_group {
 public:
  static void sync(TUTORIAL_HERE) { __syncthreads(file, line); }
  static unsigned thread_rank() { return detail::rank_in_block(); }
  static unsigned num_threads() { return detail::threads_of_block(); }
  static unsigned size() { return num_threads(); }
  static dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  static dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }

 private:
  thread_block() : thread_group(true, 0) {}
  friend thread_block this_thread_block();
};

inline thread_block this_thread_block() { return {}; }

/// What groups of lanes of one warp have in common. A rank is the lane's place in the mask.
class warp_group : public thread_group {
 public:
  template <class T>
  T shfl(const T& value, unsigned rank, TUTORIAL_HERE) const {
    return detail::shuffle(mask_, value, lane_of(rank % count(mask_)), file, line);
  }
  template <class T>
  T shfl_up(const T& value, unsigned delta, TUTORIAL_HERE) const {
    const auto rank = static_cast<unsigned>(thread_rank());
    return detail::shuffle(mask_, value, lane_of(delta <= rank ? rank - delta : rank), file, line);
  }
  template <class T>
  T shfl_down(const T& value, unsigned delta, TUTORIAL_HERE) const {
    const auto rank = static_cast<unsigned>(thread_rank());
    const bool is_in = delta < count(mask_) - rank;
    return detail::shuffle(mask_, value, lane_of(is_in ? rank + delta : rank), file, line);
  }
  int any(int predicate, TUTORIAL_HERE) const { return __any_sync(mask_, predicate, file, line); }
  int all(int predicate, TUTORIAL_HERE) const { return __all_sync(mask_, predicate, file, line); }
  unsigned ballot(int predicate, TUTORIAL_HERE) const {
    return ranks_of(__ballot_sync(mask_, predicate, file, line));
  }
  template <class T>
  unsigned match_any(T value, TUTORIAL_HERE) const {
    return ranks_of(__match_any_sync(mask_, value, file, line));
  }
  template <class T>
  unsigned match_all(T value, int& predicate, TUTORIAL_HERE) const {
    return ranks_of(__match_all_sync(mask_, value, &predicate, file, line));
  }

  /// The lanes of the group in its warp; CUDA has no such function.
  unsigned lanes() const { return mask_; }

 protected:
  explicit warp_group(unsigned mask) : thread_group(false, mask) {}

  unsigned lane_of(unsigned rank) const {
    unsigned left = mask_;
    for (; rank > 0; --rank) left &= left - 1;
    return static_cast<unsigned>(__builtin_ctz(left));
  }

  /// Lanes of the warp, as ranks of the group.
  unsigned ranks_of(unsigned lanes) const {
    unsigned ranks = 0, place = 0;
    for (unsigned left = mask_; left != 0; left &= left - 1, ++place) {
      if ((lanes & left & -left) != 0) ranks |= 1U << place;
    }
    return ranks;
  }
};

template <unsigned kSize, class Parent = void>
class thread_block_tile;

template <unsigned kSize>
class thread_block_tile<kSize, void> : public warp_group {
  static_assert(kSize >= 1 && kSize <= 32 && (kSize & (kSize - 1)) == 0,
                "the CPU executor has tiles of 1, 2, 4, 8, 16 and 32 threads");

 public:
  static unsigned thread_rank() { return detail::lane() % kSize; }
  static constexpr unsigned num_threads() { return kSize; }
  static constexpr unsigned size() { return kSize; }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }

  template <class T>
  T shfl_xor(const T& value, unsigned rank_mask, TUTORIAL_HERE) const {
    const unsigned rank = thread_rank() ^ rank_mask;
    return detail::shuffle(mask_, value, lane_of(rank < kSize ? rank : thread_rank()), file, line);
  }

 protected:
  thread_block_tile(unsigned rank_in_parent, unsigned parent_size)
      : warp_group(detail::tile_mask(kSize)),
        meta_rank_(rank_in_parent / kSize),
        meta_size_((parent_size + kSize - 1) / kSize) {}

 private:
  unsigned meta_rank_;
  unsigned meta_size_;
};

template <unsigned kSize, class Parent>
class thread_block_tile : public thread_block_tile<kSize, void> {
 public:
  explicit thread_block_tile(const Parent& parent)
      : thread_block_tile<kSize, void>(static_cast<unsigned>(parent.thread_rank()),
                                       static_cast<unsigned>(parent.num_threads())) {}
};

/// Parts of a group, of kSize threads each.
template <unsigned kSize, class Parent>
thread_block_tile<kSize, Parent> tiled_partition(const Parent& parent) {
  return thread_block_tile<kSize, Parent>(parent);
}
inline thread_group tiled_partition(const thread_group& /*parent*/, unsigned size) {
  return {false, detail::tile_mask(size)};
}

/// Threads of one warp that came to one place together.
class coalesced_group : public warp_group {
 public:
  explicit coalesced_group(unsigned mask) : warp_group(mask) {}
  unsigned thread_rank() const { return static_cast<unsigned>(thread_group::thread_rank()); }
  unsigned num_threads() const { return count(mask_); }
  unsigned size() const { return num_threads(); }
  unsigned meta_group_rank() const { return 0; }
  unsigned meta_group_size() const { return 1; }
};

inline coalesced_group coalesced_threads(TUTORIAL_HERE) {
  return coalesced_group(__activemask(file, line));
}

template <class T>
coalesced_group labeled_partition(const warp_group& group, T label, TUTORIAL_HERE) {
  return coalesced_group(__match_any_sync(group.lanes(), label, file, line));
}
inline coalesced_group binary_partition(const warp_group& group, bool predicate, TUTORIAL_HERE) {
  return coalesced_group(__match_any_sync(group.lanes(), predicate ? 1 : 0, file, line));
}

/// The grid: who one is in it. It has no barrier here.
class grid_group {
 public:
  static unsigned long long thread_rank() {
    return block_rank() * detail::threads_of_block() + detail::rank_in_block();
  }
  static unsigned long long num_threads() { return num_blocks() * detail::threads_of_block(); }
  static unsigned long long size() { return num_threads(); }
  static unsigned long long block_rank() {
    return blockIdx.x +
           std::uint64_t{gridDim.x} * (blockIdx.y + std::uint64_t{gridDim.y} * blockIdx.z);
  }
  static unsigned long long num_blocks() {
    return std::uint64_t{gridDim.x} * gridDim.y * gridDim.z;
  }
  static dim3 group_dim() { return gridDim; }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 block_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  static bool is_valid() { return false; }
  TUTORIAL_CPU_NO_GRID_SYNC void sync() const;
};
inline grid_group this_grid() { return {}; }

/// The cluster of the calling block: blocks side by side in x.
class cluster_group {
 public:
  static void sync(TUTORIAL_HERE) { tutorial::cpu::cluster_barrier({file, line}); }
  static unsigned num_blocks() { return tutorial::cpu::cluster_size(); }
  static dim3 dim_blocks() { return {num_blocks(), 1, 1}; }
  static unsigned block_rank() { return blockIdx.x % num_blocks(); }
  static dim3 block_index() { return {block_rank(), 0, 0}; }
  static unsigned num_threads() { return num_blocks() * detail::threads_of_block(); }
  static unsigned size() { return num_threads(); }
  static unsigned thread_rank() {
    return block_rank() * detail::threads_of_block() + detail::rank_in_block();
  }
  /// The same place in the shared memory of block `rank`.
  template <class T>
  static T* map_shared_rank(T* shared, unsigned rank, TUTORIAL_HERE) {
    return static_cast<T*>(tutorial::cpu::in_block(shared, rank, {file, line}));
  }
  struct arrival_token {};
  static arrival_token barrier_arrive(TUTORIAL_HERE) {
    tutorial::cpu::cluster_arrive({file, line});
    return {};
  }
  static void barrier_wait(TUTORIAL_HERE) { tutorial::cpu::cluster_wait({file, line}); }
  static void barrier_wait(arrival_token&& /*token*/, TUTORIAL_HERE) { barrier_wait(file, line); }
};
inline cluster_group this_cluster() { return {}; }

// ---- Functions of a group -----------------------------------------------------------------------

template <class Group>
void sync(const Group& group, TUTORIAL_HERE) {
  group.sync(file, line);
}
template <class Group>
auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
auto group_size(const Group& group) {
  return group.num_threads();
}

/// Calls the function in one thread of the group.
template <class Group, class Function, class... Arguments>
void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(arguments...);
}

}  // namespace cooperative_groups
