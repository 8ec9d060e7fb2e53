// Ladder B, host side: two operands of different shapes.
//
// Every launcher here keeps the same promises:
//   op             one of the nine; what each answers stands in arithmetic_contiguous.h
//   T              float, half, __nv_bfloat16, std::int32_t or std::int64_t; the _int8 forms take
//                  int8 with scales (arithmetic_int8.h)
//   in0, in1, out  device pointers, aligned to their element unless it says otherwise. out may be
//   an
//                  operand that has the result's shape; any other overlap with out is not allowed
//   stream         where the kernel runs; no launcher waits for it
// An empty result launches nothing and succeeds, whatever the pointers. Errors, each with its
// sentence in last_refusal() (common/refusal.h), and nothing written:
//   cudaErrorInvalidValue       an op that is none of the nine, a bad scale, a null pointer,
//   numbers
//                               that describe no broadcast, a broadcast that the rung does not take
//   cudaErrorMisalignedAddress  a pointer without the alignment that the rung needs
// otherwise the launch's own error. All index arithmetic is in 64 bits, but for the rungs that say
// 32, and those refuse what is too large for them.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "04_arithmetic/launchers/op.h"
#include "common/broadcast.h"

namespace tutorial {

// ---- One operand has the result's n elements, the other is shorter ------------------------------
// `first_shorter` says that in0 is the shorter one.

/// Rung 1. The shorter operand is one element: (64,256,56,56) with (1,).
template <class T>
cudaError_t arithmetic_one_scalar(ArithmeticOp op, std::int64_t n, bool first_shorter, const T* in0,
                                  const T* in1, T* out, cudaStream_t stream);
cudaError_t arithmetic_one_scalar_int8(ArithmeticOp op, std::int64_t n, bool first_shorter,
                                       const std::int8_t* in0, const std::int8_t* in1,
                                       std::int8_t* out, Int8Scales scales, cudaStream_t stream);

/// Rung 2. The shorter operand has the last `inner` elements: (64,256,56,56) with (56,), inner
/// = 56. inner >= 1, and n is a multiple of it.
template <class T>
cudaError_t arithmetic_one_dimension(ArithmeticOp op, std::int64_t n, std::int64_t inner,
                                     bool first_shorter, const T* in0, const T* in1, T* out,
                                     cudaStream_t stream);
cudaError_t arithmetic_one_dimension_int8(ArithmeticOp op, std::int64_t n, std::int64_t inner,
                                          bool first_shorter, const std::int8_t* in0,
                                          const std::int8_t* in1, std::int8_t* out,
                                          Int8Scales scales, cudaStream_t stream);

/// Rung 3. The shorter operand is a vector along one axis: (64,256,56,56) with (1,256,1,1), axis =
/// 256 and inner = 56 * 56. Both are >= 1, and n is a multiple of axis * inner.
template <class T>
cudaError_t arithmetic_one_not_broadcast(ArithmeticOp op, std::int64_t n, std::int64_t axis,
                                         std::int64_t inner, bool first_shorter, const T* in0,
                                         const T* in1, T* out, cudaStream_t stream);
cudaError_t arithmetic_one_not_broadcast_int8(ArithmeticOp op, std::int64_t n, std::int64_t axis,
                                              std::int64_t inner, bool first_shorter,
                                              const std::int8_t* in0, const std::int8_t* in1,
                                              std::int8_t* out, Int8Scales scales,
                                              cudaStream_t stream);

/// Rung 4. The shorter operand lacks one axis: (64,256,56,56) with (64,1,56,56), inner = 56 * 56
/// and outer_stride = 256 * inner. inner >= 1, outer_stride is a multiple of it, and n of
/// outer_stride.
template <class T>
cudaError_t arithmetic_one_broadcast(ArithmeticOp op, std::int64_t n, std::int64_t outer_stride,
                                     std::int64_t inner, bool first_shorter, const T* in0,
                                     const T* in1, T* out, cudaStream_t stream);
cudaError_t arithmetic_one_broadcast_int8(ArithmeticOp op, std::int64_t n,
                                          std::int64_t outer_stride, std::int64_t inner,
                                          bool first_shorter, const std::int8_t* in0,
                                          const std::int8_t* in1, std::int8_t* out,
                                          Int8Scales scales, cudaStream_t stream);

// ---- Any two shapes: a Broadcast (common/broadcast.h)
// --------------------------------------------

/// What every launcher below checks of a Broadcast first: 0 to 7 dimensions, extents and strides
/// that are not negative, `elements` the product of the extents, and no place in an operand beyond
/// 2^63 - 1. cudaErrorInvalidValue with a sentence otherwise.
cudaError_t check_broadcast(const Broadcast& broadcast);

/// Rung 5. Up to 7 dimensions, a 64-bit division and a remainder for each.
template <class T>
cudaError_t arithmetic_strided(ArithmeticOp op, const Broadcast& broadcast, const T* in0,
                               const T* in1, T* out, cudaStream_t stream);
cudaError_t arithmetic_strided_int8(ArithmeticOp op, const Broadcast& broadcast,
                                    const std::int8_t* in0, const std::int8_t* in1,
                                    std::int8_t* out, Int8Scales scales, cudaStream_t stream);

/// Rung 6. The same kernel on as few dimensions as there can be.
template <class T>
cudaError_t arithmetic_strided_merged(ArithmeticOp op, const Broadcast& broadcast, const T* in0,
                                      const T* in1, T* out, cudaStream_t stream);
cudaError_t arithmetic_strided_merged_int8(ArithmeticOp op, const Broadcast& broadcast,
                                           const std::int8_t* in0, const std::int8_t* in1,
                                           std::int8_t* out, Int8Scales scales,
                                           cudaStream_t stream);

/// Whether every index of the broadcast, merged, is below 2^32.
bool fits_32_bits(const Broadcast& broadcast);

/// Rung 7. Indices of 32 bits: takes what fits_32_bits().
template <class T>
cudaError_t arithmetic_strided_32(ArithmeticOp op, const Broadcast& broadcast, const T* in0,
                                  const T* in1, T* out, cudaStream_t stream);
cudaError_t arithmetic_strided_32_int8(ArithmeticOp op, const Broadcast& broadcast,
                                       const std::int8_t* in0, const std::int8_t* in1,
                                       std::int8_t* out, Int8Scales scales, cudaStream_t stream);

/// Rung 8. Division by multiplication: takes what fits_32_bits().
template <class T>
cudaError_t arithmetic_strided_fast(ArithmeticOp op, const Broadcast& broadcast, const T* in0,
                                    const T* in1, T* out, cudaStream_t stream);
cudaError_t arithmetic_strided_fast_int8(ArithmeticOp op, const Broadcast& broadcast,
                                         const std::int8_t* in0, const std::int8_t* in1,
                                         std::int8_t* out, Int8Scales scales, cudaStream_t stream);

/// Whether the broadcast, merged, has at most three dimensions, and both operands are contiguous or
/// broadcast along the last.
bool fits_rows(const Broadcast& broadcast);

/// Rung 9. The grid counts rows, sixteen bytes of one a thread: takes what fits_rows().
template <class T>
cudaError_t arithmetic_rows(ArithmeticOp op, const Broadcast& broadcast, const T* in0, const T* in1,
                            T* out, cudaStream_t stream);
cudaError_t arithmetic_rows_int8(ArithmeticOp op, const Broadcast& broadcast,
                                 const std::int8_t* in0, const std::int8_t* in1, std::int8_t* out,
                                 Int8Scales scales, cudaStream_t stream);

/// Whether both operands lie in memory as contiguous tensors do, as in every Broadcast that
/// make_broadcast() and broadcast_strides() make.
bool is_of_shapes(const Broadcast& broadcast);

/// Rung 10. Sixteen bytes of the result a thread, a width for each operand, any broadcast of any
/// size (common/broadcast.cuh). The operator ends here.
template <class T>
cudaError_t arithmetic_packed(ArithmeticOp op, const Broadcast& broadcast, const T* in0,
                              const T* in1, T* out, cudaStream_t stream);
cudaError_t arithmetic_packed_int8(ArithmeticOp op, const Broadcast& broadcast,
                                   const std::int8_t* in0, const std::int8_t* in1, std::int8_t* out,
                                   Int8Scales scales, cudaStream_t stream);

/// Whether the broadcast, merged, consists of whole groups of eight: along the last dimension both
/// operands are contiguous, its extent is a multiple of 8, and so are all other strides.
bool fits_half8(const Broadcast& broadcast);

/// Beside the ladder: rung 5 in units of eight halves, through shared memory. Takes what
/// fits_half8(); pointers aligned to 16 bytes; `threads` a block, any number that a block may have.
cudaError_t arithmetic_fp16_strided(ArithmeticOp op, const Broadcast& broadcast, const half* in0,
                                    const half* in1, half* out, cudaStream_t stream,
                                    int threads = 128);

// ---- Which of the four forms a broadcast is -----------------------------------------------------
// All of these merge first, so that (1,256,1,1), (256,1,1) and (256,1,1) in front of any number of
// ones are the same form. They exclude each other; with is_nobroadcast() false and none of them
// true it takes strides.

bool is_nobroadcast(const Broadcast& broadcast);        ///< both have the result's shape
bool is_one_scalar(const Broadcast& broadcast);         ///< (n) with (1)
bool is_one_dimension(const Broadcast& broadcast);      ///< (n, inner) with (inner)
bool is_one_not_broadcast(const Broadcast& broadcast);  ///< (outer, axis, inner) with (axis, 1)
bool is_one_broadcast(const Broadcast& broadcast);  ///< (outer, m, inner) with (outer, 1, inner)

/// For the four forms: whether in0 is the shorter operand.
bool is_first_shorter(const Broadcast& broadcast);

}  // namespace tutorial
