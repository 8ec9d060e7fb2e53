// Warp operations: shuffles, votes, matches, reductions.
#pragma once

#include "common/executor/block.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

// Each lane deposits what it brings and waits; when the last lane that is named has arrived, the
// results of all are computed at once. Checked: a caller outside of its own mask; a shuffle that
// names a lane which has returned or never was; reading from a lane outside of the mask; a width
// that is no power of two up to 32; lanes that never come (a deadlock).
//
// The trailing parameters `file` and `line` are not for callers: their defaults name the place of
// the call, which is what a report shows.

namespace tutorial::cpu {

/// The types that CUDA's shuffles take.
template <class T>
inline constexpr bool is_lane_value =
    (std::is_arithmetic_v<T> && sizeof(T) <= 8) || std::is_same_v<T, __half> ||
    std::is_same_v<T, __half2> || std::is_same_v<T, __nv_bfloat16> ||
    std::is_same_v<T, __nv_bfloat162>;

template <class T>
std::uint64_t to_bits(T value) {
  static_assert(is_lane_value<T>, "CUDA has no warp operation for this type");
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}

/// Calls function(lane) for every lane that has arrived.
template <class Function>
void for_each_lane(const Lanes& lanes, Function function) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((lanes.arrived >> lane & 1U) != 0) function(lane);
  }
}

/// Gives every lane the same result.
inline void give_all(Lanes& lanes, std::uint64_t result) {
  for_each_lane(lanes, [&](unsigned lane) { lanes.result[lane] = result; });
}

inline void complete_sync(Lanes& /*lanes*/) {}

inline void complete_shuffle(Lanes& lanes) {
  for_each_lane(lanes, [&](unsigned lane) {
    lanes.result[lane] = lanes.value[static_cast<unsigned>(lanes.source[lane])];
  });
}

/// The lanes whose value is not 0.
inline std::uint32_t ballot_of(const Lanes& lanes) {
  std::uint32_t ballot = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    if (lanes.value[lane] != 0) ballot |= 1U << lane;
  });
  return ballot;
}

inline void complete_ballot(Lanes& lanes) { give_all(lanes, ballot_of(lanes)); }
inline void complete_any(Lanes& lanes) { give_all(lanes, ballot_of(lanes) != 0 ? 1 : 0); }
inline void complete_all(Lanes& lanes) {
  give_all(lanes, ballot_of(lanes) == lanes.arrived ? 1 : 0);
}

inline void complete_activemask(Lanes& lanes) { give_all(lanes, lanes.arrived); }

/// The lanes that brought the same value as `lane`.
inline std::uint32_t lanes_like(const Lanes& lanes, unsigned lane) {
  std::uint32_t same = 0;
  for_each_lane(lanes, [&](unsigned other) {
    if (lanes.value[other] == lanes.value[lane]) same |= 1U << other;
  });
  return same;
}

inline void complete_match_any(Lanes& lanes) {
  for_each_lane(lanes, [&](unsigned lane) { lanes.result[lane] = lanes_like(lanes, lane); });
}
inline void complete_match_all(Lanes& lanes) {
  const auto first = static_cast<unsigned>(__builtin_ctz(lanes.arrived));
  give_all(lanes, lanes_like(lanes, first) == lanes.arrived ? lanes.arrived : 0);
}

/// Reduces the lanes' values, as Ts.
template <class T, class Operation>
void complete_reduction(Lanes& lanes) {
  T result{};
  bool is_first = true;
  for_each_lane(lanes, [&](unsigned lane) {
    const T value = static_cast<T>(lanes.value[lane]);
    result = is_first ? value : Operation()(result, value);
    is_first = false;
  });
  give_all(lanes, static_cast<std::uint32_t>(result));
}

struct Sum {
  unsigned operator()(unsigned a, unsigned b) const { return a + b; }
};
struct Least {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Greatest {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct And {
  unsigned operator()(unsigned a, unsigned b) const { return a & b; }
};
struct Or {
  unsigned operator()(unsigned a, unsigned b) const { return a | b; }
};
struct Xor {
  unsigned operator()(unsigned a, unsigned b) const { return a ^ b; }
};

template <class T, class Operation>
inline constexpr WarpOperation kReduction{"__reduce_sync", &complete_reduction<T, Operation>,
                                          false};

inline constexpr WarpOperation kActivemask{"__activemask", &complete_activemask, false};
inline constexpr WarpOperation kMatchAny{"__match_any_sync", &complete_match_any, false};
inline constexpr WarpOperation kMatchAll{"__match_all_sync", &complete_match_all, false};
inline constexpr WarpOperation kSyncwarp{"__syncwarp", &complete_sync, false, true};
inline constexpr WarpOperation kShuffle{"__shfl_sync", &complete_shuffle, true};
inline constexpr WarpOperation kShuffleUp{"__shfl_up_sync", &complete_shuffle, true};
inline constexpr WarpOperation kShuffleDown{"__shfl_down_sync", &complete_shuffle, true};
inline constexpr WarpOperation kShuffleXor{"__shfl_xor_sync", &complete_shuffle, true};
inline constexpr WarpOperation kBallot{"__ballot_sync", &complete_ballot, false};
inline constexpr WarpOperation kAny{"__any_sync", &complete_any, false};
inline constexpr WarpOperation kAll{"__all_sync", &complete_all, false};
/// The calling thread's lane.
inline int calling_lane() {
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  return static_cast<int>(thread % 32);
}

/// Executes a warp operation that reads no lane by number.
inline std::uint64_t warp_operation(const WarpOperation& operation, unsigned mask,
                                    std::uint64_t value, Where where) {
  return calling_block(operation.name).warp_operation(operation, mask, value, 0, where);
}

inline void check_width(Block& block, const WarpOperation& operation, int width, Where where) {
  if (width >= 1 && width <= 32 && (width & (width - 1)) == 0) return;
  block.fault(std::string(operation.name) + " in " + where.file + ":" + std::to_string(where.line) +
              ": width " + std::to_string(width) + " is no power of two from 1 to 32");
}

/// Executes a shuffle. `source(lane, first, last)` is the lane to read from, given the calling lane
/// and the first and last lane of its segment.
template <class T, class Source>
T shuffle(const WarpOperation& operation, unsigned mask, T value, int width, Where where,
          Source source) {
  Block& block = calling_block(operation.name);
  check_width(block, operation, width, where);
  const int lane = calling_lane();
  const int first = lane & ~(width - 1);
  const int from = source(lane, first, first + width - 1);
  return from_bits<T>(block.warp_operation(operation, mask, to_bits(value), from, where));
}

}  // namespace tutorial::cpu

inline void __syncwarp(unsigned mask = 0xffffffffU, const char* file = __builtin_FILE(),
                       int line = __builtin_LINE()) {
  tutorial::cpu::warp_operation(tutorial::cpu::kSyncwarp, mask, 0, {file, line});
}

template <class T>
T __shfl_sync(unsigned mask, T value, int source_lane, int width = warpSize,
              const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return tutorial::cpu::shuffle(
      tutorial::cpu::kShuffle, mask, value, width, {file, line},
      [&](int, int first, int) { return first + (source_lane & (width - 1)); });
}

template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                 const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const int distance = static_cast<int>(delta & 31U);
  return tutorial::cpu::shuffle(
      tutorial::cpu::kShuffleUp, mask, value, width, {file, line},
      [&](int lane, int first, int) { return lane - distance >= first ? lane - distance : lane; });
}

