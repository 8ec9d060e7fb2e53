// Linked around a program whose kernels tell of every access, a reader's or a museum's: its launches are
// checked. What the program itself says of its results is printed first; the exit code is the checks' (yours.h).

#include "common/check/checker.h"

#include <cstdio>

extern "C" {

int __real_main(int argc, char** argv);

/// Is called in the place of main(), as the linker was told by --wrap=main.
int __wrap_main(int argc, char** argv) {
  using tutorial::check::Checker;
  Checker::instance().start();
  __real_main(argc, argv);
  std::fflush(stdout);
  return Checker::instance().finish();
}

}  // extern "C"
