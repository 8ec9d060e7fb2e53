// Registers what a chapter's operators() lists. Linked into every module, so each has its own copy.

#include "common/torch/bind.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>
#include <torch/library.h>

#if TUTORIAL_BACKEND_CUDA
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "common/refusal.h"
#include "common/torch/gradient.h"

namespace tutorial::bind {
namespace {

#if TUTORIAL_BACKEND_CUDA
constexpr c10::DispatchKey kKey = c10::DispatchKey::CUDA;
constexpr c10::DeviceType kDevice = c10::DeviceType::CUDA;
#else
constexpr c10::DispatchKey kKey = c10::DispatchKey::CPU;
constexpr c10::DeviceType kDevice = c10::DeviceType::CPU;
#endif

constexpr const char* kNamespace = "elementwise_tutorial";

/// Makes the tensors' device current, and knows the stream that PyTorch works on there.
class Current {
 public:
#if TUTORIAL_BACKEND_CUDA
  explicit Current(c10::Device device)
      : guard_(device), stream_(c10::cuda::getCurrentCUDAStream(device.index()).stream()) {
    // Our kernels may be linked to another copy of the CUDA runtime than PyTorch is.
    cudaSetDevice(device.index());
  }
  cudaStream_t stream() const { return stream_; }

 private:
  c10::cuda::CUDAGuard guard_;
  cudaStream_t stream_;
#else
  explicit Current(c10::Device) : lock_(mutex()) {}
  static cudaStream_t stream() { return nullptr; }

 private:
  // PyTorch calls operators from several threads; the executor runs one kernel on all cores.
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  std::lock_guard<std::mutex> lock_;
#endif
};

/// The tensors among the values.
std::vector<at::Tensor> tensors_of(const std::vector<c10::IValue>& values) {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& value : values) {
    if (value.isTensor()) tensors.push_back(value.toTensor());
  }
  return tensors;
}

/// What holds for every operator, whatever its arguments are.
void check_inputs(const Operator& op, const std::vector<at::Tensor>& inputs) {
  for (const at::Tensor& input : inputs) {
    TORCH_CHECK(input.defined() && input.layout() == at::kStrided, op.name,
                ": takes dense tensors alone");
    TORCH_CHECK(input.device() == inputs.front().device(), op.name,
                ": the tensors are on different devices, ", inputs.front().device(), " and ",
                input.device());
    TORCH_CHECK(!(input.requires_grad() && c10::GradMode::is_enabled()), op.name, ": ",
                op.no_gradient);
  }
}

void check_alignment(const Operator& op, const at::Tensor& tensor, std::size_t alignment,
                     const char* what) {
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.data_ptr());
  TORCH_CHECK(address % alignment == 0, op.name, ": needs ", what, " that begins at a multiple of ",
              alignment,
              " bytes, and this one does not: pass a clone() of it, or use an operator, "
              "which takes any tensor");
}

/// out= as it was given, before anything is written.
void check_output(const Operator& op, const at::Tensor& out, const Result& result,
                  const std::vector<at::Tensor>& inputs) {
  TORCH_CHECK(out.scalar_type() == result.dtype, op.name, ": out= must be a tensor of ",
              c10::toString(result.dtype), ", not of ", c10::toString(out.scalar_type()));
  TORCH_CHECK(out.device() == inputs.front().device(), op.name, ": out= is on ", out.device(),
              " and the inputs are on ", inputs.front().device());
  TORCH_CHECK(out.sym_sizes().equals(result.sizes), op.name, ": out= has the sizes ",
              out.sym_sizes(), ", and the result has ", c10::SymIntArrayRef(result.sizes));
  TORCH_CHECK(!(out.requires_grad() && c10::GradMode::is_enabled()), op.name,
              ": computes no gradients, and out= requires one");
  if (out.is_meta()) return;
  at::assert_no_internal_overlap(out);
  for (const at::Tensor& input : inputs) {
    if (op.in_place) {
      at::assert_no_partial_overlap(out, input);
    } else {
      at::assert_no_overlap(out, input);
    }
  }
}

Outputs allocate(const std::vector<Result>& results, const at::Tensor& like) {
  Outputs outputs;
  for (const Result& result : results) {
    outputs.push_back(at::empty_symint(result.sizes, like.options().dtype(result.dtype)));
  }
  return outputs;
}

