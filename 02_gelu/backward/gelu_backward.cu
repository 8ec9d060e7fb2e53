// The tables of the backward ladders, and the operator.
#include "02_gelu/backward/gelu_backward.h"

#include <string>
#include <type_traits>

#include "02_gelu/backward/gelu_backward_kernels.cuh"

namespace tutorial {
namespace {

/// Near the zero of the derivative and in the left tail the textbook's result has no right digit: the
/// error is all that T can hold.
template <class T>
constexpr double kTextbookUlp = std::is_same_v<T, float>  ? 0x1p24
                                : std::is_same_v<T, half> ? 2048.0
                                                          : 256.0;

template <class T, GeluApproximate kVariant>
const std::vector<BinaryRung<T>>& rungs() {
  static const auto ladder = backward_ladder<GeluDerivative<kVariant>, T>(
      std::string(name_of(kVariant)) + "_", GeluBackward<kVariant>{}, kTextbookUlp<T>,
      kGeluBackwardUlp<T>);
  return ladder;
}

}  // namespace

template <class T>
const std::vector<BinaryRung<T>>& gelu_backward_rungs(GeluApproximate approximate) {
  return approximate == GeluApproximate::tanh ? rungs<T, GeluApproximate::tanh>()
                                              : rungs<T, GeluApproximate::none>();
}

template <class T>
cudaError_t gelu_backward(const T* x, const T* dy, T* dx, std::int64_t n,
                          GeluApproximate approximate, cudaStream_t stream) {
  switch (approximate) {
    case GeluApproximate::none:
      return launch_gradient(x, dy, dx, n, GeluBackward<GeluApproximate::none>{}, stream);
    case GeluApproximate::tanh:
      return launch_gradient(x, dy, dx, n, GeluBackward<GeluApproximate::tanh>{}, stream);
  }
  return cudaErrorInvalidValue;
}

#define TUTORIAL_INSTANTIATE(T)                                                             \
  template const std::vector<BinaryRung<T>>& gelu_backward_rungs(GeluApproximate);          \
  template cudaError_t gelu_backward(const T*, const T*, T*, std::int64_t, GeluApproximate, \
                                     cudaStream_t);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial
