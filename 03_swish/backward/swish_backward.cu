// The tables of the backward ladders, and the operators.
#include "03_swish/backward/swish_backward.h"

#include <type_traits>

#include "03_swish/backward/swish_backward_kernels.cuh"

namespace tutorial {
namespace {

/// Near the zero of the derivative and in the left tail the textbook's result has no right digit: the
/// error is all that T can hold.
template <class T>
constexpr double kTextbookUlp = std::is_same_v<T, float>  ? 0x1p24
                                : std::is_same_v<T, half> ? 2048.0
                                                          : 256.0;

template <int W, class T, class Op>
TwoGradientsRung<T> swiglu_rung(std::string name, Op op, double max_ulp) {
  const auto launch = [op](const T* a, const T* b, const T* dy, T* da, T* db, std::int64_t n,
                           cudaStream_t stream) {
    return launch_two_gradients<W>(a, b, dy, da, db, n, op, stream, {});
  };
  return {std::move(name), launch, W, W * sizeof(T), max_ulp};
}

}  // namespace

template <class T>
const std::vector<BinaryRung<T>>& swish_backward_rungs() {
  static const auto ladder = backward_ladder<SwishDerivative, T>(
      "", SwishBackward{swish_gradient(1.0f)}, kTextbookUlp<T>, kSwishBackwardUlp<T>);
  return ladder;
}

template <class T>
const std::vector<TwoGradientsRung<T>>& swiglu_backward_rungs() {
  constexpr int kWidth = 16 / sizeof(T);
  static const std::vector<TwoGradientsRung<T>> ladder = {
      swiglu_rung<1, T>(dtype_name<T>(), SwiGluTextbook{}, kTextbookUlp<T>),
      swiglu_rung<kWidth, T>(pack_name<T>(), SwiGluTextbook{}, kTextbookUlp<T>),
      swiglu_rung<kWidth, T>(pack_name<T>() + "_digits", SwiGluBackward{}, kSwishBackwardUlp<T>)};
  return ladder;
}

template <class T>
cudaError_t swish_backward(const T* x, const T* dy, T* dx, std::int64_t n, float beta,
                           cudaStream_t stream) {
  if (!is_supported(beta)) return cudaErrorInvalidValue;
  return launch_gradient(x, dy, dx, n, SwishBackward{swish_gradient(beta)}, stream);
}

template <class T>
cudaError_t swiglu_backward(const T* a, const T* b, const T* dy, T* da, T* db, std::int64_t n,
                            cudaStream_t stream) {
  return launch_two_gradients(a, b, dy, da, db, n, SwiGluBackward{}, stream);
}

template <class T>
cudaError_t swiglu_backward_halves(const T* ab, const T* dy, T* dab, std::int64_t rows,
                                   std::int64_t d, cudaStream_t stream) {
  return launch_two_gradients_halves(ab, dy, dab, rows, d, SwiGluBackward{}, stream);
}

#define TUTORIAL_INSTANTIATE(T)                                                                   \
  template const std::vector<BinaryRung<T>>& swish_backward_rungs();                              \
  template const std::vector<TwoGradientsRung<T>>& swiglu_backward_rungs();                       \
  template cudaError_t swish_backward(const T*, const T*, T*, std::int64_t, float, cudaStream_t); \
  template cudaError_t swiglu_backward_halves(const T*, const T*, T*, std::int64_t, std::int64_t, \
                                              cudaStream_t);                                      \
  template cudaError_t swiglu_backward(const T*, const T*, const T*, T*, T*, std::int64_t,        \
                                       cudaStream_t);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial
