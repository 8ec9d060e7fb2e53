// The broken pieces of exhibits_broadcast.cuh. Do not mend them.
#include "04_arithmetic/proof/museum/exhibits_broadcast.cuh"

#include <algorithm>

#include "04_arithmetic/ladders/ladder_c_nhwc.cuh"
#include "common/launch.cuh"

namespace tutorial::exhibits {
namespace {

/// Whether an operand steps evenly from dimension `i` into the one inside it.
bool is_even(const Broadcast& b, const std::int64_t* stride, int i) {
  return stride[i] == stride[i + 1] * b.extent[i + 1];
}

/// Makes one dimension of `i` and the one inside it.
void merge_with_next(Broadcast* b, int i) {
  const std::int64_t extent = b->extent[i];
  for (int d = i; d + 1 < b->rank; ++d) {
    b->extent[d] = b->extent[d + 1];
    b->stride0[d] = b->stride0[d + 1];
    b->stride1[d] = b->stride1[d + 1];
  }
  b->extent[i] *= extent;
  --b->rank;
}

}  // namespace

//! [merge_until_a_mismatch]
Broadcast merge_until_a_mismatch(const Broadcast& broadcast) {
  Broadcast merged = broadcast;
  for (int i = merged.rank - 2; i >= 0; --i) {
    if (!is_even(merged, merged.stride0, i) || !is_even(merged, merged.stride1, i)) break;
    merge_with_next(&merged, i);
  }
  return merged;
}
//! [merge_until_a_mismatch]

cudaError_t limit_nhwc_one_axis(const TensorShape& shape0, const float* in0,
                                const TensorShape& shape1, const float* in1, float* out,
                                cudaStream_t stream) {
  NhwcBroadcast at;
  at.rank = static_cast<int>(shape0.size());
  at.elements = 1;
  int broadcast_axis = -1;
  for (int d = at.rank; d-- > 0;) {
    const auto i = static_cast<std::size_t>(d);
    at.extent[d] = shape0[i];
    at.stride_ndarray[d] = at.elements;
    at.elements *= shape0[i];
    if (shape1[i] != shape0[i] && broadcast_axis < 0) broadcast_axis = d;
  }
  const auto set_strides = [&](const TensorShape& shape, std::int64_t* stride) {
    std::int64_t step = (shape[1] + 7) / 8 * 8;
    stride[1] = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (d == 1) continue;
      stride[d] = step;
      step *= shape[d];
    }
  };
  set_strides(shape0, at.stride0);
  set_strides(shape0, at.stride_out);
  set_strides(shape1, at.stride1);
  if (broadcast_axis >= 0) at.stride1[broadcast_axis] = 0;  // and the other axes?
  using Add = Arithmetic<ArithmeticOp::Add, float>;
  return launch(arithmetic_limit_nhwc_kernel<float, Add>,
                {grid_1d(at.elements, kThreads), dim3(kThreads)}, stream, at, in0, in1, out, Add{});
}

//! [one_dimension_narrow]
__global__ void one_dimension_narrow_kernel(std::uint64_t first, std::int32_t inner_dim,
                                            std::int64_t* place, std::int64_t n) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < n) {
    const std::uint64_t index = first + static_cast<std::uint64_t>(k);
    // The divisor is widened with its sign, and the remainder cut to 32 bits.
    const int calc_index = static_cast<int>(index % static_cast<std::uint64_t>(inner_dim));
    place[k] = calc_index;
  }
}
//! [one_dimension_narrow]

cudaError_t one_dimension_narrow(std::int64_t first, std::int64_t inner, std::int64_t* place,
                                 std::int64_t n, cudaStream_t stream) {
  return launch(one_dimension_narrow_kernel, {grid_1d(n, kThreads), dim3(kThreads)}, stream,
                static_cast<std::uint64_t>(first), static_cast<std::int32_t>(inner), place, n);
}

}  // namespace tutorial::exhibits
