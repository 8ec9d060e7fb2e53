// Linked around a program that is compiled so that a function is called before each access, a reader's or a
// museum's: TUTORIAL_SEE=check judges them, and is the default; trace writes what each launch asks for, as JSON,
// into the file that TUTORIAL_COUNTS names. trace:KERNEL does of one kernel.
//
// The sources are compiled with what common/cmake/see.cmake names, and linked with -Wl,@common/check/wrapped.txt
// -Wl,-z,norelro. A fault is told on stderr and makes the exit code 3; otherwise it is the program's.

#include "common/check/host.h"
#include "common/trace/json.h"
#include "common/trace/recorder.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" int __real_main(int argc, char** argv);

namespace {

using namespace tutorial;

/// Now, and not at the end of the program, which may not come.
void write_counts() {
  const char* const name = std::getenv("TUTORIAL_COUNTS");
  std::FILE* const file = name == nullptr ? nullptr : std::fopen(name, "w");
  if (file == nullptr) return;
  trace::Json json;
  trace::write_launches(json, trace::Recorder::instance());
  std::fputs(json.text().c_str(), file);
  std::fclose(file);
}

std::uint64_t observe(const cpu::Launch& launch, bool begins) {
  const std::uint64_t blocks = trace::Recorder::observe(launch, begins);
  if (!begins) write_counts();
  return blocks;
}

void start() {
  const char* const way = std::getenv("TUTORIAL_SEE");
  if (way == nullptr || std::strncmp(way, "trace", 5) != 0) {
    check::Host::instance().start();
    return;
  }
  trace::Recorder::watch(observe);
  trace::Recorder::instance().start({}, -1);
}

}  // namespace

/// Is called in the place of main(), as the linker was told.
extern "C" int __wrap_main(int argc, char** argv) {
  start();
  const int code = __real_main(argc, argv);
  check::Host::instance().end(code);
  return code;
}
