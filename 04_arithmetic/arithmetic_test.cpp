// The operator: every pair of shapes, every type, what it refuses; the table that it follows.
#include "04_arithmetic/arithmetic.h"

#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "04_arithmetic/proof/arithmetic_broadcast_reference.h"
#include "04_arithmetic/proof/arithmetic_test_values.h"
#include "common/proof/broadcast_cases.h"
#include "common/proof/catch.h"
#include "common/proof/support.h"
#include "common/proof/views.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

/// The operator of any type; int8 with kTestScales.
template <class T>
cudaError_t run_operator(ArithmeticOp op, const ShapePair& shapes, const T* in0, const T* in1,
                         T* out) {
  if constexpr (std::is_same_v<T, std::int8_t>) {
    return arithmetic(op, shapes.shape0, in0, shapes.shape1, in1, out, kTestScales, nullptr);
  } else {
    return arithmetic(op, shapes.shape0, in0, shapes.shape1, in1, out, nullptr);
  }
}

template <class T>
std::string violation(ArithmeticOp op, const ShapePair& shapes, const BroadcastTrial<T, T>& trial) {
  return trial.violation(
      [&](const T* in0, const T* in1, T* out) { return run_operator(op, shapes, in0, in1, out); },
      same_value<T>);
}

/// What the contiguous kernel makes of the operands once they are written out.
template <class T>
std::string violation(ArithmeticOp op, const ShapePair& shapes, Offsets offsets = {}) {
  const std::vector<T> in0 = test_values<T>(shapes.shape0, 0);
  const std::vector<T> in1 = test_values<T>(shapes.shape1, 1);
  const std::vector<T> all0 = expanded(shapes, in0, 0), all1 = expanded(shapes, in1, 1);
  return violation<T>(op, shapes, {in0, in1, contiguous_results(op, all0, all1), offsets});
}

/// All operations in turn, all offsets of the three buffers in turn.
template <class T>
void check_random_shapes(int count) {
  const std::uint64_t seed = random_seed();
  std::printf("TUTORIAL_SEED=%llu\n", static_cast<unsigned long long>(seed));
  const auto run = [](const ShapePair& shapes) {
    // Chosen by the shapes, so that a pair that fails, fails again.
    const auto pick =
        static_cast<std::size_t>(elements_of(shapes.shape0) + 3 * elements_of(shapes.shape1) +
                                 static_cast<std::int64_t>(shapes.shape1.size()));
    const ArithmeticOp op = kArithmeticOps[pick % std::size(kArithmeticOps)];
    const std::size_t most = 16 / sizeof(T);
    const Offsets offsets =
        pick % 3 == 0 ? Offsets{} : Offsets{pick % most, pick / 2 % most, pick / 5 % most};
    return violation<T>(op, shapes, offsets);
  };
  CHECK(first_failure(seed, count, run) == "");
}

template <class T>
void check_every_op() {
  const std::vector<ShapePair> pairs = {
      {{}, {}},           {{40, 33}, {40, 33}},      {{3, 5, 64}, {1}},
      {{6, 5, 16}, {16}}, {{2, 9, 4, 8}, {9, 1, 1}}, {{3, 4, 5, 16}, {3, 1, 5, 16}},
      {{12, 1}, {12, 7}}, {{1, 1, 9}, {2, 3, 9}},    {{4, 1, 6, 1}, {1, 5, 1, 16}},
  };
  for (const ArithmeticOp op : kArithmeticOps) {
    for (const ShapePair& shapes : pairs) {
      INFO(name_of(op) << " " << test::to_string(shapes));
      CHECK(violation<T>(op, shapes) == "");
    }
  }
}

Broadcast merged_of(const ShapePair& shapes) {
  Broadcast broadcast;
  require_success(make_broadcast(shapes.shape0, shapes.shape1, &broadcast), "make_broadcast");
  return broadcast;
}

/// The forms that a rung of its own takes: the rungs before `strided`, and A1 where nothing is
/// broadcast.
std::vector<std::string> forms_of(const Broadcast& broadcast) {
  std::vector<std::string> forms;
  if (is_nobroadcast(broadcast)) forms.emplace_back("nobroadcast");
  for (const BroadcastRung<float>& rung : arithmetic_broadcast_rungs<float>()) {
    if (rung.name == "strided") break;
    if (rung.claims(broadcast)) forms.push_back(rung.name);
  }
  return forms.empty() ? std::vector<std::string>{"strided"} : forms;
}

std::string form_of(const ShapePair& shapes) { return forms_of(merged_of(shapes)).at(0); }

}  // namespace

