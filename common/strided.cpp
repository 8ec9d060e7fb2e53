// From the layouts of tensors to the loop that a kernel walks.

#include "common/strided.h"

#include <algorithm>
#include <limits>
#include <string>

#include "common/refusal.h"

namespace tutorial {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

cudaError_t refuse_layout(const std::string& who, const std::string& why) {
  return refuse(cudaErrorInvalidValue, who + " " + why);
}

/// One dimension of a loop that may have any number of them.
struct Dimension {
  std::int64_t extent;
  std::int64_t stride[kMaxTensors];
};
using Dimensions = std::vector<Dimension>;

/// Gives the dimensions the operand's strides: 0 where it is broadcast.
cudaError_t add_operand(Dimensions& dimensions, const TensorLayout& layout, int tensor,
                        const TensorShape& result) {
  const std::string who = "in" + std::to_string(tensor - 1);
  if (const cudaError_t error = check_layout(layout, who); error != cudaSuccess) return error;
  const std::size_t rank = layout.shape.size();
  bool fits = rank <= dimensions.size();
  for (std::size_t d = 0; fits && d < rank; ++d) {
    Dimension& at = dimensions[dimensions.size() - rank + d];
    fits = layout.shape[d] == at.extent || layout.shape[d] == 1;
    at.stride[tensor] = layout.shape[d] == 1 ? 0 : layout.strides[d];
  }
  return fits ? cudaSuccess
              : refuse_layout(who, "has the shape " + to_string(layout.shape) +
                                       ", which does not broadcast to the result's, " +
                                       to_string(result));
}

/// Leaves out the dimensions of size 1, and puts the others into the order of the result's strides.
void order(Dimensions& dimensions) {
  const auto is_one = [](const Dimension& one) { return one.extent == 1; };
  dimensions.erase(std::remove_if(dimensions.begin(), dimensions.end(), is_one), dimensions.end());
  std::stable_sort(
      dimensions.begin(), dimensions.end(),
      [](const Dimension& a, const Dimension& b) { return a.stride[0] > b.stride[0]; });
}

/// Whether no two elements of the result can share a place: each step leads past all inner ones.
bool is_apart(const Dimensions& ordered) {
  std::int64_t last = 0;
  for (auto one = ordered.rbegin(); one != ordered.rend(); ++one) {
    if (one->stride[0] <= last) return false;
    last += (one->extent - 1) * one->stride[0];
  }
  return true;
}

/// Neighbours through which every tensor steps evenly become one.
void merge(Dimensions& dimensions) {
  Dimensions merged;
  for (const Dimension& one : dimensions) {
    bool even = !merged.empty();
    for (int t = 0; even && t < kMaxTensors; ++t) {
      even = merged.back().stride[t] == one.stride[t] * one.extent;
    }
    const std::int64_t outer = even ? merged.back().extent : 1;
    if (even) merged.pop_back();
    merged.push_back(one);
    merged.back().extent *= outer;
  }
  dimensions = std::move(merged);
}

}  // namespace

cudaError_t check_layout(const TensorLayout& layout, const std::string& who) {
  if (layout.strides.size() != layout.shape.size()) {
    return refuse_layout(who, "has " + std::to_string(layout.shape.size()) + " sizes and " +
                                  std::to_string(layout.strides.size()) + " strides");
  }
  std::int64_t elements = 1, last = 0;
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    const std::int64_t size = layout.shape[d], stride = layout.strides[d];
    if (size < 0) return refuse_layout(who, "has a negative size");
    if (stride < 0) return refuse_layout(who, "has a negative stride: pass a copy of it");
    const std::int64_t steps = std::max<std::int64_t>(size - 1, 0);
    if ((size > 0 && elements > kMost / size) ||
        (steps > 0 && stride > (kMost - 1 - last) / steps)) {
      return refuse_layout(who, "reaches beyond 2^63 - 1 elements");
    }
    elements *= std::max<std::int64_t>(size, 1);
    last += steps * stride;
  }
  return cudaSuccess;
}

TensorLayout contiguous_layout(const TensorShape& shape) {
  TensorLayout layout{shape, std::vector<std::int64_t>(shape.size())};
  std::int64_t step = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    layout.strides[d] = step;
    step *= std::max<std::int64_t>(shape[d], 1);
  }
  return layout;
}