template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                   const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const int distance = static_cast<int>(delta & 31U);
  return tutorial::cpu::shuffle(
      tutorial::cpu::kShuffleDown, mask, value, width, {file, line},
      [&](int lane, int, int last) { return lane + distance <= last ? lane + distance : lane; });
}

/// As on a GPU, a lane may read from an earlier segment, and one that would read from a later
/// segment keeps its own value.
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize,
                  const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const int bits = lane_mask & 31;
  return tutorial::cpu::shuffle(
      tutorial::cpu::kShuffleXor, mask, value, width, {file, line},
      [&](int lane, int, int last) { return (lane ^ bits) <= last ? lane ^ bits : lane; });
}

inline unsigned __ballot_sync(unsigned mask, int predicate, const char* file = __builtin_FILE(),
                              int line = __builtin_LINE()) {
  return static_cast<unsigned>(tutorial::cpu::warp_operation(tutorial::cpu::kBallot, mask,
                                                             predicate != 0 ? 1 : 0, {file, line}));
}

inline int __any_sync(unsigned mask, int predicate, const char* file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
  return static_cast<int>(tutorial::cpu::warp_operation(tutorial::cpu::kAny, mask,
                                                        predicate != 0 ? 1 : 0, {file, line}));
}

inline int __all_sync(unsigned mask, int predicate, const char* file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
  return static_cast<int>(tutorial::cpu::warp_operation(tutorial::cpu::kAll, mask,
                                                        predicate != 0 ? 1 : 0, {file, line}));
}

/// The lanes that come here before the block can go on no further without them: as many as a GPU
/// could have together. On a GPU it may be fewer.
inline unsigned __activemask(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return static_cast<unsigned>(
      tutorial::cpu::warp_operation(tutorial::cpu::kActivemask, 0, 0, {file, line}));
}

template <class T>
unsigned __match_any_sync(unsigned mask, T value, const char* file = __builtin_FILE(),
                          int line = __builtin_LINE()) {
  return static_cast<unsigned>(tutorial::cpu::warp_operation(
      tutorial::cpu::kMatchAny, mask, tutorial::cpu::to_bits(value), {file, line}));
}

template <class T>
unsigned __match_all_sync(unsigned mask, T value, int* predicate,
                          const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const auto result = static_cast<unsigned>(tutorial::cpu::warp_operation(
      tutorial::cpu::kMatchAll, mask, tutorial::cpu::to_bits(value), {file, line}));
  *predicate = result != 0 ? 1 : 0;
  return result;
}

#define TUTORIAL_CPU_REDUCTION(T, name, Operation)                                     \
  inline T name(unsigned mask, T value, const char* file = __builtin_FILE(),           \
                int line = __builtin_LINE()) {                                         \
    using namespace tutorial::cpu;                                                     \
    return static_cast<T>(                                                             \
        warp_operation(kReduction<T, Operation>, mask, to_bits(value), {file, line})); \
  }
TUTORIAL_CPU_REDUCTION(unsigned, __reduce_add_sync, Sum)
TUTORIAL_CPU_REDUCTION(unsigned, __reduce_min_sync, Least)
TUTORIAL_CPU_REDUCTION(unsigned, __reduce_max_sync, Greatest)
TUTORIAL_CPU_REDUCTION(unsigned, __reduce_and_sync, And)
TUTORIAL_CPU_REDUCTION(unsigned, __reduce_or_sync, Or)
TUTORIAL_CPU_REDUCTION(unsigned, __reduce_xor_sync, Xor)
TUTORIAL_CPU_REDUCTION(int, __reduce_min_sync, Least)
TUTORIAL_CPU_REDUCTION(int, __reduce_max_sync, Greatest)
#undef TUTORIAL_CPU_REDUCTION
inline int __reduce_add_sync(unsigned mask, int value, const char* file = __builtin_FILE(),
                             int line = __builtin_LINE()) {
  return static_cast<int>(__reduce_add_sync(mask, static_cast<unsigned>(value), file, line));
}
