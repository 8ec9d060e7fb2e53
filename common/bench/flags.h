#pragma once
/// \file
/// A benchmark program's flags: --shapes, which is ours, and what Google Benchmark does not check
/// of its own.
///
/// A function that refuses throws std::invalid_argument with one sentence that says what to do.

#include <string>

namespace tutorial::bench {

/// What of Google Benchmark's flags matters after the run.
struct Flags {
  bool shapes_given = false;
  std::string filter;    // --benchmark_filter
  std::string out;       // --benchmark_out
  bool out_json = true;  // --benchmark_out_format
};

/// Takes --shapes out of the arguments and sets these shapes; looks at those of Google Benchmark's
/// flags with which it would write to a file that cannot be written, or print its help and succeed.
Flags read_flags(int& argc, char** argv);

/// What Google Benchmark left of the arguments, it does not know.
void refuse_unknown_flags(int argc, char** argv);

/// After the run: throws std::runtime_error if the file that --benchmark_out names does not hold
/// all of it.
void require_whole_file(const Flags& flags);

}  // namespace tutorial::bench
