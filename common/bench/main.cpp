// The main program of every chapter's benchmark.

#include "common/bench/bench.h"
#include "common/bench/clocks.h"
#include "common/bench/flags.h"
#include "common/bench/rows.h"
#include "common/bench/yardsticks.h"
#include "common/proof/context.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>

// Exit code: 0 if every row was verified and timed, 1 if one was not or there is no GPU to run on,
// 2 for flags with which it cannot run. Unless it is 0, the last line on stderr is one sentence,
// "PROGRAM: ...", that says what to do.

namespace {

using namespace tutorial::bench;

constexpr int kRowFailed = 1;
constexpr int kBadFlag = 2;

void require_device() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) return;
  throw std::runtime_error("no GPU answers; build the cpu preset to run on the CPU executor");
}

void add_context() {
  for (const auto& [name, value] : tutorial::test::run_context()) {
    benchmark::AddCustomContext(name, value);
  }
  for (const auto& [name, value] : clocks_context()) benchmark::AddCustomContext(name, value);
  const std::string cub = cub_version();
  if (!cub.empty()) benchmark::AddCustomContext("cub", cub);
}

void require_rows(std::size_t rows, const Flags& flags) {
  if (rows > 0) return;
  throw std::invalid_argument(
      "--benchmark_filter=" + flags.filter +
      " matches no row, or is no regular expression; --benchmark_list_tests lists the rows");
}

void require_success_of_rows() {
  if (failed_rows().count == 0) return;
  const std::string rows = failed_rows().count == 1 ? "1 row failed: " : "rows failed, the first: ";
  const std::string count =
      failed_rows().count == 1 ? "" : std::to_string(failed_rows().count) + " ";
  throw std::runtime_error(count + rows + failed_rows().first);
}

void run(int argc, char** argv) {
  const Flags flags = read_flags(argc, argv);
  benchmark::Initialize(&argc, argv);
  refuse_unknown_flags(argc, argv);
  require_device();
  add_context();
  register_benchmarks();
  add_rows();
  if (flags.shapes_given) require_shapes_that_fit();
  require_rows(benchmark::RunSpecifiedBenchmarks(), flags);
  benchmark::Shutdown();
  require_whole_file(flags);
  require_success_of_rows();
}

/// Says in one sentence why the program ends.
int complain(const char* program, const char* sentence, int code) {
  std::fprintf(stderr, "%s: %s\n", std::filesystem::path(program).filename().c_str(), sentence);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
    return 0;
  } catch (const std::invalid_argument& mistake) {
    return complain(argv[0], mistake.what(), kBadFlag);
  } catch (const std::exception& failure) {
    return complain(argv[0], failure.what(), kRowFailed);
  }
}