cudaError_t make_strided_loop(const TensorLayout& result, const std::vector<TensorLayout>& operands,
                              StridedLoop* out) {
  if (const cudaError_t error = check_layout(result, "the result"); error != cudaSuccess) {
    return error;
  }
  Dimensions dimensions;
  for (std::size_t d = 0; d < result.shape.size(); ++d) {
    dimensions.push_back({result.shape[d], {result.strides[d]}});
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const cudaError_t error =
        add_operand(dimensions, operands[i], static_cast<int>(i) + 1, result.shape);
    if (error != cudaSuccess) return error;
  }
  StridedLoop loop;
  loop.tensors = static_cast<int>(operands.size()) + 1;
  loop.elements = elements_of(result.shape);
  if (loop.elements > 0) {
    order(dimensions);
    if (!is_apart(dimensions)) {
      return refuse_layout("the result",
                           "has two elements that may share a place: pass a copy of it");
    }
    merge(dimensions);
    if (dimensions.size() > kMaxDimensions) {
      return refuse_layout("the operation", "has " + std::to_string(dimensions.size()) +
                                                " dimensions that do not merge, and at most " +
                                                std::to_string(kMaxDimensions) + " are supported");
    }
    for (const Dimension& one : dimensions) {
      loop.extent[loop.rank] = one.extent;
      for (int t = 0; t < loop.tensors; ++t) loop.stride[t][loop.rank] = one.stride[t];
      ++loop.rank;
    }
  }
  *out = loop;
  return cudaSuccess;
}

bool is_contiguous(const StridedLoop& loop) {
  if (loop.rank > 1) return false;
  for (int t = 0; t < loop.tensors; ++t) {
    if (loop.rank == 1 && loop.stride[t][0] != 1) return false;
  }
  return true;
}

bool is_broadcast(const StridedLoop& loop) {
  for (int d = 0; d < loop.rank; ++d) {
    if (loop.stride[1][d] == 0 && loop.stride[2][d] == 0) return false;
  }
  for (int t = 0; t < loop.tensors; ++t) {
    std::int64_t step = 1;
    for (int d = loop.rank - 1; d >= 0; --d) {
      if (t > 0 && loop.stride[t][d] == 0) continue;
      if (loop.stride[t][d] != step) return false;
      step *= loop.extent[d];
    }
  }
  return true;
}

Broadcast to_broadcast(const StridedLoop& loop) {
  Broadcast broadcast;
  broadcast.rank = loop.rank;
  broadcast.elements = loop.elements;
  std::copy_n(loop.extent, loop.rank, broadcast.extent);
  std::copy_n(loop.stride[1], loop.rank, broadcast.stride0);
  std::copy_n(loop.stride[2], loop.rank, broadcast.stride1);
  return broadcast;
}

StridedLoop to_loop(const Broadcast& broadcast) {
  StridedLoop loop;
  loop.rank = broadcast.rank;
  loop.tensors = 3;
  std::copy_n(broadcast.extent, loop.rank, loop.extent);
  std::copy_n(broadcast.stride0, loop.rank, loop.stride[1]);
  std::copy_n(broadcast.stride1, loop.rank, loop.stride[2]);
  for (int d = loop.rank - 1; d >= 0; --d) {
    loop.stride[0][d] = loop.elements;
    loop.elements *= loop.extent[d];
  }
  return loop;
}

std::int64_t span_of(const StridedLoop& loop, int tensor) {
  std::int64_t last = 0;
  for (int d = 0; d < loop.rank; ++d) last += (loop.extent[d] - 1) * loop.stride[tensor][d];
  return last + 1;
}

StridedLoop slice(const StridedLoop& loop, std::int64_t begin, std::int64_t end) {
  StridedLoop part = loop;
  part.elements = loop.elements / loop.extent[0] * (end - begin);
  part.extent[0] = end - begin;
  if (end - begin > 1) return part;
  --part.rank;
  std::copy_n(loop.extent + 1, part.rank, part.extent);
  for (int t = 0; t < loop.tensors; ++t) std::copy_n(loop.stride[t] + 1, part.rank, part.stride[t]);
  return part;
}

}  // namespace tutorial
