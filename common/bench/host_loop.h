// A plain loop on one core of the host as a peer: what a reader without a GPU would write.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace tutorial::bench {

/// A launcher: y[i] = f(in[i]...) for i in [0, n). cudaErrorNotSupported in the cuda backend.
template <class Out, class... In, class Function>
auto host_loop([[maybe_unused]] Function f) {
  return [=]([[maybe_unused]] const In*... in, [[maybe_unused]] Out* y,
             [[maybe_unused]] std::int64_t n, cudaStream_t) {
#if defined(TUTORIAL_BACKEND_CPU)
    for (std::int64_t i = 0; i < n; ++i) y[i] = f(in[i]...);
    return cudaSuccess;
#else
    return cudaErrorNotSupported;
#endif
  };
}

}  // namespace tutorial::bench
