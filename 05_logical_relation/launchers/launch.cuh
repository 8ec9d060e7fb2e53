// What this chapter's launchers share: the checks, the step from an operation's name to its functor, and
// a row of a ladder's table.
#pragma once

#include "05_logical_relation/logical_relation.h"
#include "05_logical_relation/logical_relation_math.cuh"
#include "common/elementwise.cuh"

namespace tutorial {

/// The launch of the last rungs: the block size of the copy, and an early start.
inline constexpr LaunchOptions kBestLaunch{256, Overlap::previous_kernel};

/// launch_elements() of a kernel(const In* a, const In* b, Out* y, std::int64_t n, op). The
/// alignments in bytes are those of a and b, and of y.
template <class In, class Out, class Op>
cudaError_t launch_answers(void (*kernel)(const In*, const In*, Out*, std::int64_t, Op),
                           const In* a, const In* b, void* y, std::int64_t n, int per_thread,
                           std::size_t in_alignment, std::size_t out_alignment, Op op,
                           cudaStream_t stream, LaunchOptions options = {}) {
  return launch_elements(kernel, n, per_thread,
                         {{a, in_alignment}, {b, in_alignment}, {y, out_alignment}}, stream,
                         options, a, b, static_cast<Out*>(y), n, op);
}

/// Calls body(functor, a, b). Not, which has one operand, is cudaErrorInvalidValue.
template <class Body>
cudaError_t with_operation(LogicalOp op, const Byte* a, const Byte* b, const Body& body) {
  switch (op) {
    case LogicalOp::And:
      return body(And{}, a, b);
    case LogicalOp::Or:
      return body(Or{}, a, b);
    case LogicalOp::Xor:
      return body(Xor{}, a, b);
    default:
      return cudaErrorInvalidValue;
  }
}

/// Calls body(functor, left, right): Less and LessOrEqual with the operands exchanged.
template <class T, class Body>
cudaError_t with_operation(RelationOp op, const T* a, const T* b, const Body& body) {
  switch (op) {
    case RelationOp::Equal:
      return body(Equal{}, a, b);
    case RelationOp::NotEqual:
      return body(NotEqual{}, a, b);
    case RelationOp::Greater:
      return body(Greater{}, a, b);
    case RelationOp::GreaterOrEqual:
      return body(GreaterOrEqual{}, a, b);
    case RelationOp::Less:
      return body(Greater{}, b, a);
    case RelationOp::LessOrEqual:
      return body(GreaterOrEqual{}, b, a);
  }
  return cudaErrorInvalidValue;
}

/// A row of a ladder's table: name, elements a thread, the alignments in bytes of a and b and of y, and
/// the kernel: kernel_of(f), which is launched with f = wrap(functor of the operation).
template <class Operation, class In, class Wrap, class KernelOf>
AnswerRung<Operation, In> rung(std::string name, int per_thread, std::size_t in_alignment,
                               std::size_t out_alignment, Wrap wrap, KernelOf kernel_of,
                               LaunchOptions options = {}, Answers answers = Answers::bytes) {
  const auto launch = [=](Operation op, const In* a, const In* b, Byte* y, std::int64_t n,
                          cudaStream_t stream) {
    return with_operation(op, a, b, [&](auto functor, const In* left, const In* right) {
      const auto f = wrap(functor);
      return launch_answers(kernel_of(f), left, right, y, n, per_thread, in_alignment,
                            out_alignment, f, stream, options);
    });
  };
  return {std::move(name), launch, per_thread, in_alignment, out_alignment, answers};
}

}  // namespace tutorial
