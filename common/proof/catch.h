// Catch2 2.13 and 3.x under one include. Tests include this header and nothing else of Catch2.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>

#else

#include <catch2/catch.hpp>

#include <sstream>
#include <string>

// SKIP(message) exists in both: Catch2 3 brings it, and for Catch2 2 it is defined here with the
// same meaning. A test program in which every test case that ran was skipped exits with code 4,
// which CTest's SKIP_RETURN_CODE turns into a visible "Skipped".

namespace tutorial::test {
/// Says why, and leaves the running test case without failing it.
[[noreturn]] void skip_test_case(const std::string& why);
}  // namespace tutorial::test

#define SKIP(...)                                                 \
  do {                                                            \
    std::ostringstream tutorial_skip_reason;                      \
    tutorial_skip_reason << __VA_ARGS__;                          \
    ::tutorial::test::skip_test_case(tutorial_skip_reason.str()); \
  } while (false)

#endif
