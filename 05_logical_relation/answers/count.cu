// The last exercise of the lesson: how many of the answers are true.
#include <cstdint>
#include <vector>

#include "05_logical_relation/logical_relation_math.cuh"
#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/proof/answer.h"

namespace tutorial {

//! [count]
/// Adds to *count how many of a[i] > b[i] are true. *count is 0 before the launch.
__global__ void count_greater_kernel(const half* a, const half* b, unsigned long long* count,
                                     std::int64_t n) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x;  // the same for the whole block
  unsigned of_warp = 0;
  for (std::int64_t tile = first; tile < n; tile += step) {
    const std::int64_t i = tile + threadIdx.x;
    const bool answer = i < n && a[i] > b[i];
    of_warp += static_cast<unsigned>(__popc(__ballot_sync(0xffffffffu, answer)));
  }
  if (threadIdx.x % 32 == 0) atomicAdd(count, static_cast<unsigned long long>(of_warp));
}
//! [count]

}  // namespace tutorial

int main() {
  using namespace tutorial;
  const std::int64_t n = 16 * test::sizes().draw(2000, 6000) + 3;
  std::vector<half> a, b;
  unsigned long long expected = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    a.push_back(half(static_cast<float>(i % 61)));
    b.push_back(half(static_cast<float>(i % 53)));
    expected += i % 61 > i % 53 ? 1 : 0;
  }
  const test::DeviceArray<half> left(a), right(b);
  const test::DeviceArray<unsigned long long> count(std::vector<unsigned long long>{0});
  count_greater_kernel<<<64, kThreads>>>(left.data(), right.data(), count.data(), n);
  const cudaError_t error = cudaGetLastError();
  const unsigned long long counted = count.download()[0];
  return test::verdict(error == cudaSuccess && counted == expected,
                       std::to_string(counted) + " counted of " + std::to_string(expected));
}
