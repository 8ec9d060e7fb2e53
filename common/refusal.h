// Why a call was refused, as a sentence. A cudaError_t names only the kind of a mistake; an operator
// with two shapes and three scales has to say which of them is wrong.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <utility>

namespace tutorial {

namespace detail {
inline std::string& refusal_text() {
  thread_local std::string text;
  return text;
}
}  // namespace detail

/// Keeps `why`, a sentence without a full stop, for last_refusal(), and returns `error`.
__attribute__((noinline)) inline cudaError_t refuse(cudaError_t error, std::string why) {
  detail::refusal_text() = std::move(why);
  return error;
}

/// Why the last call on this thread that an operator refused was refused; empty if none was. Calls
/// that succeed leave it alone, as they leave errno.
inline const std::string& last_refusal() { return detail::refusal_text(); }

}  // namespace tutorial
