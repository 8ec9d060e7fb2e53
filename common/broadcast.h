// What two shapes have to do with each other: broadcasting on the host, before a kernel runs.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <vector>

// Pure functions, no kernel. A shape is a vector of sizes, outermost dimension first; {} is a
// scalar. The element order of every tensor is row-major ("NDARRAY", NCHW for images): the last
// dimension is contiguous.

namespace tutorial {

using TensorShape = std::vector<std::int64_t>;

/// The most dimensions that a tensor may have here.
inline constexpr int kMaxDimensions = 7;

/// "(64, 256, 56, 56)"; "()" for a scalar, "(3,)" for a vector.
std::string to_string(const TensorShape& shape);

/// The shape with 1s put in front until it has `rank` dimensions; as it is if it has more.
TensorShape pad_tensor_shape(const TensorShape& shape, std::size_t rank);

/// Finds the shape of an operation on tensors of these shapes: aligned at the last dimension, sizes
/// are equal or one of them is 1 (a size of 0 meets 0 or 1 and gives 0).
///
/// Errors, each with its sentence in last_refusal() and nothing written to `out`: all are
/// cudaErrorInvalidValue. More than kMaxDimensions dimensions; a negative size; sizes that do not
/// broadcast; a shape, or the result, of 2^63 elements or more.
cudaError_t broadcast_shape(const TensorShape& shape0, const TensorShape& shape1, TensorShape* out);

/// The elements of a shape; its sizes must not be negative, nor their product exceed 2^63 - 1.
std::int64_t elements_of(const TensorShape& shape);

/// One elementwise operation on two tensors, as a kernel needs to know it: the dimensions of the
/// result, outermost first, and how far each operand moves in memory, in elements, for one step
/// along each. Stride 0 is broadcasting. The result is contiguous.
struct Broadcast {
  int rank = 0;  ///< 0: a single element
  std::int64_t extent[kMaxDimensions] = {};
  std::int64_t stride0[kMaxDimensions] = {};
  std::int64_t stride1[kMaxDimensions] = {};
  std::int64_t elements = 1;  ///< of the result
};

/// The broadcast of two shapes, a dimension for each of theirs, nothing merged. The shapes must
/// broadcast (see broadcast_shape()).
Broadcast broadcast_strides(const TensorShape& shape0, const TensorShape& shape1);

/// The same operation in as few dimensions as there can be: those of size 1 are dropped, and
/// neighbours become one wherever both operands step evenly through them, that is, where an
/// operand's stride in the outer one is its stride in the inner one times the inner extent. (An
/// operand that is broadcast in both has 0 = 0 * extent.)
///
/// (64,256,56,56) with (256,1,1): three dimensions, 64 x 256 x 3136, the second operand's strides
/// 0, 1, 0. Two equal shapes: one dimension.
Broadcast merge_dimensions(const Broadcast& broadcast);

/// Validates, pads, broadcasts and merges. Errors as broadcast_shape().
cudaError_t make_broadcast(const TensorShape& shape0, const TensorShape& shape1, Broadcast* out);

}  // namespace tutorial
