// Where libFuzzer, or driver.cpp in its place, comes in.

#include "common/proof/fuzz/input.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tutorial::fuzz::FuzzInput input(data, size);
  try {
    tutorial::fuzz::try_input(input);
  } catch (const tutorial::fuzz::Violation& violation) {
    std::fprintf(stderr, "\nbroken promise: %s\n", violation.what.c_str());
    std::abort();
  }
  return 0;
}
