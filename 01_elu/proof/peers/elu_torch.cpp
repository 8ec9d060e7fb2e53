// The chapter as operators of PyTorch: elu(x, alpha), its gradient, and every rung as elu_RUNG(x).
#include "01_elu/backward/elu_backward.h"
#include "01_elu/elu.h"
#include "common/torch/bind.h"

namespace tutorial::bind {

std::vector<Operator> operators() {
  std::vector<Operator> list;
  list.push_back(float_views("elu", "Tensor x, float alpha=1.0",
                             [](const Arguments& a, auto y, cudaStream_t stream) {
                               using T = typename decltype(y)::Element;
                               return elu(a.view<T>(0), y, static_cast<float>(a.number(1)), stream);
                             }));
  list.back().invalid = "alpha must be finite";
  list.back().gradient = "elu_backward";
  list.push_back(gradient_operator(
      "elu_backward", "Tensor x, Tensor dy, float alpha=1.0",
      [](const Arguments& a, auto* x, auto* dy, auto* dx, std::int64_t n, cudaStream_t stream) {
        return elu_backward(x, dy, dx, n, static_cast<float>(a.number(2)), stream);
      }));
  list.back().invalid = "alpha must be finite";
  add_unary_rungs<float>(list, "elu", elu_rungs<float>());
  add_unary_rungs<half>(list, "elu", elu_rungs<half>());
  add_unary_rungs<Bf16>(list, "elu", elu_rungs<Bf16>());
  add_unary_rungs<half>(list, "elu", std::vector{your_elu_rung()}, OperatorKind::yours);
  return list;
}

}  // namespace tutorial::bind
