// What the launchers of ladder B check and compute of a Broadcast before they launch. The launchers
// are in broadcast_launch.cuh; a source for each type instantiates them.
#include "04_arithmetic/launchers/broadcast.h"

#include <algorithm>
#include <limits>
#include <string>

#include "04_arithmetic/ladders/ladder_b_broadcast.cuh"
#include "04_arithmetic/launchers/broadcast_param.h"
#include "common/refusal.h"

namespace tutorial {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// The farthest place in an operand, or -1 if it is beyond 2^63 - 1.
std::int64_t farthest(const Broadcast& broadcast, const std::int64_t* stride) {
  std::int64_t offset = 0;
  for (int i = 0; i < broadcast.rank; ++i) {
    const std::int64_t steps = std::max<std::int64_t>(broadcast.extent[i] - 1, 0);
    if (steps > 0 && stride[i] > (kMost - offset) / steps) return -1;
    offset += steps * stride[i];
  }
  return offset;
}

/// The product of the extents, or -1 if it exceeds 2^63 - 1.
std::int64_t product_of_extents(const Broadcast& broadcast) {
  std::int64_t product = 1;
  for (int i = 0; i < broadcast.rank; ++i) {
    const std::int64_t extent = broadcast.extent[i];
    if (extent > 0 && product > kMost / extent) return -1;
    product *= extent;
  }
  return product;
}

/// Whether an operand with these strides has the result's shape, in its order.
bool is_full(const Broadcast& broadcast, const std::int64_t* stride) {
  std::int64_t step = 1;
  for (int i = broadcast.rank; i-- > 0;) {
    if (stride[i] != step) return false;
    step *= broadcast.extent[i];
  }
  return true;
}

/// The strides of the operand that is not full, where exactly one is full; nullptr otherwise.
const std::int64_t* shorter_strides(const Broadcast& merged) {
  const bool full0 = is_full(merged, merged.stride0), full1 = is_full(merged, merged.stride1);
  if (full0 == full1) return nullptr;
  return full0 ? merged.stride1 : merged.stride0;
}

/// Whether one operand is full and the other has these strides.
bool is_shorter_with(const Broadcast& merged, std::initializer_list<std::int64_t> strides) {
  const std::int64_t* const shorter = shorter_strides(merged);
  return shorter != nullptr && merged.rank == static_cast<int>(strides.size()) &&
         std::equal(strides.begin(), strides.end(), shorter);
}

}  // namespace

cudaError_t check_broadcast(const Broadcast& broadcast) {
  if (broadcast.rank < 0 || broadcast.rank > kMaxDimensions) {
    return refuse(cudaErrorInvalidValue, "a broadcast of " + std::to_string(broadcast.rank) +
                                             " dimensions, and 0 to " +
                                             std::to_string(kMaxDimensions) + " are supported");
  }
  for (int i = 0; i < broadcast.rank; ++i) {
    if (broadcast.extent[i] < 0) {
      return refuse(cudaErrorInvalidValue, "a broadcast with a negative extent");
    }
    if (broadcast.stride0[i] < 0 || broadcast.stride1[i] < 0) {
      return refuse(cudaErrorInvalidValue, "a broadcast with a negative stride");
    }
  }
  if (product_of_extents(broadcast) != broadcast.elements || broadcast.elements < 0) {
    return refuse(cudaErrorInvalidValue,
                  "a broadcast whose number of elements is not the product of its extents");
  }
  if (farthest(broadcast, broadcast.stride0) < 0 || farthest(broadcast, broadcast.stride1) < 0) {
    return refuse(cudaErrorInvalidValue, "a broadcast whose strides lead beyond 2^63 elements");
  }
  return cudaSuccess;
}

cudaError_t check_form(std::int64_t n, std::initializer_list<Factor> factors) {
  if (n < 0) {
    return refuse(cudaErrorInvalidValue, std::to_string(n) + " elements are less than none");
  }
  std::int64_t rest = n;
  for (const Factor& factor : factors) {
    if (factor.value < 1 && (n > 0 || factor.value < 0)) {
      return refuse(cudaErrorInvalidValue, std::string(factor.name) + " is " +
                                               std::to_string(factor.value) +
                                               ", and must be positive");
    }
    if (n == 0) continue;
    if (rest % factor.value != 0) {
      return refuse(cudaErrorInvalidValue, std::to_string(rest) + " elements do not divide by " +
                                               factor.name + " = " + std::to_string(factor.value));
    }
    rest /= factor.value;
  }
  return cudaSuccess;
}

//! [fits_32_bits]
bool fits_32_bits(const Broadcast& broadcast) {
  constexpr std::int64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
  const Broadcast merged = merge_dimensions(broadcast);
  return merged.elements <= kMost32 && farthest(merged, merged.stride0) <= kMost32 &&
         farthest(merged, merged.stride1) <= kMost32;
}
//! [fits_32_bits]

cudaError_t check_32_bits(const Broadcast& broadcast) {
  if (fits_32_bits(broadcast)) return cudaSuccess;
  return refuse(cudaErrorInvalidValue, "2^32 elements or more, and this rung counts in 32 bits");
}

StridedParam strided_param(const Broadcast& broadcast) {
  StridedParam param{};
  param.rank = broadcast.rank;
  std::int64_t step = 1;
  for (int i = broadcast.rank; i-- > 0;) {
    param.stride_out[i] = step;
    param.stride_in0[i] = broadcast.stride0[i];
    param.stride_in1[i] = broadcast.stride1[i];
    step *= broadcast.extent[i];
  }
  return param;
}

