// The exercise "largest": the 16 largest keys of a row of 1024.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "06_primitives/primitives/primitives.cuh"
#include "common/launch.cuh"
#include "common/proof/answer.h"

namespace tutorial {

using namespace primitives;

//! [largest]
/// Larger key first.
__device__ __forceinline__ void order(float& a, float& b) {
  const float larger = fmaxf(a, b), smaller = fminf(a, b);
  a = larger;
  b = smaller;
}

/// Sixteen keys that rise and then fall, or fall and then rise, into falling order: four steps.
__device__ __forceinline__ void merge(float (&x)[16]) {
#pragma unroll
  for (int distance = 8; distance > 0; distance /= 2) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      if ((k & distance) == 0) order(x[k], x[k | distance]);
    }
  }
}

/// Any sixteen keys into falling order: ten steps.
__device__ __forceinline__ void sort(float (&x)[16]) {
#pragma unroll
  for (int size = 2; size <= 16; size *= 2) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const int partner = k ^ (size - 1);
      if (k < partner) order(x[k], x[partner]);
    }
#pragma unroll
    for (int distance = size / 4; distance > 0; distance /= 2) {
#pragma unroll
      for (int k = 0; k < 16; ++k) {
        if ((k & distance) == 0) order(x[k], x[k | distance]);
      }
    }
  }
}

/// Of two falling lists the sixteen largest: the first of one against the last of the other.
template <class Other>
__device__ __forceinline__ void keep_larger(float (&x)[16], Other other) {
  float y[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) y[k] = other(15 - k);  // all of them, before any of x changes
#pragma unroll
  for (int k = 0; k < 16; ++k) x[k] = fmaxf(x[k], y[k]);
  merge(x);
}

/// A warp a row of 1024 keys, no NaN: 32 a lane, which are two lists of sixteen.
__global__ void SixteenLargest(const float* x, float* y) {
  const std::int64_t row = blockIdx.x;
  float keys[32], mine[16], second[16];
  ReadData<false, Interleaved<float>>(keys, x + row * 1024, 1024);
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    mine[k] = keys[k];
    second[k] = keys[16 + k];
  }
  sort(mine);
  sort(second);
  keep_larger(mine, [&](int k) { return second[k]; });
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    keep_larger(mine, [&](int k) { return __shfl_xor_sync(0xffffffffu, mine[k], lanes); });
  }
  if (threadIdx.x == 0) {
#pragma unroll
    for (int k = 0; k < 16; ++k) y[row * 16 + k] = mine[k];
  }
}
//! [largest]

}  // namespace tutorial

int main() {
  using namespace tutorial;
  const std::int64_t rows = test::sizes().draw(20, 50);
  std::vector<float> x, expected;
  for (std::int64_t i = 0; i < rows * 1024; ++i) {
    x.push_back(static_cast<float>(i * 2654435761 % 100003) - 50000.0f);
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<float> keys(x.begin() + row * 1024, x.begin() + (row + 1) * 1024);
    std::sort(keys.rbegin(), keys.rend());
    expected.insert(expected.end(), keys.begin(), keys.begin() + 16);
  }
  const test::DeviceArray<float> in(x), out(expected.size());
  SixteenLargest<<<rows, 32>>>(in.data(), out.data());
  const cudaError_t error = cudaGetLastError();
  return test::verdict(error == cudaSuccess && out.download() == expected,
                       "the sixteen largest of each row, in order");
}
