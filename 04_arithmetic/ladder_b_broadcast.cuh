// Ladder B: two operands of different shapes.
//
// Read from the top. Rungs 1 to 5 are the kernels of the library that this chapter follows, with
// their mistakes mended; each one after them has one more idea. Every kernel is right for every
// number of elements. What is computed stands in arithmetic_math.cuh; an int8 form is the same
// kernel with ArithmeticInt8 as its `op`.
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

// Rung 1. (N,C,H,W) with a single element. The branch is the same for every thread of a launch.
//! [one_scalar]
template <class T, class Op>
__global__ void arithmetic_one_scalar_kernel(std::int64_t n, bool first_shorter, const T* in0,
                                             const T* in1, T* out, Op op) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = first_shorter ? op(in0[0], in1[i]) : op(in0[i], in1[0]);
  }
}
//! [one_scalar]

// Rung 2. (N,C,H,W) with (W), or with (H,W): the last `inner` elements, over and over.
//! [one_dimension]
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
//! [one_dimension]

// Rung 3. (N,C,H,W) with (1,C,1,1): a vector along one axis that is not the last.
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

// Rung 4. (N,C,H,W) with (N,1,H,W): one axis is broadcast and its neighbours are not.
//! [one_broadcast]
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
//! [one_broadcast]

// ---- Any two shapes -----------------------------------------------------------------------------

// Rung 5. Strides: an element's index along each dimension, and from these its place in each
// operand, where a stride of 0 is broadcasting. A division and a remainder for each dimension, in
// 64 bits, for which the GPU has no instruction: each is a routine of about a hundred instructions,
// or of about twenty where both numbers happen to be below 2^32.
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

// Rung 6 is rung 5 on merged dimensions: the same kernel, fewer rounds of its loop.

// Rung 7. Indices of 32 bits, where they suffice.
//! [strided_32]
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
//! [strided_32]

// Rung 8. The extents are known before the kernel starts, so the host prepares the divisions: each
// becomes a multiplication and a shift. From the last dimension outwards: what remains after all
// divisions is the index along the first, which needs none.
//! [strided_fast]
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
//! [strided_fast]

// Rung 9. No division at all: the grid has three dimensions, so let it count. A row is the last
// dimension; blockIdx.y and .z say which one, and the threads of a row take sixteen bytes each. An
// operand that is broadcast along the row is one load, whatever the width.
//
// A grid has at most 65,535 blocks in y and in z; where there are more rows, a thread goes on with
// another one.
//! [rows]
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
//! [rows]

// Rung 10, a width per operand and any number of dimensions, is common/broadcast.cuh: the logical
// and relational operators of the next chapter end there too.

// ---- Beside the ladder: the library's kernel for halves -----------------------------------------

// Rung 5 in units of eight halves: sixteen bytes a thread, through shared memory as in rung 3 of
// ladder A. Only what is broadcast along whole groups of eight can be addressed so: extents and
// strides count groups.
//! [fp16_strided]
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
//! [fp16_strided]

}  // namespace tutorial