TEST_CASE("operator: 20,000 random pairs of shapes") {
  require_device();
  const std::uint64_t seed = random_seed();
  std::printf("TUTORIAL_SEED=%llu\n", static_cast<unsigned long long>(seed));
  const auto run = [](const ShapePair& shapes) {
    using Int = std::int32_t;
    const BroadcastTrial<Int, Int> trial(
        shapes, [](std::int64_t i) { return Int(i * 4096); }, [](std::int64_t i) { return Int(i); },
        [](Int a, Int b) { return a - b; });
    return violation(ArithmeticOp::Sub, shapes, trial);
  };
  CHECK(first_failure(seed, 20000, run) == "");
}

TEST_CASE("operator: random pairs in every type, at every offset, the operations in turn") {
  require_device();
  in_every_type([](auto zero) { check_random_shapes<decltype(zero)>(3000); });
}

TEST_CASE("operator: every operation in every type on a shape of each kind") {
  require_device();
  in_every_type([](auto zero) { check_every_op<decltype(zero)>(); });
}

TEST_CASE("operator: the result may take the place of an operand of its shape") {
  require_device();
  const TensorShape full = {7, 6, 20};
  for (const TensorShape& shorter :
       std::vector<TensorShape>{{}, {20}, {6, 1}, {7, 1, 20}, {7, 1, 1}, full}) {
    INFO(tutorial::to_string(shorter));
    const auto in0 =
        values_of<std::int32_t>(full, [](std::int64_t i) { return std::int32_t(i * 4096); });
    const auto in1 =
        values_of<std::int32_t>(shorter, [](std::int64_t i) { return std::int32_t(i); });
    const auto minus = [](std::int32_t a, std::int32_t b) { return a - b; };
    const GuardedBuffer<std::int32_t> a(in0), b(in1);
    REQUIRE(arithmetic(ArithmeticOp::Sub, full, a.data(), shorter, b.data(), a.data(), nullptr) ==
            cudaSuccess);
    CHECK(a.download() == broadcast_reference({full, shorter}, in0, in1, minus));
    CHECK(b.download() == in1);
    const GuardedBuffer<std::int32_t> second(in0);
    REQUIRE(arithmetic(ArithmeticOp::Sub, shorter, b.data(), full, second.data(), second.data(),
                       nullptr) == cudaSuccess);
    CHECK(second.download() == broadcast_reference({shorter, full}, in1, in0, minus));
    CHECK(a.intact());
    CHECK(second.intact());
  }
}

namespace {

template <class T>
void check_views() {
  for (const ArithmeticOp op : kArithmeticOps) {
    const auto wrong = mistake_of_views<T, T, T>(
        [=](const TensorView<T>& y, const TensorView<const T>& a, const TensorView<const T>& b) {
          if constexpr (std::is_same_v<T, std::int8_t>) {
            return arithmetic(op, a, b, y, kTestScales, nullptr);
          } else {
            return arithmetic(op, a, b, y, nullptr);
          }
        },
        [=](T* y, std::int64_t n, const T* a, const T* b) {
          return run_operator(op, {{n}, {n}}, a, b, y);
        });
    INFO(name_of(op) << ": " << wrong);
    CHECK(wrong.empty());
  }
}

}  // namespace

TEST_CASE("operator: tensors of any strides, bit for bit as without gaps") {
  require_device();
  for_each_type(Types<float, half, Bf16, std::int8_t, std::int32_t, std::int64_t>{},
                [](auto type) { check_views<decltype(type)>(); });
}

TEST_CASE("operator: a number in the place of a tensor, as a tensor of one element") {
  require_device();
  const auto check = [](auto type, auto number) {
    using T = decltype(type);
    for (const ArithmeticOp op : kArithmeticOps) {
      for (const bool first : {false, true}) {
        const auto wrong = mistake_of_views<T, T>(
            [=](const TensorView<T>& y, const TensorView<const T>& x) {
              return first ? arithmetic<T>(op, number, x, y, nullptr)
                           : arithmetic<T>(op, x, number, y, nullptr);
            },
            [=](T* y, std::int64_t n, const T* x) {
              const GuardedBuffer<T> one(std::vector<T>{static_cast<T>(number)});
              return first ? arithmetic<T>(op, {}, one.data(), {n}, x, y, nullptr)
                           : arithmetic<T>(op, {n}, x, {}, one.data(), y, nullptr);
            });
        INFO(name_of(op) << (first ? ", the number first: " : ": ") << wrong);
        CHECK(wrong.empty());
      }
    }
  };
  check(float{}, 0.3f);
  check(half{}, 1.5f);
  check(Bf16{}, -2.0f);
  check(std::int32_t{}, -3);
  check(std::int64_t{}, std::int64_t{7});
  // In float, then rounded: 0.1 is no half, and as one it would be 0.099976.
  const GuardedBuffer<half> x(std::vector<half>{half(1000.0f)}), y(1);
  REQUIRE(arithmetic<half>(ArithmeticOp::Mul, {x.data(), {{1}, {1}}}, 0.1f, {y.data(), {{1}, {1}}},
                           nullptr) == cudaSuccess);
  CHECK(static_cast<float>(y.download()[0]) == 100.0f);
}

