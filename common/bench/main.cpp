/// The main program of every chapter's benchmark.
///
/// Exit code: 0 if every row was verified and timed, 1 if one was not or there is no GPU to run on,
/// 2 for a flag that it does not know.

#include "common/bench/bench.h"
#include "common/bench/rows.h"
#include "common/bench/shapes.h"
#include "common/proof/context.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

namespace {

using namespace tutorial::bench;

constexpr int kRowFailed = 1;
constexpr int kBadFlag = 2;

constexpr char kShapesFlag[] = "--shapes=";

bool is_shapes_flag(const char* argument) {
  return std::strncmp(argument, kShapesFlag, std::strlen(kShapesFlag)) == 0;
}

/// Takes our own flag out of the arguments; the rest is Google Benchmark's.
void take_shapes_flag(int& argc, char** argv) {
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (is_shapes_flag(argv[i])) {
      set_shapes(parse_shapes(argv[i] + std::strlen(kShapesFlag)));
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  argv[argc] = nullptr;
}

void explain_shapes_flag(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--help") == 0) {
      std::puts("--shapes=ROWSxCOLUMNS[,...]  time these shapes only, as in --shapes=4096x4096\n");
    }
  }
}

bool has_device() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

void add_context() {
  for (const auto& [name, value] : tutorial::test::run_context()) {
    benchmark::AddCustomContext(name, value);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    take_shapes_flag(argc, argv);
  } catch (const std::invalid_argument& mistake) {
    std::fprintf(stderr, "%s: %s%s\n", argv[0], kShapesFlag, mistake.what());
    return kBadFlag;
  }
  explain_shapes_flag(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return kBadFlag;
  if (!has_device()) {
    std::fprintf(stderr, "%s: no GPU answers; build the cpu preset to run on the CPU executor\n",
                 argv[0]);
    return kRowFailed;
  }
  add_context();
  register_benchmarks();
  if (benchmark::RunSpecifiedBenchmarks() == 0) return kBadFlag;  // a filter that matches nothing
  benchmark::Shutdown();
  return any_row_failed() ? kRowFailed : 0;
}
