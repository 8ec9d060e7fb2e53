#pragma once
/// \file
/// What the rows need, and what has become of them.

#include <cstddef>
#include <string>

namespace benchmark {
class State;
}

namespace tutorial::bench {

/// The rows that had a wrong output or a failed call. Google Benchmark itself reports such a row
/// and then exits as if nothing had happened.
struct FailedRows {
  std::size_t count = 0;
  std::string first;  // its name and its reason
};
const FailedRows& failed_rows();

/// Throws std::invalid_argument with one sentence if for one of shapes() not even the row that
/// needs the fewest bytes fits into the free memory.
void require_shapes_that_fit();

/// Makes the row of that name one that failed, for the reason `what`.
void fail_row(benchmark::State& state, const std::string& name, const char* what);

}  // namespace tutorial::bench
