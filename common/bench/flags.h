// A benchmark program's flags: our --shapes, and checks of Google Benchmark's flags that it does not
// make itself.
#pragma once

#include <string>

// A function that refuses throws std::invalid_argument with one sentence that says what to do.

namespace tutorial::bench {

/// The values that matter after the flags are read.
struct Flags {
  bool shapes_given = false;
  std::string filter;    // --benchmark_filter
  std::string out;       // --benchmark_out
  bool out_json = true;  // --benchmark_out_format
};

/// Removes --shapes from the arguments and sets these shapes. Refuses an output file that cannot be
/// written and a format that does not exist; Google Benchmark would only notice later, or exit with 0.
Flags read_flags(int& argc, char** argv);

/// Refuses the arguments that Google Benchmark did not recognize.
void refuse_unknown_flags(int argc, char** argv);

/// After the run: throws std::runtime_error if the file that --benchmark_out names is incomplete.
void require_whole_file(const Flags& flags);

}  // namespace tutorial::bench
