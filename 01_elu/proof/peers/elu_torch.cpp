// The chapter as operators of PyTorch: elu(x, alpha), its gradient, and every rung as elu_RUNG(x).
#include "01_elu/backward/elu_backward.h"
#include "01_elu/elu.h"
#include "common/torch/bind.h"

namespace tutorial::bind {

std::vector<Operator> operators() {
  std::vector<Operator> list;
  list.push_back(float_views("elu", "Tensor x, float alpha=1.0", 1, [](auto call) {
    return elu(call.view(0), call.y_view(), static_cast<float>(call.x.number(1)), call.stream);
  }));
  list.back().invalid = "alpha must be finite";
  list.back().gradient = "elu_backward";
  list.push_back(
      gradient_operator("elu_backward", "Tensor x, Tensor dy, float alpha=1.0", 2, [](auto call) {
        return elu_backward(call.data(0), call.data(1), call.y(), call.n,
                            static_cast<float>(call.x.number(2)), call.stream);
      }));
  list.back().invalid = "alpha must be finite";
  for_each_type(Floats{}, [&](auto type) {
    add_unary_rungs<decltype(type)>(list, "elu", elu_rungs<decltype(type)>());
  });
  add_unary_rungs<half>(list, "elu", std::vector{your_elu_rung()}, OperatorKind::yours);
  return list;
}

}  // namespace tutorial::bind
