// Broadcasting on the host: the result's shape, strides, merged dimensions.

#include "common/broadcast.h"

#include <algorithm>
#include <limits>

#include "common/refusal.h"

namespace tutorial {
namespace {

/// Whether the elements of the shape can be counted in 63 bits. A size of 0 makes any shape empty,
/// but only what could be counted without it is accepted: no stride may overflow either.
bool is_countable(const TensorShape& shape) {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) {
    const std::int64_t factor = std::max<std::int64_t>(size, 1);
    if (product > std::numeric_limits<std::int64_t>::max() / factor) return false;
    product *= factor;
  }
  return true;
}

cudaError_t check_shape(const TensorShape& shape) {
  if (shape.size() > kMaxDimensions) {
    return refuse(cudaErrorInvalidValue, "a shape of " + std::to_string(shape.size()) +
                                             " dimensions, and at most " +
                                             std::to_string(kMaxDimensions) + " are supported");
  }
  for (const std::int64_t size : shape) {
    if (size < 0) {
      return refuse(cudaErrorInvalidValue,
                    "the shape " + to_string(shape) + " has a negative size");
    }
  }
  if (!is_countable(shape)) {
    return refuse(cudaErrorInvalidValue,
                  "the shape " + to_string(shape) + " has 2^63 elements or more");
  }
  return cudaSuccess;
}

/// The strides of a contiguous tensor in elements, 0 where its size is 1.
TensorShape strides_of(const TensorShape& shape) {
  TensorShape strides(shape.size(), 0);
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = shape[i] == 1 ? 0 : step;
    step *= shape[i];
  }
  return strides;
}

}  // namespace

std::string to_string(const TensorShape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

TensorShape pad_tensor_shape(const TensorShape& shape, std::size_t rank) {
  TensorShape padded(shape.size() < rank ? rank - shape.size() : 0, 1);
  padded.insert(padded.end(), shape.begin(), shape.end());
  return padded;
}

cudaError_t broadcast_shape(const TensorShape& shape0, const TensorShape& shape1,
                            TensorShape* out) {
  for (const TensorShape* shape : {&shape0, &shape1}) {
    if (const cudaError_t error = check_shape(*shape); error != cudaSuccess) return error;
  }
  const std::size_t rank = std::max(shape0.size(), shape1.size());
  TensorShape result = pad_tensor_shape(shape0, rank);
  const TensorShape other = pad_tensor_shape(shape1, rank);
  for (std::size_t i = 0; i < rank; ++i) {
    if (result[i] == 1) {
      result[i] = other[i];
    } else if (other[i] != 1 && other[i] != result[i]) {
      return refuse(cudaErrorInvalidValue, "the shapes " + to_string(shape0) + " and " +
                                               to_string(shape1) +
                                               " do not broadcast: " + std::to_string(result[i]) +
                                               " meets " + std::to_string(other[i]));
    }
  }
  if (!is_countable(result)) {
    return refuse(cudaErrorInvalidValue, "the shapes " + to_string(shape0) + " and " +
                                             to_string(shape1) +
                                             " broadcast to 2^63 elements or more");
  }
  *out = std::move(result);
  return cudaSuccess;
}

std::int64_t elements_of(const TensorShape& shape) {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) product *= size;
  return product;
}

Broadcast broadcast_strides(const TensorShape& shape0, const TensorShape& shape1) {
  const std::size_t rank = std::max(shape0.size(), shape1.size());
  const TensorShape padded0 = pad_tensor_shape(shape0, rank);
  const TensorShape padded1 = pad_tensor_shape(shape1, rank);
  const TensorShape strides0 = strides_of(padded0), strides1 = strides_of(padded1);
  Broadcast broadcast;
  broadcast.rank = static_cast<int>(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    broadcast.extent[i] = padded0[i] == 1 ? padded1[i] : padded0[i];
    broadcast.stride0[i] = strides0[i];
    broadcast.stride1[i] = strides1[i];
    broadcast.elements *= broadcast.extent[i];
  }
  return broadcast;
}

Broadcast merge_dimensions(const Broadcast& broadcast) {
  Broadcast merged;
  merged.elements = broadcast.elements;
  for (int i = 0; i < broadcast.rank; ++i) {
    const std::int64_t extent = broadcast.extent[i];
    const std::int64_t stride0 = broadcast.stride0[i], stride1 = broadcast.stride1[i];
    if (extent == 1) continue;
    const int outer = merged.rank - 1;
    const bool even = outer >= 0 && merged.stride0[outer] == stride0 * extent &&
                      merged.stride1[outer] == stride1 * extent;
    const int at = even ? outer : merged.rank++;
    merged.extent[at] = even ? merged.extent[outer] * extent : extent;
    merged.stride0[at] = stride0;
    merged.stride1[at] = stride1;
  }
  return merged;
}

cudaError_t make_broadcast(const TensorShape& shape0, const TensorShape& shape1, Broadcast* out) {
  TensorShape result;
  const cudaError_t error = broadcast_shape(shape0, shape1, &result);
  if (error == cudaSuccess) *out = merge_dimensions(broadcast_strides(shape0, shape1));
  return error;
}

}  // namespace tutorial
