// Clusters on the executor: what blocks read of each other, and what is caught.

#include "common/cluster.cuh"
#include "common/executor/executor.h"
#include "common/macros.cuh"
#include "common/proof/catch.h"
#include "common/proof/support.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace tutorial;
using namespace tutorial::test;

namespace {

constexpr int kBlockThreads = 64;

/// y[block] = the sum over the cluster's blocks of their numbers, which each reads from all: of static shared
/// memory, and of dynamic.
__global__ void sum_kernel(int* y) {
  __shared__ int mine;
  DYNAMIC_SHARED(int, also_mine);
  if (threadIdx.x == 0) mine = static_cast<int>(blockIdx.x);
  also_mine[threadIdx.x] = static_cast<int>(1000 * blockIdx.x);
  cluster_barrier();
  int sum = 0;
  for (unsigned rank = 0; rank < cluster_blocks(); ++rank) {
    sum += *in_block(&mine, rank) + *in_block(also_mine + threadIdx.x, rank);
  }
  cluster_barrier();
  mine = -1;  // the others have read it
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Each block reads what the next one has; there is a barrier before it, or one behind it.
template <bool kFirst, bool kLast>
__global__ void reads_next_kernel(int* y) {
  __shared__ int mine;
  mine = 1;
  if (kFirst) cluster_barrier();
  y[blockIdx.x] = *in_block(&mine, (cluster_rank() + 1) % cluster_blocks());
  if (kLast) cluster_barrier();
}

__global__ void outside_kernel(int* y) {
  cluster_barrier();
  if (cluster_rank() == 1) y[0] = *in_block(y, 0);
  cluster_barrier();
}

__global__ void no_such_block_kernel(int* y) {
  __shared__ int mine;
  mine = 1;
  cluster_barrier();
  y[blockIdx.x] = *in_block(&mine, cluster_blocks());
  cluster_barrier();
}

/// Some threads, and then a whole block, return before the barriers.
__global__ void early_end_kernel(int* y) {
  if (threadIdx.x % 2 == 0) return;
  cluster_barrier();
  if (cluster_rank() == 0) return;
  cluster_barrier();
  y[blockIdx.x] = 1;
}

/// sum_kernel by a barrier in two parts; between them threads meet in their own block.
__global__ void in_parts_kernel(int* y) {
  __shared__ int mine;
  if (threadIdx.x == 0) mine = static_cast<int>(blockIdx.x);
  cluster_arrive();
  __syncthreads();
  int sum = -mine;
  cluster_wait();
  for (unsigned rank = 0; rank < cluster_blocks(); ++rank) sum += *in_block(&mine, rank);
  sum += static_cast<int>(blockIdx.x);
  cluster_arrive();
  cluster_wait();
  mine = -1;  // the others have read it
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// A block's variable is declared in a function, to which its threads come after others have written there.
int sum_of_ranks() {
  __shared__ int of_blocks[kMostInCluster];
  cluster_wait();
  if (threadIdx.x < cluster_blocks()) {
    *in_block(&of_blocks[cluster_rank()], threadIdx.x) = static_cast<int>(cluster_rank());
  }
  cluster_barrier();
  int sum = 0;
  for (unsigned rank = 0; rank < cluster_blocks(); ++rank) sum += of_blocks[rank];
  return sum;
}

__global__ void declared_late_kernel(int* y) {
  cluster_arrive();
  y[blockIdx.x] = sum_of_ranks();
}

/// y[thread] = what the blocks have told, each weighted by its place.
template <class T>
__global__ void exchange_kernel(T* y) {
  __shared__ Exchange<T> told;
  told.begin();
  told.all(static_cast<T>(blockIdx.x + 1));
  T sum = 0;
  for (unsigned rank = 0; rank < cluster_blocks(); ++rank) {
    sum += static_cast<T>(1U << (4 * rank)) * told.of_blocks[rank];
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void exchange_again_kernel(int* y) {
  __shared__ Exchange<int> told;
  for (int i = 0; i < 2; ++i) {
    told.begin();
    told.all(1);
  }
  y[blockIdx.x] = told.of_blocks[0];
}

__global__ void exchange_without_begin_kernel(int* y) {
  __shared__ Exchange<int> told;
  told.all(1);
  y[blockIdx.x] = told.of_blocks[0];
}

/// The same between the two parts of a barrier, which is the only one or the second of three.
template <bool kLater>
__global__ void reads_between_kernel(int* y) {
  __shared__ int mine;
  mine = 1;
  if (kLater) cluster_barrier();
  cluster_arrive();
  y[blockIdx.x] = *in_block(&mine, (cluster_rank() + 1) % cluster_blocks());
  cluster_wait();
  if (kLater) cluster_barrier();
}

__global__ void arrives_twice_kernel(int* y) {
  cluster_arrive();
  cluster_arrive();
  y[blockIdx.x] = 1;
}

__global__ void only_waits_kernel(int* y) {
  cluster_wait();
  y[blockIdx.x] = 1;
}

LaunchShape clusters(unsigned blocks, unsigned of) {
  return {blocks, kBlockThreads, kBlockThreads * sizeof(int), Overlap::none, of};
}

/// Whether the launch fails, and the report says `why`.
bool is_caught(void (*kernel)(int*), cpu::Order order, const std::string& why) {
  cpu::set_thread_order(order);
  const GuardedBuffer<int> y(std::size_t{64});
  CHECK(launch(kernel, clusters(4, 2), nullptr, y.data()) == cudaErrorLaunchFailure);
  cudaGetLastError();
  cpu::set_thread_order(cpu::Order::forward);
  UNSCOPED_INFO(cpu::last_report());
  return cpu::last_report().find(why) != std::string::npos;
}

}  // namespace

TEST_CASE("blocks of a cluster read each other's shared memory") {
  for (const cpu::Order order : {cpu::Order::forward, cpu::Order::reverse}) {
    cpu::set_thread_order(order);
    for (const unsigned of : {1u, 2u, 3u, 8u, 16u}) {
      const unsigned blocks = 5 * of;
      const GuardedBuffer<int> y(std::vector<int>(std::size_t{blocks} * kBlockThreads));
      REQUIRE(launch(sum_kernel, clusters(blocks, of), nullptr, y.data()) == cudaSuccess);
      const std::vector<int> sums = y.download();
      int wrong = 0;
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const auto first = static_cast<int>(i / kBlockThreads / of * of),
                   count = static_cast<int>(of);
        if (sums[i] != 1001 * (count * first + count * (count - 1) / 2)) ++wrong;
      }
      CHECK(wrong == 0);
    }
  }
  cpu::set_thread_order(cpu::Order::forward);
}

TEST_CASE("a block that reads another one's memory too soon, too late or elsewhere is caught") {
  for (const cpu::Order order : {cpu::Order::forward, cpu::Order::reverse}) {
    CHECK(is_caught(reads_next_kernel<false, true>, order,
                    "has not begun; all blocks must have met"));
    CHECK(is_caught(reads_next_kernel<true, false>, order, "has ended, and its shared memory"));
    CHECK(is_caught(outside_kernel, order, "is not one of this block's shared memory"));
    CHECK(is_caught(no_such_block_kernel, order, "there is no block 2 of the cluster"));
  }
}

TEST_CASE("the barrier of a cluster may come in two parts") {
  const GuardedBuffer<int> y(std::size_t{4 * kBlockThreads});
  for (const cpu::Order order : {cpu::Order::forward, cpu::Order::reverse}) {
    cpu::set_thread_order(order);
    REQUIRE(launch(in_parts_kernel, clusters(4, 2), nullptr, y.data()) == cudaSuccess);
    cpu::set_thread_order(cpu::Order::forward);
    const std::vector<int> sums = y.download();
    CHECK((sums.front() == 1 && sums.back() == 5));
    cpu::set_thread_order(order);
    REQUIRE(launch(declared_late_kernel, clusters(4, 4), nullptr, y.data()) == cudaSuccess);
    cpu::set_thread_order(cpu::Order::forward);
    const std::vector<int> late = y.download();
    CHECK(std::count(late.begin(), late.begin() + 4, 6) == 4);
    CHECK(is_caught(reads_between_kernel<false>, order,
                    "may not have begun; barrier_wait() must come before"));
    CHECK(is_caught(arrives_twice_kernel, order, "called no barrier_wait() since"));
    CHECK(is_caught(only_waits_kernel, order, "has called no barrier_arrive() before"));
  }
  REQUIRE(launch(reads_between_kernel<true>, clusters(4, 2), nullptr, y.data()) == cudaSuccess);
  CHECK(y.download()[0] == 1);
}

TEST_CASE("each block of a cluster tells all of them its value") {
  const auto check = [](auto zero) {
    using T = decltype(zero);
    for (const unsigned of : {1u, 2u, 8u}) {
      const unsigned blocks = 2 * of;
      const GuardedBuffer<T> y(std::size_t{blocks} * kBlockThreads);
      REQUIRE(launch(exchange_kernel<T>, clusters(blocks, of), nullptr, y.data()) == cudaSuccess);
      const std::vector<T> sums = y.download();
      int wrong = 0;
      for (unsigned i = 0; i < sums.size(); ++i) {
        T wanted = 0;
        for (unsigned rank = 0; rank < of; ++rank) {
          wanted += static_cast<T>(1U << (4 * rank)) *
                    static_cast<T>(i / kBlockThreads / of * of + rank + 1);
        }
        wrong += sums[i] == wanted ? 0 : 1;
      }
      CHECK(wrong == 0);
    }
  };
  for (const cpu::Order order : {cpu::Order::forward, cpu::Order::reverse}) {
    cpu::set_thread_order(order);
    check(0U);
    check(std::uint64_t{0});
    check(0.0);
    cpu::set_thread_order(cpu::Order::forward);
    CHECK(is_caught(exchange_again_kernel, order, "it has begun before"));
    CHECK(is_caught(exchange_without_begin_kernel, order, "has called no barrier_arrive() before"));
  }
}

TEST_CASE("threads and blocks that have ended do not keep a cluster waiting", "[exchange]") {
  const GuardedBuffer<int> y(std::vector<int>(4, 0));
  REQUIRE(launch(early_end_kernel, clusters(4, 2), nullptr, y.data()) == cudaSuccess);
  CHECK(y.download() == std::vector<int>{0, 1, 0, 1});
}

TEST_CASE("clusters that no device takes are refused") {
  const GuardedBuffer<int> y(std::size_t{64});
  CHECK(launch(sum_kernel, clusters(17, 17), nullptr, y.data()) == cudaErrorInvalidClusterSize);
  CHECK(launch(sum_kernel, clusters(5, 2), nullptr, y.data()) == cudaErrorInvalidClusterSize);
  CHECK(y.untouched());
  cudaGetLastError();
}

TEST_CASE("a cluster of more than eight blocks, where the device has them") {
  const auto has = [](std::size_t shared_bytes) {
    return runs_in_largest_clusters(sum_kernel, kBlockThreads, shared_bytes);
  };
  CHECK(has(0));
  CHECK_FALSE(has(64 << 10));  // more shared memory than the kernel has asked for
  cpu::set_device({0, 2048, 0, 8});
  CHECK_FALSE(has(0));
  CHECK(cudaGetLastError() == cudaSuccess);
  const GuardedBuffer<int> y(std::size_t{64});
  CHECK(launch(sum_kernel, clusters(16, 16), nullptr, y.data()) == cudaErrorInvalidClusterSize);
  CHECK(cpu::last_report().find("at most 8") != std::string::npos);
  CHECK(y.untouched());
  cpu::set_device({});
  cudaGetLastError();
}
