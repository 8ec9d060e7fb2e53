// The ladders: every rung keeps a launcher's promises and gives the right answers.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "05_logical_relation/logical_relation.h"
#include "05_logical_relation/proof/logical_relation_promises.h"
#include "05_logical_relation/proof/logical_relation_values.h"
#include "common/proof/catch.h"
#include "common/proof/support.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

template <class Operation, class In>
void check_rung(const AnswerRung<Operation, In>& rung, Operation op,
                const std::vector<In>& values) {
  check_promises(rung.name + " " + name_of(op), promises_of(rung, op, values));
}

template <class T>
void check_relation_promises(RelationOp op) {
  for (const RelationRung<T>& rung : relation_rungs<T>()) {
    check_rung(rung, op, special_values<T>());
  }
}

/// The first pair whose answer is wrong, or an empty string.
template <class Operation, class In>
std::string wrong_answer(const AnswerRung<Operation, In>& rung, Operation op,
                         const Pairs<In>& pairs) {
  const std::vector<Byte> expected = expected_answers(op, pairs.a, pairs.b, rung.answers);
  const std::vector<Byte> actual = run_answers(rung, op, pairs.a, pairs.b);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (actual[i] == expected[i]) continue;
    const std::size_t pair = rung.answers == Answers::bits ? 8 * i : i;
    return rung.name + " " + name_of(op) + ": a = " + std::to_string(to_double(pairs.a[pair])) +
           ", b = " + std::to_string(to_double(pairs.b[pair])) + ": byte " + std::to_string(i) +
           " is " + std::to_string(actual[i]) + ", expected " + std::to_string(expected[i]);
  }
  return "";
}

template <class T>
void check_relation_answers() {
  Pairs<T> pairs = all_pairs(special_values<T>());
  add_random_pairs(pairs, 1 << 15);
  for (const RelationRung<T>& rung : relation_rungs<T>()) {
    for (const RelationOp op : kRelationOps) CHECK(wrong_answer(rung, op, pairs) == "");
  }
}

std::vector<Byte> all_bytes() {
  std::vector<Byte> bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<Byte>(byte));
  return bytes;
}

}  // namespace

TEST_CASE("logical: every launcher keeps its promises") {
  require_device();
  SECTION("and") {
    for (const LogicalRung& rung : logical_rungs()) {
      check_rung(rung, LogicalOp::And, truth_values());
    }
  }
  SECTION("not") {
    for (const LogicalRung& rung : logical_not_rungs()) {
      check_rung(rung, LogicalOp::Not, truth_values());
    }
  }
}

TEST_CASE("logical: all 65,536 pairs of bytes: any byte but 0 is true, and answers are 0 or 1") {
  require_device();
  const Pairs<Byte> pairs = all_pairs(all_bytes());
  for (const LogicalRung& rung : logical_rungs()) {
    for (const LogicalOp op : kLogicalOps) CHECK(wrong_answer(rung, op, pairs) == "");
  }
  for (const LogicalRung& rung : logical_not_rungs()) {
    CHECK(wrong_answer(rung, LogicalOp::Not, pairs) == "");
  }
}

TEST_CASE("logical: Not has one operand, and the rungs with two refuse it") {
  require_device();
  const GuardedBuffer<Byte> a(std::vector<Byte>(64, 1)), y(64);
  for (const LogicalRung& rung : logical_rungs()) {
    INFO(rung.name);
    CHECK(rung.launch(LogicalOp::Not, a.data(), a.data(), y.data(), 64, nullptr) ==
          cudaErrorInvalidValue);
  }
  CHECK(y.untouched());
}

TEST_CASE("relation: every launcher keeps its promises") {
  require_device();
  SECTION("f32") { check_relation_promises<float>(RelationOp::Greater); }
  SECTION("f16") { check_relation_promises<half>(RelationOp::GreaterOrEqual); }
  SECTION("bf16") { check_relation_promises<Bf16>(RelationOp::Less); }
}

TEST_CASE("relation: all pairs of special values and a random sample, every operation") {
  require_device();
  SECTION("f32") { check_relation_answers<float>(); }
  SECTION("f16") { check_relation_answers<half>(); }
  SECTION("bf16") { check_relation_answers<Bf16>(); }
}

