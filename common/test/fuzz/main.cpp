// launch_broadcast() on random shapes without Catch2, which the sanitizers would take minutes to compile with
// all other tests of common.
#include <cstdio>

#include "common/test/broadcast_random.h"

int main() {
  using namespace tutorial::test;  // NOLINT(google-build-using-namespace)
  const std::string wrong = first_wrong_as_wide() + first_wrong_of_a_byte() + first_wrong_wider();
  std::printf("%s\n", wrong.c_str());
  return wrong.empty() ? 0 : 1;
}
