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

template <class T>
T* data(const Outputs& out, std::size_t i = 0) {
  return static_cast<T*>(out[i].data_ptr());
}

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

Operator named(const std::string& ladder, const std::string& name, const std::string& arguments) {
  Operator op;
  op.ladder = ladder;
  op.name = name;
  op.arguments = arguments;
  return op;
}

// ---- Elementwise --------------------------------------------------------------------------------

template <class T>
void add_ladder(std::vector<Operator>& list) {
  for (const auto& rung : add_rungs<T>()) {
    list.push_back(binary<T>("primitives", rung.name, rung.launch, rung.alignment));
  }
}

/// `count` tensors of one shape and type in, one out. launch(arguments, y, n, stream).
template <class... Ts, class Launch>
Operator many(const std::string& name, const std::string& arguments, std::size_t count,
              Types<Ts...> types, Launch launch) {
  Operator op = named("primitives", name, arguments);
  op.results = [count, types](const Arguments& x) {
    require_dtype(x, 0, types);
    for (std::size_t i = 1; i < count; ++i) {
      require_same_dtype(x, 0, i);
      require_same_sizes(x, 0, i);
    }
    return std::vector<Result>{{sizes_of(x.tensor(0)), x.tensor(0).scalar_type()}};
  };
  op.run = [types, launch](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    return with_type(x.tensor(0), types, [&](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      return launch(x, data<T>(out), x.tensor(0).numel(), stream);
    });
  };
  return op;
}