TEST_CASE("operator: views are refused with a sentence, and nothing is written") {
  const float x[4] = {};
  float y[4] = {7, 7, 7, 7};
  const TensorView<const float> in = contiguous_view(static_cast<const float*>(x), {2, 2});
  const TensorView<float> out = contiguous_view(y, {2, 2});
  const auto refused = [&](ArithmeticOp op, const TensorView<const float>& a,
                           const TensorView<float>& b) {
    return arithmetic(op, a, in, b, nullptr) == cudaErrorInvalidValue ? last_refusal() : "";
  };
  CHECK(refused(static_cast<ArithmeticOp>(9), in, out) == "the operation is none of the nine");
  CHECK(refused(ArithmeticOp::Add, {x, {{2, 3}, {2, 1}}}, out) ==
        "in0 has the shape (2, 3), which does not broadcast to the result's, (2, 2)");
  CHECK(refused(ArithmeticOp::Add, {x, {{2, 2}, {-2, 1}}}, out) ==
        "in0 has a negative stride: pass a copy of it");
  CHECK(refused(ArithmeticOp::Add, in, {y, {{2, 2}, {1, 1}}}) ==
        "the result has two elements that may share a place: pass a copy of it");
  CHECK(refused(ArithmeticOp::Add, {nullptr, in.layout}, out) == "in0 is a null pointer");
  CHECK(y[3] == 7.0f);
}

TEST_CASE("operator: an empty result succeeds and launches nothing") {
  require_device();
  for (const ShapePair& shapes :
       std::vector<ShapePair>{{{0}, {0}}, {{0}, {}}, {{3, 0, 2}, {1, 1, 2}}, {{5, 1}, {1, 0}}}) {
    INFO(test::to_string(shapes));
    CHECK(run_operator<float>(ArithmeticOp::Add, shapes, nullptr, nullptr, nullptr) == cudaSuccess);
    CHECK(run_operator<std::int8_t>(ArithmeticOp::Add, shapes, nullptr, nullptr, nullptr) ==
          cudaSuccess);
    CHECK(violation<float>(ArithmeticOp::Add, shapes) == "");
  }
}

TEST_CASE("operator: bad input is refused, a sentence each, and nothing is written") {
  require_device();
  const GuardedBuffer<float> in(std::vector<float>(64, 1.0f));
  const GuardedBuffer<float> out(64);
  float *a = in.data(), *y = out.data();
  const auto run = [&](ArithmeticOp op, const ShapePair& shapes, const float* in0, const float* in1,
                       float* to) {
    refuse(cudaSuccess, "");
    return arithmetic(op, shapes.shape0, in0, shapes.shape1, in1, to, nullptr);
  };
  const auto why = [&](const ShapePair& shapes) {
    CHECK(run(ArithmeticOp::Add, shapes, a, a, y) == cudaErrorInvalidValue);
    return last_refusal();
  };
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  CHECK(why({{512, 3, 4}, {512, 4, 4}}) ==
        "the shapes (512, 3, 4) and (512, 4, 4) do not broadcast: 3 meets 4");
  CHECK(why({{1, 1, 1, 1, 1, 1, 1, 1}, {}}) ==
        "a shape of 8 dimensions, and at most 7 are supported");
  CHECK(why({{}, {4, -2}}) == "the shape (4, -2) has a negative size");
  CHECK(why({{kHuge, 3}, {}}) == "the shape (9223372036854775807, 3) has 2^63 elements or more");
  CHECK(why({{kHuge, 1}, {3}}) ==
        "the shapes (9223372036854775807, 1) and (3,) broadcast to 2^63 elements or more");

  const ShapePair good = {{8, 8}, {8}};
  CHECK(run(static_cast<ArithmeticOp>(9), good, a, a, y) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "the operation is none of the nine");
  CHECK(run(static_cast<ArithmeticOp>(-1), good, a, a, y) == cudaErrorInvalidValue);
  for (const ShapePair& shapes : {good, ShapePair{{64}, {64}}}) {
    CHECK(run(ArithmeticOp::Add, shapes, nullptr, a, y) == cudaErrorInvalidValue);
    CHECK(last_refusal() == "in0 is a null pointer");
    CHECK(run(ArithmeticOp::Add, shapes, a, nullptr, y) == cudaErrorInvalidValue);
    CHECK(last_refusal() == "in1 is a null pointer");
    CHECK(run(ArithmeticOp::Add, shapes, a, a, nullptr) == cudaErrorInvalidValue);
    CHECK(last_refusal() == "out is a null pointer");
    auto* odd = reinterpret_cast<float*>(reinterpret_cast<char*>(y) + 1);
    CHECK(run(ArithmeticOp::Add, shapes, odd, a, y) == cudaErrorMisalignedAddress);
    CHECK(last_refusal() == "in0 is not aligned to 4 bytes");
    CHECK(run(ArithmeticOp::Add, shapes, a, odd, y) == cudaErrorMisalignedAddress);
    CHECK(last_refusal() == "in1 is not aligned to 4 bytes");
    CHECK(run(ArithmeticOp::Add, shapes, a, a, odd) == cudaErrorMisalignedAddress);
    CHECK(last_refusal() == "out is not aligned to 4 bytes");
  }
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out.untouched());
}

