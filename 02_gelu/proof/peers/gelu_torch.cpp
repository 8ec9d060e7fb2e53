// The chapter as operators of PyTorch: gelu(x, approximate="none"), its gradient, and every rung as
// gelu_VARIANT_RUNG(x).
#include "02_gelu/backward/gelu_backward.h"
#include "02_gelu/gelu.h"
#include "common/torch/bind.h"

namespace tutorial::bind {
namespace {

constexpr GeluApproximate kVariants[] = {GeluApproximate::none, GeluApproximate::tanh};

}  // namespace

std::vector<Operator> operators() {
  std::vector<Operator> list;
  list.push_back(float_views("gelu", "Tensor x, *, str approximate='none'", 1, [](auto call) {
    return gelu(call.view(0), call.y_view(), choice_of(call.x, 1, kVariants), call.stream);
  }));
  list.back().gradient = "gelu_backward";
  list.push_back(gradient_operator(
      "gelu_backward", "Tensor x, Tensor dy, *, str approximate='none'", 2, [](auto call) {
        return gelu_backward(call.data(0), call.data(1), call.y(), call.n,
                             choice_of(call.x, 2, kVariants), call.stream);
      }));
  for (const std::size_t place : {1, 2}) {  // of the variant, forwards and backwards
    Operator& op = list[list.size() - 3 + place];
    op.results = [results = op.results, place](const Arguments& a) {
      choice_of(a, place, kVariants);
      return results(a);
    };
  }
  for (const GeluApproximate variant : {GeluApproximate::tanh, GeluApproximate::none}) {
    for_each_type(Floats{}, [&](auto type) {
      add_unary_rungs<decltype(type)>(list, "gelu", gelu_rungs<decltype(type)>(variant));
    });
  }
  add_unary_rungs<half>(list, "gelu", std::vector{your_gelu_rung()}, OperatorKind::yours);
  return list;
}

}  // namespace tutorial::bind
