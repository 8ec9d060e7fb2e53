// Ladder C: storage and strides of two shapes, and the launchers for the floating-point types.
#include <algorithm>
#include <limits>
#include <string>

#include "04_arithmetic/launchers/nhwc_launch.cuh"
#include "common/types.h"

namespace tutorial {

TUTORIAL_FOR_FLOATS(TUTORIAL_ARITHMETIC_NHWC)

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// The elements of NHWC8 storage, or -1 if they exceed 2^63 - 1. As everywhere, a size of 0 does
/// not excuse the others.
std::int64_t storage_elements(const TensorShape& shape) {
  if (shape[1] > kMost - 7) return -1;
  std::int64_t product = std::max<std::int64_t>((shape[1] + 7) / 8 * 8, 1);
  bool empty = shape[1] == 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (d == 1) continue;
    empty = empty || shape[d] == 0;
    const std::int64_t factor = std::max<std::int64_t>(shape[d], 1);
    if (product > kMost / factor) return -1;
    product *= factor;
  }
  return empty ? 0 : product;
}

/// The strides of NHWC8 storage, 0 along every axis in which the tensor is broadcast: where its
/// size is 1.
void nhwc8_strides(const TensorShape& shape, std::int64_t* stride) {
  std::int64_t step = (shape[1] + 7) / 8 * 8;
  stride[1] = shape[1] == 1 ? 0 : 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (d == 1) continue;
    stride[d] = shape[d] == 1 ? 0 : step;
    step *= shape[d];
  }
}

struct Padded {
  TensorShape shape0, shape1, result;
};

Padded padded(const TensorShape& shape0, const TensorShape& shape1) {
  const std::size_t rank = std::max(shape0.size(), shape1.size());
  Padded shapes{pad_tensor_shape(shape0, rank), pad_tensor_shape(shape1, rank), {}};
  for (std::size_t d = 0; d < rank; ++d) {
    shapes.result.push_back(shapes.shape0[d] == 1 ? shapes.shape1[d] : shapes.shape0[d]);
  }
  return shapes;
}

}  // namespace

std::int64_t nhwc8_elements(const TensorShape& shape) { return storage_elements(shape); }

cudaError_t make_nhwc_broadcast(const TensorShape& shape0, const TensorShape& shape1,
                                NhwcBroadcast* out) {
  TensorShape result;
  const cudaError_t error = broadcast_shape(shape0, shape1, &result);
  if (error != cudaSuccess) return error;
  if (result.size() < 2) {
    return refuse(cudaErrorInvalidValue, "the shapes " + to_string(shape0) + " and " +
                                             to_string(shape1) +
                                             " have no second dimension for the channels");
  }
  const Padded shapes = padded(shape0, shape1);
  for (const TensorShape* shape : {&shapes.shape0, &shapes.shape1, &shapes.result}) {
    if (storage_elements(*shape) < 0) {
      return refuse(cudaErrorInvalidValue, "NHWC8 storage of the shape " + to_string(*shape) +
                                               " has 2^63 elements or more");
    }
  }
  NhwcBroadcast broadcast;
  broadcast.rank = static_cast<int>(result.size());
  broadcast.elements = 1;
  for (int d = broadcast.rank; d-- > 0;) {
    broadcast.extent[d] = result[static_cast<std::size_t>(d)];
    broadcast.stride_ndarray[d] = broadcast.elements;
    broadcast.elements *= broadcast.extent[d];
  }
  nhwc8_strides(shapes.shape0, broadcast.stride0);
  nhwc8_strides(shapes.shape1, broadcast.stride1);
  nhwc8_strides(result, broadcast.stride_out);
  *out = broadcast;
  return cudaSuccess;
}

bool fits_nhwc_pack(const TensorShape& shape0, const TensorShape& shape1) {
  constexpr std::int64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
  NhwcBroadcast ignored;
  if (make_nhwc_broadcast(shape0, shape1, &ignored) != cudaSuccess) return false;
  const Padded shapes = padded(shape0, shape1);
  return storage_elements(shapes.shape0) <= kMost32 && storage_elements(shapes.shape1) <= kMost32 &&
         storage_elements(shapes.result) <= kMost32;
}

NhwcPacks nhwc_packs(const TensorShape& shape0, const TensorShape& shape1, int width) {
  const Padded shapes = padded(shape0, shape1);
  std::int64_t stride0[kMaxDimensions], stride1[kMaxDimensions];
  nhwc8_strides(shapes.shape0, stride0);
  nhwc8_strides(shapes.shape1, stride1);

  // The result in storage order, counted in packs: the channels come last.
  const std::int64_t channels = shapes.result[1];
  Broadcast walk;
  walk.rank = static_cast<int>(shapes.result.size());
  int at = 0;
  const auto append = [&](std::int64_t extent, std::int64_t step0, std::int64_t step1) {
    walk.extent[at] = extent;
    walk.stride0[at] = step0;
    walk.stride1[at] = step1;
    walk.elements *= extent;
    ++at;
  };
  for (std::size_t d = 0; d < shapes.result.size(); ++d) {
    if (d != 1) append(shapes.result[d], stride0[d], stride1[d]);
  }
  append((channels + 7) / 8 * 8 / width, stride0[1] * width, stride1[1] * width);
  walk = merge_dimensions(walk);

  NhwcPacks packs{};
  packs.packs = static_cast<std::uint32_t>(walk.elements);
  packs.channels = static_cast<std::uint32_t>(channels);
  packs.per_pixel = FastDivisor(static_cast<std::uint32_t>((channels + 7) / 8 * 8 / width));
  packs.rank = std::max(walk.rank, 1);  // a single pack is a row of one, at offset 0
  for (int d = 0; d < walk.rank; ++d) {
    packs.extent[d] = FastDivisor(static_cast<std::uint32_t>(walk.extent[d]));
    packs.stride0[d] = static_cast<std::uint32_t>(walk.stride0[d]);
    packs.stride1[d] = static_cast<std::uint32_t>(walk.stride1[d]);
  }
  packs.access0 = stride0[1] == 0 ? NhwcAccess::splat : NhwcAccess::pack;
  packs.access1 = stride1[1] == 0 ? NhwcAccess::splat : NhwcAccess::pack;
  return packs;
}

}  // namespace tutorial
