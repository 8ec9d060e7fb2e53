// What broadcasting means, in the plainest way: every element of the result by its index along
// every dimension. Nothing of the launchers or of common/broadcast.h's strides is used here.
#pragma once

#include <cstdint>
#include <vector>

#include "common/proof/broadcast_cases.h"

namespace tutorial {

/// op(a, b) for every element of the result of two operands that broadcast.
template <class T, class Op>
std::vector<T> broadcast_reference(const test::ShapePair& shapes, const std::vector<T>& in0,
                                   const std::vector<T>& in1, const Op& op) {
  return test::expected_of<T>(shapes, in0, in1, op);
}

/// An operand written out in the result's shape: `which` is 0 or 1.
template <class T>
std::vector<T> expanded(const test::ShapePair& shapes, const std::vector<T>& values, int which) {
  std::vector<T> all;
  test::walk_broadcast(shapes, [&](std::int64_t, std::int64_t i0, std::int64_t i1) {
    all.push_back(values[static_cast<std::size_t>(which == 0 ? i0 : i1)]);
  });
  return all;
}

/// Where NHWC8 storage keeps the element at `index` of a tensor of shape `shape`, (N, C, ...): the
/// channel is innermost, padded to a multiple of eight. Both have the same number of dimensions, at
/// least two; along a size of 1 the index does not count.
inline std::int64_t nhwc8_reference_index(const TensorShape& shape, const TensorShape& index) {
  const auto along = [&](std::size_t d) { return shape[d] == 1 ? 0 : index[d]; };
  std::int64_t position = along(0);
  for (std::size_t d = 2; d < shape.size(); ++d) position = position * shape[d] + along(d);
  return position * ((shape[1] + 7) / 8 * 8) + along(1);
}

}  // namespace tutorial
