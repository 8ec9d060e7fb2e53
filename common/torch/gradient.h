// Gradients for operators that name an operator of their gradients (Operator::gradient). Included by
// bind.cpp alone.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "common/torch/bind.h"

namespace tutorial::bind {

/// A call on its way through autograd: its tensors apart, the other arguments here.
struct DifferentiableCall {
  c10::OperatorHandle op;
  std::string gradient;  ///< the name of the operator of its gradients
  std::vector<c10::IValue> others;
};

/// The operator forwards, the operator of its gradients backwards, which gets the same tensors, dy, and
/// the other arguments. PyTorch saves the tensors, and refuses to go backwards if one was written to
/// in the meantime.
class Gradient : public torch::autograd::Function<Gradient> {
 public:
  template <class... Tensors>
  static at::Tensor forward(torch::autograd::AutogradContext* context,
                            const DifferentiableCall& call, const Tensors&... tensors) {
    context->save_for_backward({tensors...});
    context->saved_data["gradient"] = call.gradient;
    for (std::size_t i = 0; i < call.others.size(); ++i) {
      context->saved_data[std::to_string(i)] = call.others[i];
    }
    std::vector<c10::IValue> stack{tensors...};
    stack.insert(stack.end(), call.others.begin(), call.others.end());
    const at::AutoDispatchBelowADInplaceOrView below;
    call.op.callBoxed(&stack);
    return stack.front().toTensor();
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list dy) {
    const auto tensors = context->get_saved_variables();
    std::vector<c10::IValue> stack(tensors.begin(), tensors.end());
    stack.emplace_back(dy.front());
    for (std::size_t i = 0; i + 1 < context->saved_data.size(); ++i) {
      stack.push_back(context->saved_data[std::to_string(i)]);
    }
    const std::string name = context->saved_data["gradient"].toStringRef();
    c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), "").callBoxed(&stack);
    torch::autograd::variable_list results{at::Tensor()};  // of the call itself
    for (const c10::IValue& result : stack) results.push_back(result.toTensor());
    return results;
  }
};

/// NAME at the key Autograd. Its schema has one or two tensors first, and one result.
class DifferentiableKernel final : public c10::OperatorKernel {
 public:
  explicit DifferentiableKernel(std::string gradient) : gradient_(std::move(gradient)) {}

  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet /*keys*/,
                  std::vector<c10::IValue>* stack) const {
    const auto count = static_cast<std::ptrdiff_t>(op.schema().arguments().size());
    std::vector<at::Tensor> tensors;
    DifferentiableCall call{op, gradient_, {}};
    for (auto value = stack->end() - count; value != stack->end(); ++value) {
      if (value->isTensor()) {
        tensors.push_back(value->toTensor());
      } else {
        call.others.push_back(*value);
      }
    }
    stack->erase(stack->end() - count, stack->end());
    stack->emplace_back(tensors.size() == 1 ? Gradient::apply(call, tensors[0])
                                            : Gradient::apply(call, tensors[0], tensors[1]));
  }

 private:
  std::string gradient_;
};

}  // namespace tutorial::bind
