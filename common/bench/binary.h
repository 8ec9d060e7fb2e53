// Benchmarks of operations with two inputs and one output of the same type.
#pragma once

#include "common/bench/bench.h"

#include <string>
#include <vector>

namespace tutorial::bench {

/// Registers `launch` as `ladder/rung` over all shapes and regimes, as add_unary() does. The
/// bytes of a row are those of a, b and y, once each.
template <class T>
void add_binary(const std::string& ladder, const std::string& rung, Kind kind,
                BinaryLauncher<T> launch, BinaryReference reference, double max_ulp,
                int per_thread = 0, std::size_t alignment = 0);

template <class T>
void add_rung(const std::string& ladder, Kind kind, const BinaryRung<T>& rung,
              BinaryReference reference) {
  add_binary<T>(ladder, rung.name, kind, rung.launch, reference, rung.max_ulp, rung.width,
                rung.alignment);
}

/// Registers their yardstick, `copy2_<dtype>`: a kernel that reads two arrays and writes one, 16
/// bytes of each per thread. Its only arithmetic is the exclusive or of their bits.
template <class T>
void add_two_in_one_out_peer(const std::string& ladder);

/// Registers that yardstick, every rung with its error bound, and last the operator.
template <class T>
void add_binary_ladder(const std::string& ladder, std::vector<BinaryRung<T>> rungs,
                       const BinaryRung<T>& whole, BinaryReference reference) {
  add_two_in_one_out_peer<T>(ladder);
  rungs.push_back(whole);
  for (const BinaryRung<T>& rung : rungs) add_rung(ladder, Kind::rung, rung, reference);
}

}  // namespace tutorial::bench
