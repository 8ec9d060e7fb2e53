// The ELU ladder: y = x for x >= 0, and e^x - 1 below (alpha = 1, as in the chapter's formula).
//
// Read from the top. Each rung changes one thing over the rung below; the README of this chapter
// says what was predicted and what was measured. Every kernel is right for every n >= 0: the tail
// is done here, not by the caller. Vector accesses need pointers aligned to their width, which the
// launchers in elu.cu check. What is computed for each element stands in elu_math.cuh.
#pragma once

#include <cstdint>

#include "01_elu/elu_math.cuh"
#include "common/macros.cuh"

namespace tutorial {

// Rung 1 · f32: one thread, one element: 4 bytes in, 4 bytes out.
//! [f32]
__global__ void elu_f32_kernel(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = elu_float(x[i]);
  }
}
//! [f32]

// Rung 2 · f32x4: one thread, four elements: one 128-bit load and store instead of four of 32 bits.
__global__ void elu_f32x4_kernel(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4;
  if (i + 4 <= n) {
    float4 v = FLOAT4(x[i]);
    v.x = elu_float(v.x);
    v.y = elu_float(v.y);
    v.z = elu_float(v.z);
    v.w = elu_float(v.w);
    FLOAT4(y[i]) = v;
  } else {
    for (std::int64_t k = i; k < n; ++k) {  // the tail: at most three elements of one thread
      y[k] = elu_float(x[k]);
    }
  }
}

// Rung 3 · f16: half the bytes an element, one element a thread again.
__global__ void elu_f16_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = elu_half(x[i]);
  }
}

// Rung 4 · f16x2: two halves a thread: one 32-bit access. The arithmetic stays scalar.
//! [f16x2]
__global__ void elu_f16x2_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 2;
  if (i + 2 <= n) {
    half2 v = HALF2(x[i]);
    v.x = elu_half(v.x);
    v.y = elu_half(v.y);
    HALF2(y[i]) = v;
  } else if (i < n) {
    y[i] = elu_half(x[i]);
  }
}
//! [f16x2]

// Rung 5 · f16x8: eight halves a thread, in four 32-bit accesses: more work in flight for each thread.
__global__ void elu_f16x8_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i + 8 <= n) {
    half2 v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      v[k] = HALF2(x[i + 2 * k]);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      v[k].x = elu_half(v[k].x);
      v[k].y = elu_half(v[k].y);
      HALF2(y[i + 2 * k]) = v[k];
    }
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = elu_half(x[k]);
    }
  }
}

// Controls between rungs 5 and 6 · f16x8_wide_load, f16x8_wide_store: one side of the kernel with a
// 128-bit access, the other as in rung 5.
__global__ void elu_f16x8_wide_load_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i + 8 <= n) {
    alignas(16) half pack[8];
    LDST128BITS(pack[0]) = LDST128BITS(x[i]);
#pragma unroll
    for (int k = 0; k < 8; k += 2) {
      pack[k] = elu_half(pack[k]);
      pack[k + 1] = elu_half(pack[k + 1]);
      HALF2(y[i + k]) = HALF2(pack[k]);
    }
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = elu_half(x[k]);
    }
  }
}

__global__ void elu_f16x8_wide_store_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i + 8 <= n) {
    alignas(16) half pack[8];
#pragma unroll
    for (int k = 0; k < 8; k += 2) {
      HALF2(pack[k]) = HALF2(x[i + k]);
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      pack[k] = elu_half(pack[k]);
    }
    LDST128BITS(y[i]) = LDST128BITS(pack[0]);
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = elu_half(x[k]);
    }
  }
}

// Rung 6 · f16x8_pack: the same eight halves in one 128-bit access: the array lives in four registers.
//! [f16x8_pack]
__global__ void elu_f16x8_pack_kernel(const half* x, half* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i + 8 <= n) {
    alignas(16) half pack[8];
    LDST128BITS(pack[0]) = LDST128BITS(x[i]);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      pack[k] = elu_half(pack[k]);
    }
    LDST128BITS(y[i]) = LDST128BITS(pack[0]);
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = elu_half(x[k]);
    }
  }
}
//! [f16x8_pack]

// From rung 7 on the data moves as in rung 6, and only the arithmetic changes: those rungs are
// elementwise_pack_kernel (common/elementwise.cuh) with an operation from elu_math.cuh.

}  // namespace tutorial
