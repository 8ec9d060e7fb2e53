// Ladder C, host side: images in NHWC8 storage.
//
// A tensor of shape (N, C, ...) has its elements counted in NDARRAY (NCHW) order; NHWC8 storage
// keeps them with the channel innermost, padded to a multiple of eight: (N, ..., C8), where C8 is C
// rounded up to the next multiple. A tensor with one channel has seven elements of padding behind
// each. The padding belongs to no element: no result depends on an operand's. The operator and C2
// write zeros, all bits 0, into the result's; C1, the library's kernel, does not touch it.
//
// Both shapes are padded with 1s in front to the same number of dimensions, then broadcast as
// everywhere else. That number is at least 2, for there has to be an axis for the channels, the
// second; so a scalar beside (N, C, H, W) is (1, 1, 1, 1), and eight elements of memory, of which
// the first counts.
//
// Every launcher here keeps the promises of the operator in arithmetic.h, for storage in place of
// row-major tensors. Errors: also cudaErrorInvalidValue for shapes of fewer than 2 dimensions, and
// for storage of 2^63 elements or more.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <vector>

#include "04_arithmetic/launchers/op.h"
#include "common/broadcast.h"

namespace tutorial {

/// One operation on NHWC8 storage: the dimensions of the result in NDARRAY order, what remains of
/// the index below each, and how far each tensor moves in its storage for one step along each.
/// Strides of 0 are broadcasting, along any axes.
struct NhwcBroadcast {
  int rank = 0;  ///< 2 to 7
  std::int64_t extent[kMaxDimensions] = {};
  std::int64_t stride_ndarray[kMaxDimensions] = {};
  std::int64_t stride0[kMaxDimensions] = {};
  std::int64_t stride1[kMaxDimensions] = {};
  std::int64_t stride_out[kMaxDimensions] = {};
  std::int64_t elements = 0;  ///< of the result, without padding
};

/// The elements that NHWC8 storage of the shape has, padding included. At least 2 dimensions.
std::int64_t nhwc8_elements(const TensorShape& shape);

/// Validates, pads, broadcasts. Errors as above.
cudaError_t make_nhwc_broadcast(const TensorShape& shape0, const TensorShape& shape1,
                                NhwcBroadcast* out);

// ---- The operator -------------------------------------------------------------------------------

/// out = op(in0, in1) on NHWC8 storage: by packs where all three pointers are aligned to 16 bytes
/// and 32 bits suffice for the indices; otherwise one element a thread, and a second kernel for the
/// padding. [sizeof(T)]
template <class T>
cudaError_t arithmetic_nhwc(const ArithmeticCall<T>& call, const TensorShape& shape0,
                            const TensorShape& shape1);

template <class T>
struct NhwcRung {
  std::string name;
  cudaError_t (*launch)(const ArithmeticCall<T>&, const TensorShape&, const TensorShape&);
  std::size_t alignment;  ///< bytes that in0, in1 and out need
  bool writes_zeros;      ///< as the result's padding; otherwise it keeps its value
};

/// The operator, and behind it the ladder (nhwc_launch.cuh). T as above.
template <class T>
const std::vector<NhwcRung<T>>& arithmetic_nhwc_rungs();

// ---- The ladder. In brackets: the alignment in bytes that in0, in1 and out need -----------------

/// C1: the index in NDARRAY order, a 64-bit division for each dimension, three offsets. The result's
/// padding keeps its value. [sizeof(T)]
template <class T>
cudaError_t arithmetic_limit_nhwc(const ArithmeticCall<T>& call, const TensorShape& shape0,
                                  const TensorShape& shape1);

/// Whether storage of the result and of both operands has fewer than 2^32 elements, as C2 needs.
bool fits_nhwc_pack(const TensorShape& shape0, const TensorShape& shape1);

/// C2: storage order, up to 16 bytes and never more than eight channels a thread, division by
/// multiplication, a width for each operand, zeros as padding. Takes what fits_nhwc_pack(). [16]
template <class T>
cudaError_t arithmetic_nhwc_pack(const ArithmeticCall<T>& call, const TensorShape& shape0,
                                 const TensorShape& shape1);

}  // namespace tutorial
