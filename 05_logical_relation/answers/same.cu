// The exercise of section 9: where two texts agree, a bit for each byte.
#include <cstdint>
#include <string>
#include <vector>

#include "05_logical_relation/logical_relation_math.cuh"
#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/proof/speed.h"

namespace tutorial {

/// What is left of the texts from i on, for a thread that has no whole pack.
__device__ void same_tail(const Byte* a, const Byte* b, Byte* y, std::int64_t i, std::int64_t n) {
  for (; i < n; i += 8) {
    unsigned bits = 0;
    for (std::int64_t k = i; k < i + 8 && k < n; ++k) bits |= (a[k] == b[k] ? 1u : 0u) << (k - i);
    y[i / 8] = static_cast<Byte>(bits);
  }
}

// same_kernel: bit i % 8 of y[i / 8] becomes 1 where a[i] == b[i], and 0 elsewhere; the last byte's
// unused bits become 0. a, b: 16-byte aligned; y: as many bytes as a thread stores.
//! [same]
constexpr int kPerThread = 16;  // bytes of each text

__global__ void same_kernel(const Byte* a, const Byte* b, Byte* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kPerThread;
  if (i + kPerThread <= n) {
    alignas(16) unsigned left[4], right[4];
    LDST128BITS(left[0]) = LDST128BITS(a[i]);
    LDST128BITS(right[0]) = LDST128BITS(b[i]);
    unsigned bits = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const unsigned differ = truth_bits(left[k] ^ right[k]);  // equal bytes leave a 0
      bits |= four_bits(to_bools(~differ)) << 4 * k;
    }
    *reinterpret_cast<unsigned short*>(y + i / 8) = static_cast<unsigned short>(bits);
  } else {
    same_tail(a, b, y, i, n);
  }
}
//! [same]

}  // namespace tutorial

int main() {
  using namespace tutorial;
  const std::int64_t n = 16 * test::sizes().draw(2000, 6000) + 3;
  std::vector<Byte> a, b;
  std::vector<Byte> expected((n + 7) / 8);
  std::uint32_t state = 1;
  for (std::int64_t i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    a.push_back(static_cast<Byte>(state >> 24));
    b.push_back(static_cast<Byte>(state >> 24 ^ ((state >> 22 & 1u) << (state >> 19 & 7u))));
    if (a.back() == b.back()) {
      expected[static_cast<std::size_t>(i / 8)] |= static_cast<Byte>(1 << i % 8);
    }
  }
  const test::DeviceArray<Byte> left(a), right(b), result(expected.size());
  same_kernel<<<grid_1d(n, kThreads * kPerThread), kThreads>>>(left.data(), right.data(),
                                                               result.data(), n);
  const cudaError_t error = cudaGetLastError();
  const std::vector<Byte> y = result.download();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < y.size(); ++i) wrong += y[i] != expected[i] ? 1 : 0;
  const bool widest = kPerThread == 16;  // what one load of 128 bits holds
  constexpr std::int64_t timed = test::kTimedElements;
  const test::DeviceArray<Byte> long_a(timed), long_b(timed), answers(timed / 8);
  const std::string speed = test::speed(2 * timed + timed / 8, [&] {
    same_kernel<<<grid_1d(timed, kThreads * kPerThread), kThreads>>>(long_a.data(), long_b.data(),
                                                                     answers.data(), timed);
  });
  return test::verdict(error == cudaSuccess && wrong == 0 && widest,
                       std::to_string(wrong) + " of " + std::to_string(y.size()) +
                           " bytes of answers are wrong" +
                           (widest ? speed : "; kPerThread does not fit the widest load"));
}
