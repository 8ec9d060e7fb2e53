// The chapter as operators of PyTorch: elu(x, alpha), and every rung as elu_RUNG(x).
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
  add_unary_rungs<float>(list, "elu", elu_rungs<float>());
  add_unary_rungs<half>(list, "elu", elu_rungs<half>());
  add_unary_rungs<Bf16>(list, "elu", elu_rungs<Bf16>());
  add_unary_rungs<half>(list, "elu", std::vector{your_elu_rung()}, OperatorKind::yours);
  return list;
}

}  // namespace tutorial::bind
