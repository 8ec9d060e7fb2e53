// The cost of the CPU executor: kernels on one core against plain C++ loops that compute the same,
// a barrier, a thread, a launch. cpu backend only; the times say nothing about a GPU.

#include "common/bench/statistics.h"
#include "common/launch.cuh"
#include "common/proof/context.h"
#include "common/proof/inputs.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace tutorial::bench {

namespace {

bool row_failed = false;

// ELU calls a library function per negative element. A copy computes nothing, so its row shows the
// executor's own cost per thread.
float elu(float x) { return x > 0 ? x : expm1f(x); }

__global__ void elu_kernel(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = elu(x[i]);
}

__attribute__((noinline)) void elu_loop(const float* x, float* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = elu(x[i]);
}

__global__ void copy_kernel(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

__attribute__((noinline)) void copy_loop(const float* x, float* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[i];
}

__global__ void barrier_kernel(int barriers) {
  for (int i = 0; i < barriers; ++i) __syncthreads();
}

__global__ void empty_kernel() {}

/// Runs `work` and returns how many seconds it took.
template <class Work>
double seconds(const Work& work) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void expect_success(benchmark::State& state, cudaError_t error) {
  if (error == cudaSuccess) return;
  row_failed = true;
  state.SkipWithError(cudaGetErrorName(error));
}

using Kernel = void (*)(const float*, float*, std::int64_t);

/// The row's time is the kernel's. `ratio` is the loop's time over the kernel's: 1 where the
/// executor costs nothing, 0.5 where it costs as much as the work.
void against_loop(benchmark::State& state, Kernel kernel, Kernel loop) {
  const std::int64_t n = state.range(0);
  const std::vector<float> x = test::normal_values<float>(n);
  std::vector<float> y(x.size());
  std::vector<double> in_kernel, in_loop;
  while (state.KeepRunning()) {
    in_loop.push_back(seconds([&] { loop(x.data(), y.data(), n); }));
    in_kernel.push_back(seconds([&] {
      expect_success(state, launch_unary(kernel, x.data(), y.data(), n, 1, sizeof(float), nullptr));
    }));
    benchmark::DoNotOptimize(y.data());
    state.SetIterationTime(in_kernel.back());
  }
  state.counters["ratio"] = median(in_loop) / median(in_kernel);
  state.counters["ns_per_element"] = median(in_kernel) / static_cast<double>(n) * 1e9;
}

/// `ns_per_barrier`: what a barrier costs each thread of a block.
void barrier(benchmark::State& state) {
  constexpr int barriers = 100;
  const auto threads = static_cast<unsigned>(state.range(0));
  std::vector<double> times;
  while (state.KeepRunning()) {
    times.push_back(seconds([&] {
      expect_success(state, launch(barrier_kernel, {dim3(1), dim3(threads)}, nullptr, barriers));
    }));
  }
  state.counters["ns_per_barrier"] = median(times) / (threads * double{barriers}) * 1e9;
}

/// Kernels that do nothing, in launches of range(0) blocks. `ns_per_block` is the launch itself for
/// one block of one thread, and mostly the threads' loop for many blocks of kThreads threads.
void empty_launch(benchmark::State& state) {
  constexpr unsigned total_blocks = 8192;  // per iteration, so that the clock's tick is small
  const auto blocks = static_cast<unsigned>(state.range(0));
  const LaunchShape shape{dim3(blocks), dim3(blocks == 1 ? 1 : kThreads)};
  std::vector<double> times;
  while (state.KeepRunning()) {
    times.push_back(seconds([&] {
      for (unsigned done = 0; done < total_blocks; done += blocks) {
        expect_success(state, launch(empty_kernel, shape, nullptr));
      }
    }));
  }
  state.counters["ns_per_block"] = median(times) / total_blocks * 1e9;
}

void register_rows() {
  constexpr std::int64_t n = 1 << 20;
  constexpr int iterations = 25;
  const auto add = [](const char* name, auto row) {
    return benchmark::RegisterBenchmark(name, row);
  };
  const auto elu_row = [](benchmark::State& s) { against_loop(s, elu_kernel, elu_loop); };
  const auto copy_row = [](benchmark::State& s) { against_loop(s, copy_kernel, copy_loop); };
  add("executor/elu_f32", elu_row)->Arg(n)->UseManualTime()->Iterations(iterations);
  add("executor/copy_f32", copy_row)->Arg(n)->UseManualTime()->Iterations(iterations);
  add("executor/barrier", barrier)->Arg(32)->Arg(256)->Arg(1024)->Iterations(iterations);
  add("executor/launch", empty_launch)->Arg(1)->Arg(8192)->Iterations(iterations);
}

}  // namespace

}  // namespace tutorial::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  tutorial::cpu::set_worker_count(1);
  for (const auto& [name, value] : tutorial::test::run_context()) {
    benchmark::AddCustomContext(name, value);
  }
  tutorial::bench::register_rows();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return tutorial::bench::row_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
