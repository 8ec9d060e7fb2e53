// Linked around a program whose kernels tell of every access, a reader's or a museum's. TUTORIAL_SEE=trace: what
// each of its launches asks for goes, as JSON, into the file that TUTORIAL_COUNTS names. Otherwise its launches
// are checked: what the program itself says of its results is printed first, and the exit code is the checks'.

#include "common/check/checker.h"
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

int traced(int argc, char** argv) {
  trace::Recorder::watch(observe);
  trace::Recorder::instance().start({}, -1);
  return __real_main(argc, argv);
}

int checked(int argc, char** argv) {
  check::Checker::instance().start();
  __real_main(argc, argv);
  std::fflush(stdout);
  return check::Checker::instance().finish();
}

}  // namespace

/// Is called in the place of main(), as the linker was told by --wrap=main.
extern "C" int __wrap_main(int argc, char** argv) {
  const char* const way = std::getenv("TUTORIAL_SEE");
  const bool traces = way != nullptr && std::strcmp(way, "trace") == 0;
  return traces ? traced(argc, argv) : checked(argc, argv);
}
