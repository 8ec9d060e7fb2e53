// The data movement of an elementwise kernel with two inputs: that of elementwise.cuh, with a second
// array to read.
#pragma once

#include <cstdint>

#include "common/elementwise.cuh"

namespace tutorial {

/// y[i] = op(a[i], b[i]) for i in [0, n), sixteen bytes of each a thread: two 128-bit loads, one
/// 128-bit store.
///
/// a, b and y: 16-byte aligned; y == a and y == b are allowed. `op` maps two Pair<T> to a Pair<T>,
/// element by element. Each element of the tail has a thread of its own (tail_element()).
template <class T, class Op>
__global__ void elementwise_pack2_kernel(const T* a, const T* b, T* y, std::int64_t n, Op op) {
  wait_for_previous_grid();
  constexpr int kWidth = 16 / sizeof(T);
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t i = thread * kWidth;
  if (i + kWidth <= n) {
    alignas(16) Pair<T> pack_a[kWidth / 2], pack_b[kWidth / 2];
    LDST128BITS(pack_a[0]) = LDST128BITS(a[i]);
    LDST128BITS(pack_b[0]) = LDST128BITS(b[i]);
#pragma unroll
    for (int k = 0; k < kWidth / 2; ++k) {
      pack_a[k] = op(pack_a[k], pack_b[k]);
    }
    LDST128BITS(y[i]) = LDST128BITS(pack_a[0]);
  } else if (const std::int64_t k = tail_element<kWidth>(thread, n); k < n) {
    y[k] = op(Pair<T>{a[k], a[k]}, Pair<T>{b[k], b[k]}).x;
  }
}

/// elementwise_pack2_kernel() for launches of few blocks, as elementwise_few_packs_kernel().
template <class T, class Op>
__global__ void elementwise_few_packs2_kernel(const T* a, const T* b, T* y, std::int64_t n, Op op) {
  wait_for_previous_grid();
  constexpr int kWidth = 16 / sizeof(T);
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t i = thread * kWidth;
  if (i + kWidth <= n) {
    alignas(16) Pair<T> pack_a[kWidth / 2], pack_b[kWidth / 2];
    LDST128BITS(pack_a[0]) = LDST128BITS(a[i]);
    LDST128BITS(pack_b[0]) = LDST128BITS(b[i]);
    let_next_grid_begin(kEveryBlock);
#pragma unroll
    for (int k = 0; k < kWidth / 2; ++k) pack_a[k] = op(pack_a[k], pack_b[k]);
    LDST128BITS(y[i]) = LDST128BITS(pack_a[0]);
  } else if (const std::int64_t k = tail_element<kWidth>(thread, n); k < n) {
    const T last_a = a[k], last_b = b[k];
    let_next_grid_begin(kEveryBlock);
    y[k] = op(Pair<T>{last_a, last_a}, Pair<T>{last_b, last_b}).x;
  }
}

/// launch_elements() of a kernel(const T* a, const T* b, T* y, std::int64_t n, extra...) that needs
/// a, b and y aligned to `alignment` bytes.
template <class T, class... Params, class... Extra>
cudaError_t launch_binary(void (*kernel)(Params...), const T* a, const T* b, T* y, std::int64_t n,
                          int per_thread, std::size_t alignment, cudaStream_t stream,
                          LaunchOptions options = {}, Extra... extra) {
  return launch_elements(kernel, n, per_thread, {{a, alignment}, {b, alignment}, {y, alignment}},
                         stream, options, a, b, y, n, extra...);
}

/// y[i] = op(a[i], b[i]) by the pack kernel where all three pointers are 16-byte aligned, and by
/// elementwise_any_address_kernel where one is not: the dispatch of every two-input operator. Errors
/// as launch_binary.
template <class T, class Op>
cudaError_t launch_elementwise(const T* a, const T* b, T* y, std::int64_t n, Op op,
                               cudaStream_t stream, LaunchOptions options) {
  constexpr int kWidth = 16 / sizeof(T);
  if (is_aligned(a, 16) && is_aligned(b, 16) && is_aligned(y, 16)) {
    const bool few = is_few(n / kWidth, options);
    auto* const kernel =
        few ? elementwise_few_packs2_kernel<T, Op> : elementwise_pack2_kernel<T, Op>;
    if (few) options.threads = kThreads;
    return launch_binary(kernel, a, b, y, n, kWidth, 16, stream, options, op);
  }
  return launch_any_address<kWidth>(OnPairs<Op>{op}, y, n, stream, options, a, b);
}

/// The same in blocks as two_inputs() says.
template <class T, class Op>
cudaError_t launch_elementwise(const T* a, const T* b, T* y, std::int64_t n, Op op,
                               cudaStream_t stream) {
  return launch_elementwise(a, b, y, n, op, stream, two_inputs(n, 3 * sizeof(T)));
}

}  // namespace tutorial
