// The chapter as operators of PyTorch: swish(x, beta), swiglu(a, b), swiglu_halves(x) and their gradients,
// swiglu_separate(a, b), swiglu_quantize(a, b), and every rung as swish_RUNG(x).
#include "03_swish/backward/swish_backward.h"
#include "03_swish/quantize/swish_quantize.h"
#include "03_swish/swish.h"
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

/// Of the halves of one tensor's rows.
Operator swiglu_halves_gradient() {
  Operator op = gradient_operator(
      "swiglu_halves_backward", "Tensor x, Tensor dy",
      [](const Arguments& a, auto* x, auto* dy, auto* dx, std::int64_t, cudaStream_t stream) {
        const std::int64_t d = a.tensor(1).size(-1);
        return swiglu_backward_halves(x, dy, dx, d == 0 ? 0 : a.tensor(1).numel() / d, d, stream);
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
  Operator op = float_operator2(
      "swiglu_quantize",
      [](auto*, auto*, auto*, std::int64_t, cudaStream_t) { return cudaErrorInvalidValue; });
  op.outputs = {"q", "scale"};
  op.in_place = false;
  op.results = [results = op.results](const Arguments& a) {
    Sizes sizes = results(a).front().sizes;
    TORCH_CHECK(!sizes.empty(), a.name(), ": takes tensors of one dimension or more");
    Sizes rows = sizes;
    rows.back() = 1;
    return std::vector<Result>{{sizes, at::kByte}, {rows, at::kFloat}};
  };
  op.run = [](const Arguments& a, const Outputs& out, cudaStream_t stream) {
    return with_type(a.tensor(0), Floats{}, [&](auto* type) -> cudaError_t {
      using T = std::remove_pointer_t<decltype(type)>;
      const std::int64_t columns = a.tensor(0).size(-1);
      return swiglu_quantize(a.data<T>(0), a.data<T>(1), static_cast<E4m3*>(out[0].data_ptr()),
                             static_cast<float*>(out[1].data_ptr()), out[1].numel(), columns,
                             columns, RowPasses::fitting, stream);
    });
  };
  op.invalid = "takes fewer than 2^31 rows";
  return op;
}

}  // namespace

std::vector<Operator> operators() {
  std::vector<Operator> list;
  list.push_back(float_views(
      "swish", "Tensor x, float beta=1.0", [](const Arguments& a, auto y, cudaStream_t stream) {
        using T = typename decltype(y)::Element;
        return swish(a.view<T>(0), y, static_cast<float>(a.number(1)), stream);
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
  list.back().gradient = "swiglu_backward";
  list.push_back(swiglu_gradients());
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
  list.back().gradient = "swiglu_halves_backward";
  list.push_back(swiglu_halves_gradient());
  list.push_back(float_operator2(
      "swiglu_separate", [](auto* a, auto* b, auto* y, std::int64_t n, cudaStream_t stream) {
        return swiglu_separate(a, b, y, n, stream);
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
