// The benchmark of the control experiments: copies and sums as rows like a chapter's, and beside
// them what has no bytes: blocks, latencies, launches, instructions.

#include "common/controls/controls.h"

#include "common/bench/binary.h"
#include "common/bench/clocks.h"
#include "common/bench/measure.h"
#include "common/bench/mixed.h"
#include "common/bench/replay.h"
#include "common/bench/rows.h"
#include "common/bench/statistics.h"
#include "common/launch.cuh"
#include "common/proof/device.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <string>

//     build/cuda/common_controls --shapes=2048x2048,16384x16384

namespace tutorial::bench {

namespace {

using test::DeviceBytes;
using test::require_success;

constexpr char kLadder[] = "controls";

double same(double x) { return x; }
double elu(double x) { return x < 0 ? std::expm1(x) : x; }
double gelu(double x) {
  return 0.5 * x * (1.0 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}
double sum(double a, double b) { return a + b; }

template <class T>
void add_rows(const std::vector<controls::OneInput<T>>& rows, double (*reference)(double),
              double max_ulp) {
  for (const auto& row : rows) {
    add_unary<T>(kLadder, row.name, Kind::sweep, row.launch, reference, max_ulp);
  }
}

template <class T>
void add_rows(const std::vector<controls::TwoInputs<T>>& rows, double max_ulp) {
  for (const auto& row : rows) {
    add_binary<T>(kLadder, row.name, Kind::sweep, row.launch, sum, max_ulp);
  }
}

// ---- Rows of other forms ----------------------------------------------------------------------

/// A row of its own shapes, if it has any. An operation with one input gets it twice. `verify`: as in Case.
template <class T, class Out>
Case sweep(const controls::TwoInputs<T, Out>& row, std::vector<Input> inputs,
           decltype(Case::verify) verify, std::vector<NamedShape> shapes = {}) {
  Case operation{kLadder, row.name, dtype_name<T>(), Kind::sweep};
  operation.inputs = std::move(inputs);
  operation.output_bytes = bytes_of<Out>(every_element);
  operation.launch = [launch = row.launch](const Buffers& set, const Shape& shape,
                                           cudaStream_t stream) {
    return launch(static_cast<const T*>(set.inputs.front()),
                  static_cast<const T*>(set.inputs.back()), static_cast<Out*>(set.output),
                  shape.elements(), stream);
  };
  operation.verify = std::move(verify);
  operation.own_shapes = std::move(shapes);
  return operation;
}

/// `count` whole numbers below 61, so that their sums are exact, and the i-th of them repeated.
template <class T>
std::vector<T> small_numbers(std::int64_t count, std::int64_t factor = 29) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(T(static_cast<float>(i * factor % 61)));
  return values;
}
template <class T>
float at(const std::vector<T>& values, std::int64_t i) {
  return static_cast<float>(values[static_cast<std::size_t>(i) % values.size()]);
}

const NamedShape kSmall{"1024x1024", {1024, 1024}}, kMedium{"2048x2048", {2048, 2048}},
    kLarge{"16384x16384", {16384, 16384}};

/// Rows that do what a copy does, or an addition: they have its inputs, and are judged like it.
template <class T>
void add_elementwise(const std::vector<controls::TwoInputs<T>>& rows, int inputs,
                     const std::vector<NamedShape>& shapes = {}) {
  const Case like = copy_row<T>(static_cast<std::size_t>(inputs), kLadder, "", Kind::sweep);
  const auto verify = inputs == 1 ? like.verify : judge<T>(sum, 0.51);
  for (const auto& row : rows) add(sweep(row, like.inputs, verify, shapes));
}

void add_row_copies() {
  const auto a = small_numbers<half>(4099);
  for (const auto& [copy, stored] : controls::row_copies()) {
    const controls::TwoInputs<half> row = {
        copy.name, [launch = copy.launch](const half* x, const half*, half* y, std::int64_t n,
                                          cudaStream_t stream) { return launch(x, y, n, stream); }};
    const auto verify = must_be<half>([a, stored = stored](const Shape&, std::int64_t i) {
      const half untouched = __ushort_as_half(0xFFFF);  // what the output is filled with
      return i % controls::kRow < stored ? half(at(a, i)) : untouched;
    });
    Case operation = sweep(row, {input_of(a, every_element)}, verify, {kLarge});
    operation.copied_inputs = 1;
    add(operation);
  }
}

/// a begins one element past a line, b three.
template <class T>
void add_addresses() {
  const auto a = small_numbers<T>(4099), b = small_numbers<T>(4093, 31);
  const auto longer = [](const Shape& shape) { return shape.elements() + 3; };
  for (const int inputs : {1, 2}) {
    for (const auto& aligned : controls::any_addresses<T>(inputs)) {
      controls::TwoInputs<T> row = aligned;
      row.launch = [launch = aligned.launch](const T* x, const T* w, T* y, std::int64_t n,
                                             cudaStream_t stream) {
        return launch(x + 1, w + 3, y, n, stream);
      };
      std::vector<Input> of = {input_of(a, longer)};
      if (inputs == 2) of.push_back(input_of(b, longer));
      const auto verify = must_be<T>([a, b, inputs](const Shape&, std::int64_t i) {
        return T(at(a, i + 1) + (inputs == 2 ? at(b, i + 3) : 0.0f));
      });
      Case operation = sweep(row, of, verify, {kSmall, kLarge});
      operation.copied_inputs = static_cast<std::size_t>(inputs);
      add(operation);
    }
  }
}

NamedShape images(std::int64_t count) {
  return {std::to_string(count) + "x256x56x56", {count * controls::kChannels, controls::kPixels}};
}

void add_channel_sums() {
  const auto a = small_numbers<half>(4099), b = small_numbers<half>(controls::kChannels);
  const auto channels = [](const Shape&) { return controls::kChannels; };
  const auto verify = must_be<half>([a, b](const Shape&, std::int64_t i) {
    return half(at(a, i) + at(b, i / controls::kPixels));
  });
  for (const auto& row : controls::channel_sums()) {
    Case operation = sweep(row, {input_of(a, every_element), input_of(b, channels)}, verify,
                           {images(1), images(controls::kImages)});
    operation.copied_inputs = 1;
    add(operation);
  }
}

template <class T>
void add_outer_sums(const std::vector<controls::TwoInputs<T>>& rows) {
  static constexpr std::int64_t kA = controls::kImages * controls::kSide,
                                kB = controls::kChannels * controls::kSide;
  const auto numbers = small_numbers<T>(kB);
  const std::vector<Input> inputs = {input_of(numbers, [](const Shape&) { return kA; }),
                                     input_of(numbers, [](const Shape&) { return kB; })};
  const auto verify = must_be<T>([numbers](const Shape&, std::int64_t i) {
    const std::int64_t column = i % controls::kSide, line = i / controls::kSide % controls::kSide;
    const std::int64_t channel = i / controls::kPixels % controls::kChannels;
    const std::int64_t image = i / controls::kPixels / controls::kChannels;
    return T(at(numbers, image * controls::kSide + line) +
             at(numbers, channel * controls::kSide + column));
  });
  for (const auto& row : rows) add(sweep(row, inputs, verify, {images(controls::kImages)}));
}

/// Loads or stores alone: the other side is 256 bytes, which nobody touches.
void add_one_sided() {
  const auto x = small_numbers<float>(4099);
  const auto few = [](const Shape&) { return 64; };
  for (const auto& row : controls::loads_alone()) {
    Case operation =
        sweep(row, {input_of(x, every_element)},
              must_be<unsigned>([](const Shape&, std::int64_t) { return ~0u; }), {kLarge});
    operation.output_bytes = bytes_of<unsigned>(few);
    add(operation);
  }
  for (const auto& row : controls::stores_alone()) {
    add(sweep(row, {input_of(x, few)}, must_be<unsigned>([](const Shape&, std::int64_t i) {
                return static_cast<unsigned>(i % 64);
              }),
              {kLarge}));
  }
}

void add_votes() {
  const auto a = small_numbers<half>(4099), b = small_numbers<half>(4093);
  const auto verify = must_be<unsigned>([a, b](const Shape&, std::int64_t word) {
    unsigned bits = 0;
    for (int k = 0; k < 32; ++k) {
      const std::int64_t i = word * 32 + k;
      bits |= (at(a, i) > at(b, i) ? 1u : 0u) << k;
    }
    return bits;
  });
  for (const auto& row : controls::votes()) {
    Case operation = sweep(row, {input_of(a, every_element), input_of(b, every_element)}, verify);
    operation.output_bytes = [](const Shape& shape) {
      return static_cast<std::size_t>(shape.elements()) / 8;
    };
    add(operation);
  }
}

// ---- Rows without bytes -----------------------------------------------------------------------

/// A row that sets its own counters; `size` stands where a shape does in other rows' names.
using Measurement = std::function<void(benchmark::State& state)>;

void add_row(const std::string& name, std::int64_t size, Measurement measure) {
  const std::string full = std::string(kLadder) + "/" + name + "/" + std::to_string(size) + "/warm";
  benchmark::RegisterBenchmark(full.c_str(),
                               [measure, full](benchmark::State& state) {
                                 state.SetLabel("none sweep");
                                 try {
                                   measure(state);
                                 } catch (const std::exception& failure) {
                                   fail_row(state, full, failure.what());
                                 }
                               })
      ->Iterations(static_cast<benchmark::IterationCount>(kReplays))
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

/// The counters of every such row, from the seconds of each replay.
void set_times(benchmark::State& state, const std::vector<double>& seconds) {
  auto replay = seconds.begin();
  while (state.KeepRunning()) state.SetIterationTime(*replay++);
  state.counters["median_us"] = median(seconds) * 1e6;
  state.counters["spread_pct"] = spread_percent(seconds);
}

std::size_t replays_of(const benchmark::State& state) {
  return static_cast<std::size_t>(state.max_iterations);
}

/// Empty kernels in the grid of chapter 01's `f32` at 16384x16384, with any number of threads a
/// block, and any shared memory.
void add_empty(const std::string& name, int threads, std::size_t shared = 0) {
  constexpr std::int64_t kNaiveBlocks = std::int64_t{16384} * 16384 / 128;
  add_row("empty_" + name, kNaiveBlocks, [=](benchmark::State& state) {
    const test::Stream stream;
    const auto seconds = seconds_per_launch(
        [=](std::size_t, cudaStream_t on) {
          return controls::empty(kNaiveBlocks, threads, on, shared);
        },
        1, stream.get(), replays_of(state));
    set_times(state, seconds);
    state.counters["probe_mhz"] = probe_sm_mhz(stream.get());
    state.counters["ns_per_block"] = median(seconds) * 1e9 / static_cast<double>(kNaiveBlocks);
  });
}

// ---- Sectors and their neighbours -------------------------------------------------------------

/// From the memory, over more than the L2 holds; or from the L2, again and again.
void add_sectors(const controls::Sectors& row, const std::string& where, std::int64_t sectors,
                 int passes) {
  add_row("sectors_" + where + "_" + row.name, sectors, [=](benchmark::State& state) {
    const DeviceBytes memory(static_cast<std::size_t>(sectors * row.spread * 32));
    require_success(cudaMemset(memory.data(), 1, memory.size()), "cudaMemset");
    const test::Stream stream;
    const auto seconds = timed_or_shown(
        [&](std::size_t, cudaStream_t on) {
          return row.launch(memory.data(), sectors, passes, on);
        },
        1, stream.get(), replays_of(state));
    set_times(state, seconds);
    state.counters["sectors_per_ns"] =
        static_cast<double>(sectors) * passes / median(seconds) * 1e-9;
  });
}

void add_all_sectors() {
  for (const auto& row : controls::sectors()) {
    add_sectors(row, "memory", std::int64_t{1} << 24, 1);
    add_sectors(row, "l2", std::int64_t{1} << 17, 64);
  }
}

// ---- Latency ----------------------------------------------------------------------------------

struct Chase {
  std::string name;
  std::size_t bytes;   // over which the pointers lie
  std::size_t stride;  // bytes from one place to the next
  int hops;
  bool through_l1;
  std::int64_t copied;  // bytes that other blocks copy meanwhile
};

/// next[]: one closed walk over all places, in random order.
std::vector<unsigned> random_walk(const Chase& chase) {
  const std::size_t places = chase.bytes / chase.stride, step = chase.stride / sizeof(unsigned);
  std::vector<unsigned> order(places);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  std::vector<unsigned> next(chase.bytes / sizeof(unsigned));
  for (std::size_t i = 0; i < places; ++i) {
    const auto to = static_cast<std::size_t>(order[(i + 1) % places]) * step;
    next[static_cast<std::size_t>(order[i]) * step] = static_cast<unsigned>(to);
  }
  return next;
}

void run_chase(benchmark::State& state, const Chase& chase) {
  const std::vector<unsigned> next = random_walk(chase);
  const DeviceBytes device(chase.bytes), small(256);
  constexpr std::int64_t kMoreThanL2 = std::int64_t{256} << 20;
  const DeviceBytes copied(static_cast<std::size_t>(2 * std::max(chase.copied, kMoreThanL2)));
  require_success(cudaMemcpy(device.data(), next.data(), chase.bytes, cudaMemcpyHostToDevice),
                  "cudaMemcpy");
  require_success(cudaMemset(small.data(), 0, small.size()), "cudaMemset");
  require_success(cudaMemset(copied.data(), 1, copied.size()), "cudaMemset");  // empties the L2
  auto* const place = reinterpret_cast<unsigned*>(small.data());
  auto* const cycles = reinterpret_cast<long long*>(small.data() + 128);
  auto* const from = reinterpret_cast<float*>(copied.data());
  const test::Stream stream;
  const auto launch = [&](std::size_t, cudaStream_t on) {
    return controls::chase(reinterpret_cast<const unsigned*>(device.data()), place, cycles,
                           chase.hops, chase.through_l1, from,
                           from + chase.copied / static_cast<std::int64_t>(sizeof(float)),
                           chase.copied, on);
  };
  std::vector<double> seconds, per_hop;
  for (std::size_t k = 0; k < replays_of(state) + 2; ++k) {
    const auto start = std::chrono::steady_clock::now();
    require_success(launch(0, stream.get()), "launch");
    stream.synchronize();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    long long counted = 0;
    require_success(cudaMemcpy(&counted, cycles, sizeof counted, cudaMemcpyDeviceToHost),
                    "cudaMemcpy");
    if (k < 2) continue;  // the first find cold caches
    seconds.push_back(took.count());
    per_hop.push_back(static_cast<double>(counted) / chase.hops);
  }
  set_times(state, seconds);
  const double sm_mhz = probe_sm_mhz(stream.get());
  state.counters["probe_mhz"] = sm_mhz;
  state.counters["spread_pct"] = spread_percent(per_hop);
  state.counters["cycles"] = median(per_hop);
  state.counters["ns"] = median(per_hop) * 1e3 / sm_mhz;
}

// ---- The clock --------------------------------------------------------------------------------

/// A kernel that is as long as its cycles: one thread, each of whose instructions needs the result of
/// the one before. Where nothing else runs, its cycles over its time, the probe and NVML must agree.
void run_known_cycles(benchmark::State& state) {
  const DeviceBytes small(512);
  auto* const cycles = reinterpret_cast<long long*>(small.data() + 256);
  const test::Stream stream;
  ClockWatch watch;
  const std::vector<double> seconds = seconds_per_launch(
      [&](std::size_t, cudaStream_t on) {
        return controls::dependent(reinterpret_cast<unsigned*>(small.data()), cycles, on);
      },
      1, stream.get(), replays_of(state));
  const double probe_mhz = probe_sm_mhz(stream.get());
  const ClocksSeen clocks = watch.seen();
  long long counted = 0;
  require_success(cudaMemcpy(&counted, cycles, sizeof counted, cudaMemcpyDeviceToHost),
                  "cudaMemcpy");
  set_times(state, seconds);
  state.counters["probe_mhz"] = probe_mhz;
  state.counters["sm_mhz"] = clocks.sm_mhz;
  state.counters["cycles"] = static_cast<double>(counted) / controls::kDependentInstructions;
  state.counters["known_mhz"] = static_cast<double>(counted) / median(seconds) * 1e-6;
}

void add_chases() {
  constexpr std::size_t kKib = 1024, kMib = 1024 * kKib;
  const Chase chases[] = {
      {"latency_l1", 16 * kKib, 128, 65536, true, 0},
      {"latency_l2", 8 * kMib, 128, 32768, false, 0},
      {"latency_dram", 256 * kMib, 128, 16384, false, 0},
      {"latency_dram_beside_copy", 256 * kMib, 128, 512, false, std::int64_t{2} << 30},
  };
  for (const Chase& chase : chases) {
    add_row(chase.name, static_cast<std::int64_t>(chase.bytes),
            [chase](benchmark::State& state) { run_chase(state, chase); });
  }
}

// ---- Launches ---------------------------------------------------------------------------------

enum class Launching { graph, stream, call_and_wait };

double seconds_of_launches(Launching how, std::size_t count, cudaStream_t stream) {
  using Clock = std::chrono::steady_clock;
  require_success(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  const auto start = Clock::now();
  for (std::size_t k = 0; k < count; ++k) {
    require_success(controls::empty(1, 32, stream), "launch");
    if (how == Launching::call_and_wait) {
      require_success(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    }
  }
  require_success(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(count);
}

void add_launch(const std::string& name, Launching how) {
  add_row(name, 1, [how](benchmark::State& state) {
    const test::Stream stream;
    std::vector<double> seconds;
    if (how == Launching::graph) {
      seconds = seconds_per_launch(
          [](std::size_t, cudaStream_t on) { return controls::empty(1, 32, on); }, 1, stream.get(),
          replays_of(state));
    } else {
      constexpr std::size_t kCount = 4096;
      seconds_of_launches(how, kCount, stream.get());
      for (std::size_t k = 0; k < replays_of(state); ++k) {
        seconds.push_back(seconds_of_launches(how, kCount, stream.get()));
      }
    }
    set_times(state, seconds);
  });
}

// ---- cudaMemcpyAsync: who copies? -------------------------------------------------------------

/// Seconds of two branches of one graph: every thread slot taken for a while, and a copy. A copy
/// that needs the multiprocessors runs after the first, any other beside it.
void run_memcpy(benchmark::State& state, std::size_t bytes, bool copying, bool occupying) {
  const DeviceBytes from(bytes), to(bytes);
  require_success(cudaMemset(from.data(), 1, bytes), "cudaMemset");
  const test::Stream main, other;
  cudaEvent_t forked = nullptr, joined = nullptr;
  require_success(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming), "cudaEventCreate");
  require_success(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming), "cudaEventCreate");
  const auto both = [&](std::size_t, cudaStream_t stream) {
    constexpr long long kCycles = 2000000;  // about a millisecond
    cudaError_t error = cudaEventRecord(forked, stream);
    if (error == cudaSuccess) error = cudaStreamWaitEvent(other.get(), forked, 0);
    if (error == cudaSuccess && occupying) error = controls::occupy(kCycles, stream);
    if (error == cudaSuccess && copying) {
      error = cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, other.get());
    }
    if (error == cudaSuccess) error = cudaEventRecord(joined, other.get());
    return error == cudaSuccess ? cudaStreamWaitEvent(stream, joined, 0) : error;
  };
  const auto seconds = seconds_per_launch(both, 1, main.get(), replays_of(state));
  cudaEventDestroy(forked);
  cudaEventDestroy(joined);
  set_times(state, seconds);
}

/// The same in two streams, without a graph, timed from the first call to the end of both.
void run_memcpy_in_streams(benchmark::State& state, std::size_t bytes, bool copying) {
  using Clock = std::chrono::steady_clock;
  constexpr long long kCycles = 2000000;
  const DeviceBytes from(bytes), to(bytes);
  require_success(cudaMemset(from.data(), 1, bytes), "cudaMemset");
  const test::Stream occupied, other;
  std::vector<double> seconds;
  for (std::size_t k = 0; k < replays_of(state) + 1; ++k) {
    require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const auto start = Clock::now();
    require_success(controls::occupy(kCycles, occupied.get()), "launch");
    if (copying) {
      require_success(
          cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, other.get()),
          "cudaMemcpyAsync");
    }
    require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    if (k > 0) seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  set_times(state, seconds);
}

void add_memcpys() {
  add_row("occupy", 0, [](benchmark::State& state) { run_memcpy(state, 256, false, true); });
  for (const std::size_t mib : {64U, 1024U}) {
    const std::size_t bytes = mib << 20;
    const auto size = static_cast<std::int64_t>(bytes);
    add_row("memcpy_alone", size,
            [=](benchmark::State& state) { run_memcpy(state, bytes, true, false); });
    add_row("memcpy_beside_occupy", size,
            [=](benchmark::State& state) { run_memcpy(state, bytes, true, true); });
    add_row("occupy_stream", size,
            [=](benchmark::State& state) { run_memcpy_in_streams(state, bytes, false); });
    add_row("memcpy_beside_occupy_stream", size,
            [=](benchmark::State& state) { run_memcpy_in_streams(state, bytes, true); });
  }
}

// ---- Instructions a cycle ---------------------------------------------------------------------

void run_throughput(benchmark::State& state, const controls::Throughput& row) {
  int processors = 0;
  require_success(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0),
                  "cudaDeviceGetAttribute");
  const auto blocks = static_cast<std::size_t>(processors);
  const DeviceBytes sink(256), cycles(blocks * sizeof(long long));
  const test::Stream stream;
  std::vector<double> seconds, rates;
  for (std::size_t k = 0; k < replays_of(state) + 1; ++k) {
    const auto start = std::chrono::steady_clock::now();
    require_success(
        row.launch(reinterpret_cast<unsigned*>(sink.data()),
                   reinterpret_cast<long long*>(cycles.data()), processors, stream.get()),
        "launch");
    stream.synchronize();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::vector<long long> counted(blocks);
    require_success(
        cudaMemcpy(counted.data(), cycles.data(), cycles.size(), cudaMemcpyDeviceToHost),
        "cudaMemcpy");
    if (k == 0) continue;
    seconds.push_back(took.count());
    std::vector<double> each(counted.begin(), counted.end());
    constexpr double kLanes =
        double{controls::kThroughputThreads} * controls::kThroughputInstructions;
    rates.push_back(kLanes / median(each));
  }
  set_times(state, seconds);
  state.counters["spread_pct"] = spread_percent(rates);
  state.counters["lanes_per_cycle"] = median(rates);
}

void add_throughputs() {
  for (const auto& row : controls::throughputs()) {
    add_row("rate_" + row.name, controls::kThroughputInstructions,
            [row](benchmark::State& state) { run_throughput(state, row); });
  }
}

}  // namespace

void register_benchmarks() {
  for (const int threads : {32, 64, 128, 256, 512, 1024}) {
    add_empty("b" + std::to_string(threads), threads);
  }
  add_empty("shared_64k", 128, 64 << 10);
  add_launch("launch_in_graph", Launching::graph);

  add_copy_peers<float>(kLadder);
  add_rows(controls::float_copies(), same, 0.5);
  add_rows(controls::float_fills(), same, 0.5);
  add_rows(controls::half_copies(), same, 0.5);
  add_rows(controls::half_fills(), same, 0.5);
  add_rows(controls::float_fills_by_residency(), same, 0.5);
  add_rows(controls::half_fills_by_residency(), same, 0.5);
  add_rows(controls::flights(), same, 0.5);
  add_rows(controls::requests(), same, 0.5);
  add_one_sided();
  add_row_copies();
  add_rows(controls::float_elus(), elu, 1e7);
  add_rows(controls::half_elus(), elu, 16.0);
  add_rows(controls::half_gelus(), gelu, 2048.0);
  add_two_in_one_out_peer<float>(kLadder);
  add_rows(controls::float_additions(), 0.5);
  add_rows(controls::half_additions(), 0.51);
  add_elementwise(controls::pipes<1, float>(), 1);
  add_elementwise(controls::pipes<2, float>(), 2);
  add_elementwise(controls::pipes<2, half>(), 2);
  add_channel_sums();
  add_outer_sums(controls::outer_sums());
  add_outer_sums(controls::outer_pack_sums());
  add_addresses<half>();
  add_addresses<float>();
  add_votes();
  const std::vector<NamedShape> trigger_shapes = {kSmall, kMedium, kLarge};
  add_elementwise(controls::triggers<1, float>(), 1, trigger_shapes);
  add_elementwise(controls::triggers<1, half>(), 1, trigger_shapes);
  add_elementwise(controls::triggers<2, float>(), 2, trigger_shapes);
  add_elementwise(controls::triggers<2, half>(), 2, trigger_shapes);

  add_all_sectors();
  add_row("known_cycles", 1, run_known_cycles);

  // Last: they launch without a graph, and every launch of a graph takes longer after that.
  add_memcpys();
  add_throughputs();
  add_chases();
  add_launch("launch_in_stream", Launching::stream);
  add_launch("launch_and_wait", Launching::call_and_wait);
  add_launch("launch_in_graph_after", Launching::graph);
}

}  // namespace tutorial::bench