TEST_CASE("relation: with a NaN every comparison is false but NotEqual") {
  require_device();
  const auto check = [](auto nan, auto number) {
    using T = decltype(nan);
    const std::vector<T> a = {nan, nan, number}, b = {nan, number, nan};
    for (const RelationRung<T>& rung : relation_rungs<T>()) {
      for (const RelationOp op : kRelationOps) {
        INFO(rung.name << " " << name_of(op));
        const Byte answer = op == RelationOp::NotEqual ? 1 : 0;
        const std::vector<Byte> answers(3, answer);
        CHECK(run_answers(rung, op, a, b) ==
              (rung.answers == Answers::bits ? packed_bits(answers) : answers));
      }
    }
  };
  check(from_double<float>(NAN), 1.0f);
  check(from_double<half>(NAN), from_double<half>(1.0));
  check(from_double<Bf16>(NAN), from_double<Bf16>(1.0));
}

TEST_CASE("relation: the two references agree on all pairs of special bit patterns") {
  const auto check = [](auto zero, unsigned infinity) {
    using T = decltype(zero);
    const Pairs<T> pairs = all_pairs(special_values<T>());
    for (std::size_t i = 0; i < pairs.a.size(); ++i) {
      for (const RelationOp op : kRelationOps) {
        REQUIRE(relation_reference(op, pairs.a[i], pairs.b[i]) ==
                relation_of_bits(op, to_bits(pairs.a[i]), to_bits(pairs.b[i]), infinity));
      }
    }
  };
  check(half{}, 0x7c00);
  check(Bf16{}, 0x7f80);
}

TEST_CASE("relation: your rung, pair by pair") {
  require_device();
  Pairs<half> pairs = all_pairs(special_values<half>());
  add_random_pairs(pairs, 1 << 15);
  const std::string wrong = wrong_answer(your_relation_rung(), RelationOp::Greater, pairs);
  check_complaint("your_relation", {"value", wrong, {{"bytes", 1}}});
}

TEST_CASE("relation: your rung keeps its promises") {
  require_device();
  check_rung(your_relation_rung(), RelationOp::Greater, special_values<half>());
}

// ---- where -------------------------------------------------------------------------------------

namespace {

template <class T>
using Where = cudaError_t (*)(const Byte*, const T*, const T*, T*, std::int64_t, cudaStream_t);

/// What a launcher of where promises; `packs`: it takes only pointers that are aligned to a pack.
template <class T>
Promises promises_of(Where<T> launch, int width, bool packs) {
  Promises promises;
  promises.sizes = n_ladder(width);
  const std::int64_t most = promises.sizes.back();
  const std::vector<Byte> c = OperandSample<Byte>(truth_values(), 3).first(most);
  const std::vector<T> a = OperandSample<T>(special_values<T>(), 1).first(most);
  const std::vector<T> b = OperandSample<T>(special_values<T>(), 2).first(most);
  const std::size_t alignment = packs ? 16 : sizeof(T);
  promises.inputs = {input_array("c", c, packs ? 16 / sizeof(T) : 1, false),
                     input_array("a", a, alignment, true), input_array("b", b, alignment, true)};
  promises.out_element_bytes = sizeof(T);
  promises.out_alignment = alignment;
  promises.out_bytes = [](std::int64_t n) { return static_cast<std::size_t>(n) * sizeof(T); };
  promises.launch = [launch](const std::vector<const void*>& inputs, void* output, std::int64_t n,
                             cudaStream_t stream) {
    return launch(static_cast<const Byte*>(inputs[0]), static_cast<const T*>(inputs[1]),
                  static_cast<const T*>(inputs[2]), static_cast<T*>(output), n, stream);
  };
  std::vector<Bits<T>> expected;  // NaNs keep their bits
  for (std::size_t i = 0; i < c.size(); ++i) expected.push_back(to_bits(c[i] != 0 ? a[i] : b[i]));
  promises.judge = exactly<Bits<T>>(
      [expected](std::int64_t n) {
        return std::vector<Bits<T>>(expected.begin(), expected.begin() + n);
      },
      "element");
  return promises;
}

template <class T>
void check_where_rungs() {
  constexpr int kWidth = 16 / static_cast<int>(sizeof(T));
  check_promises("where_naive", promises_of<T>(where_naive<T>, 1, false));
  check_promises("where_pack", promises_of<T>(where_pack<T>, kWidth, true));
  check_promises("where", promises_of<T>(where<T>, kWidth, false));
}

}  // namespace

TEST_CASE("where: right at every length, in place, at every alignment that it takes") {
  require_device();
  SECTION("f32") { check_where_rungs<float>(); }
  SECTION("f16") { check_where_rungs<half>(); }
  SECTION("bf16") { check_where_rungs<Bf16>(); }
}
