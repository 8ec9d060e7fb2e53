// From a chapter's functions to operators of PyTorch. Knows no chapter and no kernel.
#pragma once

#include <ATen/core/ivalue.h>
#include <ATen/core/Tensor.h>
#include <c10/core/SymInt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/broadcast.h"
#include "common/strided.h"
#include "common/types.h"

// A chapter's X_torch.cpp defines operators(), a list; bind.cpp, which is linked into each module,
// registers it as torch.ops.elementwise_tutorial.NAME, for CPU tensors or CUDA tensors (what the
// build's backend runs on) and for tensors without data, as torch.compile traces with. README.md
// has the contract that a caller relies on.

namespace tutorial::bind {

/// A tensor of elements T as it lies in memory.
template <class T>
TensorView<T> view_of(const at::Tensor& tensor) {
  return {static_cast<T*>(tensor.data_ptr()), {tensor.sizes().vec(), tensor.strides().vec()}};
}

/// What an operator was called with, in the order of its schema.
class Arguments {
 public:
  Arguments(const std::string& name, std::vector<c10::IValue> values)
      : name_(name), values_(std::move(values)) {}

  /// The operator's name, for messages.
  const std::string& name() const { return name_; }

  const at::Tensor& tensor(std::size_t i) const { return values_.at(i).toTensor(); }
  double number(std::size_t i) const { return values_.at(i).to<double>(); }
  /// Number i as T; throws if it is no whole number and T is a type of those.
  template <class T>
  T number_as(std::size_t i) const {
    const at::Scalar number = values_.at(i).toScalar();
    TORCH_CHECK_TYPE(!std::is_integral_v<T> || number.isIntegral(false), name_,
                     ": takes whole numbers beside tensors of them; there is no type promotion");
    return number.to<T>();
  }
  std::int64_t integer(std::size_t i) const { return values_.at(i).toInt(); }
  std::string text(std::size_t i) const { return values_.at(i).toStringRef(); }
  TensorShape shape(std::size_t i) const { return values_.at(i).toIntVector(); }

  /// The first element of tensor i, as T.
  template <class T>
  const T* data(std::size_t i) const {
    return static_cast<const T*>(tensor(i).data_ptr());
  }
  template <class T>
  TensorView<const T> view(std::size_t i) const {
    return view_of<const T>(tensor(i));
  }

 private:
  const std::string& name_;
  std::vector<c10::IValue> values_;
};

using Sizes = std::vector<c10::SymInt>;

/// One result that an operator will have.
struct Result {
  Sizes sizes;
  at::ScalarType dtype;
};

using Outputs = std::vector<at::Tensor>;

/// How the comparison with PyTorch lists an operator.
enum class OperatorKind { rung, yours, whole };

/// One operator. NAME(ARGUMENTS) allocates its results, NAME.out(ARGUMENTS, *, out) writes to them.
struct Operator {
  std::string name;           ///< "elu_f16x8_pack"
  std::string overload = {};  ///< "Scalar", of operators that share a name with another
  std::string arguments;      ///< as in a schema: "Tensor x, float alpha=1.0"
  /// What it gives for these arguments; throws (TORCH_CHECK) if it does not take them. Must not
  /// look at data: tensors may have none, and their sizes may be symbols.
  std::function<std::vector<Result>(const Arguments&)> results;
  /// Enqueues the work. Tensors among the arguments, and the outputs, are of one device, which is current;
  /// they are contiguous unless `any_strides` or `any_rows`.
  std::function<cudaError_t(const Arguments&, const Outputs&, cudaStream_t)> run;

