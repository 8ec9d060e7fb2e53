// The operators: any two shapes that broadcast, any pointer that is aligned to its element. Aligned
// arrays of one shape go to the ladders' last rungs, everything else to the broadcasting kernels.
#include <cmath>
#include <utility>

#include "05_logical_relation/ladder_b_relation.cuh"
#include "05_logical_relation/launchers/launch.cuh"
#include "05_logical_relation/logical_relation.h"
#include "common/broadcast.cuh"
#include "common/refusal.h"

namespace tutorial {
namespace {

/// Whether nothing is broadcast: both operands are arrays as long as the result.
bool is_contiguous(const Broadcast& merged) {
  return merged.rank == 0 || (merged.rank == 1 && merged.stride0[0] == 1 && merged.stride1[0] == 1);
}

/// Validates, then launches: aligned arrays of one shape by `packs(elements)`, which writes
/// 16 / sizeof(T) answers at once, everything else by `broadcast_kernels(merged)`.
template <class T, class Packs, class BroadcastKernels>
cudaError_t compare_tensors(const TensorShape& shape0, const T* in0, const TensorShape& shape1,
                            const T* in1, Byte* out, const Packs& packs,
                            const BroadcastKernels& broadcast_kernels) {
  Broadcast broadcast;
  if (const cudaError_t error = make_broadcast(shape0, shape1, &broadcast); error != cudaSuccess) {
    return error;
  }
  if (const cudaError_t error = check_operands(broadcast.elements, in0, in1, out);
      error != cudaSuccess || broadcast.elements == 0) {
    return error;
  }
  if (is_contiguous(broadcast) && is_aligned(in0, 16) && is_aligned(in1, 16) &&
      is_aligned(out, 16 / sizeof(T))) {
    return packs(broadcast.elements);
  }
  return broadcast_kernels(broadcast);
}

/// The broadcast with its operands exchanged.
Broadcast swapped(Broadcast broadcast) {
  std::swap(broadcast.stride0, broadcast.stride1);
  return broadcast;
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

}  // namespace

cudaError_t logical(LogicalOp op, const TensorShape& shape0, const Byte* in0,
                    const TensorShape& shape1, const Byte* in1, Byte* out, cudaStream_t stream) {
  if (op == LogicalOp::Not) {
    return refuse(cudaErrorInvalidValue, "Not has one operand, and there are two");
  }
  if (static_cast<unsigned>(op) > static_cast<unsigned>(LogicalOp::Not)) {
    return refuse(cudaErrorInvalidValue, "the operation is none of And, Or, Xor and Not");
  }
  return compare_tensors(
      shape0, in0, shape1, in1, out,
      [&](std::int64_t n) { return logical_u8x16_pdl(op, in0, in1, out, n, stream); },
      [&](const Broadcast& merged) {
        return launch_merged_broadcast(merged, in0, in1, out, OnBytes<AnyLogical>{{op}}, stream);
      });
}

cudaError_t logical(LogicalOp op, const TensorShape& shape, const Byte* in, Byte* out,
                    cudaStream_t stream) {
  if (op != LogicalOp::Not) {
    return refuse(cudaErrorInvalidValue, "And, Or and Xor have two operands, and there is one");
  }
  TensorShape checked;
  if (const cudaError_t error = broadcast_shape(shape, {}, &checked); error != cudaSuccess) {
    return error;
  }
  const std::int64_t n = elements_of(shape);
  if (n == 0) return cudaSuccess;
  if (in == nullptr) return refuse(cudaErrorInvalidValue, "in is a null pointer");
  if (out == nullptr) return refuse(cudaErrorInvalidValue, "out is a null pointer");
  return is_aligned(in, 16) && is_aligned(out, 16)
             ? logical_not_u8x16_pdl(in, out, n, stream)
             : launch_any_address<16>(OnElements<Byte, OnBytes<Not>>{}, out, n, stream, kBestLaunch,
                                      in);
}

template <class T>
cudaError_t relation(RelationOp op, const TensorShape& shape0, const T* in0,
                     const TensorShape& shape1, const T* in1, Byte* out, cudaStream_t stream) {
  if (static_cast<unsigned>(op) > static_cast<unsigned>(RelationOp::LessOrEqual)) {
    return refuse(cudaErrorInvalidValue, "the operation is none of the six");
  }
  return compare_tensors(
      shape0, in0, shape1, in1, out,
      [&](std::int64_t n) { return relation_pdl(op, in0, in1, out, n, stream); },
      [&](const Broadcast& merged) {
        const auto [how, is_swapped] = reduced<T>(op);
        return is_swapped ? launch_merged_broadcast(swapped(merged), in1, in0, out, how, stream)
                          : launch_merged_broadcast(merged, in0, in1, out, how, stream);
      });
}

cudaError_t equal(Equality policy, const TensorShape& shape0, const float* in0,
                  const TensorShape& shape1, const float* in1, Byte* out, cudaStream_t stream) {
  if (const cudaError_t error = check_policy(policy); error != cudaSuccess) return error;
  using Answers = OneByOne<AnyEquality>;
  const AnyEquality op{policy};
  return compare_tensors(
      shape0, in0, shape1, in1, out,
      [&](std::int64_t n) {
        return launch_answers(relation_pack_kernel<float, Answers>, in0, in1, out, n, 4, 16, 4,
                              Answers{op}, stream, kBestLaunch);
      },
      [&](const Broadcast& merged) {
        return launch_merged_broadcast(merged, in0, in1, out, AsByte<AnyEquality>{op}, stream);
      });
}

#define TUTORIAL_INSTANTIATE(T)                                                               \
  template cudaError_t relation(RelationOp, const TensorShape&, const T*, const TensorShape&, \
                                const T*, Byte*, cudaStream_t);
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(half)
TUTORIAL_INSTANTIATE(__nv_bfloat16)
TUTORIAL_INSTANTIATE(std::int8_t)
TUTORIAL_INSTANTIATE(std::int32_t)
TUTORIAL_INSTANTIATE(std::int64_t)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial
