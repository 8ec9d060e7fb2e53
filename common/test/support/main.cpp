/// The main program of every test executable, for Catch2 2 and 3.

#if __has_include(<catch2/catch_session.hpp>)

#include <catch2/catch_session.hpp>

int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }

#else

#define CATCH_CONFIG_RUNNER
#include "common/test/support/catch.h"

#include <cstdio>

namespace {

constexpr int kAllSkipped = 4;  // Catch2 3's exit code where every test case was skipped

bool skipping = false;  // some section of the running test case was skipped
int cases_run = 0;
int cases_skipped = 0;

struct CountCases : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    ++cases_run;
    if (skipping && stats.totals.assertions.total() == 0) ++cases_skipped;
    skipping = false;
  }
};
CATCH_REGISTER_LISTENER(CountCases)

}  // namespace

void tutorial::test::skip_test_case(const std::string& why) {
  skipping = true;
  std::printf("Skipped: %s\n", why.c_str());
  // Leaves the test case as a failed REQUIRE does, but with no failure on record.
  throw Catch::TestFailureException();
}

int main(int argc, char** argv) {
  const int result = Catch::Session().run(argc, argv);
  const bool all_skipped = cases_skipped > 0 && cases_skipped == cases_run;
  return result == 0 && all_skipped ? kAllSkipped : result;
}

#endif
