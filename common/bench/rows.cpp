// Cases as rows of Google Benchmark.

#include "common/bench/rows.h"

#include "common/bench/bench.h"
#include "common/bench/measure.h"
#include "common/bench/shapes.h"
#include "common/bench/stage.h"
#include "common/bench/statistics.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

namespace tutorial::bench {

namespace {

FailedRows failed;
std::map<std::string, std::size_t> fewest_bytes;  // by the name of a shape of the grid
/// The outputs found right: the rows and columns of each. The regimes differ only in the buffers.
std::set<std::tuple<const Case*, std::int64_t, std::int64_t>> verified;

/// The counters come from the median, which a single disturbed replay does not change.
void set_counters(benchmark::State& state, std::size_t bytes, const std::vector<double>& seconds,
                  double copy_rate) {
  const double gbps = static_cast<double>(bytes) / median(seconds) * 1e-9;
  state.counters["GBps"] = gbps;
  state.counters["copy_pct"] = gbps / copy_rate * 100;
  state.counters["median_us"] = median(seconds) * 1e6;
  state.counters["spread_pct"] = spread_percent(seconds);
  state.counters["bytes"] = static_cast<double>(bytes);
}

void set_clock_counters(benchmark::State& state, const ClocksSeen& clocks) {
  if (clocks.probe_mhz > 0) state.counters["probe_mhz"] = clocks.probe_mhz;
  if (clocks.inside_mhz > 0) state.counters["inside_mhz"] = clocks.inside_mhz;
  if (clocks.samples == 0) return;
  state.counters["sm_mhz"] = clocks.sm_mhz;
  state.counters["clock_reasons"] = static_cast<double>(clocks.reasons);
}

void run_row(benchmark::State& state, const std::string& name, const Case& operation,
             const Shape& shape, Regime regime) {
  const std::string form = operation.form.empty() ? "" : " " + operation.form;
  state.SetLabel(operation.dtype + " " + name_of(operation.kind) + form);
  try {
    const std::size_t bytes = bytes_moved(operation, shape);
    const std::size_t copied =
        operation.copied_inputs > 0 ? operation.copied_inputs : operation.inputs.size();
    const double copy_rate = copy_gbps(bytes, copied, regime);
    const auto replays = static_cast<std::size_t>(state.max_iterations);
    ClocksSeen clocks;
    const std::tuple output{&operation, shape.rows, shape.columns};
    const std::vector<double> seconds =
        measure(operation, shape, regime, replays, &clocks, verified.count(output) > 0);
    verified.insert(output);
    auto replay = seconds.begin();
    while (state.KeepRunning()) state.SetIterationTime(*replay++);
    set_counters(state, bytes, seconds, copy_rate);
    set_clock_counters(state, clocks);
  } catch (const std::exception& failure) {
    fail_row(state, name, failure.what());
  }
}

/// With manual time Google Benchmark cannot choose the number of iterations, so it is fixed. clang's
/// analyzer reports the row that Google Benchmark keeps as a leak, hence the #ifndef.
template <class Row>
void register_row([[maybe_unused]] const std::string& name, [[maybe_unused]] const Row& row) {
#ifndef __clang_analyzer__
  benchmark::RegisterBenchmark(name.c_str(), row)
      ->Iterations(kReplays)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
#endif
}

void add_rows(const Case& operation, const std::string& shape_name, const Shape& shape) {
  for (const Regime regime : regimes()) {
    const std::string name =
        operation.ladder + "/" + operation.rung + "/" + shape_name + "/" + name_of(regime);
    register_row(name, [=, &operation](benchmark::State& state) {
      run_row(state, name, operation, shape, regime);
    });
  }
}

}  // namespace

const FailedRows& failed_rows() { return failed; }

void require_shapes_that_fit() {
  const std::size_t free = free_bytes();
  for (const auto& [shape, bytes] : fewest_bytes) {
    if (bytes > free) {
      throw std::invalid_argument("--shapes=" + shape + " needs at least " + amount(bytes) +
                                  " of memory and " + amount(free) +
                                  " are free; choose a smaller shape");
    }
  }
}

void fail_row(benchmark::State& state, const std::string& name, const char* what) {
  if (failed.count++ == 0) failed.first = name + ": " + what;
  state.SkipWithError(what);
}

void add_rows() {
  for (const Case& operation : cases()) {
    for (const NamedShape& own : operation.own_shapes) add_rows(operation, own.name, own.shape);
    if (!operation.own_shapes.empty()) continue;
    for (const Shape& shape : shapes()) {
      const std::size_t bytes = bytes_moved(operation, shape);
      const auto entry = fewest_bytes.emplace(name_of(shape), bytes).first;
      entry->second = std::min(entry->second, bytes);
      add_rows(operation, name_of(shape), shape);
    }
  }
}

}  // namespace tutorial::bench
