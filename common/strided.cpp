// From the layouts of tensors to the loop that a kernel walks.

#include "common/strided.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "common/refusal.h"

namespace tutorial {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

cudaError_t refuse_layout(const std::string& who, const std::string& why) {
  return refuse(cudaErrorInvalidValue, who + " " + why);
}

cudaError_t check_layout(const TensorLayout& layout, const std::string& who) {
  if (layout.shape.size() > kMaxDimensions) {
    return refuse_layout(who, "has " + std::to_string(layout.shape.size()) +
                                  " dimensions, and at most " + std::to_string(kMaxDimensions) +
                                  " are supported");
  }
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

/// The layout with the dimensions of the result: a stride of 0 where it is broadcast.
cudaError_t broadcast_layout(const TensorLayout& layout, const TensorShape& result,
                             const std::string& who, std::int64_t* strides) {
  const std::size_t rank = layout.shape.size();
  bool fits = rank <= result.size();
  for (std::size_t d = 0; fits && d < rank; ++d) {
    const std::size_t at = result.size() - rank + d;
    fits = layout.shape[d] == result[at] || layout.shape[d] == 1;
    strides[at] = layout.shape[d] == 1 ? 0 : layout.strides[d];
  }
  return fits ? cudaSuccess
              : refuse_layout(who, "has the shape " + to_string(layout.shape) +
                                       ", which does not broadcast to the result's, " +
                                       to_string(result));
}

/// Without dimensions of size 1, and in the order of the result's strides.
StridedLoop in_order(const StridedLoop& loop) {
  StridedLoop ordered = loop;
  int order[kMaxDimensions];
  std::iota(order, order + loop.rank, 0);
  int* const end =
      std::remove_if(order, order + loop.rank, [&](int d) { return loop.extent[d] == 1; });
  std::stable_sort(order, end, [&](int a, int b) { return loop.stride[0][a] > loop.stride[0][b]; });
  ordered.rank = static_cast<int>(end - order);
  for (int d = 0; d < ordered.rank; ++d) {
    ordered.extent[d] = loop.extent[order[d]];
    for (int t = 0; t < loop.tensors; ++t) ordered.stride[t][d] = loop.stride[t][order[d]];
  }
  return ordered;
}

StridedLoop merged(const StridedLoop& loop) {
  StridedLoop result = loop;
  result.rank = 0;
  for (int d = 0; d < loop.rank; ++d) {
    bool even = result.rank > 0;
    for (int t = 0; even && t < loop.tensors; ++t) {
      even = result.stride[t][result.rank - 1] == loop.stride[t][d] * loop.extent[d];
    }
    const int at = even ? result.rank - 1 : result.rank++;
    result.extent[at] = even ? result.extent[at] * loop.extent[d] : loop.extent[d];
    for (int t = 0; t < loop.tensors; ++t) result.stride[t][at] = loop.stride[t][d];
  }
  return result;
}

/// Whether no two elements of the result can share a place: each step leads past all inner ones.
bool is_apart(const StridedLoop& ordered) {
  std::int64_t last = 0;
  for (int d = ordered.rank - 1; d >= 0; --d) {
    if (ordered.stride[0][d] <= last) return false;
    last += (ordered.extent[d] - 1) * ordered.stride[0][d];
  }
  return true;
}

}  // namespace

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
  StridedLoop loop;
  loop.rank = static_cast<int>(result.shape.size());
  loop.tensors = static_cast<int>(operands.size()) + 1;
  loop.elements = elements_of(result.shape);
  std::copy(result.shape.begin(), result.shape.end(), loop.extent);
  std::copy(result.strides.begin(), result.strides.end(), loop.stride[0]);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string who = "in" + std::to_string(i);
    cudaError_t error = check_layout(operands[i], who);
    if (error == cudaSuccess) {
      error = broadcast_layout(operands[i], result.shape, who, loop.stride[i + 1]);
    }
    if (error != cudaSuccess) return error;
  }
  if (loop.elements > 0) {
    loop = in_order(loop);
    if (!is_apart(loop)) {
      return refuse_layout("the result",
                           "has two elements that may share a place: pass a copy of it");
    }
    loop = merged(loop);
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

std::int64_t span_of(const StridedLoop& loop, int tensor) {
  std::int64_t last = 0;
  for (int d = 0; d < loop.rank; ++d) last += (loop.extent[d] - 1) * loop.stride[tensor][d];
  return last + 1;
}

StridedLoop slice(const StridedLoop& loop, std::int64_t begin, std::int64_t end) {
  StridedLoop part = loop;
  part.elements = loop.elements / loop.extent[0] * (end - begin);
  part.extent[0] = end - begin;
  return end - begin == 1 ? in_order(part) : part;
}

}  // namespace tutorial
