// Registers a whole ladder, as the benchmark of every one-input chapter does.
#pragma once

#include "common/bench/bench.h"

#include <string>
#include <vector>

namespace tutorial::bench {

template <class T>
void add_rung(const std::string& ladder, Kind kind, const UnaryRung<T>& rung, Reference reference) {
  add_unary<T>(ladder, rung.name, kind, rung.launch, reference, rung.max_ulp, rung.width,
               rung.alignment);
}

/// Registers the copies, then every rung with its error bound.
template <class T>
void add_ladder(const std::string& ladder, const std::vector<UnaryRung<T>>& rungs,
                Reference reference) {
  add_copy_peers<T>(ladder);
  for (const UnaryRung<T>& rung : rungs) add_rung(ladder, Kind::rung, rung, reference);
}

/// One kernel at six block sizes, as `rung`_b32 to `rung`_b1024: `launch(x, y, n, threads,
/// stream)`.
template <class T, class Launch>
void add_block_sweep(const std::string& ladder, const std::string& rung, Launch launch,
                     Reference reference, double max_ulp, std::size_t alignment) {
  for (const int threads : {32, 64, 128, 256, 512, 1024}) {
    const auto at_size = [launch, threads](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
      return launch(x, y, n, threads, stream);
    };
    add_unary<T>(ladder, rung + "_b" + std::to_string(threads), Kind::sweep, at_size, reference,
                 max_ulp, 0, alignment);
  }
}

}  // namespace tutorial::bench