  std::string ladder = {};  ///< "elu"
  std::string rung = {};    ///< "f16x8_pack"
  std::string dtype = {};   ///< "f16"; empty if it takes several
  OperatorKind kind = OperatorKind::whole;
  std::size_t in_alignment = 1;   ///< bytes that the inputs need, beyond their elements'
  std::size_t out_alignment = 1;  ///< the same for the results
  bool in_place = true;           ///< a result may be an input
  bool any_strides = false;       ///< run() takes tensors as they lie in memory
  bool any_rows = false;          ///< the same if their rows have no gaps and lie equally far apart
  std::vector<std::string> outputs = {"out"};  ///< one name for each result
  /// The operator of its gradients, one for each tensor among the arguments: it takes the tensors, the
  /// gradient of the result, and the other arguments. Empty: there is none.
  std::string gradient = {};
  /// What is said to a tensor that requires a gradient where there is none.
  std::string no_gradient =
      "computes no gradients; call it under torch.no_grad(), or detach() its inputs";
  /// What cudaErrorInvalidValue means where run() keeps no sentence of its own (common/refusal.h).
  std::string invalid = {};
};

/// The chapter's; defined in X_torch.cpp.
std::vector<Operator> operators();

// ---- Types -------------------------------------------------------------------------------------

template <class T>
constexpr at::ScalarType scalar_type() {
  if constexpr (std::is_same_v<T, float>) return at::kFloat;
  if constexpr (std::is_same_v<T, half>) return at::kHalf;
  if constexpr (std::is_same_v<T, Bf16>) return at::kBFloat16;
  if constexpr (std::is_same_v<T, std::int8_t>) return at::kChar;
  if constexpr (std::is_same_v<T, std::int32_t>) return at::kInt;
  if constexpr (std::is_same_v<T, std::int64_t>) return at::kLong;
  if constexpr (std::is_same_v<T, std::uint8_t>) return at::kByte;
}

/// Throws unless tensor i has one of these types: "takes float32, float16 or bfloat16 tensors, not
/// int64".
void require_dtype(const Arguments& arguments, std::size_t i,
                   const std::vector<at::ScalarType>& accepted);
template <class... Ts>
void require_dtype(const Arguments& arguments, std::size_t i, Types<Ts...>) {
  require_dtype(arguments, i, {scalar_type<Ts>()...});
}

/// The place of text i among the names that are known; throws, with all of them, if it is none.
std::size_t choice(const Arguments& arguments, std::size_t i,
                   const std::vector<std::string>& known);

/// The operation of that name.
template <class Op, std::size_t count>
Op choice_of(const Arguments& arguments, std::size_t i, const Op (&known)[count]) {
  std::vector<std::string> names;
  for (const Op op : known) names.emplace_back(name_of(op));
  return known[choice(arguments, i, names)];
}

// ---- Shapes ------------------------------------------------------------------------------------

Sizes sizes_of(const at::Tensor& tensor);
TensorShape shape_of(const at::Tensor& tensor);

/// Throws unless tensors i and j have the same sizes: the operator does not broadcast.
void require_same_sizes(const Arguments& arguments, std::size_t i, std::size_t j);

/// Throws unless tensors i and j have the same dtype.
void require_same_dtype(const Arguments& arguments, std::size_t i, std::size_t j);

/// The sizes of what the tensors broadcast to; throws if they do not, or for more than kMaxDimensions.
Sizes broadcast_sizes(const Arguments& arguments, const std::vector<at::Tensor>& tensors);

/// Those of tensors i and i + 1; throws unless they have one type of Ts.
template <class... Ts>
Sizes broadcast_pair(const Arguments& arguments, std::size_t i, Types<Ts...> types) {
  require_dtype(arguments, i, types);
  require_same_dtype(arguments, i, i + 1);
  return broadcast_sizes(arguments, {arguments.tensor(i), arguments.tensor(i + 1)});
}

/// How tensors i and i + 1, which are contiguous, broadcast.
Broadcast broadcast_of(const Arguments& arguments, std::size_t i);

// ---- Whole operators in one call ---------------------------------------------------------------

/// The first element of result i.
template <class T>
T* data(const Outputs& out, std::size_t i = 0) {
  return static_cast<T*>(out[i].data_ptr());
}

/// A call with tensors of T, on their way to a launcher.
template <class T>
struct Call {
  using Element = T;
  const Arguments& x;
  const Outputs& out;
  cudaStream_t stream;
  std::int64_t n;  ///< the elements of the tensor that has the type