StridedParam32 strided_param_32(const Broadcast& merged) {
  const StridedParam wide = strided_param(merged);
  StridedParam32 param{};
  param.rank = wide.rank;
  for (int i = 0; i < wide.rank; ++i) {
    param.stride_out[i] = static_cast<std::uint32_t>(wide.stride_out[i]);
    param.stride_in0[i] = static_cast<std::uint32_t>(wide.stride_in0[i]);
    param.stride_in1[i] = static_cast<std::uint32_t>(wide.stride_in1[i]);
  }
  return param;
}

StridedParamFast strided_param_fast(const Broadcast& merged) {
  StridedParamFast param{};
  param.rank = merged.rank;
  for (int i = 0; i < merged.rank; ++i) {
    param.extent[i] = FastDivisor(static_cast<std::uint32_t>(merged.extent[i]));
    param.stride_in0[i] = static_cast<std::uint32_t>(merged.stride0[i]);
    param.stride_in1[i] = static_cast<std::uint32_t>(merged.stride1[i]);
  }
  return param;
}

bool fits_rows(const Broadcast& broadcast) {
  const Broadcast merged = merge_dimensions(broadcast);
  const int last = merged.rank - 1;
  return merged.rank <= 3 && (last < 0 || (merged.stride0[last] <= 1 && merged.stride1[last] <= 1));
}

Rows rows_param(const Broadcast& merged, const void* in0, const void* in1, const void* out,
                std::size_t element_size) {
  const auto width = static_cast<std::int64_t>(16 / element_size);
  const int last = merged.rank - 1;
  const auto operand = [&](const std::int64_t* stride, const void* pointer) {
    RowOperand of{merged.rank > 2 ? stride[last - 2] : 0, merged.rank > 1 ? stride[last - 1] : 0,
                  RowAccess::elements};
    if (last < 0 || stride[last] == 0) {
      of.access = RowAccess::splat;
    } else if (is_aligned(pointer, 16) && of.outer % width == 0 && of.row % width == 0) {
      of.access = RowAccess::pack;
    }
    return of;
  };
  Rows rows{};
  rows.outer = merged.rank > 2 ? merged.extent[last - 2] : 1;
  rows.rows = merged.rank > 1 ? merged.extent[last - 1] : 1;
  rows.length = merged.rank > 0 ? merged.extent[last] : 1;
  rows.in0 = operand(merged.stride0, in0);
  rows.in1 = operand(merged.stride1, in1);
  rows.store_packs = is_aligned(out, 16) && (merged.rank <= 1 || rows.length % width == 0);
  return rows;
}

LaunchShape rows_shape(const Rows& rows, int width) {
  constexpr std::int64_t kMostBlocks = 65535;
  const std::int64_t packs = (rows.length - 1) / width + 1;
  unsigned across = 1;  // the threads of a block that share a row; the others take the next ones
  while (across < packs && across < kThreads) across *= 2;
  const unsigned down = kThreads / across;
  dim3 grid = grid_1d(packs, across);
  grid.y = static_cast<unsigned>(std::min((rows.rows - 1) / down + 1, kMostBlocks));
  grid.z = static_cast<unsigned>(std::min(rows.outer, kMostBlocks));
  return {grid, dim3(across, down)};
}

bool is_of_shapes(const Broadcast& broadcast) {
  const Broadcast merged = merge_dimensions(broadcast);
  for (const std::int64_t* stride : {merged.stride0, merged.stride1}) {
    std::int64_t step = 1;
    for (int i = merged.rank; i-- > 0;) {
      if (stride[i] == 0) continue;
      if (stride[i] != step) return false;
      step *= merged.extent[i];
    }
  }
  for (int i = 0; i < merged.rank; ++i) {
    if (merged.elements > 0 && merged.stride0[i] == 0 && merged.stride1[i] == 0) return false;
  }
  return true;
}

bool fits_half8(const Broadcast& broadcast) {
  const Broadcast merged = merge_dimensions(broadcast);
  const int last = merged.rank - 1;
  if (last < 0 || merged.stride0[last] != 1 || merged.stride1[last] != 1) return false;
  bool groups = merged.extent[last] % 8 == 0;
  for (int i = 0; i < last; ++i) {
    groups = groups && merged.stride0[i] % 8 == 0 && merged.stride1[i] % 8 == 0;
  }
  return groups;
}

Broadcast in_groups_of_eight(const Broadcast& merged) {
  Broadcast groups = merged;
  groups.elements /= 8;
  groups.extent[groups.rank - 1] /= 8;
  for (int i = 0; i + 1 < groups.rank; ++i) {
    groups.stride0[i] /= 8;
    groups.stride1[i] /= 8;
  }
  return groups;
}

// ---- The four forms -----------------------------------------------------------------------------

bool is_nobroadcast(const Broadcast& broadcast) {
  const Broadcast merged = merge_dimensions(broadcast);
  return is_full(merged, merged.stride0) && is_full(merged, merged.stride1);
}

bool is_one_scalar(const Broadcast& broadcast) {
  return is_shorter_with(merge_dimensions(broadcast), {0});
}

bool is_one_dimension(const Broadcast& broadcast) {
  return is_shorter_with(merge_dimensions(broadcast), {0, 1});
}

bool is_one_not_broadcast(const Broadcast& broadcast) {
  const Broadcast merged = merge_dimensions(broadcast);
  return is_shorter_with(merged, {0, 1, 0}) || is_shorter_with(merged, {1, 0});
}

bool is_one_broadcast(const Broadcast& broadcast) {
  const Broadcast merged = merge_dimensions(broadcast);
  return merged.rank == 3 && is_shorter_with(merged, {merged.extent[2], 0, 1});
}

bool is_first_shorter(const Broadcast& broadcast) {
  const Broadcast merged = merge_dimensions(broadcast);
  return shorter_strides(merged) == merged.stride0;
}

}  // namespace tutorial
