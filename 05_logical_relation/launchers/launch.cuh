// What this chapter's launchers share: the checks, and the step from an operation's name to its
// functor.
#pragma once

#include "05_logical_relation/logical_relation_math.cuh"
#include "common/elementwise.cuh"

namespace tutorial {

/// The launch of the last rungs: the block size of the copy, and an early start.
inline constexpr LaunchOptions kBestLaunch{256, Overlap::previous_kernel};

/// launch_elements() of a kernel(const In* a, const In* b, Out* y, std::int64_t n, op). The
/// alignments in bytes are those of a and b, and of y.
template <class In, class Out, class Op>
cudaError_t launch_answers(void (*kernel)(const In*, const In*, Out*, std::int64_t, Op),
                           const In* a, const In* b, Out* y, std::int64_t n, int per_thread,
                           std::size_t in_alignment, std::size_t out_alignment, Op op,
                           cudaStream_t stream, LaunchOptions options = {}) {
  return launch_elements(kernel, n, per_thread,
                         {{a, in_alignment}, {b, in_alignment}, {y, out_alignment}}, stream,
                         options, a, b, y, n, op);
}

/// Calls body(And{}), body(Or{}) or body(Xor{}). Not, which has one operand, is
/// cudaErrorInvalidValue.
template <class Body>
cudaError_t with_logical(LogicalOp op, const Body& body) {
  switch (op) {
    case LogicalOp::And:
      return body(And{});
    case LogicalOp::Or:
      return body(Or{});
    case LogicalOp::Xor:
      return body(Xor{});
    default:
      return cudaErrorInvalidValue;
  }
}

/// Calls body(functor, left, right): Less and LessOrEqual with the operands exchanged.
template <class T, class Body>
cudaError_t with_relation(RelationOp op, const T* a, const T* b, const Body& body) {
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

}  // namespace tutorial
