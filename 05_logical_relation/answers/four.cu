// The exercise of section 6: And of four truth values in a register.
#include <cstdint>
#include <vector>

#include "05_logical_relation/launchers/op.h"
#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/proof/answer.h"

namespace tutorial {

/// a and b hold a truth value in each of their four bytes, and any byte but 0 is true. Returns their
/// And in the same form: each byte is 1 or 0.
//! [four]
__device__ __forceinline__ unsigned and_four(unsigned a, unsigned b) {
  const unsigned left = ((a & 0x7f7f7f7fu) + 0x7f7f7f7fu) | a;   // bit 7 of each byte is its truth
  const unsigned right = ((b & 0x7f7f7f7fu) + 0x7f7f7f7fu) | b;  // the other bits mean nothing
  return (left & right) >> 7 & 0x01010101u;
}
//! [four]

/// y[i] = a[i] and b[i]. a, b, y: 16-byte aligned.
__global__ void and_kernel(const Byte* a, const Byte* b, Byte* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 16;
  if (i + 16 <= n) {
    alignas(16) unsigned left[4], right[4];
    LDST128BITS(left[0]) = LDST128BITS(a[i]);
    LDST128BITS(right[0]) = LDST128BITS(b[i]);
#pragma unroll
    for (int k = 0; k < 4; ++k) left[k] = and_four(left[k], right[k]);
    LDST128BITS(y[i]) = LDST128BITS(left[0]);
  } else {
    for (std::int64_t k = i; k < n; ++k) y[k] = a[k] != 0 && b[k] != 0 ? 1 : 0;
  }
}

}  // namespace tutorial

int main() {
  using namespace tutorial;
  const std::int64_t n = 16 * test::sizes().draw(2000, 6000) + 3;
  std::vector<Byte> a, b;
  std::uint32_t state = 1;
  const auto byte = [&state] {  // any byte, often 0
    state = state * 1664525u + 1013904223u;
    return static_cast<Byte>((state >> 22 & 3u) == 0 ? 0u : state >> 24);
  };
  for (std::int64_t i = 0; i < n; ++i) {
    a.push_back(byte());
    b.push_back(byte());
  }
  const test::DeviceArray<Byte> left(a), right(b), result(a.size());
  and_kernel<<<grid_1d(n, kThreads * 16), kThreads>>>(left.data(), right.data(), result.data(), n);
  const cudaError_t error = cudaGetLastError();
  const std::vector<Byte> y = result.download();
  std::size_t wrong = 0, first = 0;
  const auto answer = [&](std::size_t i) { return a[i] != 0 && b[i] != 0 ? 1 : 0; };
  for (std::size_t i = y.size(); i-- > 0;) {
    if (y[i] == answer(i)) continue;
    ++wrong;
    first = i;
  }
  return test::verdict(
      error == cudaSuccess && wrong == 0,
      wrong == 0
          ? "all of " + std::to_string(n) + " answers are right"
          : std::to_string(wrong) + " answers are wrong; the first: y[" + std::to_string(first) +
                "], " + std::to_string(a[first]) + " and " + std::to_string(b[first]) + ", is " +
                std::to_string(y[first]) + ", expected " + std::to_string(answer(first)));
}
