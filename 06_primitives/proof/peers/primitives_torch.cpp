// The chapter as operators of PyTorch.
//
//     primitives_add(a, b), primitives_add_RUNG(a, b)     the ladder
//     primitives_add_to_float(a, b), multiply_add(a, b, c), sum4(a, b, c, d)
//     primitives_elu(x), primitives_gelu(x), primitives_swish(x)
//     bias_add(x, bias)                                   by CycleBinary
//     bias_add_broadcast(x, bias)                         by ReadDataBc
//     reduce(x, reduction, dim)                           "sum" or "max"; removes any one dimension
//     softmax(x), cumsum(x), sort(x), sort_with_index(x)  along the last dimension, of rows with gaps too
#include "06_primitives/primitives.h"

#include <ATen/ops/empty.h>

#include "common/torch/bind.h"

namespace tutorial::bind {
namespace {

/// A tensor as a matrix: its last dimension, and what lies before it.
struct Matrix {
  std::int64_t rows, columns;
};
Matrix matrix_of(TensorShape shape) {
  const std::int64_t columns = shape.back();
  shape.pop_back();
  return {elements_of(shape), columns};
}

/// Memory beside the operands, for the call that is enqueued now; null where no bytes are needed.
at::Tensor workspace_of(const Arguments& x, std::size_t bytes) {
  return at::empty({static_cast<std::int64_t>(bytes)}, x.tensor(0).options().dtype(at::kByte));
}

void require_dimension(const Arguments& x) {
  TORCH_CHECK(x.tensor(0).dim() >= 1, x.name(), ": takes tensors of one dimension or more");
}

// ---- Elementwise --------------------------------------------------------------------------------

template <class T>
void add_ladder(std::vector<Operator>& list) {
  for (const auto& rung : add_rungs<T>()) {
    list.push_back(binary<T>("primitives", rung.name, rung.launch, rung.alignment));
  }
}

void add_elementwise(std::vector<Operator>& list) {
  const auto push = [&](const char* name, const char* arguments, std::size_t count, auto types,
                        auto launch) {
    list.push_back(elementwise(name, arguments, count, types, launch));
    list.back().ladder = "primitives";
  };
  const auto of_two = [&](const char* name, auto launch) {
    push(name, "Tensor a, Tensor b", 2, Floats{}, [launch](auto call) {
      return launch(call.data(0), call.data(1), call.y(), call.n, call.stream);
    });
  };
  of_two("primitives_add", [](auto... a) { return add(a...); });
  of_two("primitives_add_by_hand", [](auto... a) { return add_by_hand(a...); });
  push("primitives_add_to_float", "Tensor a, Tensor b", 2, Types<half>{}, [](auto call) {
    return add_to_float(call.data(0), call.data(1), data<float>(call.out), call.n, call.stream);
  });
  list.back().results = [results = list.back().results](const Arguments& x) {
    std::vector<Result> as_inputs = results(x);
    as_inputs[0].dtype = at::kFloat;
    return as_inputs;
  };
  list.back().in_place = false;
  push("multiply_add", "Tensor a, Tensor b, Tensor c", 3, Floats{}, [](auto call) {
    return multiply_add(call.data(0), call.data(1), call.data(2), call.y(), call.n, call.stream);
  });
  push("sum4", "Tensor a, Tensor b, Tensor c, Tensor d", 4, Floats{}, [](auto call) {
    return sum4(call.data(0), call.data(1), call.data(2), call.data(3), call.y(), call.n,
                call.stream);
  });
  const auto activation = [&](const char* name, auto launch) {
    push(name, "Tensor x", 1, Floats{},
         [launch](auto call) { return launch(call.data(0), call.y(), call.n, call.stream); });
  };
  activation("primitives_elu", [](auto... a) { return elu(a...); });
  activation("primitives_elu_by_hand", [](auto... a) { return elu_by_hand(a...); });
  activation("primitives_gelu", [](auto... a) { return gelu(a...); });
  activation("primitives_gelu_by_hand", [](auto... a) { return gelu_by_hand(a...); });
  activation("primitives_swish", [](auto... a) { return swish(a...); });
  activation("primitives_swish_by_hand", [](auto... a) { return swish_by_hand(a...); });
}

// ---- Rows ---------------------------------------------------------------------------------------

/// launch(x, bias, y, rows, columns, stream).
template <class Launch>
Operator bias_operator(const std::string& name, Launch launch) {
  Operator op = named("bias", name, "Tensor x, Tensor bias");
  op.results = [](const Arguments& x) {
    require_dimension(x);
    require_dtype(x, 0, Floats{});
    require_same_dtype(x, 0, 1);
    TORCH_CHECK(x.tensor(1).dim() == 1 && x.tensor(1).sym_size(0) == x.tensor(0).sym_size(-1),
                x.name(), ": bias must have one dimension, as long as the last of x: ",
                x.tensor(0).sym_size(-1), "; it has the sizes ", x.tensor(1).sym_sizes());
    return std::vector<Result>{{sizes_of(x.tensor(0)), x.tensor(0).scalar_type()}};
  };
  op.run = by_type(0, Floats{}, [launch](auto call) {
    const Matrix m = matrix_of(shape_of(call.x.tensor(0)));
    return launch(call.data(0), call.data(1), call.y(), m.rows, m.columns, call.stream);
  });
  op.in_place = false;  // x may be y, bias may not
  return op;
}

/// Along the last dimension, of rows as they lie. launch(Call<T>).
template <class... Ts, class Launch>
Operator row_operator(const std::string& name, Types<Ts...> types, Launch launch) {
  Operator op = elementwise(name, "Tensor x", 1, types, launch);
  op.any_rows = true;
  op.results = [types](const Arguments& x) {
    require_dimension(x);
    return alike(0, 1, types)(x);
  };
  return op;
}

/// Few long rows are split, with a workspace of the bytes bytes_of(zero, layout), where the zero has the
/// type. launch(x, y, workspace, bytes, stream).
template <class... Ts, class BytesOf, class Launch>
Operator split_operator(const std::string& name, Types<Ts...> types, BytesOf bytes_of,
                        Launch launch) {
  return row_operator(name, types, [=](auto call) {
    using T = typename decltype(call)::Element;
    const TensorView<const T> from = call.view(0);
    const std::size_t bytes = bytes_of(T{}, from.layout);
    const at::Tensor workspace = workspace_of(call.x, bytes);
    return launch(from, call.y_view(), workspace.data_ptr(), bytes, call.stream);
  });
}

using Sortable = Types<float, half, std::int32_t>;

Operator sort_with_index() {
  Operator op = row_operator("sort_with_index", Sortable{}, [](auto call) {
    return sort_rows(call.view(0), call.y_view(), view_of<std::int32_t>(call.out[1]), call.stream);
  });
  op.ladder = "sort";
  op.outputs = {"values", "indices"};
  op.results = [results = op.results](const Arguments& x) {
    std::vector<Result> both = results(x);
    both.push_back({both[0].sizes, at::kInt});
    return both;
  };
  op.in_place = false;
  return op;
}

// ---- Reductions ---------------------------------------------------------------------------------

using Reducible = Types<float, half, Bf16, std::int32_t>;

/// The dimension that goes.
std::int64_t reduced_dim(const Arguments& x) {
  const std::int64_t rank = x.tensor(0).dim(), dim = x.integer(2);
  TORCH_CHECK(-rank <= dim && dim < rank, x.name(), ": x has ", rank,
              " dimensions, and none with the number ", dim);
  return dim < 0 ? dim + rank : dim;
}

/// Of a tensor as it lies.
Operator reduce_operator() {
  Operator op = named("reduce", "reduce", "Tensor x, str reduction='sum', int dim=-1");
  op.results = [](const Arguments& x) {
    require_dimension(x);
    require_dtype(x, 0, Reducible{});
    choice(x, 1, {"sum", "max"});
    Sizes sizes = sizes_of(x.tensor(0));
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(reduced_dim(x)));
    return std::vector<Result>{{sizes, x.tensor(0).scalar_type()}};
  };
  op.run = by_type(0, Reducible{}, [](auto call) {
    using T = typename decltype(call)::Element;
    const Reduction reduction =
        choice(call.x, 1, {"sum", "max"}) == 0 ? Reduction::sum : Reduction::max;
    const std::int64_t dim = reduced_dim(call.x);
    const TensorView<const T> from = call.view(0);
    const TensorView<T> to = call.y_view();
    const std::size_t bytes = reduce_workspace<T>(from.layout, dim, to.layout);
    const at::Tensor workspace = workspace_of(call.x, bytes);
    return reduce(reduction, from, dim, to, workspace.data_ptr(), bytes, call.stream);
  });
  op.in_place = false;
  op.any_strides = true;
  return op;
}

}  // namespace

