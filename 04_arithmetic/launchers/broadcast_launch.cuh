// The table of ladder B and its launchers, for any type. A source for each type instantiates them,
// because nine operations in ten kernels are enough for one compiler.
#pragma once

#include <cstdint>

#include "04_arithmetic/ladders/ladder_b_broadcast.cuh"
#include "04_arithmetic/launchers/broadcast.h"
#include "04_arithmetic/launchers/broadcast_param.h"
#include "04_arithmetic/launchers/functor.cuh"
#include "common/broadcast.cuh"

namespace tutorial {
namespace launchers {

/// kernel_of(op)(n, params..., in0, in1, out, op), a thread for each of the n > 0 elements.
template <class T, class KernelOf, class N, class... Params>
cudaError_t launch_one_each(const ArithmeticCall<T>& call, KernelOf kernel_of, N n,
                            const Params&... params) {
  return with_functor(call, [&](auto op) {
    return launch(kernel_of(op), {grid_1d(n, kThreads), dim3(kThreads)}, call.stream, n, params...,
                  call.in0, call.in1, call.out, op);
  });
}

/// What every rung checks of a call for n elements.
template <class T>
cudaError_t check(const ArithmeticCall<T>& call, std::int64_t n) {
  return check_operands(n, call.in0, call.in1, call.out);
}

template <class T>
cudaError_t check(const ArithmeticCall<T>& call, const Broadcast& broadcast) {
  cudaError_t error = check_op(call);
  if (error == cudaSuccess) error = check_broadcast(broadcast);
  return error != cudaSuccess ? error : check(call, broadcast.elements);
}

/// Of the rungs that have numbers for shapes: n is a multiple of the product of the factors.
template <class T>
cudaError_t check(const ArithmeticCall<T>& call, std::int64_t n,
                  std::initializer_list<Factor> factors) {
  cudaError_t error = check_op(call);
  if (error == cudaSuccess) error = check_form(n, factors);
  return error != cudaSuccess ? error : check(call, n);
}

}  // namespace launchers

// ---- B1 to B4 -----------------------------------------------------------------------------------

template <class T>
cudaError_t arithmetic_one_scalar(const ArithmeticCall<T>& call, std::int64_t n,
                                  bool first_shorter) {
  const cudaError_t error = launchers::check(call, n, {});
  if (error != cudaSuccess || n == 0) return error;
  return launchers::launch_one_each(
      call, [](auto op) { return arithmetic_one_scalar_kernel<T, decltype(op)>; }, n,
      first_shorter);
}

template <class T>
cudaError_t arithmetic_one_dimension(const ArithmeticCall<T>& call, std::int64_t n,
                                     std::int64_t inner, bool first_shorter) {
  const cudaError_t error = launchers::check(call, n, {{"inner", inner}});
  if (error != cudaSuccess || n == 0) return error;
  return launchers::launch_one_each(
      call, [](auto op) { return arithmetic_one_dimension_kernel<T, decltype(op)>; }, n, inner,
      first_shorter);
}

template <class T>
cudaError_t arithmetic_one_not_broadcast(const ArithmeticCall<T>& call, std::int64_t n,
                                         std::int64_t axis, std::int64_t inner,
                                         bool first_shorter) {
  const cudaError_t error = launchers::check(call, n, {{"inner", inner}, {"axis", axis}});
  if (error != cudaSuccess || n == 0) return error;
  return launchers::launch_one_each(
      call, [](auto op) { return arithmetic_one_not_broadcast_kernel<T, decltype(op)>; }, n, axis,
      inner, first_shorter);
}

template <class T>
cudaError_t arithmetic_one_broadcast(const ArithmeticCall<T>& call, std::int64_t n,
                                     std::int64_t outer_stride, std::int64_t inner,
                                     bool first_shorter) {
  cudaError_t error = check_op(call);
  if (error == cudaSuccess) error = check_form(n, {{"outer_stride", outer_stride}});
  if (error == cudaSuccess && n > 0) error = check_form(outer_stride, {{"inner", inner}});
  if (error == cudaSuccess) error = launchers::check(call, n);
  if (error != cudaSuccess || n == 0) return error;
  return launchers::launch_one_each(
      call, [](auto op) { return arithmetic_one_broadcast_kernel<T, decltype(op)>; }, n,
      outer_stride, inner, first_shorter);
}

// ---- B5 to B10 ----------------------------------------------------------------------------------

template <class T>
cudaError_t arithmetic_strided(const ArithmeticCall<T>& call, const Broadcast& broadcast) {
  const cudaError_t error = launchers::check(call, broadcast);
  if (error != cudaSuccess || broadcast.elements == 0) return error;
  return launchers::launch_one_each(
      call, [](auto op) { return arithmetic_strided_kernel<T, decltype(op)>; }, broadcast.elements,
      strided_param(broadcast));
}

template <class T>
cudaError_t arithmetic_strided_merged(const ArithmeticCall<T>& call, const Broadcast& broadcast) {
  const cudaError_t error = launchers::check(call, broadcast);
  return error != cudaSuccess ? error : arithmetic_strided(call, merge_dimensions(broadcast));
}

template <class T>
cudaError_t arithmetic_strided_32(const ArithmeticCall<T>& call, const Broadcast& broadcast) {
  cudaError_t error = launchers::check(call, broadcast);
  if (error != cudaSuccess || broadcast.elements == 0) return error;
  if (error = check_32_bits(broadcast); error != cudaSuccess) return error;
  return launchers::launch_one_each(
      call, [](auto op) { return arithmetic_strided_32_kernel<T, decltype(op)>; },
      static_cast<std::uint32_t>(broadcast.elements),
      strided_param_32(merge_dimensions(broadcast)));
}

template <class T>
cudaError_t arithmetic_strided_fast(const ArithmeticCall<T>& call, const Broadcast& broadcast) {
  cudaError_t error = launchers::check(call, broadcast);
  if (error != cudaSuccess || broadcast.elements == 0) return error;
  if (error = check_32_bits(broadcast); error != cudaSuccess) return error;
  return launchers::launch_one_each(
      call, [](auto op) { return arithmetic_strided_fast_kernel<T, decltype(op)>; },
      static_cast<std::uint32_t>(broadcast.elements),
      strided_param_fast(merge_dimensions(broadcast)));
}

template <class T>
cudaError_t arithmetic_rows(const ArithmeticCall<T>& call, const Broadcast& broadcast) {
  const cudaError_t error = launchers::check(call, broadcast);
  if (error != cudaSuccess || broadcast.elements == 0) return error;
  if (!fits_rows(broadcast)) {
    return refuse(cudaErrorInvalidValue,
                  "more than three dimensions are left after merging, or the last one is strided");
  }
  const Rows rows =
      rows_param(merge_dimensions(broadcast), call.in0, call.in1, call.out, sizeof(T));
  return with_functor(call, [&](auto op) {
    return launch(arithmetic_rows_kernel<T, decltype(op)>,
                  rows_shape(rows, 16 / static_cast<int>(sizeof(T))), call.stream, rows, call.in0,
                  call.in1, call.out, op);
  });
}

template <class T>
cudaError_t arithmetic_packed(const ArithmeticCall<T>& call, const Broadcast& broadcast) {
  const cudaError_t error = launchers::check(call, broadcast);
  if (error != cudaSuccess || broadcast.elements == 0) return error;
  if (!is_of_shapes(broadcast)) {
    return refuse(cudaErrorInvalidValue, "strides that are not those of two contiguous tensors");
  }
  return with_fastest_functor(call, [&](auto op) {
    return launch_broadcast(broadcast, call.in0, call.in1, call.out, op, call.stream);
  });
}

// ---- The table ----------------------------------------------------------------------------------

template <class T>
const std::vector<BroadcastRung<T>>& arithmetic_broadcast_rungs() {
  using Call = ArithmeticCall<T>;
  constexpr auto claims_all = [](const Broadcast&) { return true; };
  static const std::vector<BroadcastRung<T>> rungs = {
      {"one_scalar", is_one_scalar,
       [](const Call& call, const Broadcast& broadcast) {
         return arithmetic_one_scalar(call, broadcast.elements, is_first_shorter(broadcast));
       }},
      {"one_dimension", is_one_dimension,
       [](const Call& call, const Broadcast& broadcast) {
         const Broadcast merged = merge_dimensions(broadcast);
         return arithmetic_one_dimension(call, merged.elements, merged.extent[1],
                                         is_first_shorter(merged));
       }},
      {"one_not_broadcast", is_one_not_broadcast,
       [](const Call& call, const Broadcast& broadcast) {
         const Broadcast merged = merge_dimensions(broadcast);
         const int last = merged.rank - 1;
         return arithmetic_one_not_broadcast(call, merged.elements, merged.extent[last - 1],
                                             merged.extent[last], is_first_shorter(merged));
       }},
      {"one_broadcast", is_one_broadcast,
       [](const Call& call, const Broadcast& broadcast) {
         const Broadcast merged = merge_dimensions(broadcast);
         const std::int64_t inner = merged.extent[2];
         return arithmetic_one_broadcast(call, merged.elements, merged.extent[1] * inner, inner,
                                         is_first_shorter(merged));
       }},
      {"strided", claims_all, arithmetic_strided<T>},
      {"strided_merged", claims_all, arithmetic_strided_merged<T>},
      {"strided_32", fits_32_bits, arithmetic_strided_32<T>},
      {"strided_fast", fits_32_bits, arithmetic_strided_fast<T>},
      {"rows", fits_rows, arithmetic_rows<T>},
      {"packed", is_of_shapes, arithmetic_packed<T>},
  };
  return rungs;
}

// ---- Instantiating them for one type ------------------------------------------------------------

#define TUTORIAL_ARITHMETIC_PACKED(T) \
  template cudaError_t arithmetic_packed(const ArithmeticCall<T>&, const Broadcast&)

/// B1 to B9, and the table.
#define TUTORIAL_ARITHMETIC_BROADCAST(T)                                                      \
  template cudaError_t arithmetic_one_scalar(const ArithmeticCall<T>&, std::int64_t, bool);   \
  template cudaError_t arithmetic_one_dimension(const ArithmeticCall<T>&, std::int64_t,       \
                                                std::int64_t, bool);                          \
  template cudaError_t arithmetic_one_not_broadcast(const ArithmeticCall<T>&, std::int64_t,   \
                                                    std::int64_t, std::int64_t, bool);        \
  template cudaError_t arithmetic_one_broadcast(const ArithmeticCall<T>&, std::int64_t,       \
                                                std::int64_t, std::int64_t, bool);            \
  template cudaError_t arithmetic_strided(const ArithmeticCall<T>&, const Broadcast&);        \
  template cudaError_t arithmetic_strided_merged(const ArithmeticCall<T>&, const Broadcast&); \
  template cudaError_t arithmetic_strided_32(const ArithmeticCall<T>&, const Broadcast&);     \
  template cudaError_t arithmetic_strided_fast(const ArithmeticCall<T>&, const Broadcast&);   \
  template cudaError_t arithmetic_rows(const ArithmeticCall<T>&, const Broadcast&);           \
  template const std::vector<BroadcastRung<T>>& arithmetic_broadcast_rungs<T>()

}  // namespace tutorial
