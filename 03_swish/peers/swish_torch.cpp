// The chapter as operators of PyTorch: swish(x, beta), swiglu(a, b) and swiglu_separate(a, b), and
// every rung as swish_RUNG(x).
#include "03_swish/swish.h"
#include "common/torch/bind.h"

namespace tutorial::bind {

std::vector<Operator> operators() {
  std::vector<Operator> list;
  list.push_back(
      float_operator("swish", "Tensor x, float beta=1.0",
                     [](const Arguments& a, auto* x, auto* y, std::int64_t n, cudaStream_t stream) {
                       return swish(x, y, n, static_cast<float>(a.number(1)), stream);
                     }));
  list.back().invalid = "beta must be finite, and 0 or at least 2^-100 in magnitude";
  list.push_back(
      float_operator2("swiglu", [](auto* a, auto* b, auto* y, std::int64_t n, cudaStream_t stream) {
        return swiglu(a, b, y, n, stream);
      }));
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
