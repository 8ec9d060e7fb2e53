// The table of the backward ladder, and the operator.
#include "01_elu/backward/elu_backward.h"

#include <cmath>

#include "01_elu/backward/elu_backward_kernels.cuh"

namespace tutorial {

template <class T>
const std::vector<BinaryRung<T>>& elu_backward_rungs() {
  // CUDA's expf may differ by one ULP from the rounded result, so by one and a half from the true one.
  // That is up to three of the product's, and rounding it adds half.
  constexpr double kTextbookUlp = 3.5;
  static const auto ladder =
      backward_ladder<EluDerivative, T>("", EluBackward{{1.0f}}, kTextbookUlp, kEluBackwardUlp<T>);
  return ladder;
}

template <class T>
cudaError_t elu_backward(const T* x, const T* dy, T* dx, std::int64_t n, float alpha,
                         cudaStream_t stream) {
  if (!std::isfinite(alpha)) return cudaErrorInvalidValue;
  return launch_gradient(x, dy, dx, n, EluBackward{{alpha}}, stream);
}

#define TUTORIAL_INSTANTIATE(T)                                    \
  template const std::vector<BinaryRung<T>>& elu_backward_rungs(); \
  template cudaError_t elu_backward(const T*, const T*, T*, std::int64_t, float, cudaStream_t);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial
