// A row of a ladder's table: one line that names the kernel and says what its launch needs, makes the
// launcher, and is what the rung claims.
#pragma once

#include <string>
#include <utility>

#include "common/elementwise_two_packs.cuh"
#include "common/rung.h"
#include "common/types.h"

namespace tutorial {

/// The rung of kernel(const T* x, T* y, std::int64_t n, extra...), whose threads take `per_thread`
/// elements each and whose pointers need `alignment` bytes; errors as launch_unary.
template <class T, class... Params, class... Extra>
__attribute__((noinline)) UnaryRung<T> rung(std::string name,
                                            void (*kernel)(const T*, T*, std::int64_t, Params...),
                                            int per_thread, std::size_t alignment, double max_ulp,
                                            LaunchOptions options = {}, Extra... extra) {
  const auto launch = [=](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
    return launch_unary(kernel, x, y, n, per_thread, alignment, stream, options, extra...);
  };
  return {std::move(name), launch, per_thread, alignment, max_ulp};
}

/// The rung of elementwise_pack_kernel with that operation: sixteen bytes a thread.
template <class T, class Op>
UnaryRung<T> pack_rung(std::string name, Op op, double max_ulp, LaunchOptions options = {}) {
  return rung(std::move(name), elementwise_pack_kernel<T, Op>, 16 / sizeof(T), 16, max_ulp, options,
              op);
}

/// The rung of elementwise_two_packs_kernel: twice sixteen bytes a thread.
template <class T, class Op>
UnaryRung<T> two_packs_rung(std::string name, Op op, double max_ulp, LaunchOptions options = {}) {
  return rung(std::move(name), elementwise_two_packs_kernel<T, Op>, 32 / sizeof(T), 16, max_ulp,
              options, op);
}

}  // namespace tutorial
