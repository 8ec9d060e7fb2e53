// Exercise 1 of notes/where.md: (a > b) & c in one kernel.
#include <cstdint>
#include <vector>

#include "05_logical_relation/logical_relation_math.cuh"
#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/proof/answer.h"

namespace tutorial {

//! [merge]
/// y[i] = a[i] > b[i] and c[i], 0 or 1. a, b: 16-byte aligned; c, y: 8.
__global__ void greater_and_kernel(const half* a, const half* b, const Byte* c, Byte* y,
                                   std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i + 8 <= n) {
    alignas(16) half left[8], right[8];
    alignas(8) unsigned masks[2];
    LDST128BITS(left[0]) = LDST128BITS(a[i]);
    LDST128BITS(right[0]) = LDST128BITS(b[i]);
    LDST64BITS(masks[0]) = LDST64BITS(c[i]);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const unsigned answers = TwoByTwo<Greater>{}.compare<4>(&left[4 * k], &right[4 * k]);
      masks[k] = answers & to_bools(truth_bits(masks[k]));  // any byte but 0 is true
    }
    LDST64BITS(y[i]) = LDST64BITS(masks[0]);
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = a[k] > b[k] && c[k] != 0 ? 1 : 0;
    }
  }
}
//! [merge]

}  // namespace tutorial

int main() {
  using namespace tutorial;
  const std::int64_t n = 16 * test::sizes().draw(2000, 6000) + 3;
  std::vector<half> a, b;
  std::vector<Byte> c;
  for (std::int64_t i = 0; i < n; ++i) {
    a.push_back(half(static_cast<float>(i % 61)));
    b.push_back(half(static_cast<float>(i % 53)));
    c.push_back(static_cast<Byte>(i % 3 == 0 ? 0 : 1 << i % 8));
  }
  const test::DeviceArray<half> left(a), right(b);
  const test::DeviceArray<Byte> mask(c), result(c.size());
  greater_and_kernel<<<grid_1d(n, kThreads * 8), kThreads>>>(left.data(), right.data(), mask.data(),
                                                             result.data(), n);
  const cudaError_t error = cudaGetLastError();
  const std::vector<Byte> y = result.download();
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const bool answer = __half2float(a[i]) > __half2float(b[i]) && c[i] != 0;
    wrong += y[i] != (answer ? 1 : 0) ? 1 : 0;
  }
  return test::verdict(error == cudaSuccess && wrong == 0,
                       std::to_string(wrong) + " answers are wrong");
}
