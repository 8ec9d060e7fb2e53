// Ladder B, host side: two operands of different shapes.
//
// Every launcher takes an ArithmeticCall first (op.h), then what it has to know of the shapes, and
// keeps the promises of common/rung.h:
//   call.op               contiguous.h says what each of the nine answers
//   call.in0, in1, out    aligned to their element unless the launcher says otherwise; out may be an
//                         operand that has the result's shape
//   call.scales           of int8 (contiguous.h); other types ignore them
// cudaErrorInvalidValue also answers an unknown operation, a bad scale, numbers that describe no
// broadcast, and a broadcast that the rung does not take; last_refusal() (common/refusal.h) says
// which. Indices have 64 bits; the rungs that count in 32 bits say so, and refuse what is too large
// for them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <vector>

#include "04_arithmetic/launchers/op.h"
#include "common/broadcast.h"
#include "common/rung.h"
#include "common/types.h"

namespace tutorial {

// ---- One operand has the result's n elements, the other is shorter ------------------------------
// `first_shorter` says that in0 is the shorter one.

/// B1. The shorter operand is one element: (64,256,56,56) with (1,).
template <class T>
cudaError_t arithmetic_one_scalar(const ArithmeticCall<T>& call, std::int64_t n,
                                  bool first_shorter);

/// B2. The shorter operand has the last `inner` elements: (64,256,56,56) with (56,), inner = 56.
/// inner >= 1, and n is a multiple of it.
template <class T>
cudaError_t arithmetic_one_dimension(const ArithmeticCall<T>& call, std::int64_t n,
                                     std::int64_t inner, bool first_shorter);

/// B3. The shorter operand is a vector along one axis: (64,256,56,56) with (1,256,1,1), axis = 256
/// and inner = 56 * 56. Both are >= 1, and n is a multiple of axis * inner.
template <class T>
cudaError_t arithmetic_one_not_broadcast(const ArithmeticCall<T>& call, std::int64_t n,
                                         std::int64_t axis, std::int64_t inner, bool first_shorter);

/// B4. The shorter operand lacks one axis: (64,256,56,56) with (64,1,56,56), inner = 56 * 56 and
/// outer_stride = 256 * inner. inner >= 1, outer_stride is a multiple of it, and n of outer_stride.
template <class T>
cudaError_t arithmetic_one_broadcast(const ArithmeticCall<T>& call, std::int64_t n,
                                     std::int64_t outer_stride, std::int64_t inner,
                                     bool first_shorter);

// ---- Any two shapes: a Broadcast (common/broadcast.h) -------------------------------------------

/// What every launcher below checks of a Broadcast first: 0 to 7 dimensions, extents and strides
/// that are not negative, `elements` the product of the extents, and no place in an operand beyond
/// 2^63 - 1. cudaErrorInvalidValue with a sentence otherwise.
cudaError_t check_broadcast(const Broadcast& broadcast);

/// B5. Up to 7 dimensions, a 64-bit division and a remainder for each.
template <class T>
cudaError_t arithmetic_strided(const ArithmeticCall<T>& call, const Broadcast& broadcast);

/// B6. The same kernel on as few dimensions as there can be.
template <class T>
cudaError_t arithmetic_strided_merged(const ArithmeticCall<T>& call, const Broadcast& broadcast);

/// Whether every index of the broadcast, merged, is below 2^32.
bool fits_32_bits(const Broadcast& broadcast);

/// B7. Indices of 32 bits: takes what fits_32_bits().
template <class T>
cudaError_t arithmetic_strided_32(const ArithmeticCall<T>& call, const Broadcast& broadcast);

/// B8. Division by multiplication: takes what fits_32_bits().
template <class T>
cudaError_t arithmetic_strided_fast(const ArithmeticCall<T>& call, const Broadcast& broadcast);

/// Whether the broadcast, merged, has at most three dimensions, and both operands are contiguous or
/// broadcast along the last.
bool fits_rows(const Broadcast& broadcast);

/// B9. The grid counts rows, sixteen bytes of one a thread: takes what fits_rows().
template <class T>
cudaError_t arithmetic_rows(const ArithmeticCall<T>& call, const Broadcast& broadcast);

/// Whether both operands lie in memory as contiguous tensors do, as in every Broadcast that
/// make_broadcast() and broadcast_strides() make.
bool is_of_shapes(const Broadcast& broadcast);

/// B10. Sixteen bytes of the result a thread, a width for each operand, any broadcast of any size
/// (common/broadcast.cuh). The operator ends here.
template <class T>
cudaError_t arithmetic_packed(const ArithmeticCall<T>& call, const Broadcast& broadcast);

/// Whether the broadcast, merged, consists of whole groups of eight: along the last dimension both
/// operands are contiguous, its extent is a multiple of 8, and so are all other strides.
bool fits_half8(const Broadcast& broadcast);

template <class T>
struct BroadcastRung {
  std::string name;
  bool (*claims)(const Broadcast&);  ///< whether the rung takes this one
  cudaError_t (*launch)(const ArithmeticCall<T>&, const Broadcast&);
};

/// The ladder, in reading order (broadcast_launch.cuh). T: float, half, __nv_bfloat16, std::int32_t,
/// std::int64_t, and std::int8_t with scales.
template <class T>
const std::vector<BroadcastRung<T>>& arithmetic_broadcast_rungs();

/// Beside the ladder: B5 in units of eight halves, through shared memory. Takes what fits_half8();
/// pointers aligned to 16 bytes; `threads` a block, any number that a block may have.
cudaError_t arithmetic_fp16_strided(const ArithmeticCall<half>& call, const Broadcast& broadcast,
                                    int threads = 128);

/// Your rung: in0 holds n elements, images of `channels` planes of `pixels`, and in1 one for each
/// channel. in0 and out are aligned as your_arithmetic.cuh claims, and `pixels` is a multiple of the
/// elements that a thread takes. It adds.
cudaError_t your_arithmetic(const half* in0, const half* in1, half* out, std::int64_t n,
                            std::int64_t channels, std::int64_t pixels, cudaStream_t stream);
RungClaims your_arithmetic_claims();

// ---- Which of the four forms a broadcast is -----------------------------------------------------
// All of these merge first, so that (1,256,1,1), (256,1,1) and (256,1,1) in front of any number of
// ones are the same form. They exclude each other. A broadcast for which all five are false takes
// strides.

bool is_nobroadcast(const Broadcast& broadcast);        ///< both have the result's shape
bool is_one_scalar(const Broadcast& broadcast);         ///< (n) with (1)
bool is_one_dimension(const Broadcast& broadcast);      ///< (n, inner) with (inner)
bool is_one_not_broadcast(const Broadcast& broadcast);  ///< (outer, axis, inner) with (axis, 1)
bool is_one_broadcast(const Broadcast& broadcast);  ///< (outer, m, inner) with (outer, 1, inner)

/// For the four forms: whether in0 is the shorter operand.
bool is_first_shorter(const Broadcast& broadcast);

/// The reader's rung: it adds, and takes a second operand with a value for each channel.
inline BroadcastRung<half> your_arithmetic_rung() {
  const auto claims = [](const Broadcast& broadcast) {
    const Broadcast merged = merge_dimensions(broadcast);
    return is_one_not_broadcast(merged) && !is_first_shorter(merged) &&
           merged.extent[merged.rank - 1] % your_arithmetic_claims().per_thread == 0;
  };
  return {"your_arithmetic", claims,
          [](const ArithmeticCall<half>& call, const Broadcast& broadcast) {
            const Broadcast merged = merge_dimensions(broadcast);
            const int last = merged.rank - 1;
            return your_arithmetic(call.in0, call.in1, call.out, merged.elements,
                                   merged.extent[last - 1], merged.extent[last], call.stream);
          }};
}

}  // namespace tutorial
