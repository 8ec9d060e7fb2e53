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

/// f(T*{}) for the T among Ts that tensor i has; cudaErrorInvalidValue if there is none.
template <class... Ts, class F>
cudaError_t with_type(const at::Tensor& tensor, Types<Ts...>, F&& f) {
  cudaError_t result = cudaErrorInvalidValue;
  const auto attempt = [&](auto* pointer) {
    using T = std::remove_pointer_t<decltype(pointer)>;
    if (tensor.scalar_type() == scalar_type<T>()) result = f(pointer);
  };
  (attempt(static_cast<Ts*>(nullptr)), ...);
  return result;
}

/// The place of text i among the names that are known; throws, with all of them, if it is none.
std::size_t choice(const Arguments& arguments, std::size_t i,
                   const std::vector<std::string>& known);

// ---- Shapes ------------------------------------------------------------------------------------

Sizes sizes_of(const at::Tensor& tensor);
TensorShape shape_of(const at::Tensor& tensor);

/// The sizes of what the tensors, or tensors i and j, broadcast to; throws if they do not, or for more
/// than kMaxDimensions.
Sizes broadcast_sizes(const Arguments& arguments, const std::vector<at::Tensor>& tensors);
Sizes broadcast_sizes(const Arguments& arguments, std::size_t i, std::size_t j);

/// Throws unless tensors i and j have the same sizes: the operator does not broadcast.
void require_same_sizes(const Arguments& arguments, std::size_t i, std::size_t j);

/// Throws unless tensors i and j have the same dtype.
void require_same_dtype(const Arguments& arguments, std::size_t i, std::size_t j);

// ---- Whole operators in one call ---------------------------------------------------------------

/// y[i] = f(x[i]) for one type: a rung. launch(x, y, n, stream).
template <class T, class Launch>
Operator unary(const std::string& ladder, const std::string& rung, Launch launch,
               std::size_t alignment, OperatorKind kind = OperatorKind::rung) {
  Operator op;
  op.name = kind == OperatorKind::yours ? rung : ladder + "_" + rung;
  op.arguments = "Tensor x";
  op.results = [](const Arguments& a) {
    require_dtype(a, 0, Types<T>{});
    return std::vector<Result>{{sizes_of(a.tensor(0)), scalar_type<T>()}};
  };
  op.run = [launch](const Arguments& a, const Outputs& out, cudaStream_t stream) -> cudaError_t {
    return launch(a.data<T>(0), static_cast<T*>(out[0].data_ptr()), a.tensor(0).numel(), stream);
  };
  op.ladder = ladder;
  op.rung = rung;
  op.dtype = dtype_name<T>();
  op.kind = kind;
  op.in_alignment = op.out_alignment = alignment;
  return op;
}

/// y[i] = f(a[i], b[i]) for one type, without broadcasting. launch(a, b, y, n, stream).
template <class T, class Launch>
Operator binary(const std::string& ladder, const std::string& rung, Launch launch,
                std::size_t alignment, OperatorKind kind = OperatorKind::rung) {
  Operator op = unary<T>(
      ladder, rung, [](const T*, T*, std::int64_t, cudaStream_t) { return cudaSuccess; }, alignment,
      kind);
  op.arguments = "Tensor a, Tensor b";
  op.results = [](const Arguments& a) {
    require_dtype(a, 0, Types<T>{});
    require_same_dtype(a, 0, 1);
    require_same_sizes(a, 0, 1);
    return std::vector<Result>{{sizes_of(a.tensor(0)), scalar_type<T>()}};
  };
  op.run = [launch](const Arguments& a, const Outputs& out, cudaStream_t stream) -> cudaError_t {
    return launch(a.data<T>(0), a.data<T>(1), static_cast<T*>(out[0].data_ptr()),
                  a.tensor(0).numel(), stream);
  };
  return op;
}

/// Every rung of a list, with unary or binary launchers as in common/proof.
template <class T, class Rung>
void add_unary_rungs(std::vector<Operator>& list, const std::string& ladder,
                     const std::vector<Rung>& rungs, OperatorKind kind = OperatorKind::rung) {
  for (const Rung& rung : rungs) {
    list.push_back(unary<T>(ladder, rung.name, rung.launch, rung.alignment, kind));
  }
}

/// An operator of one floating-point tensor. launch(arguments, x, y, n, stream) for each T of
/// Floats.
template <class Launch>
Operator float_operator(const std::string& name, const std::string& arguments, Launch launch) {
  Operator op;
  op.name = op.ladder = name;
  op.arguments = arguments;
  op.results = [](const Arguments& a) {
    require_dtype(a, 0, Floats{});
    return std::vector<Result>{{sizes_of(a.tensor(0)), a.tensor(0).scalar_type()}};
  };
  op.run = [launch](const Arguments& a, const Outputs& out, cudaStream_t stream) {
    return with_type(a.tensor(0), Floats{}, [&](auto* type) -> cudaError_t {
      using T = std::remove_pointer_t<decltype(type)>;
      return launch(a, a.data<T>(0), static_cast<T*>(out[0].data_ptr()), a.tensor(0).numel(),
                    stream);
    });
  };
  return op;
}

/// The same of tensors as they lie in memory. launch(arguments, y, stream) for a TensorView<T> y of each T
/// of Floats.
template <class Launch>
Operator float_views(const std::string& name, const std::string& arguments, Launch launch) {
  Operator op = float_operator(
      name, arguments,
      [](const Arguments&, const auto*, auto*, std::int64_t, cudaStream_t) { return cudaSuccess; });
  op.any_strides = true;
  op.run = [launch](const Arguments& a, const Outputs& out, cudaStream_t stream) {
    return with_type(a.tensor(0), Floats{}, [&](auto* type) -> cudaError_t {
      return launch(a, view_of<std::remove_pointer_t<decltype(type)>>(out[0]), stream);
    });
  };
  return op;
}

/// An operator of two floating-point tensors of one shape and type, which its result has, and of other
/// arguments. launch(arguments, a, b, y, n, stream).
template <class Launch>
Operator operator_of_pair(const std::string& name, const std::string& arguments, Launch launch) {
  Operator op;
  op.name = op.ladder = name;
  op.arguments = arguments;
  op.results = [](const Arguments& a) {
    require_dtype(a, 0, Floats{});
    require_same_dtype(a, 0, 1);
    require_same_sizes(a, 0, 1);
    return std::vector<Result>{{sizes_of(a.tensor(0)), a.tensor(0).scalar_type()}};
  };
  op.run = [launch](const Arguments& a, const Outputs& out, cudaStream_t stream) {
    return with_type(a.tensor(0), Floats{}, [&](auto* type) -> cudaError_t {
      using T = std::remove_pointer_t<decltype(type)>;
      return launch(a, a.data<T>(0), a.data<T>(1), static_cast<T*>(out[0].data_ptr()),
                    a.tensor(0).numel(), stream);
    });
  };
  return op;
}

/// "Tensor a, Tensor b". launch(a, b, y, n, stream).
template <class Launch>
Operator float_operator2(const std::string& name, Launch launch) {
  return operator_of_pair(name, "Tensor a, Tensor b", [launch](const Arguments&, auto... operands) {
    return launch(operands...);
  });
}

/// The gradient of such an operator: "Tensor x, Tensor dy, ...". launch(arguments, x, dy, dx, n, stream).
template <class Launch>
Operator gradient_operator(const std::string& name, const std::string& arguments, Launch launch) {
  Operator op = operator_of_pair(name, arguments, launch);
  op.no_gradient = "has no second derivative: call backward() or grad() without create_graph=True";
  return op;
}

}  // namespace tutorial::bind
