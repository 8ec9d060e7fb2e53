// Rungs 1 to 6 of a one-input ladder with any function inside, for the chapters that begin where
// chapter 01 ends. It shows and explains these kernels with ELU written into them.
#pragma once

#include <cstdint>
#include <string>

#include "common/ladder.cuh"
#include "common/macros.cuh"

namespace tutorial {

// F{}(x) is the function of one element, of T.

/// Rungs 1 and 3 · f32, f16: one thread, one element.
template <class T, class F>
__global__ void first_scalar_kernel(const T* x, T* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = F{}(x[i]);
  }
}

/// Rungs 2 and 6 · f32x4, f16x8_pack: sixteen bytes a thread, one 128-bit load and store.
template <class T, class F>
__global__ void first_pack_kernel(const T* x, T* y, std::int64_t n) {
  constexpr int kWidth = 16 / sizeof(T);
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kWidth;
  if (i + kWidth <= n) {
    alignas(16) T pack[kWidth];
    LDST128BITS(pack[0]) = LDST128BITS(x[i]);
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
      pack[k] = F{}(pack[k]);
    }
    LDST128BITS(y[i]) = LDST128BITS(pack[0]);
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = F{}(x[k]);
    }
  }
}

/// Rungs 4 and 5 · f16x2, f16x8: halves in 32-bit accesses, one or four a thread. The arithmetic stays
/// scalar.
template <class F, int kPairs>
__global__ void first_pairs_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * (2 * kPairs);
  if (i + 2 * kPairs <= n) {
    half2 v[kPairs];
#pragma unroll
    for (int k = 0; k < kPairs; ++k) {
      v[k] = HALF2(x[i + 2 * k]);
    }
#pragma unroll
    for (int k = 0; k < kPairs; ++k) {
      v[k].x = F{}(v[k].x);
      v[k].y = F{}(v[k].y);
      HALF2(y[i + 2 * k]) = v[k];
    }
  } else if constexpr (kPairs == 1) {
    if (i < n) {
      y[i] = F{}(x[i]);
    }
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = F{}(x[k]);
    }
  }
}

/// Their rows, with `prefix` before each name.
template <class F>
Ladder<float> first_rungs_f32(const std::string& prefix, double max_ulp) {
  return {rung(prefix + "f32", first_scalar_kernel<float, F>, 1, 4, max_ulp),
          rung(prefix + "f32x4", first_pack_kernel<float, F>, 4, 16, max_ulp)};
}
template <class F>
Ladder<half> first_rungs_f16(const std::string& prefix, double max_ulp) {
  return {rung(prefix + "f16", first_scalar_kernel<half, F>, 1, 2, max_ulp),
          rung(prefix + "f16x2", first_pairs_kernel<F, 1>, 2, 4, max_ulp),
          rung(prefix + "f16x8", first_pairs_kernel<F, 4>, 8, 4, max_ulp),
          rung(prefix + "f16x8_pack", first_pack_kernel<half, F>, 8, 16, max_ulp)};
}

}  // namespace tutorial
