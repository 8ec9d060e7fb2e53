// The CPU executor: what it detects, the orders in which it runs threads, and its part of the CUDA
// runtime API.

#include "common/executor/executor.h"
#include "common/executor/sanitizer.h"
#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/proof/catch.h"
#include "common/proof/support.h"
#include "common/ptx.cuh"

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

// ---- Kernels that do what a kernel must not do, and some that show how they are run --------------

constexpr unsigned kAll = 0xffffffffU;

__global__ void divergent_barrier_kernel() {
  if (threadIdx.x % 2 == 0) {  // NOLINT(bugprone-branch-clone): two barriers
    __syncthreads();
  } else {
    __syncthreads();
  }
}

__global__ void divergent_votes_kernel() {
  if (threadIdx.x % 2 == 0) {
    __syncthreads();
  } else {
    __syncthreads_count(1);
  }
}

__global__ void deadlock_kernel() {
  if (threadIdx.x == 0) __syncthreads();
  __syncwarp();
}

__global__ void mixed_shuffles_kernel() {
  if (threadIdx.x < 16) {
    __shfl_sync(kAll, 1, 0);
  } else {
    __shfl_up_sync(kAll, 1, 1);
  }
}

__global__ void shuffle_with_returned_lanes_kernel() {
  if (threadIdx.x < 16) return;
  __shfl_down_sync(kAll, 1, 1);
}

__global__ void shuffle_before_lanes_return_kernel() {
  if (threadIdx.x >= 16) return;
  __shfl_down_sync(kAll, 1, 1);
}

__global__ void full_shuffle_kernel() { __shfl_down_sync(kAll, 1, 1); }

__global__ void shuffle_from_outside_the_mask_kernel() {
  if (threadIdx.x < 16) __shfl_down_sync(0x0000ffffU, 1, 16);
}

__global__ void shuffle_outside_own_mask_kernel() { __shfl_sync(1U, 1, 0); }

__global__ void shuffle_of_odd_width_kernel() { __shfl_sync(kAll, 1, 0, 12); }

__global__ void empty_kernel() {}

__global__ void nested_launch_kernel(cudaError_t* error) {
  *error = launch(empty_kernel, {1, 1}, nullptr);
}

__global__ void throwing_kernel() { throw std::runtime_error("no such thing"); }

