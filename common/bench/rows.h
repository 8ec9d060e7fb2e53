// The rows' memory requirements, and the rows that failed.
#pragma once

#include <cstddef>
#include <string>

namespace benchmark {
class State;
}

namespace tutorial::bench {

/// The rows that had a wrong output or a failed call. Google Benchmark reports such a row and
/// still exits with 0.
struct FailedRows {
  std::size_t count = 0;
  std::string first;  // its name and its reason
};
const FailedRows& failed_rows();

/// Makes rows of all cases().
void add_rows();

/// Throws std::invalid_argument with one sentence if some shape of shapes() has no row whose buffers
/// fit into the free memory.
void require_shapes_that_fit();

/// Makes the row of that name one that failed, for the reason `what`.
void fail_row(benchmark::State& state, const std::string& name, const char* what);

}  // namespace tutorial::bench
