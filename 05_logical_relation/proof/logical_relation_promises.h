// What a launcher promises that has one or two inputs and one answer for each element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "05_logical_relation/logical_relation.h"
#include "05_logical_relation/proof/logical_relation_reference.h"
#include "common/proof/support.h"

namespace tutorial::test {

/// The answers of one operation on two lists of operands, as a rung's output holds them.
inline std::vector<Byte> expected_answers(LogicalOp op, const std::vector<Byte>& a,
                                          const std::vector<Byte>& b, Answers answers) {
  std::vector<Byte> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = logical_reference(op, a[i], b[i]);
  return answers == Answers::bits ? packed_bits(result) : result;
}
template <class T>
std::vector<Byte> expected_answers(RelationOp op, const std::vector<T>& a, const std::vector<T>& b,
                                   Answers answers) {
  std::vector<Byte> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = relation_reference(op, a[i], b[i]);
  return answers == Answers::bits ? packed_bits(result) : result;
}

/// Bytes that n answers take.
inline std::size_t answer_bytes(Answers answers, std::size_t n) {
  return answers == Answers::bits ? (n + 31) / 32 * 4 : n;
}

/// Runs a rung on lists of operands. Throws std::runtime_error if the launch fails, or if the
/// kernel wrote outside its output.
template <class Operation, class In>
std::vector<Byte> run_answers(const AnswerRung<Operation, In>& rung, Operation op,
                              const std::vector<In>& a, const std::vector<In>& b) {
  const GuardedBuffer<In> left(a), right(b);
  const GuardedBuffer<Byte> y(answer_bytes(rung.answers, a.size()));
  require_success(rung.launch(op, left.data(), right.data(), y.data(),
                              static_cast<std::int64_t>(a.size()), nullptr),
                  rung.name.c_str());
  require_success(cudaDeviceSynchronize(), rung.name.c_str());
  if (!y.intact()) throw std::runtime_error(rung.name + ": the output was " + y.damage());
  return y.download();
}

/// Operands in which equal and unequal pairs, zeros, NaN and infinities are all frequent, in a
/// period that fits no power of two.
template <class In>
class OperandSample {
 public:
  OperandSample(const std::vector<In>& values, std::size_t step) : values_(values), step_(step) {}

  std::vector<In> first(std::int64_t n) const {
    std::vector<In> result(static_cast<std::size_t>(n));
    std::uint64_t state = step_;
    for (In& value : result) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      value = values_[static_cast<std::size_t>(state >> 33) % values_.size()];
    }
    return result;
  }

 private:
  std::vector<In> values_;
  std::size_t step_;
};

/// What a rung promises of one operation. `values` is what operands are drawn from.
template <class Operation, class In>
Promises promises_of(const AnswerRung<Operation, In>& rung, Operation op,
                     const std::vector<In>& values) {
  Promises promises;
  promises.sizes = n_ladder(rung.width);
  const auto a = OperandSample<In>(values, 1).first(promises.sizes.back());
  const auto b = OperandSample<In>(values, 2).first(promises.sizes.back());
  const bool in_place = rung.answers == Answers::bytes && sizeof(In) == sizeof(Byte);
  promises.inputs = {input_array("a", a, rung.in_alignment, in_place)};
  if (rung.operands == 2) {
    promises.inputs.push_back(input_array("b", b, rung.in_alignment, in_place));
  }
  promises.out_element_bytes = sizeof(Byte);
  promises.out_alignment = rung.out_alignment;
  promises.out_bytes = [answers = rung.answers](std::int64_t n) {
    return answer_bytes(answers, static_cast<std::size_t>(n));
  };
  promises.launch = [op, launch = rung.launch](const std::vector<const void*>& inputs, void* output,
                                               std::int64_t n, cudaStream_t stream) {
    const void* second = inputs.size() == 2 ? inputs[1] : nullptr;
    return launch(op, static_cast<const In*>(inputs[0]), static_cast<const In*>(second),
                  static_cast<Byte*>(output), n, stream);
  };
  const auto judge = [op, answers = rung.answers](const std::vector<In>& left,
                                                  const std::vector<In>& right) {
    return exactly<Byte>(
        [=](std::int64_t n) {
          const auto first = [n](const std::vector<In>& all) {
            return std::vector<In>(all.begin(), all.begin() + n);
          };
          return expected_answers(op, first(left), first(right), answers);
        },
        "byte");
  };
  promises.judge = judge(a, b);
  if (rung.operands == 2) promises.judge_same_inputs = judge(a, a);
  return promises;
}

}  // namespace tutorial::test
