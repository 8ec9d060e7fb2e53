// The chapter as operators of PyTorch: swish(x, beta), swiglu(a, b), swiglu_halves(x) and their gradients,
// swiglu_separate(a, b), swiglu_quantize(a, b), and every rung as swish_RUNG(x).
#include "03_swish/backward/swish_backward.h"
#include "03_swish/quantize/swish_quantize.h"
#include "03_swish/swish.h"
#include "common/torch/bind.h"

namespace tutorial::bind {
namespace {

Operator swiglu_gradients() {
  Operator op =
      gradient_operator("swiglu_backward", "Tensor a, Tensor b, Tensor dy", 3, [](auto call) {
        return swiglu_backward(call.data(0), call.data(1), call.data(2), call.y(0), call.y(1),
                               call.n, call.stream);
      });
  op.outputs = {"da", "db"};
  op.results = [results = op.results](const Arguments& a) {
    return std::vector<Result>(2, results(a).front());
  };
  op.invalid = "da and db must be two tensors";
  return op;
}

/// Of the halves of one tensor's rows.
Operator swiglu_halves_gradient() {
  Operator op =
      gradient_operator("swiglu_halves_backward", "Tensor x, Tensor dy", 2, [](auto call) {
        const at::Tensor& dy = call.x.tensor(1);
        const std::int64_t d = dy.size(-1);
        return swiglu_backward_halves(call.data(0), call.data(1), call.y(),
                                      d == 0 ? 0 : dy.numel() / d, d, call.stream);
      });
  op.results = [](const Arguments& a) {
    require_dtype(a, 0, Floats{});
    require_same_dtype(a, 0, 1);
    Sizes halves = sizes_of(a.tensor(1));
    TORCH_CHECK(!halves.empty(), a.name(), ": dy must have one dimension or more");
    halves.back() = halves.back() * 2;
    TORCH_CHECK(halves == sizes_of(a.tensor(0)), a.name(),
                ": dy must have the sizes of half of x, not ", a.tensor(1).sym_sizes(), " for ",
                a.tensor(0).sym_sizes());
    return std::vector<Result>{{sizes_of(a.tensor(0)), a.tensor(0).scalar_type()}};
  };
  return op;
}

/// q as uint8, for not every PyTorch has a type for an E4m3: q.view(torch.float8_e4m3fn). Rows are those of
/// the last dimension, and the scales have 1 there.
Operator swiglu_quantize_operator() {
  Operator op = elementwise("swiglu_quantize", "Tensor a, Tensor b", 2, Floats{}, [](auto call) {
    const std::int64_t columns = call.x.tensor(0).size(-1), rows = call.out[1].numel();
    return swiglu_quantize(call.data(0), call.data(1), data<E4m3>(call.out, 0),
                           data<float>(call.out, 1), rows, columns, columns, RowPasses::fitting,
                           call.stream);
  });
  op.outputs = {"q", "scale"};
  op.in_place = false;
  op.results = [results = op.results](const Arguments& a) {
    Sizes sizes = results(a).front().sizes;
    TORCH_CHECK(!sizes.empty(), a.name(), ": takes tensors of one dimension or more");
    Sizes rows = sizes;
    rows.back() = 1;
    return std::vector<Result>{{sizes, at::kByte}, {rows, at::kFloat}};
  };
  op.invalid = "takes fewer than 2^31 rows";
  return op;
}

}  // namespace

std::vector<Operator> operators() {
  std::vector<Operator> list;
  list.push_back(float_views("swish", "Tensor x, float beta=1.0", 1, [](auto call) {
    return swish(call.view(0), call.y_view(), static_cast<float>(call.x.number(1)), call.stream);
  }));
  const std::string about_beta = "beta must be finite, and 0 or at least 2^-100 in magnitude";
  list.back().invalid = about_beta;
  list.back().gradient = "swish_backward";
  list.push_back(
      gradient_operator("swish_backward", "Tensor x, Tensor dy, float beta=1.0", 2, [](auto call) {
        return swish_backward(call.data(0), call.data(1), call.y(), call.n,
                              static_cast<float>(call.x.number(2)), call.stream);
      }));
  list.back().invalid = about_beta;
  list.push_back(float_views("swiglu", "Tensor a, Tensor b", 2, [](auto call) {
    return swiglu(call.view(0), call.view(1), call.y_view(), call.stream);
  }));
  list.back().gradient = "swiglu_backward";
  list.push_back(swiglu_gradients());
  list.push_back(float_views("swiglu_halves", "Tensor x", 1, [](auto call) {
    return swiglu_halves(call.view(0), call.y_view(), call.stream);
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
  list.back().gradient = "swiglu_halves_backward";
  list.push_back(swiglu_halves_gradient());
  list.push_back(elementwise("swiglu_separate", "Tensor a, Tensor b", 2, Floats{}, [](auto call) {
    return swiglu_separate(call.data(0), call.data(1), call.y(), call.n, call.stream);
  }));
  list.back().in_place = false;  // y == b would be written over before it is read
  list.push_back(swiglu_quantize_operator());
  for_each_type(Floats{}, [&](auto type) {
    add_unary_rungs<decltype(type)>(list, "swish", swish_rungs<decltype(type)>());
  });
  add_unary_rungs<half>(list, "swish", std::vector{your_swish_rung()}, OperatorKind::yours);
  return list;
}

}  // namespace tutorial::bind