std::string reason(const Operator& op, cudaError_t error) {
  if (!last_refusal().empty()) return last_refusal();
  if (error == cudaErrorInvalidValue && !op.invalid.empty()) return op.invalid;
  if (error == cudaErrorMisalignedAddress) {
    return "a tensor does not begin at the multiple of bytes that this kernel needs: pass a "
           "clone()";
  }
  return cudaGetErrorString(error);
}

/// Whether the result lies, at least in part, where the input does, and not just as it does: then it
/// would be written over what is still to be read.
bool is_entangled(const at::Tensor& output, const at::Tensor& input) {
  const auto end = [](const at::Tensor& tensor) {
    std::int64_t last = 0;
    for (std::int64_t d = 0; d < tensor.dim(); ++d) {
      last += (tensor.size(d) - 1) * tensor.stride(d);
    }
    return static_cast<const char*>(tensor.data_ptr()) + (last + 1) * tensor.element_size();
  };
  if (output.numel() == 0 || input.numel() == 0) return false;
  if (input.data_ptr() == output.data_ptr() && input.sizes() == output.sizes() &&
      input.strides() == output.strides()) {
    return false;
  }
  return input.data_ptr() < static_cast<const void*>(end(output)) &&
         output.data_ptr() < static_cast<const void*>(end(input));
}

/// Whether the tensor is rows without gaps in them, equally far apart: its last dimension.
bool is_of_rows(const at::Tensor& tensor) {
  std::int64_t step = -1;  // from one row to the next, and then to the next of the dimension before
  for (std::int64_t d = tensor.dim() - 2; d >= 0; --d) {
    if (tensor.size(d) == 1) continue;
    if (step >= 0 && tensor.stride(d) != step) return false;
    step = tensor.stride(d) * tensor.size(d);
  }
  return tensor.dim() > 0 && (tensor.size(-1) <= 1 || tensor.stride(-1) == 1);
}

/// Whether the operator takes the tensor as it lies.
bool takes(const Operator& op, const at::Tensor& tensor) {
  return op.any_strides || tensor.is_contiguous() || (op.any_rows && is_of_rows(tensor));
}

/// Where the operator writes: to the result, or beside it.
at::Tensor place_of(const Operator& op, const at::Tensor& output,
                    const std::vector<at::Tensor>& inputs) {
  const bool is_free = std::none_of(inputs.begin(), inputs.end(), [&](const at::Tensor& input) {
    return is_entangled(output, input);
  });
  return is_free && takes(op, output) ? output : at::empty(output.sizes(), output.options());
}

/// Runs the kernel, on contiguous copies of what it does not take as it lies.
void launch(const Operator& op, std::vector<c10::IValue> values, const Outputs& outputs) {
  const Current current(outputs.front().device());
  const std::vector<at::Tensor> inputs = tensors_of(values);
  for (c10::IValue& value : values) {
    if (!value.isTensor()) continue;
    if (!takes(op, value.toTensor())) value = value.toTensor().contiguous();
    check_alignment(op, value.toTensor(), op.in_alignment, "an input");
  }
  Outputs written;
  for (const at::Tensor& output : outputs) {
    written.push_back(place_of(op, output, inputs));
    check_alignment(op, written.back(), op.out_alignment, "a result");
  }
  refuse(cudaSuccess, {});
  const cudaError_t error =
      op.run(Arguments(op.name, std::move(values)), written, current.stream());
  TORCH_CHECK(error == cudaSuccess, op.name, ": ", reason(op, error));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].is_same(written[i])) outputs[i].copy_(written[i]);
  }
}

/// NAME or NAME.out as PyTorch's dispatcher calls it: arguments on a stack, results in their place.
class Kernel final : public c10::OperatorKernel {
 public:
  Kernel(std::shared_ptr<const Operator> op, bool has_out)
      : op_(std::move(op)), has_out_(has_out) {}

  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet /*keys*/,
                  std::vector<c10::IValue>* stack) const {
    const auto count = static_cast<std::ptrdiff_t>(handle.schema().arguments().size());
    std::vector<c10::IValue> values(stack->end() - count, stack->end());
    stack->erase(stack->end() - count, stack->end());
    const auto returns = static_cast<std::ptrdiff_t>(handle.schema().returns().size());
    Outputs outputs;
    if (has_out_) {
      for (auto value = values.end() - returns; value != values.end(); ++value) {
        outputs.push_back(value->toTensor());
      }
      values.erase(values.end() - returns, values.end());
    }
    call(std::move(values), outputs);
    for (const at::Tensor& output : outputs) stack->emplace_back(output);
  }

 private:
  void call(std::vector<c10::IValue> values, Outputs& outputs) const {
    const std::vector<at::Tensor> inputs = tensors_of(values);
    check_inputs(*op_, inputs);
    const std::vector<Result> results = op_->results(Arguments(op_->name, values));
    if (outputs.empty()) {
      outputs = allocate(results, inputs.front());
    } else {
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        check_output(*op_, outputs[i], results[i], inputs);
      }
    }
    if (outputs.front().device().type() == kDevice) launch(*op_, std::move(values), outputs);
  }

  std::shared_ptr<const Operator> op_;
  bool has_out_;
};

