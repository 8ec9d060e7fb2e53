// Ladder B: two operands of different shapes.
//
// Read from the top. B1 to B5 are the kernels of the library that this chapter follows, with their
// mistakes mended; each kernel after them has one more idea. Every kernel is right for every number
// of elements. What is computed stands in arithmetic_math.cuh; for int8 the kernels are the same
// and `op` is ArithmeticInt8.
#pragma once

#include <cstdint>

#include "04_arithmetic/arithmetic_math.cuh"
#include "common/broadcast.h"
#include "common/fast_division.h"
#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/pack.cuh"

namespace tutorial {

// ---- One operand has the result's shape, the other is shorter -----------------------------------

// B1 · one_scalar: (N,C,H,W) with a single element. Every thread of a launch takes the same branch.
template <class T, class Op>
__global__ void arithmetic_one_scalar_kernel(std::int64_t n, bool first_shorter, const T* in0,
                                             const T* in1, T* out, Op op) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = first_shorter ? op(in0[0], in1[i]) : op(in0[i], in1[0]);
  }
}

// B2 · one_dimension: (N,C,H,W) with (W), or with (H,W). The `inner` elements of the shorter
// operand repeat.
template <class T, class Op>
__global__ void arithmetic_one_dimension_kernel(std::int64_t n, std::int64_t inner,
                                                bool first_shorter, const T* in0, const T* in1,
                                                T* out, Op op) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    const std::int64_t shorter = i % inner;
    out[i] = first_shorter ? op(in0[shorter], in1[i]) : op(in0[i], in1[shorter]);
  }
}

// B3 · one_not_broadcast: (N,C,H,W) with (1,C,1,1), a vector along one axis that is not the last.
//! [one_not_broadcast]
template <class T, class Op>
__global__ void arithmetic_one_not_broadcast_kernel(std::int64_t n, std::int64_t axis,
                                                    std::int64_t inner, bool first_shorter,
                                                    const T* in0, const T* in1, T* out, Op op) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    const std::int64_t shorter = (i / inner) % axis;
    out[i] = first_shorter ? op(in0[shorter], in1[i]) : op(in0[i], in1[shorter]);
  }
}
//! [one_not_broadcast]

// B4 · one_broadcast: (N,C,H,W) with (N,1,H,W). One axis is broadcast and its neighbours are not.
template <class T, class Op>
__global__ void arithmetic_one_broadcast_kernel(std::int64_t n, std::int64_t outer_stride,
                                                std::int64_t inner, bool first_shorter,
                                                const T* in0, const T* in1, T* out, Op op) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    const std::int64_t shorter = i / outer_stride * inner + i % inner;
    out[i] = first_shorter ? op(in0[shorter], in1[i]) : op(in0[i], in1[shorter]);
  }
}

// ---- Any two shapes -----------------------------------------------------------------------------

// B5 · strided: for each dimension a thread divides its index by the stride. The quotient is the
// coordinate; coordinates times strides give the two offsets, and a stride of 0 is broadcasting.
// The GPU has no instruction for a 64-bit division: each is a routine of about a hundred
// instructions, or of 26 where both numbers are below 2^32.
//! [strided]
struct StridedParam {
  int rank;
  std::int64_t stride_out[kMaxDimensions];
  std::int64_t stride_in0[kMaxDimensions];
  std::int64_t stride_in1[kMaxDimensions];
};

template <class T, class Op>
__global__ void arithmetic_strided_kernel(std::int64_t n, StridedParam param, const T* in0,
                                          const T* in1, T* out, Op op) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    std::int64_t rest = i, offset0 = 0, offset1 = 0;
    for (int d = 0; d < param.rank; ++d) {
      const std::int64_t along = rest / param.stride_out[d];
      rest = rest % param.stride_out[d];
      offset0 += along * param.stride_in0[d];
      offset1 += along * param.stride_in1[d];
    }
    out[i] = op(in0[offset0], in1[offset1]);
  }
}
//! [strided]

// B6 · strided_merged is B5 on merged dimensions: the same kernel, fewer rounds of its loop.

// B7 · strided_32: indices of 32 bits, where they suffice. The loop indexes the parameter at run
// time, and nvcc copies all of it into each thread's local memory (README.md).
struct StridedParam32 {
  int rank;
  std::uint32_t stride_out[kMaxDimensions];
  std::uint32_t stride_in0[kMaxDimensions];
  std::uint32_t stride_in1[kMaxDimensions];
};

template <class T, class Op>
__global__ void arithmetic_strided_32_kernel(std::uint32_t n, StridedParam32 param, const T* in0,
                                             const T* in1, T* out, Op op) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    std::uint32_t rest = i, offset0 = 0, offset1 = 0;
    for (int d = 0; d < param.rank; ++d) {
      const std::uint32_t along = rest / param.stride_out[d];
      rest = rest % param.stride_out[d];
      offset0 += along * param.stride_in0[d];
      offset1 += along * param.stride_in1[d];
    }
    out[i] = op(in0[offset0], in1[offset1]);
  }
}

