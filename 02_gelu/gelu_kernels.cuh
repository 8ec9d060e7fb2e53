// The GELU ladder, rungs 1 to 6: the shapes of chapter 01 with another function inside.
//
// Which of the two GELUs a kernel computes is a template parameter, so that each is a kernel of its
// own with no question left in it. Every kernel is right for every n >= 0: the tail is done here,
// not by the caller. Vector accesses need pointers aligned to their width, which the launchers in
// gelu.cu check. What is computed for each element stands in gelu_math.cuh.
#pragma once

#include <cstdint>

#include "02_gelu/gelu_math.cuh"
#include "common/elementwise_two_packs.cuh"
#include "common/macros.cuh"

namespace tutorial {

// Rung 1 · f32: one thread, one element.
//! [f32]
template <GeluApproximate kApproximate>
__global__ void gelu_f32_kernel(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = gelu_float<kApproximate>(x[i]);
  }
}
//! [f32]

// Rung 2 · f32x4: one thread, four elements: one 128-bit load and store.
//! [f32x4]
template <GeluApproximate kApproximate>
__global__ void gelu_f32x4_kernel(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4;
  if (i + 4 <= n) {
    float4 v = FLOAT4(x[i]);
    v.x = gelu_float<kApproximate>(v.x);
    v.y = gelu_float<kApproximate>(v.y);
    v.z = gelu_float<kApproximate>(v.z);
    v.w = gelu_float<kApproximate>(v.w);
    FLOAT4(y[i]) = v;
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = gelu_float<kApproximate>(x[k]);
    }
  }
}
//! [f32x4]

// Rung 3 · f16: half the bytes an element, one element a thread again.
//! [f16]
template <GeluApproximate kApproximate>
__global__ void gelu_f16_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = gelu_half<kApproximate>(x[i]);
  }
}
//! [f16]

// Rung 4 · f16x2: two halves a thread: one 32-bit access. The arithmetic stays scalar.
//! [f16x2]
template <GeluApproximate kApproximate>
__global__ void gelu_f16x2_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 2;
  if (i + 2 <= n) {
    half2 v = HALF2(x[i]);
    v.x = gelu_half<kApproximate>(v.x);
    v.y = gelu_half<kApproximate>(v.y);
    HALF2(y[i]) = v;
  } else if (i < n) {
    y[i] = gelu_half<kApproximate>(x[i]);
  }
}
//! [f16x2]

// Rung 5 · f16x8: eight halves a thread, in four 32-bit accesses.
//! [f16x8]
template <GeluApproximate kApproximate>
__global__ void gelu_f16x8_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i + 8 <= n) {
    half2 v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      v[k] = HALF2(x[i + 2 * k]);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      v[k].x = gelu_half<kApproximate>(v[k].x);
      v[k].y = gelu_half<kApproximate>(v[k].y);
      HALF2(y[i + 2 * k]) = v[k];
    }
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = gelu_half<kApproximate>(x[k]);
    }
  }
}
//! [f16x8]

// Rung 6 · f16x8_pack: the same eight halves in one 128-bit access.
//! [f16x8_pack]
template <GeluApproximate kApproximate>
__global__ void gelu_f16x8_pack_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i + 8 <= n) {
    alignas(16) half pack[8];
    LDST128BITS(pack[0]) = LDST128BITS(x[i]);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      pack[k] = gelu_half<kApproximate>(pack[k]);
    }
    LDST128BITS(y[i]) = LDST128BITS(pack[0]);
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = gelu_half<kApproximate>(x[k]);
    }
  }
}
//! [f16x8_pack]

// From rung 7 on the data moves as in rung 6, and only the arithmetic changes: those rungs are
// elementwise_pack_kernel (common/elementwise.cuh) with an operation from gelu_math.cuh.

// Rung 17 · f32x8_poly has two packs a thread: elementwise_two_packs_kernel (common/elementwise_two_packs.cuh).

}  // namespace tutorial
