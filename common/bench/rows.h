#pragma once
/// \file
/// What has become of the rows.

namespace tutorial::bench {

/// True once a row had a wrong output or a failed call. Google Benchmark itself reports such a row
/// and then exits as if nothing had happened.
bool any_row_failed();

}  // namespace tutorial::bench