class Counted {
 public:
  explicit Counted(int* alive) : alive_(alive) { atomicAdd(alive_, 1); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { atomicSub(alive_, 1); }

 private:
  int* alive_;
};

/// Every thread counts its object; block `bad` runs into a divergent barrier while they are alive.
__global__ void counting_objects_kernel(unsigned bad, int* alive) {
  const Counted counted(alive);
  __syncthreads();
  if (blockIdx.x == bad && threadIdx.x == 3) {  // NOLINT(bugprone-branch-clone): two barriers
    __syncthreads();
  } else {
    __syncthreads();
  }
}

/// Two warps read what thread `writer` has put into shared memory, twice; out[64 r + t] is what thread
/// t read in round r, which is r. The barrier keeps the writer from overwriting what the other warp has
/// yet to read.
__global__ void overtaking_kernel(bool with_barrier, unsigned writer, int* out) {
  __shared__ int slot;
  for (int round = 0; round < 2; ++round) {
    const int value = __shfl_sync(0xffffffffu, round, 0);  // waits for this warp alone
    if (with_barrier) __syncthreads();
    if (threadIdx.x == writer) slot = value;
    __syncthreads();
    out[64 * round + static_cast<int>(threadIdx.x)] = slot;
  }
}

/// out[i] = in[i] + what thread i - 1 (thread 0: itself) left in shared memory.
__global__ void neighbour_sum_kernel(bool with_barrier, const int* in, int* out) {
  __shared__ int tile[1024];
  const unsigned i = threadIdx.x;
  tile[i] = in[i];
  if (with_barrier) __syncthreads();
  out[i] = in[i] + tile[i == 0 ? 0 : i - 1];
}

/// The order in which the threads of a block get to write, before and after a barrier.
__global__ void order_kernel(int* before, int* after) {
  __shared__ int started;
  __shared__ int resumed;
  if (threadIdx.x == 0) started = resumed = 0;
  __syncthreads();
  before[started++] = static_cast<int>(threadIdx.x);
  __syncthreads();
  after[resumed++] = static_cast<int>(threadIdx.x);
}

__global__ void block_order_kernel(int* order) {
  const int place = atomicAdd(&order[gridDim.x], 1);
  order[place] = static_cast<int>(blockIdx.x);
}

__global__ void rotations_kernel(int rounds, const int* in, int* out) {
  __shared__ int tile[1024];
  const unsigned i = threadIdx.x;
  tile[i] = in[i];
  for (int round = 0; round < rounds; ++round) {
    __syncthreads();
    const int value = tile[(i + 1) % blockDim.x];
    __syncthreads();
    tile[i] = value;
  }
  out[i] = tile[i];
}

/// Before barrier k, thread k - 1 returns. out[i] counts the barriers that thread i has passed.
__global__ void early_exits_kernel(int* out) {
  for (unsigned leaving = 0; leaving < blockDim.x; ++leaving) {
    if (threadIdx.x == leaving) return;
    __syncthreads();
    ++out[threadIdx.x];
  }
}

/// x as it is in shared memory before the thread has waited for its copy, and then.
__global__ void copied_kernel(const int4* x, int4* early, int4* late) {
  DYNAMIC_SHARED(int4, copies);
  copy_async(copies + threadIdx.x, x + threadIdx.x);
  early[threadIdx.x] = copies[threadIdx.x];
  __syncthreads();
  if (threadIdx.x % 2 == 0) wait_for_copies();
  late[threadIdx.x] = copies[threadIdx.x];
}

/// Two batches and a copy behind them: how many are there at first, and after a wait for one batch, for two and for all.
__global__ void batches_kernel(const int4* x, int* there) {
  DYNAMIC_SHARED(int4, copies);
  int4* const mine = copies + 3 * threadIdx.x;
  for (int i = 0; i < 3; ++i) {
    cpu::store_late(mine + i, x[i]);
    if (i < 2) cpu::end_batch_of_late_stores();
  }
  const auto count = [&](int step) {
    int found = 0;
    for (int i = 0; i < 3; ++i) found += mine[i].w == x[i].w ? 1 : 0;
    there[4 * threadIdx.x + static_cast<unsigned>(step)] = found;
  };
  count(0);
  cpu::make_late_stores(cpu::batches_of_late_stores() - 1);
  count(1);
  cpu::make_late_stores(cpu::batches_of_late_stores());
  count(2);
  cpu::make_late_stores();
  count(3);
}

/// A copy of each size, which leaves the bytes behind it.
__global__ void sizes_kernel(const int4* x, int4* y) {
  DYNAMIC_SHARED(int4, copies);
  for (unsigned i = 0; i < 5; ++i) {
    cpu::store_late(copies + i, *x, 1U << i);
    cpu::make_late_stores();
    y[i] = copies[i];
  }
}

__global__ void uninitialised_shared_kernel(float* out) {
  DYNAMIC_SHARED(float, tile);
  out[threadIdx.x] = tile[threadIdx.x];
  tile[threadIdx.x] = 1.0F;
}

template <class T>
__device__ bool is_poisoned(const T& value) {
  unsigned char bytes[sizeof(T)];
  memcpy(bytes, &value, sizeof(T));
  for (const unsigned char byte : bytes) {
    if (byte != 0xFF) return false;
  }
  return true;
}

/// Whether this thread's slot was poisoned; afterwards it is not.
template <class T>
__device__ bool found_poisoned(T value) {
  __shared__ T slots[64];
  const bool poisoned = is_poisoned(slots[threadIdx.x]);
  slots[threadIdx.x] = value;
  return poisoned;
}

/// Six slots of static shared memory (of kernels, templates and lambdas) before they are written, and one that no
/// thread ever writes, which is no constant to the compiler: how many are poisoned.
__global__ void unwritten_shared_kernel(int* found) {
  __shared__ float tile[64];
  int count = is_poisoned(tile[threadIdx.x]) ? 1 : 0;
  tile[threadIdx.x] = 1.0F;
  __syncthreads();
  __shared__ int later[64], latest;  // what has been written must outlive this declaration
  count += tile[63 - threadIdx.x] == 1.0F && is_poisoned(later[threadIdx.x]) ? 1 : 0;
  count += threadIdx.x != 0 || is_poisoned(latest) ? 1 : 0;
  later[threadIdx.x] = 1;
  if (threadIdx.x == 0) latest = 1;
  const auto in_a_lambda = [] {
    __shared__ short slot[64];
    const bool poisoned = is_poisoned(slot[threadIdx.x]);
    slot[threadIdx.x] = 1;
    return poisoned;
  };
  count += in_a_lambda() ? 1 : 0;
  count += found_poisoned(1.0) ? 1 : 0;
  count += found_poisoned(__float2half(1.0F)) ? 1 : 0;
  __shared__ float nobody_writes;
  count += nobody_writes != nobody_writes ? 1 : 0;
  found[64 * blockIdx.x + threadIdx.x] = count;
}

__global__ void votes_of_returned_lanes_kernel(int* out) {
  if (threadIdx.x % 2 == 0) return;
  __syncwarp();
  if (__all_sync(kAll, 1) != 0 && __ballot_sync(kAll, 1) == 0xaaaaaaaaU) atomicAdd(out, 1);
}

__global__ void large_shared_kernel() {
  DYNAMIC_SHARED(int, tile);
  tile[threadIdx.x] = 1;
}

/// 8 KiB of each thread's own, across a barrier: 1 if nobody touched them.
__global__ void private_arrays_kernel(int* out) {
  volatile unsigned mine[2048];
  for (unsigned i = 0; i < 2048; ++i) mine[i] = threadIdx.x * 4099 + i;
  __syncthreads();
  bool intact = true;
  for (unsigned i = 0; i < 2048; ++i) intact = intact && mine[i] == threadIdx.x * 4099 + i;
  out[threadIdx.x] = intact ? 1 : 0;
}

// ---- Settings and answers -----------------------------------------------------------------------

/// A kernel in this shape, on the default stream.
template <class... Params, class... Arguments>
cudaError_t run(void (*kernel)(Params...), const LaunchShape& shape, Arguments... arguments) {
  return launch(kernel, shape, nullptr, arguments...);
}

/// What the kernel makes of `before`, which it takes as its last argument.
template <class T, class... Params, class... Arguments>
std::vector<T> results(void (*kernel)(Params...), const LaunchShape& shape,
                       const std::vector<T>& before, Arguments... arguments) {
  const GuardedBuffer<T> out(before);
  REQUIRE(run(kernel, shape, arguments..., out.data()) == cudaSuccess);
  return out.download();
}

/// A setting of the executor for one test.
template <auto get, auto set>
class Setting {
 public:
  explicit Setting(decltype(get()) value) : before_(get()) { set(value); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  ~Setting() { set(before_); }

 private:
  decltype(get()) before_;
};
using OrderSetting = Setting<cpu::thread_order, cpu::set_thread_order>;
using WorkerSetting = Setting<cpu::worker_count, cpu::set_worker_count>;

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
  CHECK(results(private_arrays_kernel, {1, 256}, std::vector<int>(256, -1)) ==
        std::vector<int>(256, 1));
}

std::vector<int> ascending(int n) {
  std::vector<int> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

int4* as_packs(const GuardedBuffer<int>& buffer) { return reinterpret_cast<int4*>(buffer.data()); }

std::vector<int> in_order(cpu::Order order, int n) {
  std::vector<int> values = ascending(n);
  if (order == cpu::Order::reverse) std::reverse(values.begin(), values.end());
  return values;
}

}  // namespace

// ---- Detections ---------------------------------------------------------------------------------

TEST_CASE("a divergent barrier is reported with both places", "[exchange]") {
  check_fault(run(divergent_barrier_kernel, {1, 64}),
              R"(block \(0,0,0\): divergent barrier: thread \(\d+,0,0\) waits at __syncthreads\(\))"
              R"( in .*executor_test\.cpp:\d+, thread \(\d+,0,0\) at __syncthreads\(\) in )"
              R"(.*executor_test\.cpp:\d+)");
  std::smatch lines;
  const std::string report = cpu::last_report();
  REQUIRE(std::regex_search(report, lines, std::regex(R"(\.cpp:(\d+),.*\.cpp:(\d+);)")));
  REQUIRE(std::abs(std::stoi(lines[1]) - std::stoi(lines[2])) == 2);
}

TEST_CASE("different kinds of barrier are divergent too", "[exchange]") {
  check_fault(run(divergent_votes_kernel, {1, 64}),
              "divergent barrier: .*__syncthreads(_count)?\\(\\)");
  REQUIRE(matches(cpu::last_report(), "__syncthreads\\(\\)"));
  REQUIRE(matches(cpu::last_report(), "__syncthreads_count\\(\\)"));
}

TEST_CASE("a deadlock is reported with all that wait", "[exchange]") {
  check_fault(
      run(deadlock_kernel, {1, 32}),
      R"(deadlock: 1 thread\(s\), the first \(0,0,0\), wait at __syncthreads\(\) in .*; )"
      R"(31 thread\(s\), the first \(1,0,0\), wait at __syncwarp with mask 0xffffffff in )");
  check_fault(run(mixed_shuffles_kernel, {1, 32}),
              "deadlock: 16 thread.*__shfl_sync.*16 thread.*__shfl_up_sync");
}

TEST_CASE("a shuffle that names a lane which takes no part", "[exchange]") {
  const char* const pattern =
      "__shfl_down_sync in .*executor_test\\.cpp:\\d+: the mask 0xffffffff names lane \\d+, "
      "which "
      "takes no part";
  check_fault(run(shuffle_with_returned_lanes_kernel, {1, 32}), pattern);
  check_fault(run(shuffle_before_lanes_return_kernel, {1, 32}), pattern);
  check_fault(run(full_shuffle_kernel, {1, 16}), pattern);
}

TEST_CASE("a shuffle that reads from a lane outside of the mask", "[exchange]") {
  check_fault(run(shuffle_from_outside_the_mask_kernel, {1, 32}),
              R"(__shfl_down_sync in .*: thread \(0,0,0\) \(lane 0\) reads from lane 16, which is )"
              R"(not in the mask 0xffff)");
}

TEST_CASE("a caller outside of its own mask", "[exchange]") {
  check_fault(
      run(shuffle_outside_own_mask_kernel, {1, 32}),
      R"(__shfl_sync in .*: the calling thread \(\d+,0,0\) is lane \d+, which is not in its )"
      R"(own mask 0x1)");
}

TEST_CASE("a shuffle with a width that is no power of two", "[exchange]") {
  check_fault(run(shuffle_of_odd_width_kernel, {1, 32}),
              "__shfl_sync in .*: width 12 is no power of two");
}

TEST_CASE("a launch from within a kernel is refused") {
  cudaError_t inner = cudaSuccess;
  REQUIRE(run(nested_launch_kernel, {1, 1}, &inner) == cudaSuccess);
  REQUIRE(inner == cudaErrorNotSupported);
}

TEST_CASE("an exception ends the launch, not the program") {
  check_fault(run(throwing_kernel, {1, 32}), "the kernel let an exception out: no such thing");
}

TEST_CASE("device functions outside of a kernel are refused") {
  REQUIRE_THROWS_AS(__syncthreads(), std::logic_error);
}

TEST_CASE("after a fault every object of the abandoned threads is destroyed", "[exchange]") {
  const int workers = GENERATE(1, 4);
  const WorkerSetting setting(workers);
  const GuardedBuffer<int> alive(std::vector<int>{0});
  REQUIRE(run(counting_objects_kernel, {8, 256}, 5U, alive.data()) == cudaErrorLaunchFailure);
  REQUIRE(matches(cpu::last_report(), "block \\(5,0,0\\): divergent barrier"));
  REQUIRE(alive.download() == std::vector<int>{0});
  REQUIRE(run(counting_objects_kernel, {8, 256}, 8U, alive.data()) == cudaSuccess);
  REQUIRE(alive.download() == std::vector<int>{0});
}

TEST_CASE("a refused shape says what is wrong with it") {
  REQUIRE(run(order_kernel, {1, 1025}, nullptr, nullptr) == cudaErrorInvalidConfiguration);
  REQUIRE(matches(cpu::last_report(), R"(grid \(1,1,1\), block \(1025,1,1\))"));
  REQUIRE(cudaGetLastError() == cudaErrorInvalidConfiguration);
}

#if defined(TUTORIAL_CPU_ASAN)

namespace {

/// Thread 0 writes x[n], one float past the end.
__global__ void overrun_kernel(bool after_barrier, float* x, std::size_t n) {
  if (after_barrier) __syncthreads();
  if (threadIdx.x == 0) x[n] = 1.0F;
}

__global__ void shared_overrun_kernel(std::size_t n, float* out) {
  DYNAMIC_SHARED(float, tile);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = tile[n];
}

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

}  // namespace

TEST_CASE("AddressSanitizer sees the first float past an allocation, on any fiber") {
  const WorkerSetting one(1);  // the other workers do not follow into a forked process
  const bool after_barrier = GENERATE(false, true);
  const std::size_t n = GENERATE(1, 5, 1024);
  const std::string report = report_of_child([&] {
    float* x = nullptr;
    cudaMalloc(reinterpret_cast<void**>(&x), n * sizeof(float));
    run(overrun_kernel, {1, 64}, after_barrier, x, n);
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
    run(shared_overrun_kernel, {1, 32, 33 * sizeof(float)}, std::size_t{33}, &out);
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
  REQUIRE(run(order_kernel, {1, threads}, before.data(), after.data()) == cudaSuccess);
  REQUIRE(before.download() == in_order(order, 100));
  REQUIRE(after.download() == in_order(order, 100));
}

TEST_CASE("one worker runs the blocks in the order that is set") {
  const auto order = GENERATE(cpu::Order::forward, cpu::Order::reverse);
  const OrderSetting setting(order);
  const WorkerSetting one(1);
  std::vector<int> out = results(block_order_kernel, {100, 1}, std::vector<int>(101, 0));
  out.pop_back();
  REQUIRE(out == in_order(order, 100));
}

TEST_CASE("several workers run every block once", "[exchange]") {
  const WorkerSetting setting(4);
  std::vector<int> out = results(block_order_kernel, {10000, 1}, std::vector<int>(10001, 0));
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
    REQUIRE(run(neighbour_sum_kernel, {1, 64}, true, clean.data(), out.data()) == cudaSuccess);
    REQUIRE(run(neighbour_sum_kernel, {1, 64}, with_barrier, input.data(), out.data()) ==
            cudaSuccess);
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
    std::vector<int> right(128, 0);
    std::fill(right.begin() + 64, right.end(), 1);
    return results(overtaking_kernel, {1, 64}, std::vector<int>(128, -1), with_barrier, writer) ==
           right;
  };
  for (const unsigned writer : {0U, 63U}) {
    REQUIRE(is_right(cpu::Order::forward, true, writer));
    REQUIRE(is_right(cpu::Order::reverse, true, writer));
  }
  REQUIRE_FALSE(is_right(cpu::Order::forward, false, 0));
  REQUIRE_FALSE(is_right(cpu::Order::reverse, false, 63));
}

// ---- Barriers, stacks, shared memory ------------------------------------------------------------

TEST_CASE("1024 threads pass many barriers", "[exchange]") {
  const int rounds = 300;
  const std::vector<int> in = ascending(1024);
  std::vector<int> expected = in;
  std::rotate(expected.begin(), expected.begin() + rounds, expected.end());
  const GuardedBuffer<int> input(in);
  REQUIRE(results(rotations_kernel, {1, 1024}, std::vector<int>(1024, -1), rounds, input.data()) ==
          expected);
}

TEST_CASE("threads that have returned do not count at a barrier", "[exchange]") {
  REQUIRE(results(early_exits_kernel, {1, 100}, std::vector<int>(100, 0)) == ascending(100));
}

TEST_CASE("lanes that have returned do not count in a vote", "[exchange]") {
  REQUIRE(results(votes_of_returned_lanes_kernel, {1, 64}, std::vector<int>{0}) ==
          std::vector<int>{32});
}

TEST_CASE("dynamic shared memory is NaN at the start of every block", "[exchange]") {
  for (int launch = 0; launch < 2; ++launch) {
    const std::vector<float> values = results(
        uninitialised_shared_kernel, {1, 32, 32 * sizeof(float)}, std::vector<float>(32, 0.0F));
    REQUIRE(std::all_of(values.begin(), values.end(), [](float x) { return std::isnan(x); }));
  }
}

TEST_CASE("an asynchronous copy is there when its thread has waited, and not before",
          "[exchange]") {
  const std::vector<int> values = ascending(4 * 64);
  const GuardedBuffer<int> x(values), early(values.size()), late(values.size());
  for (int launch = 0; launch < 2; ++launch) {  // nothing is left of the launch before
    REQUIRE(run(copied_kernel, {1, 64, 64 * sizeof(int4)}, as_packs(x), as_packs(early),
                as_packs(late)) == cudaSuccess);
    const std::vector<int> before = early.download(), after = late.download();
    for (std::size_t i = 0; i < values.size(); ++i) {
      REQUIRE(before[i] == -1);
      REQUIRE(after[i] == (i / 4 % 2 == 0 ? values[i] : -1));
    }
  }
}

TEST_CASE("asynchronous copies are waited for in batches, and store what they copy") {
  const GuardedBuffer<int> x(std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const GuardedBuffer<int> there(std::vector<int>(32, -2)), y(std::vector<int>(20, 0));
  REQUIRE(run(batches_kernel, {1, 8, 24 * sizeof(int4)}, as_packs(x), there.data()) == cudaSuccess);
  const std::vector<int> counts = there.download();
  for (std::size_t i = 0; i < counts.size(); ++i) CHECK(counts[i] == static_cast<int>(i % 4));
  REQUIRE(run(sizes_kernel, {1, 1, 5 * sizeof(int4)}, as_packs(x), as_packs(y)) == cudaSuccess);
  CHECK(y.download() == std::vector<int>{~0xFF | 1, -1, -1, -1, ~0xFFFF | 1, -1, -1, -1,  //
                                         1,         -1, -1, -1, 1,           2,  -1, -1,
                                         1,         2,  3,  4});
}

TEST_CASE("static shared memory is NaN at the start of every block", "[exchange]") {
  for (const int workers : {1, 3}) {
    const WorkerSetting setting(workers);
    REQUIRE(results(unwritten_shared_kernel, {16, 64}, std::vector<int>(64 * 16, 0)) ==
            std::vector<int>(64 * 16, 7));
  }
}

TEST_CASE("a kernel gets more shared memory when it asks for it, up to a limit") {
  const auto with = [](std::size_t bytes) {
    const cudaError_t error =
        cudaFuncSetAttribute(reinterpret_cast<const void*>(large_shared_kernel),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
    return error != cudaSuccess ? error : run(large_shared_kernel, {1, 32, bytes});
  };
  REQUIRE(with(100 * 1024) == cudaSuccess);
  REQUIRE(with(227 * 1024) == cudaSuccess);
  REQUIRE(with(227 * 1024 + 1) == cudaErrorInvalidValue);
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

TEST_CASE("a capture forbids to allocate and to free, by its mode and the thread's") {
  const Stream stream;
  void* memory = nullptr;
  const auto begin = [&](cudaStreamCaptureMode mode) {
    REQUIRE(cudaStreamBeginCapture(stream.get(), mode) == cudaSuccess);
  };
  const auto end = [&] {
    cudaGraph_t graph = nullptr;
    const cudaError_t error = cudaStreamEndCapture(stream.get(), &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaGetLastError();
    return error;
  };
  const auto allocate = [&] {
    const cudaError_t error = cudaMalloc(&memory, 4);
    if (error == cudaSuccess) cudaFreeAsync(memory, nullptr);
    return error;
  };
  const auto in_another_thread = [](const auto& function) {
    cudaError_t error = cudaErrorUnknown;
    std::thread([&] { error = function(); }).join();
    return error;
  };
  for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal}) {
    const bool is_global = mode == cudaStreamCaptureModeGlobal;
    begin(mode);
    CHECK(allocate() == cudaErrorStreamCaptureUnsupported);
    CHECK(end() == cudaErrorStreamCaptureInvalidated);
    begin(mode);
    CHECK(cudaFree(nullptr) == cudaErrorStreamCaptureUnsupported);
    CHECK(end() == cudaErrorStreamCaptureInvalidated);
    begin(mode);
    CHECK(in_another_thread(allocate) ==
          (is_global ? cudaErrorStreamCaptureUnsupported : cudaSuccess));
    CHECK(in_another_thread(end) == cudaErrorStreamCaptureWrongThread);
    CHECK(end() == (is_global ? cudaErrorStreamCaptureInvalidated : cudaSuccess));
  }
  begin(cudaStreamCaptureModeRelaxed);
  CHECK(allocate() == cudaSuccess);
  CHECK(end() == cudaSuccess);
  begin(cudaStreamCaptureModeGlobal);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  REQUIRE(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess);
  CHECK(allocate() == cudaSuccess);
  REQUIRE(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess);
  CHECK(mode == cudaStreamCaptureModeRelaxed);
  CHECK(end() == cudaSuccess);
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

TEST_CASE("launches from several host threads do not disturb each other", "[exchange]") {
  std::vector<std::thread> hosts;
  std::array<int, 4> good{};
  for (int& result : good) {
    hosts.emplace_back([&result] {
      const GuardedBuffer<int> out(std::vector<int>(100, 0));
      const bool ran = run(early_exits_kernel, {1, 100}, out.data()) == cudaSuccess;
      result = ran && out.download() == ascending(100) ? 1 : 0;
    });
  }
  for (std::thread& host : hosts) host.join();
  REQUIRE(good == std::array<int, 4>{1, 1, 1, 1});
}

}  // namespace tutorial::test
