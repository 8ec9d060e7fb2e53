#pragma once
/// \file
/// One row: verified, then timed.

#include "common/bench/bench.h"
#include "common/bench/clocks.h"
#include "common/bench/shapes.h"
#include "common/proof/tiled.h"

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

namespace tutorial::bench {

/// Replays per row; Google Benchmark calls them iterations.
inline const std::size_t kReplays = on_gpu ? 15 : 5;

/// Verifies the operation's output and times it: the seconds per launch of each of `replays`
/// replays; in `clocks`, where given, what the GPU's clock did meanwhile. Throws std::runtime_error
/// if the output is wrong or a call fails. With TUTORIAL_PROFILE=1 in the environment the operation
/// is launched three times, neither verified nor timed: every replay is said to take a second.
std::vector<double> measure(const Case& operation, const Shape& shape, Regime regime,
                            std::size_t replays = kReplays, ClocksSeen* clocks = nullptr);

/// A tile of host bytes that repeats over an input: an odd number of normal_values(), never zeros.
template <class T>
std::shared_ptr<const std::vector<unsigned char>> normal_tile() {
  static const auto tile = [] {
    const auto values = test::normal_values<T>(test::TiledReference<T>::default_period);
    std::vector<unsigned char> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return std::make_shared<const std::vector<unsigned char>>(std::move(bytes));
  }();
  return tile;
}

/// The same values in reverse order: the tile of the second of two inputs.
template <class T>
std::shared_ptr<const std::vector<unsigned char>> reversed_tile() {
  static const auto tile = [] {
    const auto values = test::normal_values<T>(test::TiledReference<T>::default_period);
    const std::vector<T> reversed(values.rbegin(), values.rend());
    std::vector<unsigned char> bytes(reversed.size() * sizeof(T));
    std::memcpy(bytes.data(), reversed.data(), bytes.size());
    return std::make_shared<const std::vector<unsigned char>>(std::move(bytes));
  }();
  return tile;
}

/// The copy of a shape's elements, `element_bytes` bytes each, by copy_128bit(); the input repeats
/// `tile`.
Case copy_case(std::size_t element_bytes, std::shared_ptr<const std::vector<unsigned char>> tile);

/// The two-in, one-out counterpart by xor_128bit(): the inputs repeat `a` and `b`, two tiles of the
/// same size.
Case copy2_case(std::size_t element_bytes, std::shared_ptr<const std::vector<unsigned char>> a,
                std::shared_ptr<const std::vector<unsigned char>> b);

/// GB/s (10^9 bytes per second) of the copy kernel that moves `bytes` bytes in total: with one input
/// the 128-bit copy, half of the bytes in and half out; with more inputs the kernel that reads two
/// arrays and writes one, a third of the bytes each. Measured at the first call, then cached.
double copy_gbps(std::size_t bytes, std::size_t inputs, Regime regime);

}  // namespace tutorial::bench
