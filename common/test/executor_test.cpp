// The CPU executor: what it detects, the orders in which it runs threads, and its part of the CUDA
// runtime API.

#include "common/executor/executor.h"
#include "common/executor/sanitizer.h"
#include "common/launch.cuh"
#include "common/proof/catch.h"
#include "common/proof/support.h"
#include "common/test/executor_kernels.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tutorial::test {
namespace {

/// Sets the order, or the number of workers, for one test.
class OrderSetting {
 public:
  explicit OrderSetting(cpu::Order order) : before_(cpu::thread_order()) {
    cpu::set_thread_order(order);
  }
  OrderSetting(const OrderSetting&) = delete;
  OrderSetting& operator=(const OrderSetting&) = delete;
  ~OrderSetting() { cpu::set_thread_order(before_); }

 private:
  cpu::Order before_;
};

class WorkerSetting {
 public:
  explicit WorkerSetting(int count) : before_(cpu::worker_count()) { cpu::set_worker_count(count); }
  WorkerSetting(const WorkerSetting&) = delete;
  WorkerSetting& operator=(const WorkerSetting&) = delete;
  ~WorkerSetting() { cpu::set_worker_count(before_); }

 private:
  int before_;
};

bool matches(const std::string& text, const std::string& pattern) {
  return std::regex_search(text, std::regex(pattern));
}

/// The launch failed, the report says `pattern`, and the next launch is none the worse for it.
void check_fault(cudaError_t error, const std::string& pattern) {
  CAPTURE(cpu::last_report(), pattern);
  CHECK(error == cudaErrorLaunchFailure);
  CHECK(matches(cpu::last_report(), pattern));
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
  CHECK(cudaGetLastError() == cudaSuccess);
  const GuardedBuffer<int> out(std::size_t{256});
  CHECK(run_private_arrays(256, out.data()) == cudaSuccess);
  CHECK(out.download() == std::vector<int>(256, 1));
}

std::vector<int> ascending(int n) {
  std::vector<int> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

std::vector<int> in_order(cpu::Order order, int n) {
  std::vector<int> values = ascending(n);
  if (order == cpu::Order::reverse) std::reverse(values.begin(), values.end());
  return values;
}

}  // namespace

// ---- Detections ---------------------------------------------------------------------------------

TEST_CASE("a divergent barrier is reported with both places") {
  check_fault(run_divergent_barrier(),
              R"(block \(0,0,0\): divergent barrier: thread \(\d+,0,0\) waits at __syncthreads\(\))"
              R"( in .*executor_kernels\.cu:\d+, thread \(\d+,0,0\) at __syncthreads\(\) in )"
              R"(.*executor_kernels\.cu:\d+)");
  std::smatch lines;
  const std::string report = cpu::last_report();
  REQUIRE(std::regex_search(report, lines, std::regex(R"(\.cu:(\d+),.*\.cu:(\d+);)")));
  REQUIRE(std::abs(std::stoi(lines[1]) - std::stoi(lines[2])) == 2);
}

TEST_CASE("different kinds of barrier are divergent too") {
  check_fault(run_divergent_votes(), "divergent barrier: .*__syncthreads(_count)?\\(\\)");
  REQUIRE(matches(cpu::last_report(), "__syncthreads\\(\\)"));
  REQUIRE(matches(cpu::last_report(), "__syncthreads_count\\(\\)"));
}

TEST_CASE("a deadlock is reported with all that wait") {
  check_fault(
      run_deadlock(),
      R"(deadlock: 1 thread\(s\), the first \(0,0,0\), wait at __syncthreads\(\) in .*; )"
      R"(31 thread\(s\), the first \(1,0,0\), wait at __syncwarp with mask 0xffffffff in )");
  check_fault(run_mixed_shuffles(), "deadlock: 16 thread.*__shfl_sync.*16 thread.*__shfl_up_sync");
}

TEST_CASE("a shuffle that names a lane which takes no part") {
  const char* const pattern =
      "__shfl_down_sync in .*executor_kernels\\.cu:\\d+: the mask 0xffffffff names lane \\d+, "
      "which "
      "takes no part";
  check_fault(run_shuffle_with_returned_lanes(), pattern);
  check_fault(run_shuffle_before_lanes_return(), pattern);
  check_fault(run_shuffle_with_missing_lanes(), pattern);
}

TEST_CASE("a shuffle that reads from a lane outside of the mask") {
  check_fault(run_shuffle_from_outside_the_mask(),
              R"(__shfl_down_sync in .*: thread \(0,0,0\) \(lane 0\) reads from lane 16, which is )"
              R"(not in the mask 0xffff)");
}

TEST_CASE("a caller outside of its own mask") {
  check_fault(
      run_shuffle_outside_own_mask(),
      R"(__shfl_sync in .*: the calling thread \(\d+,0,0\) is lane \d+, which is not in its )"
      R"(own mask 0x1)");
}

TEST_CASE("a shuffle with a width that is no power of two") {
  check_fault(run_shuffle_of_odd_width(), "__shfl_sync in .*: width 12 is no power of two");
}

TEST_CASE("a launch from within a kernel is refused") {
  cudaError_t inner = cudaSuccess;
  REQUIRE(run_nested_launch(&inner) == cudaSuccess);
  REQUIRE(inner == cudaErrorNotSupported);
}

TEST_CASE("an exception ends the launch, not the program") {
  check_fault(run_throwing_kernel(), "the kernel let an exception out: no such thing");
}

TEST_CASE("device functions outside of a kernel are refused") {
  REQUIRE_THROWS_AS(__syncthreads(), std::logic_error);
}

TEST_CASE("after a fault every object of the abandoned threads is destroyed") {
  const int workers = GENERATE(1, 4);
  const WorkerSetting setting(workers);
  const GuardedBuffer<int> alive(std::vector<int>{0});
  REQUIRE(run_counting_objects(8, 5, alive.data()) == cudaErrorLaunchFailure);
  REQUIRE(matches(cpu::last_report(), "block \\(5,0,0\\): divergent barrier"));
  REQUIRE(alive.download() == std::vector<int>{0});
  REQUIRE(run_counting_objects(8, 8, alive.data()) == cudaSuccess);
  REQUIRE(alive.download() == std::vector<int>{0});
}

TEST_CASE("a refused shape says what is wrong with it") {
  REQUIRE(run_order(1025, nullptr, nullptr) == cudaErrorInvalidConfiguration);
  REQUIRE(matches(cpu::last_report(), R"(grid \(1,1,1\), block \(1025,1,1\))"));
  REQUIRE(cudaGetLastError() == cudaErrorInvalidConfiguration);
}

#if defined(TUTORIAL_CPU_ASAN)

/// What a child process that runs `action` says before AddressSanitizer ends it.
template <class Action>
std::string report_of_child(Action action) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    action();
    _exit(0);
  }
  close(ends[1]);
  std::string report;
  std::array<char, 4096> chunk{};
  for (ssize_t n = read(ends[0], chunk.data(), chunk.size()); n > 0;
       n = read(ends[0], chunk.data(), chunk.size())) {
    report.append(chunk.data(), static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return report;
}

TEST_CASE("AddressSanitizer sees the first float past an allocation, on any fiber") {
  const WorkerSetting one(1);  // the other workers do not follow into a forked process
  const bool after_barrier = GENERATE(false, true);
  const std::size_t n = GENERATE(1, 5, 1024);
  const std::string report = report_of_child([&] {
    float* x = nullptr;
    cudaMalloc(reinterpret_cast<void**>(&x), n * sizeof(float));
    run_overrun(64, after_barrier, x, n);
  });
  CAPTURE(after_barrier, n, report);
  REQUIRE(matches(report, "AddressSanitizer: heap-buffer-overflow"));
  REQUIRE(matches(report, "overrun_kernel"));
  REQUIRE(matches(report, "WRITE of size 4"));
}

TEST_CASE("AddressSanitizer sees the first float past dynamic shared memory") {
  const WorkerSetting one(1);
  const std::string report = report_of_child([] {
    float out = 0;
    run_shared_overrun(33, &out);
  });
  CAPTURE(report);
  REQUIRE(matches(report, "AddressSanitizer: heap-buffer-overflow"));
  REQUIRE(matches(report, "shared_overrun_kernel"));
}

#endif

// ---- Orders -------------------------------------------------------------------------------------

TEST_CASE("threads start and go on in the order that is set") {
  const auto order = GENERATE(cpu::Order::forward, cpu::Order::reverse);
  const OrderSetting setting(order);
  const unsigned threads = 100;
  const GuardedBuffer<int> before(std::size_t{threads});
  const GuardedBuffer<int> after(std::size_t{threads});
  REQUIRE(run_order(threads, before.data(), after.data()) == cudaSuccess);
  REQUIRE(before.download() == in_order(order, 100));
  REQUIRE(after.download() == in_order(order, 100));
}

TEST_CASE("one worker runs the blocks in the order that is set") {
  const auto order = GENERATE(cpu::Order::forward, cpu::Order::reverse);
  const OrderSetting setting(order);
  const WorkerSetting one(1);
  const GuardedBuffer<int> blocks(std::vector<int>(101, 0));
  REQUIRE(run_block_order(100, blocks.data()) == cudaSuccess);
  std::vector<int> out = blocks.download();
  out.pop_back();
  REQUIRE(out == in_order(order, 100));
}

TEST_CASE("several workers run every block once") {
  const WorkerSetting setting(4);
  const GuardedBuffer<int> blocks(std::vector<int>(10001, 0));
  REQUIRE(run_block_order(10000, blocks.data()) == cudaSuccess);
  std::vector<int> out = blocks.download();
  out.pop_back();
  std::sort(out.begin(), out.end());
  REQUIRE(out == ascending(10000));
}

TEST_CASE("a missing barrier passes in one order and shows in the other") {
  const std::vector<int> in(64, 1);
  const GuardedBuffer<int> input(in);
  const auto sum_in = [&](cpu::Order order, bool with_barrier) {
    const OrderSetting setting(order);
    const GuardedBuffer<int> clean(std::vector<int>(64, 0));
    const GuardedBuffer<int> out(std::size_t{64});
    REQUIRE(run_neighbour_sum(64, true, clean.data(), out.data()) == cudaSuccess);
    REQUIRE(run_neighbour_sum(64, with_barrier, input.data(), out.data()) == cudaSuccess);
    return out.download();
  };
  const std::vector<int> right(64, 2);
  REQUIRE(sum_in(cpu::Order::forward, true) == right);
  REQUIRE(sum_in(cpu::Order::reverse, true) == right);
  REQUIRE(sum_in(cpu::Order::forward, false) == right);
  REQUIRE(sum_in(cpu::Order::reverse, false) != right);
}

TEST_CASE("a warp that overtakes the others shows what they have yet to read") {
  const auto is_right = [](cpu::Order order, bool with_barrier, unsigned writer) {
    const OrderSetting setting(order);
    const GuardedBuffer<int> out(std::size_t{128});
    REQUIRE(run_overtaking(with_barrier, writer, out.data()) == cudaSuccess);
    std::vector<int> right(128, 0);
    std::fill(right.begin() + 64, right.end(), 1);
    return out.download() == right;
  };
  for (const unsigned writer : {0U, 63U}) {
    REQUIRE(is_right(cpu::Order::forward, true, writer));
    REQUIRE(is_right(cpu::Order::reverse, true, writer));
  }
  REQUIRE_FALSE(is_right(cpu::Order::forward, false, 0));
  REQUIRE_FALSE(is_right(cpu::Order::reverse, false, 63));
}

// ---- Barriers, stacks, shared memory ------------------------------------------------------------

TEST_CASE("1024 threads pass many barriers") {
  const int rounds = 300;
  const std::vector<int> in = ascending(1024);
  std::vector<int> expected = in;
  std::rotate(expected.begin(), expected.begin() + rounds, expected.end());
  const GuardedBuffer<int> input(in);
  const GuardedBuffer<int> out(std::size_t{1024});
  REQUIRE(run_rotations(rounds, input.data(), out.data()) == cudaSuccess);
  REQUIRE(out.download() == expected);
}

TEST_CASE("threads that have returned do not count at a barrier") {
  const unsigned threads = 100;
  const GuardedBuffer<int> out(std::vector<int>(threads, 0));
  REQUIRE(run_early_exits(threads, out.data()) == cudaSuccess);
  REQUIRE(out.download() == ascending(100));
}

TEST_CASE("lanes that have returned do not count in a vote") {
  const GuardedBuffer<int> out(std::vector<int>{0});
  REQUIRE(run_votes_of_returned_lanes(out.data()) == cudaSuccess);
  REQUIRE(out.download() == std::vector<int>{32});
}

TEST_CASE("dynamic shared memory is NaN at the start of every block") {
  for (int launch = 0; launch < 2; ++launch) {
    const GuardedBuffer<float> out(std::vector<float>(32, 0.0F));
    REQUIRE(run_uninitialised_shared(32, out.data()) == cudaSuccess);
    const std::vector<float> values = out.download();
    REQUIRE(std::all_of(values.begin(), values.end(), [](float x) { return std::isnan(x); }));
  }
}

TEST_CASE("static shared memory is NaN at the start of every block") {
  for (const int workers : {1, 3}) {
    const WorkerSetting setting(workers);
    const GuardedBuffer<int> found(std::vector<int>(64 * 16, 0));
    REQUIRE(run_unwritten_shared(16, found.data()) == cudaSuccess);
    REQUIRE(found.download() == std::vector<int>(64 * 16, 6));
  }
}

TEST_CASE("a kernel gets more shared memory when it asks for it, up to a limit") {
  REQUIRE(run_large_shared(100 * 1024) == cudaSuccess);
  REQUIRE(run_large_shared(227 * 1024) == cudaSuccess);
  REQUIRE(run_large_shared(227 * 1024 + 1) == cudaErrorInvalidValue);
  cudaGetLastError();
}

// ---- The runtime API ----------------------------------------------------------------------------

TEST_CASE("device memory is aligned, filled with NaN and of the exact size") {
  for (const std::size_t n : {1U, 3U, 63U, 1000U}) {
    float* x = nullptr;
    REQUIRE(cudaMalloc(reinterpret_cast<void**>(&x), n * sizeof(float)) == cudaSuccess);
    REQUIRE(reinterpret_cast<std::uintptr_t>(x) % 256 == 0);
    std::vector<float> host(n);
    REQUIRE(cudaMemcpy(host.data(), x, n * 4, cudaMemcpyDeviceToHost) == cudaSuccess);
    REQUIRE(std::all_of(host.begin(), host.end(), [](float value) { return std::isnan(value); }));
    REQUIRE(cudaMemcpy(x, host.data(), n * 4 + 1, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    REQUIRE(cudaMemset(x + 1, 0, n * 4) == cudaErrorInvalidValue);
    REQUIRE(cudaFree(x) == cudaSuccess);
    REQUIRE(cudaFree(x) == cudaErrorInvalidValue);
  }
  REQUIRE(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST_CASE("a copy in the wrong direction is refused") {
  const GuardedBuffer<int> device(std::vector<int>(4, 7));
  std::vector<int> host(4);
  REQUIRE(cudaMemcpy(device.data(), host.data(), 16, cudaMemcpyDeviceToHost) ==
          cudaErrorInvalidValue);
  REQUIRE(cudaMemcpy(host.data(), host.data(), 16, cudaMemcpyDeviceToHost) ==
          cudaErrorInvalidValue);
  REQUIRE(cudaMemcpy(host.data(), nullptr, 16, cudaMemcpyDefault) == cudaErrorInvalidValue);
  REQUIRE(cudaMemcpy(host.data(), device.data(), 16, cudaMemcpyDefault) == cudaSuccess);
  REQUIRE(host == std::vector<int>(4, 7));
  cudaGetLastError();
}

TEST_CASE("errors are kept for each thread, until they are asked for") {
  cudaGetLastError();
  REQUIRE(cudaSetDevice(1) == cudaErrorInvalidDevice);
  REQUIRE(cudaPeekAtLastError() == cudaErrorInvalidDevice);
  cudaError_t elsewhere = cudaErrorUnknown;
  std::thread([&] { elsewhere = cudaGetLastError(); }).join();
  REQUIRE(elsewhere == cudaSuccess);
  REQUIRE(cudaGetLastError() == cudaErrorInvalidDevice);
  REQUIRE(cudaGetLastError() == cudaSuccess);
  REQUIRE(std::string(cudaGetErrorName(cudaErrorMisalignedAddress)) ==
          "cudaErrorMisalignedAddress");
  REQUIRE(std::string(cudaGetErrorString(cudaErrorInvalidConfiguration)) ==
          "invalid configuration argument");
}

TEST_CASE("streams and events") {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  cudaEvent_t start = nullptr;
  cudaEvent_t end = nullptr;
  REQUIRE(cudaEventCreate(&start) == cudaSuccess);
  REQUIRE(cudaEventCreate(&end) == cudaSuccess);
  float milliseconds = -1;
  REQUIRE(cudaEventElapsedTime(&milliseconds, start, end) == cudaErrorInvalidResourceHandle);
  REQUIRE(cudaEventRecord(start, stream) == cudaSuccess);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  REQUIRE(cudaEventRecord(end, stream) == cudaSuccess);
  REQUIRE(cudaStreamWaitEvent(stream, end, 0) == cudaSuccess);
  REQUIRE(cudaEventSynchronize(end) == cudaSuccess);
  REQUIRE(cudaEventElapsedTime(&milliseconds, start, end) == cudaSuccess);
  REQUIRE(milliseconds >= 1.9F);
  REQUIRE(cudaEventDestroy(start) == cudaSuccess);
  REQUIRE(cudaEventDestroy(end) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("the device describes itself") {
  int count = 0;
  REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
  REQUIRE(count == 1);
  cudaDeviceProp properties;
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  REQUIRE(std::string(properties.name) == "CPU executor");
  REQUIRE(properties.maxThreadsPerBlock == 1024);
  int warp = 0;
  REQUIRE(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0) == cudaSuccess);
  REQUIRE(warp == 32);
  int processors = 0;
  REQUIRE(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess);
  CHECK(resident_threads() == std::int64_t{2048} * processors);
}

TEST_CASE("launches from several host threads do not disturb each other") {
  std::vector<std::thread> hosts;
  std::array<int, 4> good{};
  for (int& result : good) {
    hosts.emplace_back([&result] {
      const GuardedBuffer<int> out(std::vector<int>(100, 0));
      const bool ran = run_early_exits(100, out.data()) == cudaSuccess;
      result = ran && out.download() == ascending(100) ? 1 : 0;
    });
  }
  for (std::thread& host : hosts) host.join();
  REQUIRE(good == std::array<int, 4>{1, 1, 1, 1});
}

}  // namespace tutorial::test