// B8 · strided_fast: the extents are known before the kernel starts, so the host prepares the
// divisions, and each becomes a multiplication and a shift. The loop starts at the last dimension;
// what remains at the end is the coordinate along the first, which needs no division.
struct StridedParamFast {
  int rank;
  FastDivisor extent[kMaxDimensions];
  std::uint32_t stride_in0[kMaxDimensions];
  std::uint32_t stride_in1[kMaxDimensions];
};

template <class T, class Op>
__global__ void arithmetic_strided_fast_kernel(std::uint32_t n, StridedParamFast param,
                                               const T* in0, const T* in1, T* out, Op op) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    std::uint32_t rest = i, offset0 = 0, offset1 = 0;
    for (int d = param.rank - 1; d > 0; --d) {
      const DivMod at = param.extent[d].divmod(rest);
      rest = at.quotient;
      offset0 += at.remainder * param.stride_in0[d];
      offset1 += at.remainder * param.stride_in1[d];
    }
    offset0 += rest * param.stride_in0[0];
    offset1 += rest * param.stride_in1[0];
    out[i] = op(in0[offset0], in1[offset1]);
  }
}

// B9 · rows: no division at all, because the grid has three dimensions and can count. A row is the
// last dimension; blockIdx.y and .z say which one, and each thread takes sixteen bytes of it. An
// operand that is broadcast along the row is one load, whatever the width.
//
// A grid has at most 65,535 blocks in y and in z; where there are more rows, a thread takes
// several.
enum class RowAccess { splat, pack, elements };

struct RowOperand {
  std::int64_t outer, row;  ///< strides, in elements
  RowAccess access;
};

struct Rows {
  std::int64_t outer, rows, length;
  RowOperand in0, in1;
  bool store_packs;
};

template <int W, class T>
__device__ __forceinline__ Pack<T, W> load_of_row(const T* row, std::int64_t first,
                                                  RowAccess access) {
  if (access == RowAccess::pack) return load_pack<W>(row + first);
  if (access == RowAccess::splat) return splat<W>(row[0]);
  Pack<T, W> pack;
#pragma unroll
  for (int k = 0; k < W; ++k) pack.at[k] = row[first + k];
  return pack;
}

template <class T, class Op>
__global__ void arithmetic_rows_kernel(Rows rows, const T* in0, const T* in1, T* out, Op op) {
  constexpr int kWidth = 16 / sizeof(T);
  const std::int64_t first = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kWidth;
  if (first >= rows.length) return;
  for (std::int64_t z = blockIdx.z; z < rows.outer; z += gridDim.z) {
    for (std::int64_t y = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y; y < rows.rows;
         y += gridDim.y * blockDim.y) {
      const T* row0 = in0 + z * rows.in0.outer + y * rows.in0.row;
      const T* row1 = in1 + z * rows.in1.outer + y * rows.in1.row;
      T* row = out + (z * rows.rows + y) * rows.length;
      if (first + kWidth <= rows.length) {
        const Pack<T, kWidth> pack = apply<T>(op, load_of_row<kWidth>(row0, first, rows.in0.access),
                                              load_of_row<kWidth>(row1, first, rows.in1.access));
        if (rows.store_packs) {
          store_pack(row + first, pack);
        } else {
#pragma unroll
          for (int k = 0; k < kWidth; ++k) row[first + k] = pack.at[k];
        }
      } else {
        for (std::int64_t k = first; k < rows.length; ++k) {
          row[k] = op(row0[rows.in0.access == RowAccess::splat ? 0 : k],
                      row1[rows.in1.access == RowAccess::splat ? 0 : k]);
        }
      }
    }
  }
}

// B10 · packed: a width for each operand and any number of dimensions. It is launch_broadcast() in
// common/broadcast.cuh, which the logical and relational operators of chapter 05 use too.

// ---- Beside the ladder: the library's kernel for halves -----------------------------------------

// B5 in units of eight halves: sixteen bytes a thread, through shared memory as in A3. Extents and
// strides count groups of eight, so it takes only what is broadcast along whole groups.
template <class Op>
__global__ void arithmetic_fp16_strided_kernel(std::int64_t groups, StridedParam param,
                                               const half* in0, const half* in1, half* out, Op op) {
  DYNAMIC_SHARED(float4, slots);
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < groups) {
    std::int64_t rest = i, offset0 = 0, offset1 = 0;
    for (int d = 0; d < param.rank; ++d) {
      const std::int64_t along = rest / param.stride_out[d];
      rest = rest % param.stride_out[d];
      offset0 += along * param.stride_in0[d];
      offset1 += along * param.stride_in1[d];
    }
    float4& slot0 = slots[threadIdx.x];
    float4& slot1 = slots[threadIdx.x + blockDim.x];
    slot0 = FLOAT4(in0[offset0 * 8]);
    slot1 = FLOAT4(in1[offset1 * 8]);
    half* const values0 = reinterpret_cast<half*>(&slot0);
    const half* const values1 = reinterpret_cast<const half*>(&slot1);
#pragma unroll
    for (int k = 0; k < 8; ++k) values0[k] = op(values0[k], values1[k]);
    FLOAT4(out[i * 8]) = slot0;
  }
}

}  // namespace tutorial
