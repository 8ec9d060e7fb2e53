// The chapter as operators of PyTorch: swish(x, beta), swiglu(a, b), swiglu_halves(x) and
// swiglu_separate(a, b), and every rung as swish_RUNG(x).
#include "03_swish/swish.h"
#include "common/torch/bind.h"

namespace tutorial::bind {

std::vector<Operator> operators() {
  std::vector<Operator> list;
  list.push_back(float_views(
      "swish", "Tensor x, float beta=1.0", [](const Arguments& a, auto y, cudaStream_t stream) {
        using T = typename decltype(y)::Element;
        return swish(a.view<T>(0), y, static_cast<float>(a.number(1)), stream);
      }));
  list.push_back(float_views("swiglu", "Tensor a, Tensor b",
                             [](const Arguments& a, auto y, cudaStream_t stream) {
                               using T = typename decltype(y)::Element;
                               return swiglu(a.view<T>(0), a.view<T>(1), y, stream);
                             }));
  list.back().results = [](const Arguments& a) {
    require_dtype(a, 0, Floats{});
    require_same_dtype(a, 0, 1);
    require_same_sizes(a, 0, 1);
    return std::vector<Result>{{sizes_of(a.tensor(0)), a.tensor(0).scalar_type()}};
  };
  list.push_back(
      float_views("swiglu_halves", "Tensor x", [](const Arguments& a, auto y, cudaStream_t stream) {
        using T = typename decltype(y)::Element;
        return swiglu_halves(a.view<T>(0), y, stream);
      }));
  list.back().in_place = false;
  list.back().results = [](const Arguments& a) {
    require_dtype(a, 0, Floats{});
    Sizes sizes = sizes_of(a.tensor(0));
    TORCH_CHECK(!sizes.empty() && sizes.back() % 2 == 0, a.name(), ": the sizes ",
                a.tensor(0).sym_sizes(), " have no halves along the last dimension");
    sizes.back() = sizes.back() / 2;
    return std::vector<Result>{{sizes, a.tensor(0).scalar_type()}};
  };
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
