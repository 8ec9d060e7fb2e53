// The ladders as tables: the name of each rung and what it needs. The tests hold every rung to its
// line; the benchmark times it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "05_logical_relation/logical_relation.h"
#include "common/types.h"

namespace tutorial {

/// Whether a rung answers in bytes or in bits.
enum class Answers { bytes, bits };

/// One rung: y[i] = a[i] op b[i] for i in [0, n), enqueued on the stream. With one operand, b is
/// ignored. Answers in bits begin at y too, and fill whole 32-bit words.
template <class Operation, class In>
struct AnswerRung {
  std::string name;
  std::function<cudaError_t(Operation, const In*, const In*, Byte*, std::int64_t, cudaStream_t)>
      launch;
  int width;                  ///< elements a thread
  std::size_t in_alignment;   ///< bytes that a and b need
  std::size_t out_alignment;  ///< bytes that y needs
  Answers answers = Answers::bytes;
  int operands = 2;
};

using LogicalRung = AnswerRung<LogicalOp, Byte>;
template <class T>
using RelationRung = AnswerRung<RelationOp, T>;

/// name, launcher, elements a thread, alignments in bytes
inline std::vector<LogicalRung> logical_rungs() {
  return {
      {"u8", logical_u8, 1, 1, 1},
      {"bool8", logical_bool8, 8, 1, 1},
      {"u8x16", logical_u8x16, 16, 16, 16},
      {"u8x16_pdl", logical_u8x16_pdl, 16, 16, 16},
  };
}

inline std::vector<LogicalRung> logical_not_rungs() {
  const auto one_input = [](auto launcher) {
    return [launcher](LogicalOp, const Byte* a, const Byte*, Byte* y, std::int64_t n,
                      cudaStream_t stream) { return launcher(a, y, n, stream); };
  };
  return {
      {"u8", one_input(logical_not_u8), 1, 1, 1, Answers::bytes, 1},
      {"u8x16", one_input(logical_not_u8x16), 16, 16, 16, Answers::bytes, 1},
      {"u8x16_pdl", one_input(logical_not_u8x16_pdl), 16, 16, 16, Answers::bytes, 1},
  };
}

namespace detail {

/// A launcher of words as one of bytes.
template <class T>
auto as_bytes(cudaError_t (*launcher)(RelationOp, const T*, const T*, std::uint32_t*, std::int64_t,
                                      cudaStream_t)) {
  return [launcher](RelationOp op, const T* a, const T* b, Byte* y, std::int64_t n,
                    cudaStream_t stream) {
    return launcher(op, a, b, reinterpret_cast<std::uint32_t*>(y), n, stream);
  };
}

template <class T>
std::vector<RelationRung<T>> relation_rungs_16_bits(const std::string& dtype) {
  return {
      {dtype, relation_naive<T>, 1, 2, 1},
      {dtype + "x8_pack", relation_pack<T>, 8, 16, 8},
      {dtype + "x8_pack_h2", relation_pack_h2<T>, 8, 16, 8},
      {dtype + "x16_adjacent", relation_adjacent<T>, 16, 16, 16},
      {dtype + "x16_wide", relation_wide<T>, 16, 16, 16},
      {dtype + "x8_pdl", relation_pdl<T>, 8, 16, 8},
      {dtype + "_ballot", as_bytes<T>(relation_ballot), 1, 2, 4, Answers::bits},
      {dtype + "x16_ballot", as_bytes<T>(relation_ballot_wide), 16, 2, 4, Answers::bits},
      {dtype + "x8_bits", as_bytes<T>(relation_bits), 8, 16, 4, Answers::bits},
  };
}

}  // namespace detail

inline std::vector<RelationRung<float>> relation_rungs_f32() {
  return {
      {"f32", relation_naive<float>, 1, 4, 1},
      {"f32x4_pack", relation_pack<float>, 4, 16, 4},
      {"f32x16_adjacent", relation_adjacent<float>, 16, 16, 16},
      {"f32x16_wide", relation_wide<float>, 16, 16, 16},
      {"f32x4_pdl", relation_pdl<float>, 4, 16, 4},
      {"f32_ballot", detail::as_bytes<float>(relation_ballot), 1, 4, 4, Answers::bits},
      {"f32x8_ballot", detail::as_bytes<float>(relation_ballot_wide), 8, 4, 4, Answers::bits},
  };
}

inline std::vector<RelationRung<half>> relation_rungs_f16() {
  std::vector<RelationRung<half>> rungs = detail::relation_rungs_16_bits<half>("f16");
  rungs.insert(rungs.begin() + 1, {"half8", relation_half8, 8, 2, 1});
  return rungs;
}

inline std::vector<RelationRung<Bf16>> relation_rungs_bf16() {
  return detail::relation_rungs_16_bits<Bf16>("bf16");
}

/// The rungs of one type, by that type.
template <class T>
std::vector<RelationRung<T>> relation_rungs();
template <>
inline std::vector<RelationRung<float>> relation_rungs() {
  return relation_rungs_f32();
}
template <>
inline std::vector<RelationRung<half>> relation_rungs() {
  return relation_rungs_f16();
}
template <>
inline std::vector<RelationRung<Bf16>> relation_rungs() {
  return relation_rungs_bf16();
}

/// The reader's rung, which always computes greater. Its numbers are in your_logical_relation.cuh.
inline RelationRung<half> your_relation_rung() {
  const RungClaims claims = your_logical_relation_claims();
  const auto launch = [](RelationOp, const half* a, const half* b, Byte* y, std::int64_t n,
                         cudaStream_t stream) { return your_logical_relation(a, b, y, n, stream); };
  const auto out_alignment =
      static_cast<std::size_t>(claims.per_thread < 16 ? claims.per_thread : 16);
  return {"your_relation", launch, claims.per_thread, claims.alignment, out_alignment};
}

inline constexpr LogicalOp kLogicalOps[] = {LogicalOp::And, LogicalOp::Or, LogicalOp::Xor};
inline constexpr RelationOp kRelationOps[] = {RelationOp::Equal,   RelationOp::NotEqual,
                                              RelationOp::Greater, RelationOp::GreaterOrEqual,
                                              RelationOp::Less,    RelationOp::LessOrEqual};

inline const char* name_of(LogicalOp op) {
  constexpr const char* kNames[] = {"and", "or", "xor", "not"};
  return kNames[static_cast<int>(op)];
}
inline const char* name_of(RelationOp op) {
  constexpr const char* kNames[] = {"equal",         "not_equal", "greater",
                                    "greater_equal", "less",      "less_equal"};
  return kNames[static_cast<int>(op)];
}

}  // namespace tutorial