  /// Of argument i, and of result i.
  const T* data(std::size_t i) const { return x.data<T>(i); }
  TensorView<const T> view(std::size_t i) const { return x.view<T>(i); }
  T* y(std::size_t i = 0) const { return bind::data<T>(out, i); }
  TensorView<T> y_view() const { return view_of<T>(out[0]); }
};

/// An operator's run(): launch(Call<T>) for the T among Ts that tensor i has, where a truth value is a
/// byte; cudaErrorInvalidValue if there is none.
template <class... Ts, class Launch>
auto by_type(std::size_t i, Types<Ts...> types, Launch launch) {
  return [=](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    const at::Tensor& tensor = x.tensor(i);
    const at::ScalarType type =
        tensor.scalar_type() == at::kBool ? at::kByte : tensor.scalar_type();
    cudaError_t result = cudaErrorInvalidValue;
    for_each_type(types, [&](auto zero) {
      using T = decltype(zero);
      if (type == scalar_type<T>()) result = launch(Call<T>{x, out, stream, tensor.numel()});
    });
    return result;
  };
}

/// An operator's results(): one like tensor `first`. `count` tensors, from that one on, must have one
/// shape and one type of Ts.
template <class... Ts>
auto alike(std::size_t first, std::size_t count, Types<Ts...> types) {
  return [=](const Arguments& x) {
    require_dtype(x, first, types);
    for (std::size_t i = first + 1; i < first + count; ++i) {
      require_same_dtype(x, first, i);
      require_same_sizes(x, first, i);
    }
    return std::vector<Result>{{sizes_of(x.tensor(first)), x.tensor(first).scalar_type()}};
  };
}

inline Operator named(const std::string& ladder, const std::string& name,
                      const std::string& arguments) {
  Operator op;
  op.ladder = ladder;
  op.name = name;
  op.arguments = arguments;
  return op;
}

/// The operator as a rung of its ladder; it takes contiguous tensors.
inline Operator as_rung(Operator op, const std::string& rung, std::size_t in_alignment = 1,
                        std::size_t out_alignment = 1, OperatorKind kind = OperatorKind::rung) {
  op.rung = rung;
  op.kind = kind;
  op.in_alignment = in_alignment;
  op.out_alignment = out_alignment;
  op.any_strides = false;
  return op;
}

/// y[i] = f(x[i]) for one type: a rung. launch(x, y, n, stream).
template <class T, class Launch>
Operator unary(const std::string& ladder, const std::string& rung, Launch launch,
               std::size_t alignment, OperatorKind kind = OperatorKind::rung) {
  const std::string name = kind == OperatorKind::yours ? rung : ladder + "_" + rung;
  Operator op = as_rung(named(ladder, name, "Tensor x"), rung, alignment, alignment, kind);
  op.results = alike(0, 1, Types<T>{});
  op.run = by_type(0, Types<T>{}, [launch](auto call) {
    return launch(call.data(0), call.y(), call.n, call.stream);
  });
  op.dtype = dtype_name<T>();
  return op;
}

/// y[i] = f(a[i], b[i]) for one type, without broadcasting. launch(a, b, y, n, stream).
template <class T, class Launch>
Operator binary(const std::string& ladder, const std::string& rung, Launch launch,
                std::size_t alignment, OperatorKind kind = OperatorKind::rung) {
  Operator op = unary<T>(
      ladder, rung, [](auto...) { return cudaSuccess; }, alignment, kind);
  op.arguments = "Tensor a, Tensor b";
  op.results = alike(0, 2, Types<T>{});
  op.run = by_type(0, Types<T>{}, [launch](auto call) {
    return launch(call.data(0), call.data(1), call.y(), call.n, call.stream);
  });
  return op;
}

/// Every rung of a list, with unary launchers as in common/rung.h.
template <class T, class Rung>
void add_unary_rungs(std::vector<Operator>& list, const std::string& ladder,
                     const std::vector<Rung>& rungs, OperatorKind kind = OperatorKind::rung) {
  for (const Rung& rung : rungs) {
    list.push_back(unary<T>(ladder, rung.name, rung.launch, rung.alignment, kind));
  }
}

/// An operator whose first `count` arguments are tensors of one shape and one type of Ts, as its result
/// is. launch(Call<T>).
template <class... Ts, class Launch>
Operator elementwise(const std::string& name, const std::string& arguments, std::size_t count,
                     Types<Ts...> types, Launch launch) {
  Operator op = named(name, name, arguments);
  op.results = alike(0, count, types);
  op.run = by_type(0, types, launch);
  return op;
}

/// The same of floating-point tensors as they lie in memory.
template <class Launch>
Operator float_views(const std::string& name, const std::string& arguments, std::size_t count,
                     Launch launch) {
  Operator op = elementwise(name, arguments, count, Floats{}, launch);
  op.any_strides = true;
  return op;
}

/// The gradient of such an operator: its tensors, dy, and its other arguments.
template <class Launch>
Operator gradient_operator(const std::string& name, const std::string& arguments, std::size_t count,
                           Launch launch) {
  Operator op = elementwise(name, arguments, count, Floats{}, launch);
  op.no_gradient = "has no second derivative: call backward() or grad() without create_graph=True";
  return op;
}

}  // namespace tutorial::bind