/// The overload's name: empty, "out", "Scalar" or "Scalar_out".
std::string overload_of(const Operator& op, bool has_out) {
  return op.overload + (has_out ? op.overload.empty() ? "out" : "_out" : "");
}

std::string full_name(const Operator& op, bool has_out) {
  const std::string overload = overload_of(op, has_out);
  return op.name + (overload.empty() ? "" : "." + overload);
}

std::string schema_of(const Operator& op, bool has_out) {
  std::string arguments = op.arguments, returns;
  if (has_out) arguments += arguments.find('*') == std::string::npos ? ", *" : "";
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    const std::string alias(1, static_cast<char>('a' + i));
    if (i > 0) returns += ", ";
    returns += has_out ? "Tensor(" + alias + "!)" : "Tensor";
    if (has_out) arguments += ", Tensor(" + alias + "!) " + op.outputs[i];
  }
  return full_name(op, has_out) + "(" + arguments + ") -> (" + returns + ")";
}

c10::OperatorName name_of(const Operator& op, bool has_out) {
  return {std::string(kNamespace) + "::" + op.name, overload_of(op, has_out)};
}

std::vector<std::shared_ptr<const Operator>> shared_operators() {
  std::vector<std::shared_ptr<const Operator>> list;
  for (Operator& op : operators()) list.push_back(std::make_shared<const Operator>(std::move(op)));
  return list;
}

/// The module for the other device may have been loaded before; then the schemas are there, and the
/// kernels for tensors without data.
void define_schemas(torch::Library& library) {
  for (const auto& op : shared_operators()) {
    for (const bool has_out : {false, true}) {
      if (c10::Dispatcher::singleton().findSchema(name_of(*op, has_out))) continue;
      library.def(schema_of(*op, has_out).c_str());
    }
  }
}

/// Gives each operator function(op, has_out) for the key, unless it has one.
template <class Function>
void implement(torch::Library& library, c10::DispatchKey key, Function function) {
  for (const auto& op : shared_operators()) {
    for (const bool has_out : {false, true}) {
      const auto handle = c10::Dispatcher::singleton().findSchema(name_of(*op, has_out));
      if (handle && handle->hasKernelForDispatchKey(key)) continue;
      library.impl(full_name(*op, has_out).c_str(), function(op, has_out));
    }
  }
}

void implement(torch::Library& library, c10::DispatchKey key) {
  implement(library, key, [](const std::shared_ptr<const Operator>& op, bool has_out) {
    return torch::CppFunction::makeFromBoxedFunctor(std::make_unique<Kernel>(op, has_out));
  });
}

/// Gradients where an operator has them. What has none is left to the kernels, which refuse a tensor
/// that requires one, and so is a result that was given.
void implement_gradients(torch::Library& library) {
  implement(
      library, c10::DispatchKey::Autograd,
      [](const std::shared_ptr<const Operator>& op, bool has_out) {
        if (has_out || op->gradient.empty()) return torch::CppFunction::makeFallthrough();
        return torch::CppFunction::makeFromBoxedFunctor(
            std::make_unique<DifferentiableKernel>(std::string(kNamespace) + "::" + op->gradient));
      });
}

const char* name_of(OperatorKind kind) {
  constexpr const char* names[] = {"rung", "yours", "operator"};
  return names[static_cast<int>(kind)];
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  }
  return text;
}

/// float32, as PyTorch's users call it.
std::string python_name(at::ScalarType type) {
  static const std::map<at::ScalarType, std::string> names = {
      {at::kFloat, "float32"},  {at::kHalf, "float16"}, {at::kBFloat16, "bfloat16"},
      {at::kDouble, "float64"}, {at::kChar, "int8"},    {at::kByte, "uint8"},
      {at::kInt, "int32"},      {at::kLong, "int64"},   {at::kBool, "bool"}};
  const auto found = names.find(type);
  return found != names.end() ? found->second : c10::toString(type);
}

}  // namespace