void add_elementwise(std::vector<Operator>& list) {
  const auto of_any = [](const char* name, auto launch) {
    Operator op = float_operator2(name, launch);
    op.ladder = "primitives";
    return op;
  };
  list.push_back(of_any("primitives_add", [](auto... a) { return add(a...); }));
  list.push_back(of_any("primitives_add_by_hand", [](auto... a) { return add_by_hand(a...); }));
  list.push_back(many(
      "primitives_add_to_float", "Tensor a, Tensor b", 2, Types<half>{},
      [](const Arguments&, half*, std::int64_t, cudaStream_t) { return cudaErrorInvalidValue; }));
  list.back().results = [results = list.back().results](const Arguments& x) {
    std::vector<Result> as_inputs = results(x);
    as_inputs[0].dtype = at::kFloat;
    return as_inputs;
  };
  list.back().run = [](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    return add_to_float(x.data<half>(0), x.data<half>(1), data<float>(out), x.tensor(0).numel(),
                        stream);
  };
  list.back().in_place = false;
  list.push_back(many("multiply_add", "Tensor a, Tensor b, Tensor c", 3, Floats{},
                      [](const Arguments& x, auto* y, std::int64_t n, cudaStream_t stream) {
                        using T = std::remove_pointer_t<decltype(y)>;
                        return multiply_add(x.data<T>(0), x.data<T>(1), x.data<T>(2), y, n, stream);
                      }));
  list.push_back(many("sum4", "Tensor a, Tensor b, Tensor c, Tensor d", 4, Floats{},
                      [](const Arguments& x, auto* y, std::int64_t n, cudaStream_t stream) {
                        using T = std::remove_pointer_t<decltype(y)>;
                        return sum4(x.data<T>(0), x.data<T>(1), x.data<T>(2), x.data<T>(3), y, n,
                                    stream);
                      }));
  const auto activation = [&](const char* name, auto launch) {
    list.push_back(float_operator(name, "Tensor x",
                                  [launch](const Arguments&, auto... a) { return launch(a...); }));
    list.back().ladder = "primitives";
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
  op.run = [launch](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    return with_type(x.tensor(0), Floats{}, [&](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      const Matrix m = matrix_of(shape_of(x.tensor(0)));
      return launch(x.data<T>(0), x.data<T>(1), data<T>(out), m.rows, m.columns, stream);
    });
  };
  op.in_place = false;  // x may be y, bias may not
  return op;
}

/// Along the last dimension, of rows as they lie. launch(x, y, outputs, stream): the views of x and of the
/// first result.
template <class... Ts, class Launch>
Operator row_operator(const std::string& name, Types<Ts...> types, Launch launch) {
  Operator op = named(name, name, "Tensor x");
  op.any_rows = true;
  op.results = [types](const Arguments& x) {
    require_dimension(x);
    require_dtype(x, 0, types);
    return std::vector<Result>{{sizes_of(x.tensor(0)), x.tensor(0).scalar_type()}};
  };
  op.run = [types, launch](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    return with_type(x.tensor(0), types, [&](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      return launch(x.view<T>(0), view_of<T>(out[0]), out, stream);
    });
  };
  return op;
}

/// Few long rows are split, with a workspace of the bytes bytes_of(type, layout).
/// launch(x, y, workspace, bytes, stream).
template <class... Ts, class BytesOf, class Launch>
Operator split_operator(const std::string& name, Types<Ts...> types, BytesOf bytes_of,
                        Launch launch) {
  Operator op = row_operator(name, types, [](const auto&...) { return cudaSuccess; });
  op.run = [=](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    return with_type(x.tensor(0), types, [&](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      const TensorView<const T> from = x.view<T>(0);
      const std::size_t bytes = bytes_of(type, from.layout);
      const at::Tensor workspace = workspace_of(x, bytes);
      return launch(from, view_of<T>(out[0]), workspace.data_ptr(), bytes, stream);
    });
  };
  return op;
}

Operator softmax_operator() {
  return split_operator(
      "softmax", Floats{},
      [](auto* type, const TensorLayout& x) {
        return softmax_workspace<std::remove_pointer_t<decltype(type)>>(x);
      },
      [](const auto&... a) { return softmax_split(a...); });
}

using Sortable = Types<float, half, std::int32_t>;

Operator sort_with_index() {
  Operator op = row_operator("sort_with_index", Sortable{},
                             [](const auto& x, const auto& y, const Outputs& out, auto stream) {
                               return sort_rows(x, y, view_of<std::int32_t>(out[1]), stream);
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

Operator cumsum_operator() {
  return split_operator(
      "cumsum", Reducible{},
      [](auto* type, const TensorLayout& x) {
        return cumsum_workspace<std::remove_pointer_t<decltype(type)>>(x);
      },
      [](const auto&... a) { return cumsum_split(a...); });
}

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
  op.run = [](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    return with_type(x.tensor(0), Reducible{}, [&](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      const Reduction reduction =
          choice(x, 1, {"sum", "max"}) == 0 ? Reduction::sum : Reduction::max;
      const std::int64_t dim = reduced_dim(x);
      const TensorView<const T> from = x.view<T>(0);
      const TensorView<T> to = view_of<T>(out[0]);
      const std::size_t bytes = reduce_workspace<T>(from.layout, dim, to.layout);
      const at::Tensor workspace = workspace_of(x, bytes);
      return reduce(reduction, from, dim, to, workspace.data_ptr(), bytes, stream);
    });
  };
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
  const auto rows = [&](const char* name, auto types, auto launch) {
    list.push_back(row_operator(
        name, types, [launch](const auto& x, const auto& y, const Outputs&, cudaStream_t stream) {
          return launch(x, y, stream);
        }));
  };
  list.push_back(softmax_operator());
  rows("softmax_two_reductions", Floats{}, [](const auto& x, const auto& y, cudaStream_t stream) {
    const Matrix m = matrix_of(x.layout.shape);
    return softmax_two_reductions(x.data, y.data, m.rows, m.columns, stream);
  });
  list.back().any_rows = false;
  list.push_back(cumsum_operator());
  rows("sort", Sortable{}, [](const auto&... a) { return sort_rows(a...); });
  list.push_back(sort_with_index());
  return list;
}

}  // namespace tutorial::bind