std::vector<Operator> operators() {
  std::vector<Operator> list;
  add_elementwise(list);
  add_ladder<float>(list);
  add_ladder<half>(list);
  const BinaryRung<half> yours = your_primitives_rung();
  list.push_back(
      binary<half>("primitives", yours.name, yours.launch, yours.alignment, OperatorKind::yours));
  list.push_back(bias_operator("bias_add", [](auto... a) { return bias_add_cycle(a...); }));
  list.push_back(
      bias_operator("bias_add_broadcast", [](auto... a) { return bias_add_broadcast(a...); }));
  list.push_back(reduce_operator());
  list.push_back(split_operator(
      "softmax", Floats{},
      [](auto zero, const TensorLayout& x) { return softmax_workspace<decltype(zero)>(x); },
      [](const auto&... a) { return softmax_split(a...); }));
  list.push_back(row_operator("softmax_two_reductions", Floats{}, [](auto call) {
    const Matrix m = matrix_of(shape_of(call.x.tensor(0)));
    return softmax_two_reductions(call.data(0), call.y(), m.rows, m.columns, call.stream);
  }));
  list.back().any_rows = false;
  list.push_back(split_operator(
      "cumsum", Reducible{},
      [](auto zero, const TensorLayout& x) { return cumsum_workspace<decltype(zero)>(x); },
      [](const auto&... a) { return cumsum_split(a...); }));
  list.push_back(row_operator("sort", Sortable{}, [](auto call) {
    return sort_rows(call.view(0), call.y_view(), call.stream);
  }));
  list.push_back(sort_with_index());
  return list;
}

}  // namespace tutorial::bind
