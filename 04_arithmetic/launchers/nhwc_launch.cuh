// The table of ladder C and its launchers, for any type. A source for each family of types instantiates them.
#pragma once

#include "04_arithmetic/ladders/ladder_c_nhwc.cuh"
#include "04_arithmetic/launchers/functor.cuh"
#include "04_arithmetic/launchers/nhwc.h"
#include "common/broadcast.cuh"

namespace tutorial {

/// What the pack kernel takes; of a result that is not empty and that fits_nhwc_pack(). `width` is
/// the channels that a thread takes.
NhwcPacks nhwc_packs(const TensorShape& shape0, const TensorShape& shape1, int width);

namespace launchers {

/// Checks the call and makes its broadcast. `alignment` is for wider accesses than an element's.
template <class T>
cudaError_t check_nhwc(const ArithmeticCall<T>& call, const TensorShape& shape0,
                       const TensorShape& shape1, std::size_t alignment, NhwcBroadcast* at) {
  cudaError_t error = check_op(call);
  if (error == cudaSuccess) error = make_nhwc_broadcast(shape0, shape1, at);
  if (error != cudaSuccess) return error;
  return check_operands(at->elements, call.in0, call.in1, call.out, alignment);
}

/// Writes zeros into the padding of the result. The call has been checked.
template <class T>
cudaError_t zero_nhwc_padding(const ArithmeticCall<T>& call, const TensorShape& shape0,
                              const TensorShape& shape1) {
  NhwcBroadcast at;
  const cudaError_t error = make_nhwc_broadcast(shape0, shape1, &at);
  if (error != cudaSuccess || at.elements == 0) return error;
  const std::int64_t channels = at.extent[1], group = (channels + 7) / 8 * 8;
  const std::int64_t padding = group - channels, n = at.elements / channels * padding;
  if (n == 0) return cudaSuccess;
  return launch(nhwc_zero_padding_kernel<T>, {grid_1d(n, kThreads), dim3(kThreads)}, call.stream, n,
                padding, group, call.out);
}

}  // namespace launchers

template <class T>
cudaError_t arithmetic_limit_nhwc(const ArithmeticCall<T>& call, const TensorShape& shape0,
                                  const TensorShape& shape1) {
  NhwcBroadcast at;
  const cudaError_t error = launchers::check_nhwc(call, shape0, shape1, alignof(T), &at);
  if (error != cudaSuccess || at.elements == 0) return error;
  return with_functor(call, [&](auto op) {
    return launch(arithmetic_limit_nhwc_kernel<T, decltype(op)>,
                  {grid_1d(at.elements, kThreads), dim3(kThreads)}, call.stream, at, call.in0,
                  call.in1, call.out, op);
  });
}

template <class T>
cudaError_t arithmetic_nhwc_pack(const ArithmeticCall<T>& call, const TensorShape& shape0,
                                 const TensorShape& shape1) {
  NhwcBroadcast at;
  const cudaError_t error = launchers::check_nhwc(call, shape0, shape1, 16, &at);
  if (error != cudaSuccess || at.elements == 0) return error;
  if (!fits_nhwc_pack(shape0, shape1)) {
    return refuse(cudaErrorInvalidValue, "2^32 elements or more, and this rung counts in 32 bits");
  }
  const NhwcPacks packs = nhwc_packs(shape0, shape1, kNhwcWidth<T>);
  return with_fastest_functor(call, [&](auto op) {
    return launch(arithmetic_nhwc_pack_kernel<T, decltype(op)>,
                  {grid_1d(packs.packs, kThreads), dim3(kThreads), 0, Overlap::previous_kernel},
                  call.stream, packs, call.in0, call.in1, call.out, op);
  });
}

template <class T>
cudaError_t arithmetic_nhwc(const ArithmeticCall<T>& call, const TensorShape& shape0,
                            const TensorShape& shape1) {
  const bool by_packs = is_aligned(call.in0, 16) && is_aligned(call.in1, 16) &&
                        is_aligned(call.out, 16) && fits_nhwc_pack(shape0, shape1);
  if (by_packs) return arithmetic_nhwc_pack(call, shape0, shape1);
  const cudaError_t error = arithmetic_limit_nhwc(call, shape0, shape1);
  return error == cudaSuccess ? launchers::zero_nhwc_padding(call, shape0, shape1) : error;
}

template <class T>
const std::vector<NhwcRung<T>>& arithmetic_nhwc_rungs() {
  static const std::vector<NhwcRung<T>> rungs = {
      {"nhwc", arithmetic_nhwc<T>, sizeof(T), true},
      {"limit_nhwc", arithmetic_limit_nhwc<T>, sizeof(T), false},
      {"nhwc_pack", arithmetic_nhwc_pack<T>, 16, true},
  };
  return rungs;
}

/// Instantiates them for one type.
#define TUTORIAL_ARITHMETIC_NHWC(T)                                                        \
  template cudaError_t arithmetic_limit_nhwc(const ArithmeticCall<T>&, const TensorShape&, \
                                             const TensorShape&);                          \
  template cudaError_t arithmetic_nhwc_pack(const ArithmeticCall<T>&, const TensorShape&,  \
                                            const TensorShape&);                           \
  template cudaError_t arithmetic_nhwc(const ArithmeticCall<T>&, const TensorShape&,       \
                                       const TensorShape&);                                \
  template const std::vector<NhwcRung<T>>& arithmetic_nhwc_rungs<T>();

}  // namespace tutorial