TEST_CASE("operator: bad scales are refused, a sentence each") {
  require_device();
  const GuardedBuffer<std::int8_t> in(std::vector<std::int8_t>(64, 1));
  const GuardedBuffer<std::int8_t> out(64);
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<std::string> sentences;
  for (const ShapePair& shapes : {ShapePair{{8, 8}, {8}}, ShapePair{{64}, {64}}}) {
    for (const float bad : {0.0f, -0.5f, infinity, nan}) {
      for (const Int8Scales& scales :
           {Int8Scales{bad, 1, 1}, Int8Scales{1, bad, 1}, Int8Scales{1, 1, bad}}) {
        refuse(cudaSuccess, "");
        CHECK(arithmetic(ArithmeticOp::Add, shapes.shape0, in.data(), shapes.shape1, in.data(),
                         out.data(), scales, nullptr) == cudaErrorInvalidValue);
        sentences.push_back(last_refusal());
      }
    }
  }
  CHECK(sentences[0].find("the scale of in0 is ") == 0);
  CHECK(sentences[1].find("the scale of in1 is ") == 0);
  CHECK(sentences[2].find("the scale of out is ") == 0);
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t k = 0; k < i; ++k) CHECK(sentences[i] != sentences[k]);
    CHECK(sentences[i] == sentences[i + 12]);
  }
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out.untouched());
}

// ---- The forms ----------------------------------------------------------------------------------

TEST_CASE("forms: each takes its example, whichever operand is shorter") {
  const TensorShape full = {64, 256, 56, 56};
  const std::vector<std::pair<std::string, ShapePair>> examples = {
      {"nobroadcast", {full, full}},
      {"one_scalar", {full, {1}}},
      {"one_dimension", {full, {56}}},
      {"one_not_broadcast", {full, {1, 256, 1, 1}}},
      {"one_broadcast", {full, {64, 1, 56, 56}}},
      {"strided", {{64, 1, 56, 1}, {1, 256, 1, 56}}}};
  for (const auto& [form, shapes] : examples) {
    CHECK(form_of(shapes) == form);
    CHECK(form_of({shapes.shape1, shapes.shape0}) == form);
  }
}

TEST_CASE("forms: shapes that look different and are the same have the same form") {
  CHECK(form_of({{}, {}}) == "nobroadcast");
  CHECK(form_of({{1, 1}, {1}}) == "nobroadcast");
  CHECK(form_of({{2, 3}, {1, 2, 3}}) == "nobroadcast");
  CHECK(form_of({{2, 3}, {1, 1, 1}}) == "one_scalar");
  CHECK(form_of({{64, 256, 56, 56}, {256, 1, 1}}) == "one_not_broadcast");
  CHECK(form_of({{1, 256, 56, 56}, {256, 1, 1}}) == "one_not_broadcast");
  CHECK(form_of({{64, 256, 56, 56}, {64, 256, 1, 1}}) == "one_not_broadcast");
  CHECK(form_of({{64, 256, 56, 56}, {256, 56, 56}}) == "one_dimension");
  CHECK(form_of({{64, 256, 1, 1}, {1, 256, 1, 1}}) == "one_dimension");
  CHECK(form_of({{64, 1, 56, 56}, {64, 256, 56, 56}}) == "one_broadcast");
  CHECK(form_of({{64, 256, 56, 56}, {64, 1, 56, 1}}) == "strided");
  CHECK(form_of({{2}, {3, 1}}) ==
        "strided");  // not a scalar: neither operand has the result's shape
}

TEST_CASE("forms: a pair has one, merged or not") {
  ShapePairs pairs(random_seed());
  std::map<std::string, int> taken;
  for (int i = 0; i < 20000; ++i) {
    const ShapePair shapes = pairs.next();
    const Broadcast broadcast = broadcast_strides(shapes.shape0, shapes.shape1);
    if (broadcast.elements == 0) continue;
    const std::vector<std::string> forms = forms_of(broadcast);
    if (forms.size() != 1 || forms[0] != form_of(shapes)) FAIL_CHECK(test::to_string(shapes));
    ++taken[forms[0]];
  }
  CHECK(taken.size() == 6);
  for (const auto& [form, count] : taken) CHECK(count > 300);
}
