// The ladders: every rung keeps a launcher's promises and gives the right answers.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "05_logical_relation/logical_relation.h"
#include "05_logical_relation/logical_relation_rungs.h"
#include "05_logical_relation/proof/logical_relation_promises.h"
#include "05_logical_relation/proof/logical_relation_values.h"
#include "common/proof/catch.h"
#include "common/proof/support.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

template <class Operation, class In>
void check_promises(const AnswerRung<Operation, In>& rung, Operation op,
                    const std::vector<In>& values) {
  INFO(rung.name << " " << name_of(op));
  std::string list;
  for (const std::string& violation : answer_violations(rung, op, values)) list += violation + "\n";
  INFO(list);
  CHECK(list.empty());
}

template <class T>
void check_relation_promises(RelationOp op) {
  for (const RelationRung<T>& rung : relation_rungs<T>()) {
    check_promises(rung, op, special_values<T>());
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
    return rung.name + " " + name_of(op) + ": pair " + std::to_string(pair) + ": byte is " +
           std::to_string(actual[i]) + ", expected " + std::to_string(expected[i]);
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
      check_promises(rung, LogicalOp::And, truth_values());
    }
  }
  SECTION("not") {
    for (const LogicalRung& rung : logical_not_rungs()) {
      check_promises(rung, LogicalOp::Not, truth_values());
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

TEST_CASE("relation: your rung") {
  require_device();
  const RelationRung<half> rung = your_relation_rung();
  check_promises(rung, RelationOp::Greater, special_values<half>());
  Pairs<half> pairs = all_pairs(special_values<half>());
  add_random_pairs(pairs, 1 << 15);
  CHECK(wrong_answer(rung, RelationOp::Greater, pairs) == "");
}

// ---- where -------------------------------------------------------------------------------------

namespace {

template <class T>
using Where = cudaError_t (*)(const Byte*, const T*, const T*, T*, std::int64_t, cudaStream_t);

/// y == a and y == b are allowed: where the result goes.
enum class Into { fresh, a, b };

template <class T>
void check_where_at(Where<T> launch, std::int64_t n, Into into, std::size_t offset) {
  std::vector<Byte> c = Operands<Byte>(truth_values(), 3).first(n);
  const std::vector<T> a = Operands<T>(special_values<T>(), 1).first(n),
                       b = Operands<T>(special_values<T>(), 2).first(n);
  const GuardedBuffer<Byte> mask(c, offset);
  const GuardedBuffer<T> left(a, offset), right(b, offset), fresh(a.size(), offset);
  const GuardedBuffer<T>& y = into == Into::fresh ? fresh : into == Into::a ? left : right;
  REQUIRE(launch(mask.data(), left.data(), right.data(), y.data(), n, nullptr) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  const std::vector<T> result = y.download();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (to_bits(result[i]) != to_bits(c[i] != 0 ? a[i] : b[i])) ++wrong;  // NaNs keep their bits
  }
  CHECK(wrong == 0);
  CHECK(y.intact());
}

template <class T>
void check_where(Where<T> launch, std::size_t width, bool any_offset) {
  for (const std::int64_t n : n_ladder(static_cast<int>(width))) {
    INFO(n);
    for (const Into into : {Into::fresh, Into::a, Into::b}) check_where_at(launch, n, into, 0);
  }
  const GuardedBuffer<Byte> c(std::vector<Byte>(100, 1), 0);
  const GuardedBuffer<T> a(std::vector<T>(100)), y(100);
  if (any_offset) check_where_at(launch, 1027, Into::fresh, 1);
  if (!any_offset) {
    CHECK(launch(c.data() + 1, a.data(), a.data(), y.data(), 64, nullptr) ==
          cudaErrorMisalignedAddress);
    CHECK(launch(c.data(), a.data() + 1, a.data(), y.data(), 64, nullptr) ==
          cudaErrorMisalignedAddress);
    CHECK(launch(c.data(), a.data(), a.data() + 1, y.data(), 64, nullptr) ==
          cudaErrorMisalignedAddress);
    CHECK(launch(c.data(), a.data(), a.data(), y.data() + 1, 64, nullptr) ==
          cudaErrorMisalignedAddress);
  }
  CHECK(launch(nullptr, a.data(), a.data(), y.data(), 64, nullptr) == cudaErrorInvalidValue);
  CHECK(launch(c.data(), nullptr, a.data(), y.data(), 64, nullptr) == cudaErrorInvalidValue);
  CHECK(launch(c.data(), a.data(), nullptr, y.data(), 64, nullptr) == cudaErrorInvalidValue);
  CHECK(launch(c.data(), a.data(), a.data(), nullptr, 64, nullptr) == cudaErrorInvalidValue);
  CHECK(launch(c.data(), a.data(), a.data(), y.data(), -1, nullptr) == cudaErrorInvalidValue);
  CHECK(launch(nullptr, nullptr, nullptr, nullptr, 0, nullptr) == cudaSuccess);
  CHECK(y.untouched());
  const Stream stream;
  CHECK(launch(c.data(), a.data(), a.data(), y.data(), 64, stream.get()) == cudaSuccess);
  stream.synchronize();
  CHECK_FALSE(y.untouched());
}

template <class T>
void check_where_rungs() {
  check_where<T>(where_naive<T>, 1, true);
  check_where<T>(where_pack<T>, 16 / sizeof(T), false);
  check_where<T>(where<T>, 16 / sizeof(T), true);
}

}  // namespace

TEST_CASE("where: right at every length, in place, at every alignment that it takes") {
  require_device();
  SECTION("f32") { check_where_rungs<float>(); }
  SECTION("f16") { check_where_rungs<half>(); }
  SECTION("bf16") { check_where_rungs<Bf16>(); }
}
