// The main program of every chapter's kernels that are seen.

#include "common/see/see.h"

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  using namespace tutorial::see;
  const auto is = [&](const char* command) {
    return argc > 1 && std::strcmp(argv[1], command) == 0;
  };
  if (is("check")) return check(argc - 2, argv + 2);
  if (is("trace")) return trace(argc - 2, argv + 2);
  std::fprintf(stderr, "usage: %s check [yours], or trace RUNG...\n", argv[0]);
  return 2;
}
