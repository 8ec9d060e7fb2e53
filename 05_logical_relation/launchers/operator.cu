// The operators: any two shapes that broadcast, any pointer that is aligned to its element. Aligned
// arrays of one shape go to the ladders' last rungs, everything else to the broadcasting kernels.
#include <cmath>
#include <utility>

#include "05_logical_relation/ladders/ladder_b_relation.cuh"
#include "05_logical_relation/launchers/launch.cuh"
#include "05_logical_relation/logical_relation.h"
#include "common/broadcast.cuh"
#include "common/refusal.h"
#include "common/strided.cuh"

namespace tutorial {
namespace {

/// Validates, then launches by `dense(loop)`.
template <class T, class Dense>
cudaError_t compare_tensors(const TensorShape& shape0, const T* in0, const TensorShape& shape1,
                            const T* in1, Byte* out, const Dense& dense) {
  Broadcast broadcast;
  if (const cudaError_t error = make_broadcast(shape0, shape1, &broadcast); error != cudaSuccess) {
    return error;
  }
  if (const cudaError_t error = check_operands(broadcast.elements, in0, in1, out);
      error != cudaSuccess || broadcast.elements == 0) {
    return error;
  }
  return dense(to_loop(broadcast));
}

/// Whether the kernels for aligned arrays of one shape, which write 16 / sizeof(T) answers at once, take
/// the operands.
template <class T>
bool is_in_packs(const StridedLoop& loop, const T* in0, const T* in1, const Byte* out) {
  return is_contiguous(loop) && is_aligned(in0, 16) && is_aligned(in1, 16) &&
         is_aligned(out, 16 / sizeof(T));
}

/// The loop with its operands exchanged.
StridedLoop swapped(StridedLoop loop) {
  std::swap(loop.stride[1], loop.stride[2]);
  return loop;
}

cudaError_t check_binary(LogicalOp op) {
  if (op == LogicalOp::Not) {
    return refuse(cudaErrorInvalidValue, "Not has one operand, and there are two");
  }
  if (static_cast<unsigned>(op) > static_cast<unsigned>(LogicalOp::Not)) {
    return refuse(cudaErrorInvalidValue, "the operation is none of And, Or, Xor and Not");
  }
  return cudaSuccess;
}

cudaError_t check_unary(LogicalOp op) {
  if (op == LogicalOp::Not) return cudaSuccess;
  return refuse(cudaErrorInvalidValue, "And, Or and Xor have two operands, and there is one");
}

cudaError_t check_relation(RelationOp op) {
  if (static_cast<unsigned>(op) <= static_cast<unsigned>(RelationOp::LessOrEqual)) {
    return cudaSuccess;
  }
  return refuse(cudaErrorInvalidValue, "the operation is none of the six");
}

cudaError_t check_policy(const Equality& policy) {
  constexpr float kMostUlps = 16777216.0f;
  if (policy.kind == Equality::Kind::exact) return cudaSuccess;
  if (!std::isfinite(policy.tolerance) || policy.tolerance < 0.0f) {
    return refuse(cudaErrorInvalidValue, "the tolerance is " + std::to_string(policy.tolerance) +
                                             ", and it must be finite and not negative");
  }
  if (policy.kind == Equality::Kind::ulp &&
      (policy.tolerance > kMostUlps || std::floor(policy.tolerance) != policy.tolerance)) {
    return refuse(cudaErrorInvalidValue, "the tolerance is " + std::to_string(policy.tolerance) +
                                             " ULP, and it must be a whole number up to 2^24");
  }
  return cudaSuccess;
}

// Tensors without gaps; the arguments have been checked.

cudaError_t dense_logical(LogicalOp op, const StridedLoop& loop, const Byte* in0, const Byte* in1,
                          Byte* out, cudaStream_t stream) {
  if (is_in_packs(loop, in0, in1, out)) {
    return logical_rungs().back().launch(op, in0, in1, out, loop.elements, stream);
  }
  return launch_broadcast_loop(loop, in0, in1, out, OnBytes<AnyLogical>{{op}}, stream);
}

template <class T>
cudaError_t dense_relation(RelationOp op, const StridedLoop& loop, const T* in0, const T* in1,
                           Byte* out, cudaStream_t stream) {
  if (is_in_packs(loop, in0, in1, out)) {
    return relation_pdl(op, in0, in1, out, loop.elements, stream);
  }
  const auto [how, is_swapped] = reduced<T>(op);
  return is_swapped ? launch_broadcast_loop(swapped(loop), in1, in0, out, how, stream)
                    : launch_broadcast_loop(loop, in0, in1, out, how, stream);
}

cudaError_t dense_equal(Equality policy, const StridedLoop& loop, const float* in0,
                        const float* in1, Byte* out, cudaStream_t stream) {
  using Answers = OneByOne<AnyEquality>;
  const AnyEquality op{policy};
  if (is_in_packs(loop, in0, in1, out)) {
    return launch_answers(relation_pack_kernel<float, Answers>, in0, in1, out, loop.elements, 4, 16,
                          4, Answers{op}, stream, kBestLaunch);
  }
  return launch_broadcast_loop(loop, in0, in1, out, AsByte<AnyEquality>{op}, stream);
}

}  // namespace

cudaError_t logical(LogicalOp op, const TensorShape& shape0, const Byte* in0,
                    const TensorShape& shape1, const Byte* in1, Byte* out, cudaStream_t stream) {
  if (const cudaError_t error = check_binary(op); error != cudaSuccess) return error;
  return compare_tensors(shape0, in0, shape1, in1, out, [&](const StridedLoop& loop) {
    return dense_logical(op, loop, in0, in1, out, stream);
  });
}

cudaError_t logical(LogicalOp op, const TensorShape& shape, const Byte* in, Byte* out,
                    cudaStream_t stream) {
  if (const cudaError_t error = check_unary(op); error != cudaSuccess) return error;
  TensorShape checked;
  if (const cudaError_t error = broadcast_shape(shape, {}, &checked); error != cudaSuccess) {
    return error;
  }
  const std::int64_t n = elements_of(shape);
  if (n == 0) return cudaSuccess;
  if (in == nullptr) return refuse(cudaErrorInvalidValue, "in is a null pointer");
  if (out == nullptr) return refuse(cudaErrorInvalidValue, "out is a null pointer");
  return is_aligned(in, 16) && is_aligned(out, 16)
             ? logical_not_rungs().back().launch(op, in, nullptr, out, n, stream)
             : launch_any_address<16>(OnElements<Byte, OnBytes<Not>>{}, out, n, stream, kBestLaunch,
                                      in);
}

template <class T>
cudaError_t relation(RelationOp op, const TensorShape& shape0, const T* in0,
                     const TensorShape& shape1, const T* in1, Byte* out, cudaStream_t stream) {
  if (const cudaError_t error = check_relation(op); error != cudaSuccess) return error;
  return compare_tensors(shape0, in0, shape1, in1, out, [&](const StridedLoop& loop) {
    return dense_relation(op, loop, in0, in1, out, stream);
  });
}

cudaError_t equal(Equality policy, const TensorShape& shape0, const float* in0,
                  const TensorShape& shape1, const float* in1, Byte* out, cudaStream_t stream) {
  if (const cudaError_t error = check_policy(policy); error != cudaSuccess) return error;
  return compare_tensors(shape0, in0, shape1, in1, out, [&](const StridedLoop& loop) {
    return dense_equal(policy, loop, in0, in1, out, stream);
  });
}

// ---- Any strides --------------------------------------------------------------------------------

namespace {

/// Elements of a pack that gives answers of one byte.
template <class T>
constexpr int kAnswers = detail::kAnyWidth<T, Byte>;

/// Tensors without gaps go to `dense(loop)`, all others to the kernels for any strides.
template <class T, class Op, class Dense>
cudaError_t compare_views(const TensorView<const T>& in0, const TensorView<const T>& in1,
                          const TensorView<Byte>& out, Op op, cudaStream_t stream,
                          const Dense& dense) {
  StridedLoop loop;
  cudaError_t error = make_strided_loop(out.layout, {in0.layout, in1.layout}, &loop);
  if (error == cudaSuccess) error = check_operands(loop.elements, in0.data, in1.data, out.data);
  if (error != cudaSuccess || loop.elements == 0) return error;
  if (is_broadcast(loop)) return dense(loop);
  return launch_strided<kAnswers<T>>(loop, OnElements<Byte, Op>{op}, stream, {}, out.data, in0.data,
                                     in1.data);
}

}  // namespace

template <class T>
cudaError_t logical(LogicalOp op, const TensorView<const T>& in0, const TensorView<const T>& in1,
                    const TensorView<Byte>& out, cudaStream_t stream) {
  if (const cudaError_t error = check_binary(op); error != cudaSuccess) return error;
  using Op = OnNumbers<T, AnyLogical>;
  return compare_views(in0, in1, out, Op{{op}}, stream, [&](const StridedLoop& loop) {
    if constexpr (std::is_same_v<T, Byte>) {
      return dense_logical(op, loop, in0.data, in1.data, out.data, stream);
    } else if (is_in_packs(loop, in0.data, in1.data, out.data)) {
      constexpr int kWidth = 16 / sizeof(T);
      return launch_answers(relation_pack_kernel<T, TruthByTruth>, in0.data, in1.data, out.data,
                            loop.elements, kWidth, 16, kWidth, TruthByTruth{{op}}, stream,
                            kBestLaunch);
    } else {
      return launch_broadcast_loop(loop, in0.data, in1.data, out.data, Op{{op}}, stream);
    }
  });
}

template <class T>
cudaError_t logical(LogicalOp op, const TensorView<const T>& in, const TensorView<Byte>& out,
                    cudaStream_t stream) {
  if (const cudaError_t error = check_unary(op); error != cudaSuccess) return error;
  constexpr OnElements<Byte, OnNumbers<T, Not>> on_elements{};
  const auto contiguous = [&](std::int64_t n) {
    if constexpr (std::is_same_v<T, Byte>) {
      return logical(op, {n}, in.data, out.data, stream);
    } else {
      return launch_any_address<kAnswers<T>>(on_elements, out.data, n, stream, kBestLaunch,
                                             in.data);
    }
  };
  return launch_views<kAnswers<T>>(on_elements, contiguous, stream, out, in);
}

template <class T>
cudaError_t relation(RelationOp op, const TensorView<const T>& in0, const TensorView<const T>& in1,
                     const TensorView<Byte>& out, cudaStream_t stream) {
  if (const cudaError_t error = check_relation(op); error != cudaSuccess) return error;
  const ReducedRelation turned = reduced<T>(op);
  const bool is_swapped = turned.swapped;
  return compare_views(is_swapped ? in1 : in0, is_swapped ? in0 : in1, out, turned.relation, stream,
                       [&](const StridedLoop& loop) {
                         return dense_relation(op, is_swapped ? swapped(loop) : loop, in0.data,
                                               in1.data, out.data, stream);
                       });
}

cudaError_t equal(Equality policy, const TensorView<const float>& in0,
                  const TensorView<const float>& in1, const TensorView<Byte>& out,
                  cudaStream_t stream) {
  if (const cudaError_t error = check_policy(policy); error != cudaSuccess) return error;
  return compare_views(in0, in1, out, AsByte<AnyEquality>{{policy}}, stream,
                       [&](const StridedLoop& loop) {
                         return dense_equal(policy, loop, in0.data, in1.data, out.data, stream);
                       });
}

template <class T>
cudaError_t where(const TensorView<const Byte>& c, const TensorView<const T>& a,
                  const TensorView<const T>& b, const TensorView<T>& y, cudaStream_t stream) {
  const auto contiguous = [&](std::int64_t n) {
    return where(c.data, a.data, b.data, y.data, n, stream);
  };
  return launch_views<16 / sizeof(T)>(OnElements<T, Choose>{}, contiguous, stream, y, c, a, b);
}

#define TUTORIAL_LOGICAL(T)                                                                       \
  template cudaError_t logical(LogicalOp, const TensorView<const T>&, const TensorView<const T>&, \
                               const TensorView<Byte>&, cudaStream_t);                            \
  template cudaError_t logical(LogicalOp, const TensorView<const T>&, const TensorView<Byte>&,    \
                               cudaStream_t);
#define TUTORIAL_INSTANTIATE(T)                                                               \
  template cudaError_t relation(RelationOp, const TensorShape&, const T*, const TensorShape&, \
                                const T*, Byte*, cudaStream_t);                               \
  template cudaError_t relation(RelationOp, const TensorView<const T>&,                       \
                                const TensorView<const T>&, const TensorView<Byte>&,          \
                                cudaStream_t);                                                \
  TUTORIAL_LOGICAL(T)
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
TUTORIAL_INSTANTIATE(std::int8_t)
TUTORIAL_INSTANTIATE(std::int32_t)
TUTORIAL_INSTANTIATE(std::int64_t)
TUTORIAL_LOGICAL(Byte)
#undef TUTORIAL_INSTANTIATE
#undef TUTORIAL_LOGICAL

#define TUTORIAL_WHERE(T)                                                               \
  template cudaError_t where(const TensorView<const Byte>&, const TensorView<const T>&, \
                             const TensorView<const T>&, const TensorView<T>&, cudaStream_t);
TUTORIAL_FOR_FLOATS(TUTORIAL_WHERE)
#undef TUTORIAL_WHERE

}  // namespace tutorial
