// The chapter as operators of PyTorch: swish(x, beta), swiglu(a, b) and their gradients,
// swiglu_separate(a, b), and every rung as swish_RUNG(x).
#include "03_swish/swish.h"
#include "03_swish/swish_backward.h"
#include "common/torch/bind.h"

namespace tutorial::bind {
namespace {

Operator swiglu_gradients() {
  Operator op = gradient_operator("swiglu_backward", "Tensor a, Tensor b, Tensor dy",
                                  [](const Arguments&, auto*, auto*, auto*, std::int64_t,
                                     cudaStream_t) { return cudaErrorInvalidValue; });
  op.outputs = {"da", "db"};
  op.results = [results = op.results](const Arguments& a) {
    require_same_dtype(a, 0, 2);
    require_same_sizes(a, 0, 2);
    return std::vector<Result>(2, results(a).front());
  };
  op.run = [](const Arguments& a, const Outputs& out, cudaStream_t stream) {
    return with_type(a.tensor(0), Floats{}, [&](auto* type) -> cudaError_t {
      using T = std::remove_pointer_t<decltype(type)>;
      return swiglu_backward(a.data<T>(0), a.data<T>(1), a.data<T>(2),
                             static_cast<T*>(out[0].data_ptr()), static_cast<T*>(out[1].data_ptr()),
                             a.tensor(0).numel(), stream);
    });
  };
  op.invalid = "da and db must be two tensors";
  return op;
}

}  // namespace

std::vector<Operator> operators() {
  std::vector<Operator> list;
  list.push_back(
      float_operator("swish", "Tensor x, float beta=1.0",
                     [](const Arguments& a, auto* x, auto* y, std::int64_t n, cudaStream_t stream) {
                       return swish(x, y, n, static_cast<float>(a.number(1)), stream);
                     }));
  const std::string about_beta = "beta must be finite, and 0 or at least 2^-100 in magnitude";
  list.back().invalid = about_beta;
  list.back().gradient = "swish_backward";
  list.push_back(gradient_operator(
      "swish_backward", "Tensor x, Tensor dy, float beta=1.0",
      [](const Arguments& a, auto* x, auto* dy, auto* dx, std::int64_t n, cudaStream_t stream) {
        return swish_backward(x, dy, dx, n, static_cast<float>(a.number(2)), stream);
      }));
  list.back().invalid = about_beta;
  list.push_back(
      float_operator2("swiglu", [](auto* a, auto* b, auto* y, std::int64_t n, cudaStream_t stream) {
        return swiglu(a, b, y, n, stream);
      }));
  list.back().gradient = "swiglu_backward";
  list.push_back(swiglu_gradients());
  list.push_back(float_operator2(
      "swiglu_separate", [](auto* a, auto* b, auto* y, std::int64_t n, cudaStream_t stream) {
        return swiglu_separate(a, b, y, n, stream);
      }));
  list.back().in_place = false;  // y == b would be written over before it is read
  for_each_type(Floats{}, [&](auto type) {
    add_unary_rungs<decltype(type)>(list, "swish", swish_rungs<decltype(type)>());
  });
  add_unary_rungs<half>(list, "swish", std::vector{your_swish_rung()}, OperatorKind::yours);
  return list;
}

}  // namespace tutorial::bind
