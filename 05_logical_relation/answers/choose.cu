// Exercise 2 of notes/where.md: where, with a mask in bits.
#include <cstdint>
#include <vector>

#include "05_logical_relation/logical_relation_math.cuh"
#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/proof/answer.h"

namespace tutorial {

//! [choose]
/// y[i] = bit i of c ? a[i] : b[i]. c: bytes, bit i % 8 of byte i / 8, as f16x8_bits makes them.
/// a, b, y: 16-byte aligned.
__global__ void where_bits_kernel(const Byte* c, const half* a, const half* b, half* y,
                                  std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i + 8 <= n) {
    alignas(16) half left[8], right[8];
    const unsigned bits = c[i / 8];  // one byte is the mask of the whole pack
    LDST128BITS(left[0]) = LDST128BITS(a[i]);
    LDST128BITS(right[0]) = LDST128BITS(b[i]);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      left[k] = (bits >> k & 1u) != 0 ? left[k] : right[k];
    }
    LDST128BITS(y[i]) = LDST128BITS(left[0]);
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = (c[k / 8] >> k % 8 & 1) != 0 ? a[k] : b[k];
    }
  }
}
//! [choose]

}  // namespace tutorial

int main() {
  using namespace tutorial;
  const std::int64_t n = 16 * test::sizes().draw(2000, 6000) + 3;
  std::vector<half> a, b;
  std::vector<Byte> c((n + 7) / 8);
  for (std::int64_t i = 0; i < n; ++i) {
    a.push_back(half(static_cast<float>(i % 1024)));
    b.push_back(half(-1.0f - static_cast<float>(i % 1024)));
    if (i % 7 < 3) c[static_cast<std::size_t>(i / 8)] |= static_cast<Byte>(1 << i % 8);
  }
  const test::DeviceArray<half> left(a), right(b), result(a.size());
  const test::DeviceArray<Byte> mask(c);
  where_bits_kernel<<<grid_1d(n, kThreads * 8), kThreads>>>(mask.data(), left.data(), right.data(),
                                                            result.data(), n);
  const cudaError_t error = cudaGetLastError();
  const std::vector<half> y = result.download();
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    wrong += __half2float(y[i]) != __half2float(i % 7 < 3 ? a[i] : b[i]) ? 1 : 0;
  }
  return test::verdict(error == cudaSuccess && wrong == 0,
                       std::to_string(wrong) + " elements are wrong");
}
