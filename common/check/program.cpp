// Linked around a program that is compiled so that a function is called before each access, a reader's or a
// museum's: TUTORIAL_SEE=check judges them, and is the default; trace writes what each launch asks for, as JSON,
// into the file that TUTORIAL_COUNTS names. trace: does so of the first of launches that are alike, trace:KERNEL of
// one kernel.
//
// The sources are compiled with what common/cmake/see.cmake names, and linked with -Wl,@common/check/wrapped.txt
// -Wl,-z,norelro. A fault is told on stderr and makes the exit code 3; otherwise it is the program's.

#include "common/check/host.h"
#include "common/executor/device_memory.h"
#include "common/trace/json.h"
#include "common/trace/recorder.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <tuple>
#include <vector>

extern "C" int __real_main(int argc, char** argv);

namespace {

using namespace tutorial;

/// What is traced: the launches of one kernel or of all; each, or of those that are alike the first.
class Traces {
 public:
  static Traces& instance() {
    static Traces& traces = *new Traces;
    return traces;
  }

  /// "trace", "trace:", "trace:KERNEL"
  void start(const char* way) {
    const char* const colon = std::strchr(way, ':');
    first_alone_ = colon != nullptr;
    if (colon != nullptr) wanted_ = colon + 1;
    json_.begin("launches", '[');
    trace::Recorder::watch([](const cpu::Launch& launch, bool begins) {
      begins ? instance().begins(launch) : instance().ends(launch);
      return std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
    });
  }

 private:
  void begins(const cpu::Launch& launch) {
    records_ = is_wanted(launch);
    if (!records_) return;
    trace::Recorder::instance().start(buffers_of(launch), -1);
    trace::Recorder::observe(launch, true);
  }

  void ends(const cpu::Launch& launch) {
    if (!records_) return;
    trace::Recorder& recorder = trace::Recorder::instance();
    trace::Recorder::observe(launch, false);
    recorder.stop();
    trace::write_launch(json_, recorder.launches().back(), recorder, true);
    write();
  }

  bool is_wanted(const cpu::Launch& launch) {
    const std::string name = launch.name == nullptr ? "" : launch.name;
    const std::size_t end = std::min(name.find('<'), name.size());
    const std::size_t begin = name.rfind(':', end) + 1;  // 0 where there is none
    const std::string plain = name.substr(begin, end - begin);
    if (!wanted_.empty() && wanted_ != plain && wanted_ != name) return false;
    const auto size = [](dim3 shape) { return std::array{shape.x, shape.y, shape.z}; };
    return seen_.insert({name, size(launch.grid), size(launch.block)}).second || !first_alone_;
  }

  /// What the kernel's pointers point to, by the parameters' names. What is touched again is counted in arrays that
  /// are not too large for that.
  static std::vector<trace::Buffer> buffers_of(const cpu::Launch& launch) {
    std::vector<trace::Buffer> buffers;
    const std::vector<std::string> names = check::parameters_of(launch);
    for (std::size_t i = 0; i < launch.argument_count; ++i) {
      const cpu::Argument& argument = launch.arguments[i];
      // NOLINTNEXTLINE(performance-no-int-to-ptr): what the program has passed
      const void* const pointer = reinterpret_cast<const void*>(check::pointer_of(argument));
      const cpu::MemoryRange range = cpu::DeviceMemory::instance().find(pointer);
      if (range.bytes == 0) continue;
      const std::vector<std::uint8_t> counts(range.bytes <= kCounted ? range.bytes : 0);
      buffers.push_back({i < names.size() ? names[i] : "argument " + std::to_string(i + 1),
                         reinterpret_cast<std::uintptr_t>(range.begin), range.bytes,
                         argument.pointee, counts, counts});
    }
    return buffers;
  }

  /// Now, and not at the end of the program, which may not come.
  void write() const {
    const char* const name = std::getenv("TUTORIAL_COUNTS");
    std::FILE* const file = name == nullptr ? nullptr : std::fopen(name, "w");
    if (file == nullptr) return;
    trace::Json whole = json_;
    whole.end(']');
    std::fputs(whole.text().c_str(), file);
    std::fclose(file);
  }

  static constexpr std::size_t kCounted = std::size_t{1} << 24;

  std::string wanted_;
  bool first_alone_ = false, records_ = false;
  std::set<std::tuple<std::string, std::array<unsigned, 3>, std::array<unsigned, 3>>> seen_;
  trace::Json json_;
};

void start() {
  const char* const way = std::getenv("TUTORIAL_SEE");
  if (way != nullptr && std::strncmp(way, "trace", 5) == 0) {
    Traces::instance().start(way);
  } else {
    check::Host::instance().start();
  }
}

}  // namespace

/// Is called in the place of main(), as the linker was told.
extern "C" int __wrap_main(int argc, char** argv) {
  start();
  const int code = __real_main(argc, argv);
  check::Host::instance().end(code);
  return code;
}