void require_dtype(const Arguments& arguments, std::size_t i,
                   const std::vector<at::ScalarType>& accepted) {
  const at::ScalarType type = arguments.tensor(i).scalar_type();
  std::vector<std::string> names;
  names.reserve(accepted.size());
  for (const at::ScalarType each : accepted) names.push_back(python_name(each));
  TORCH_CHECK_TYPE(std::find(accepted.begin(), accepted.end(), type) != accepted.end(),
                   arguments.name(), ": takes ", joined(names), " tensors, not ",
                   python_name(type));
}

std::size_t choice(const Arguments& arguments, std::size_t i,
                   const std::vector<std::string>& known) {
  const std::string text = arguments.text(i);
  const auto found = std::find(known.begin(), known.end(), text);
  TORCH_CHECK_VALUE(found != known.end(), arguments.name(), ": '", text,
                    "' is none of its choices, which are ", joined(known));
  return static_cast<std::size_t>(found - known.begin());
}

Sizes sizes_of(const at::Tensor& tensor) { return tensor.sym_sizes().vec(); }

TensorShape shape_of(const at::Tensor& tensor) { return tensor.sizes().vec(); }

Sizes broadcast_sizes(const Arguments& arguments, const std::vector<at::Tensor>& tensors) {
  Sizes sizes;
  for (const at::Tensor& tensor : tensors) {
    Sizes more = sizes_of(tensor);
    if (sizes.size() < more.size()) std::swap(sizes, more);
    TORCH_CHECK(sizes.size() <= static_cast<std::size_t>(kMaxDimensions), arguments.name(),
                ": takes tensors of at most ", kMaxDimensions, " dimensions, not ", sizes.size());
    const std::size_t front = sizes.size() - more.size();
    for (std::size_t k = 0; k < more.size(); ++k) {
      c10::SymInt& size = sizes[front + k];
      if (size == more[k] || more[k] == 1) continue;
      TORCH_CHECK(size == 1, arguments.name(), ": the sizes ", tensors.front().sym_sizes(), " and ",
                  tensor.sym_sizes(), " do not broadcast");
      size = more[k];
    }
  }
  return sizes;
}

Broadcast broadcast_of(const Arguments& arguments, std::size_t i) {
  return broadcast_strides(shape_of(arguments.tensor(i)), shape_of(arguments.tensor(i + 1)));
}

void require_same_sizes(const Arguments& arguments, std::size_t i, std::size_t j) {
  const at::Tensor &a = arguments.tensor(i), &b = arguments.tensor(j);
  TORCH_CHECK(a.sym_sizes().equals(b.sym_sizes()), arguments.name(),
              ": takes tensors of one shape, not ", a.sym_sizes(), " and ", b.sym_sizes());
}

void require_same_dtype(const Arguments& arguments, std::size_t i, std::size_t j) {
  const at::ScalarType a = arguments.tensor(i).scalar_type(), b = arguments.tensor(j).scalar_type();
  TORCH_CHECK_TYPE(a == b, arguments.name(), ": takes tensors of one type, not ", python_name(a),
                   " and ", python_name(b));
}

}  // namespace tutorial::bind

TORCH_LIBRARY_FRAGMENT(elementwise_tutorial, library) { tutorial::bind::define_schemas(library); }

#if TUTORIAL_BACKEND_CUDA
TORCH_LIBRARY_IMPL(elementwise_tutorial, CUDA, library) {
#else
TORCH_LIBRARY_IMPL(elementwise_tutorial, CPU, library) {
#endif
  tutorial::bind::implement(library, tutorial::bind::kKey);
}

TORCH_LIBRARY_IMPL(elementwise_tutorial, Autograd, library) {
  tutorial::bind::implement_gradients(library);
}

TORCH_LIBRARY_IMPL(elementwise_tutorial, Meta, library) {
  tutorial::bind::implement(library, c10::DispatchKey::Meta);
}

/// What this module binds, a line each: name, ladder, rung, type, kind, between tabs.
extern "C" __attribute__((visibility("default"))) const char* tutorial_torch_catalogue() {
  static const std::string text = [] {
    std::string lines;
    for (const tutorial::bind::Operator& op : tutorial::bind::operators()) {
      if (!op.overload.empty()) continue;
      lines += op.name + "\t" + op.ladder + "\t" + op.rung + "\t" + op.dtype + "\t" +
               tutorial::bind::name_of(op.kind) + "\n";
    }
    return lines;
  }();
  return text.c_str();
}
