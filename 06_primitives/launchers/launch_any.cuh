// Any elementwise function, from a functor and a line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "06_primitives/ladders/primitives_kernels.cuh"
#include "common/any_address.cuh"
#include "common/launch.cuh"

namespace tutorial::primitives {

namespace detail {

constexpr int widest_vector(std::initializer_list<std::size_t> sizes) {
  std::size_t least = 16;
  for (const std::size_t size : sizes) least = std::min(least, size);
  return static_cast<int>(16 / least);
}

template <class OutT, class... InT>
LaunchOptions best_launch(std::int64_t n) {
  constexpr bool kOneSize = ((sizeof(InT) == sizeof(OutT)) && ...);  // so each load has 16 bytes
  if (kOneSize && sizeof...(InT) == 2) return two_inputs(n, 3 * sizeof(OutT));
  return {kThreads, Overlap::previous_kernel};
}

}  // namespace detail

/// out[i] = func(in[i]...), 16 bytes of the narrowest type a thread.
template <class OutT, class OpFunc, class... InT>
cudaError_t launch_any(OpFunc func, OutT* out, std::int64_t n, cudaStream_t stream,
                       const InT*... in) {
  constexpr int kVecSize = detail::widest_vector({sizeof(OutT), sizeof(InT)...});
  const bool aligned = is_aligned(out, 16) && (is_aligned(in, 16) && ...);
  const LaunchOptions options = detail::best_launch<OutT, InT...>(n);
  if (!aligned) {
    return launch_any_address<kVecSize>(OnElements<OutT, OpFunc>{func}, out, n, stream, options,
                                        in...);
  }
  return launch_elements(Elementwise<kVecSize, Interleaved<OutT, InT...>, OutT, OpFunc, InT...>, n,
                         kVecSize, {{out, alignof(OutT)}, {in, alignof(InT)}...}, stream, options,
                         out, n, func, in...);
}

}  // namespace tutorial::primitives
