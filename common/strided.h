// Tensors as they lie in memory: a shape with a stride for each dimension. Host code; the kernels are in
// strided.cuh.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/broadcast.h"

namespace tutorial {

/// How the elements of a tensor lie: how many there are along each dimension, outermost first, and how
/// far one step along it moves, in elements. A stride of 0 repeats an element.
struct TensorLayout {
  TensorShape shape;
  std::vector<std::int64_t> strides;  ///< as many as the shape has sizes
};

/// The layout of a row-major tensor without gaps.
TensorLayout contiguous_layout(const TensorShape& shape);

/// The checks of one tensor's layout, called `who` in last_refusal(): cudaErrorInvalidValue for a negative
/// size or stride, sizes and strides that differ in number, or 2^63 elements or places.
cudaError_t check_layout(const TensorLayout& layout, const std::string& who);

/// A tensor that somebody else owns.
template <class T>
struct TensorView {
  using Element = T;
  T* data;  ///< its first element
  TensorLayout layout;
};

/// A tensor without gaps.
template <class T>
TensorView<T> contiguous_view(T* data, const TensorShape& shape) {
  return {data, contiguous_layout(shape)};
}

/// The most tensors of one operation: a result and three operands.
inline constexpr int kMaxTensors = 4;

/// An elementwise operation on tensors of any strides: its dimensions, outermost first, and for each
/// tensor the stride along each, in elements. Tensor 0 is the result.
///
/// The dimensions are in the order of the result's strides, those of size 1 are left out, and
/// neighbours through which every tensor steps evenly are one.
struct StridedLoop {
  int rank = 0;     ///< 0: a single element
  int tensors = 0;  ///< the result included
  std::int64_t extent[kMaxDimensions] = {};
  std::int64_t stride[kMaxTensors][kMaxDimensions] = {};
  std::int64_t elements = 1;
};

/// When launch_strided() (strided.cuh) changes its method; a test lowers the limit, and asks for pieces everywhere.
struct StridedLimits {
  /// Elements, and a tensor's span, of a launch.
  std::int64_t most = (std::int64_t{1} << 31) - 4096;
  /// Load pieces (strided_pieces_kernel) wherever that is possible, and not only where it is faster.
  bool always_in_pieces = false;
};

/// The loop of an operation that gives `result`; every operand broadcasts to the result's shape.
///
/// Errors, each with its sentence in last_refusal() and nothing written to `out`: cudaErrorInvalidValue
/// for a negative size or stride, a layout whose sizes and strides differ in number, an operand that does
/// not broadcast, a result of which two elements may share a place, a tensor that reaches beyond
/// 2^63 - 1 elements, or more than kMaxDimensions dimensions in the loop.
cudaError_t make_strided_loop(const TensorLayout& result, const std::vector<TensorLayout>& operands,
                              StridedLoop* out);

/// Whether all tensors are arrays of the same order, without gaps.
bool is_contiguous(const StridedLoop& loop);

/// Whether the loop is a broadcast of two operands without gaps to a result without gaps
/// (broadcast.h): of two operands, of which at least one has each of the dimensions.
bool is_broadcast(const StridedLoop& loop);

/// The same in the other form, its dimensions as they are.
Broadcast to_broadcast(const StridedLoop& loop);
StridedLoop to_loop(const Broadcast& broadcast);

/// The places from a tensor's first element to its last: 1 for a single element.
std::int64_t span_of(const StridedLoop& loop, int tensor);

/// The part that lies `begin` to `end` (excluded) along the outermost dimension.
StridedLoop slice(const StridedLoop& loop, std::int64_t begin, std::int64_t end);

}  // namespace tutorial
