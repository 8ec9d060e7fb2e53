// One row: verified, then timed.
#pragma once

#include "common/bench/bench.h"
#include "common/bench/clocks.h"
#include "common/bench/mixed.h"
#include "common/bench/shapes.h"
#include "common/proof/tiled.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tutorial::bench {

/// Replays per row; Google Benchmark calls them iterations.
inline const std::size_t kReplays = on_gpu ? 15 : 5;

/// seconds_per_launch(); or, with TUTORIAL_PROFILE=1 in the environment, three launches for a
/// profiler, and a second for each replay.
std::vector<double> timed_or_shown(const LaunchOnSet& launch, std::size_t sets, cudaStream_t stream,
                                   std::size_t replays);

/// Verifies the operation's output and times it: the seconds per launch of each of `replays`
/// replays; in `clocks`, where given, what the GPU's clock did meanwhile. Throws std::runtime_error
/// if the output is wrong or a call fails. With TUTORIAL_PROFILE=1 in the environment the operation
/// is launched three times, neither verified nor timed: every replay is said to take a second.
/// The reader's rung is verified at a size with a tail, too.
/// `verified`: its output at this shape was found right before, and is not compared again.
std::vector<double> measure(const Case& operation, const Shape& shape, Regime regime,
                            std::size_t replays = kReplays, ClocksSeen* clocks = nullptr,
                            bool verified = false);

/// Host bytes to repeat over an input: those of test::tiles(), as TiledReference repeats them.
template <class T, std::size_t input>
std::shared_ptr<const std::vector<unsigned char>> tile_of_input() {
  static const auto tile =
      tile_of(test::tiles<T>(input + 1, test::TiledReference<T>::default_period).back());
  return tile;
}

/// Normal values, an odd number of them, never zeros; and the same, the last one first.
template <class T>
std::shared_ptr<const std::vector<unsigned char>> normal_tile() {
  return tile_of_input<T, 0>();
}
template <class T>
std::shared_ptr<const std::vector<unsigned char>> reversed_tile() {
  return tile_of_input<T, 1>();
}

/// A Case's verify: outputs within `max_ulp` of the reference for inputs that repeat normal_tile()
/// and reversed_tile(). The accepted results are computed for the first row that needs them, and
/// shared by all rungs with the same reference and bound.
template <class T, class Reference>
auto judge(Reference reference, double max_ulp) {
  return [=](const Shape&, const void* bytes, std::size_t begin, std::size_t count) {
    static std::mutex mutex;
    static std::map<std::pair<Reference, double>, test::TiledReference<T>> known;
    std::unique_lock<std::mutex> lock(mutex);
    const test::TiledReference<T>& tiled =
        known.try_emplace({reference, max_ulp}, reference, max_ulp).first->second;
    lock.unlock();
    return tiled.complaint(static_cast<const T*>(bytes),
                           static_cast<std::int64_t>(begin / sizeof(T)),
                           static_cast<std::int64_t>(count / sizeof(T)));
  };
}

/// The copy of a shape's elements, `element_bytes` bytes each, by copy_128bit(); the input repeats
/// `tile`.
Case copy_case(std::size_t element_bytes, std::shared_ptr<const std::vector<unsigned char>> tile);

/// The two-in, one-out counterpart by xor_128bit(): the inputs repeat `a` and `b`, two tiles of the
/// same size.
Case copy2_case(std::size_t element_bytes, std::shared_ptr<const std::vector<unsigned char>> a,
                std::shared_ptr<const std::vector<unsigned char>> b);

/// The row of either for a ladder: a rung's differs in what is launched and how it is judged.
template <class T>
Case copy_row(std::size_t inputs, const std::string& ladder, const std::string& rung, Kind kind) {
  return named(inputs == 1 ? copy_case(sizeof(T), normal_tile<T>())
                           : copy2_case(sizeof(T), normal_tile<T>(), reversed_tile<T>()),
               ladder, rung, dtype_name<T>(), kind);
}

/// GB/s (10^9 bytes per second) of the copy kernel that moves `bytes` bytes in total: with one input
/// the 128-bit copy, half of the bytes in and half out; with more inputs the kernel that reads two
/// arrays and writes one, a third of the bytes each. Measured at the first call, then cached.
double copy_gbps(std::size_t bytes, std::size_t inputs, Regime regime);

}  // namespace tutorial::bench
