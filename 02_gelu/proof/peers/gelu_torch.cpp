// The chapter as operators of PyTorch: gelu(x, approximate="none"), its gradient, and every rung as
// gelu_VARIANT_RUNG(x).
#include "02_gelu/backward/gelu_backward.h"
#include "02_gelu/gelu.h"
#include "common/torch/bind.h"

namespace tutorial::bind {
namespace {

constexpr GeluApproximate kVariants[] = {GeluApproximate::none, GeluApproximate::tanh};

GeluApproximate variant_of(const Arguments& arguments, std::size_t i) {
  return kVariants[choice(arguments, i, {name_of(kVariants[0]), name_of(kVariants[1])})];
}

}  // namespace

std::vector<Operator> operators() {
  std::vector<Operator> list;
  list.push_back(float_views("gelu", "Tensor x, *, str approximate='none'",
                             [](const Arguments& a, auto y, cudaStream_t stream) {
                               using T = typename decltype(y)::Element;
                               return gelu(a.view<T>(0), y, variant_of(a, 1), stream);
                             }));
  list.back().gradient = "gelu_backward";
  list.push_back(gradient_operator(
      "gelu_backward", "Tensor x, Tensor dy, *, str approximate='none'",
      [](const Arguments& a, auto* x, auto* dy, auto* dx, std::int64_t n, cudaStream_t stream) {
        return gelu_backward(x, dy, dx, n, variant_of(a, 2), stream);
      }));
  for (const std::size_t place : {1, 2}) {  // of the variant, forwards and backwards
    Operator& op = list[list.size() - 3 + place];
    op.results = [results = op.results, place](const Arguments& a) {
      variant_of(a, place);
      return results(a);
    };
  }
  for (const GeluApproximate variant : {GeluApproximate::tanh, GeluApproximate::none}) {
    add_unary_rungs<float>(list, "gelu", gelu_rungs<float>(variant));
    add_unary_rungs<half>(list, "gelu", gelu_rungs<half>(variant));
    add_unary_rungs<Bf16>(list, "gelu", gelu_rungs<Bf16>(variant));
  }
  add_unary_rungs<half>(list, "gelu", std::vector{your_gelu_rung()}, OperatorKind::yours);
  return list;
}

}  // namespace tutorial::bind
