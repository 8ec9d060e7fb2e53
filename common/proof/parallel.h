// A loop over all cores of the host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace tutorial::test {

inline int host_threads() {
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

/// Cuts [0, count) into one contiguous piece per core and calls body(piece, begin, end) for each,
/// at the same time; piece is in [0, host_threads()). Empty pieces are left out. `body` must not
/// throw.
template <class Body>
void parallel_pieces(std::int64_t count, const Body& body) {
  const int pieces = host_threads();
  std::vector<std::thread> threads;
  for (int piece = 0; piece < pieces; ++piece) {
    const std::int64_t begin = count * piece / pieces;
    const std::int64_t end = count * (piece + 1) / pieces;
    if (begin < end) threads.emplace_back([&body, piece, begin, end] { body(piece, begin, end); });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace tutorial::test
