// Logic and comparison, host side: the operators, and the ladders as tables with a launcher for each rung.
//
// Every launcher here keeps the promises of common/rung.h, for inputs a and b of n elements, and
//   y  n answers, a Byte each (0 or 1), or ceil(n / 32) words of bits; it may be a or b where an
//      answer is as large as an element
// cudaErrorInvalidValue also answers an operation that it lacks.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "05_logical_relation/launchers/op.h"
#include "common/broadcast.h"
#include "common/rung.h"
#include "common/strided.h"
#include "common/types.h"

namespace tutorial {

// ---- The operators -----------------------------------------------------------------------------
// Shapes are outermost first, at most seven dimensions, and broadcast as in NumPy; elements are in
// row-major order, aligned to their type. The result has the shape of broadcast_shape(shape0, shape1).
// cudaErrorInvalidValue also answers shapes that do not broadcast, more than seven dimensions, a
// negative size, 2^63 elements or more, an unknown operation or one with another number of operands,
// and an invalid tolerance; last_refusal() (common/refusal.h) says which.

/// out = in0 op in1 for And, Or and Xor. Any byte but 0 is true; out is 0 or 1.
cudaError_t logical(LogicalOp op, const TensorShape& shape0, const Byte* in0,
                    const TensorShape& shape1, const Byte* in1, Byte* out, cudaStream_t stream);

/// out = op in, for Not.
cudaError_t logical(LogicalOp op, const TensorShape& shape, const Byte* in, Byte* out,
                    cudaStream_t stream);

/// out = in0 op in1. T: float, half, __nv_bfloat16, std::int8_t, std::int32_t, std::int64_t.
template <class T>
cudaError_t relation(RelationOp op, const TensorShape& shape0, const T* in0,
                     const TensorShape& shape1, const T* in1, Byte* out, cudaStream_t stream);

/// out = whether in0 and in1 are equal in the sense of the policy.
cudaError_t equal(Equality policy, const TensorShape& shape0, const float* in0,
                  const TensorShape& shape1, const float* in1, Byte* out, cudaStream_t stream);

/// y[i] = c[i] ? a[i] : b[i] for i in [0, n). c: n bytes, any but 0 is true. y == a and y == b are
/// allowed. T: float, half, __nv_bfloat16.
template <class T>
cudaError_t where(const Byte* c, const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream);

// The same for tensors of any strides (common/strided.h), in their own memory. Operands broadcast to the
// shape of `out`, which may be one that lies as it does and has elements of its size. Errors as above,
// and for what make_strided_loop() refuses.

/// For And, Or and Xor, of numbers too: any but 0 is true, a NaN as well. T: Byte, float, half,
/// __nv_bfloat16, std::int8_t, std::int32_t, std::int64_t.
template <class T>
cudaError_t logical(LogicalOp op, const TensorView<const T>& in0, const TensorView<const T>& in1,
                    const TensorView<Byte>& out, cudaStream_t stream);

/// For Not. T as above.
template <class T>
cudaError_t logical(LogicalOp op, const TensorView<const T>& in, const TensorView<Byte>& out,
                    cudaStream_t stream);

/// T as in relation() above.
template <class T>
cudaError_t relation(RelationOp op, const TensorView<const T>& in0, const TensorView<const T>& in1,
                     const TensorView<Byte>& out, cudaStream_t stream);

cudaError_t equal(Equality policy, const TensorView<const float>& in0,
                  const TensorView<const float>& in1, const TensorView<Byte>& out,
                  cudaStream_t stream);

/// T: float, half, __nv_bfloat16. In a refusal c is in0, a in1 and b in2.
template <class T>
cudaError_t where(const TensorView<const Byte>& c, const TensorView<const T>& a,
                  const TensorView<const T>& b, const TensorView<T>& y, cudaStream_t stream);

// ---- The ladders -------------------------------------------------------------------------------

/// Whether a rung answers in bytes or in bits: answer i is bit i % 32 of words[i / 32], and the unused
/// bits of the last word are 0.
enum class Answers { bytes, bits };

/// One rung: y[i] = a[i] op b[i] for i in [0, n), enqueued on the stream. With one operand, b is
/// ignored. Answers in bits begin at y too, and fill whole 32-bit words.
template <class Operation, class In>
struct AnswerRung {
  std::string name;
  std::function<cudaError_t(Operation, const In*, const In*, Byte*, std::int64_t, cudaStream_t)>
      launch;
  int width;                  ///< elements a thread
  std::size_t in_alignment;   ///< bytes that a and b need
  std::size_t out_alignment;  ///< bytes that y needs
  Answers answers = Answers::bytes;
  int operands = 2;
};
using LogicalRung = AnswerRung<LogicalOp, Byte>;
template <class T>
using RelationRung = AnswerRung<RelationOp, T>;

/// Ladder A: And, Or and Xor; and its rungs for Not (launchers/ladder_a.cu). The operator uses the last.
const std::vector<LogicalRung>& logical_rungs();
const std::vector<LogicalRung>& logical_not_rungs();

/// Ladder B (launchers/ladder_b.cu). T: float, half, __nv_bfloat16.
template <class T>
const std::vector<RelationRung<T>>& relation_rungs();

/// The first rungs by name. In brackets: the alignment in bytes of a and b, then of y.
cudaError_t logical_u8(LogicalOp op, const Byte* a, const Byte* b, Byte* y, std::int64_t n,
                       cudaStream_t stream);  // [1, 1]
template <class T>
cudaError_t relation_naive(RelationOp op, const T* a, const T* b, Byte* y, std::int64_t n,
                           cudaStream_t stream);  // [sizeof(T), 1]

/// The last rung in bytes. Integers (int8, int32, int64) too: the operator uses it.
template <class T>
cudaError_t relation_pdl(RelationOp op, const T* a, const T* b, Byte* y, std::int64_t n,
                         cudaStream_t stream);  // [16, 16 / sizeof(T)]

/// Any two shapes that broadcast, by 64-bit division: And, Or, Xor; and relations, of std::int32_t too.
/// `broadcast` comes from broadcast_strides() or make_broadcast().
cudaError_t logical_strided(LogicalOp op, const Broadcast& broadcast, const Byte* in0,
                            const Byte* in1, Byte* out, cudaStream_t stream);  // [1, 1]
template <class T>
cudaError_t relation_strided(RelationOp op, const Broadcast& broadcast, const T* in0, const T* in1,
                             Byte* out, cudaStream_t stream);  // [sizeof(T), 1]

/// c, a, b and y as where(). [1 and sizeof(T)], [16 / sizeof(T) and 16]
template <class T>
cudaError_t where_naive(const Byte* c, const T* a, const T* b, T* y, std::int64_t n,
                        cudaStream_t stream);
template <class T>
cudaError_t where_pack(const Byte* c, const T* a, const T* b, T* y, std::int64_t n,
                       cudaStream_t stream);

/// The reader's rung and its claims (your_logical_relation.cuh): a > b as bytes.
cudaError_t your_logical_relation(const half* a, const half* b, Byte* y, std::int64_t n,
                                  cudaStream_t stream);
RungClaims your_logical_relation_claims();
inline RelationRung<half> your_relation_rung() {
  const RungClaims claims = your_logical_relation_claims();
  const auto launch = [](RelationOp, const half* a, const half* b, Byte* y, std::int64_t n,
                         cudaStream_t stream) { return your_logical_relation(a, b, y, n, stream); };
  return {"your_relation", launch, claims.per_thread, claims.alignment,
          static_cast<std::size_t>(std::min(claims.per_thread, 16))};
}

}  // namespace tutorial
