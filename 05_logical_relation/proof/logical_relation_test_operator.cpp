// The operators: any two shapes that broadcast, what is refused and why, what equality means.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "05_logical_relation/logical_relation.h"
#include "05_logical_relation/proof/logical_relation_promises.h"
#include "05_logical_relation/proof/logical_relation_reference.h"
#include "05_logical_relation/proof/logical_relation_values.h"
#include "common/proof/broadcast_cases.h"
#include "common/proof/catch.h"
#include "common/proof/support.h"
#include "common/proof/views.h"
#include "common/refusal.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

/// Element i of operand `which`, from a list of values, in an order without a period of two.
template <class T>
T chosen(const std::vector<T>& values, std::int64_t i, int which) {
  return values[static_cast<std::size_t>(7 * i + i / 11 + 3 * which) % values.size()];
}

template <class T>
std::vector<T> operand(const std::vector<T>& values, const TensorShape& shape, int which) {
  return values_of<T>(shape, [&](std::int64_t i) { return chosen(values, i, which); });
}

/// Operands drawn from `values`, and the answers by a walk over the indices.
template <class T, class Op>
BroadcastTrial<T, Byte> trial_of(const ShapePair& shapes, const std::vector<T>& values,
                                 const Op& op, Offsets offsets = {}) {
  return BroadcastTrial<T, Byte>(shapes, operand(values, shapes.shape0, 0),
                                 operand(values, shapes.shape1, 1), op, offsets);
}

/// One pair of shapes through the operator, the answers compared with a walk over the indices.
template <class T>
std::string try_relation(RelationOp op, const ShapePair& shapes, Offsets offsets = {}) {
  const auto trial = trial_of(
      shapes, special_values<T>(), [&](T a, T b) { return relation_reference(op, a, b); }, offsets);
  return trial.violation([&](const T* in0, const T* in1, Byte* out) {
    return relation(op, shapes.shape0, in0, shapes.shape1, in1, out, nullptr);
  });
}

std::string try_logical(LogicalOp op, const ShapePair& shapes, Offsets offsets = {}) {
  const auto trial = trial_of(
      shapes, truth_values(), [&](Byte a, Byte b) { return logical_reference(op, a, b); }, offsets);
  return trial.violation([&](const Byte* in0, const Byte* in1, Byte* out) {
    return logical(op, shapes.shape0, in0, shapes.shape1, in1, out, nullptr);
  });
}

/// The strided kernels on the same shapes.
template <class T>
std::string try_strided(RelationOp op, const ShapePair& shapes) {
  const auto trial =
      trial_of(shapes, special_values<T>(), [&](T a, T b) { return relation_reference(op, a, b); });
  const Broadcast broadcast = broadcast_strides(shapes.shape0, shapes.shape1);
  return trial.violation([&](const T* in0, const T* in1, Byte* out) {
    return relation_strided(op, broadcast, in0, in1, out, nullptr);
  });
}

std::string try_logical_strided(LogicalOp op, const ShapePair& shapes) {
  const auto trial =
      trial_of(shapes, truth_values(), [&](Byte a, Byte b) { return logical_reference(op, a, b); });
  const Broadcast broadcast = broadcast_strides(shapes.shape0, shapes.shape1);
  return trial.violation([&](const Byte* in0, const Byte* in1, Byte* out) {
    return logical_strided(op, broadcast, in0, in1, out, nullptr);
  });
}

/// Tries random pairs of shapes; the message of a failure names the seed.
void check_random_shapes(int count, const TryPair& run) {
  const std::uint64_t seed = random_seed();
  INFO("TUTORIAL_SEED=" << seed);
  CHECK(first_failure(seed, count, run) == "");
}

/// A size or an offset that follows from the pair, so that a failing pair fails again.
std::size_t pick(const ShapePair& shapes, std::size_t below) {
  std::size_t sum = 0;
  for (const std::int64_t size : shapes.shape0) sum += static_cast<std::size_t>(3 * size);
  for (const std::int64_t size : shapes.shape1) sum += static_cast<std::size_t>(5 * size + 1);
  return sum % below;
}

}  // namespace

namespace {

template <class T>
void check_relation_views() {
  for (const RelationOp op : kRelationOps) {
    const auto wrong = mistake_of_views<Byte, T, T>(
        [=](const TensorView<Byte>& y, const TensorView<const T>& a, const TensorView<const T>& b) {
          return relation(op, a, b, y, nullptr);
        },
        [=](Byte* y, std::int64_t n, const T* a, const T* b) {
          return relation(op, {n}, a, {n}, b, y, nullptr);
        });
    CHECK(wrong.empty());
  }
}

/// Of numbers: as of the bytes that say which of them are not 0.
template <class T>
void check_logical_views() {
  const auto truth = [](std::int64_t n, const T* x) {
    std::vector<T> values(static_cast<std::size_t>(n));
    REQUIRE(cudaMemcpy(values.data(), x, values.size() * sizeof(T), cudaMemcpyDefault) ==
            cudaSuccess);
    std::vector<Byte> bytes;
    for (const T& value : values) bytes.push_back(static_cast<float>(value) == 0.0f ? 0 : 1);
    return GuardedBuffer<Byte>(bytes);
  };
  for (const LogicalOp op : {LogicalOp::And, LogicalOp::Or, LogicalOp::Xor}) {
    const auto wrong = mistake_of_views<Byte, T, T>(
        [=](const TensorView<Byte>& y, const TensorView<const T>& a, const TensorView<const T>& b) {
          return logical(op, a, b, y, nullptr);
        },
        [=](Byte* y, std::int64_t n, const T* a, const T* b) {
          const GuardedBuffer<Byte> of_a = truth(n, a), of_b = truth(n, b);
          return logical(op, {n}, of_a.data(), {n}, of_b.data(), y, nullptr);
        });
    CHECK(wrong.empty());
  }
  const auto wrong = mistake_of_views<Byte, T>(
      [](const TensorView<Byte>& y, const TensorView<const T>& x) {
        return logical(LogicalOp::Not, x, y, nullptr);
      },
      [=](Byte* y, std::int64_t n, const T* x) {
        const GuardedBuffer<Byte> of_x = truth(n, x);
        return logical(LogicalOp::Not, {n}, of_x.data(), y, nullptr);
      });
  CHECK(wrong.empty());
}

}  // namespace

TEST_CASE("relation, logical: tensors of any strides, bit for bit as without gaps") {
  require_device();
  for_each_type(Types<float, half, Bf16, std::int8_t, std::int32_t, std::int64_t>{}, [](auto type) {
    check_relation_views<decltype(type)>();
    check_logical_views<decltype(type)>();
  });
  check_logical_views<Byte>();
  const auto wrong = mistake_of_views<Byte, float, float>(
      [](const TensorView<Byte>& y, const TensorView<const float>& a,
         const TensorView<const float>& b) {
        return equal(Equality::absolute(2.5f), a, b, y, nullptr);
      },
      [](Byte* y, std::int64_t n, const float* a, const float* b) {
        return equal(Equality::absolute(2.5f), {n}, a, {n}, b, y, nullptr);
      });
  CHECK(wrong.empty());
}

TEST_CASE("where: tensors of any strides, bit for bit as without gaps") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    using T = decltype(type);
    const auto wrong = mistake_of_views<T, Byte, T, T>(
        [](const TensorView<T>& y, const TensorView<const Byte>& c, const TensorView<const T>& a,
           const TensorView<const T>& b) { return where(c, a, b, y, nullptr); },
        [](T* y, std::int64_t n, const Byte* c, const T* a, const T* b) {
          return where(c, a, b, y, n, nullptr);
        });
    CHECK(wrong.empty());
  });
}

TEST_CASE("logical: of numbers, a zero of either sign is false and a NaN true") {
  require_device();
  const float x[] = {0.0f, -0.0f, std::nanf(""), 1e-45f};
  const GuardedBuffer<float> in(std::vector<float>(x, x + 4));
  const GuardedBuffer<Byte> out(4);
  REQUIRE(logical(LogicalOp::Not, TensorView<const float>{in.data(), {{4}, {1}}},
                  TensorView<Byte>{out.data(), {{4}, {1}}}, nullptr) == cudaSuccess);
  CHECK(out.download() == std::vector<Byte>{1, 1, 0, 0});
}

TEST_CASE("logical: and, or and xor of numbers of every type, in packs and in the tail") {
  require_device();
  for_each_type(Types<float, half, Bf16, std::int8_t, std::int32_t, std::int64_t>{}, [](auto zero) {
    using T = decltype(zero);
    const float values[] = {0.0f, 1.0f, -0.0f, -3.0f, 100.0f};
    for (const std::int64_t n : {1, 7, 16, 17, 1003}) {
      for (const std::size_t offset : {0, 1}) {
        std::vector<T> a(offset), b(offset);
        for (std::int64_t i = 0; i < n; ++i) {
          a.push_back(static_cast<T>(values[i % 5]));
          b.push_back(static_cast<T>(values[i / 5 % 5]));
        }
        const GuardedBuffer<T> in0(a), in1(b);
        const TensorLayout array{{n}, {1}};
        for (const LogicalOp op : kLogicalOps) {
          const GuardedBuffer<Byte> out(static_cast<std::size_t>(n));
          REQUIRE(logical(op, TensorView<const T>{in0.data() + offset, array},
                          TensorView<const T>{in1.data() + offset, array},
                          TensorView<Byte>{out.data(), array}, nullptr) == cudaSuccess);
          std::vector<Byte> wanted;
          for (std::size_t i = offset; i < a.size(); ++i) {
            const bool left = to_double(a[i]) != 0.0, right = to_double(b[i]) != 0.0;
            wanted.push_back(op == LogicalOp::And  ? left && right
                             : op == LogicalOp::Or ? left || right
                                                   : left != right);
          }
          CHECK(out.download() == wanted);
        }
      }
    }
  });
}

TEST_CASE("operator: random shapes, both operators against a walk over the indices") {
  require_device();
  SECTION("logical") {
    check_random_shapes(2000, [](const ShapePair& shapes) {
      return try_logical(kLogicalOps[pick(shapes, 3)], shapes);
    });
  }
  const auto relations = [](auto zero) {
    using T = decltype(zero);
    check_random_shapes(800, [](const ShapePair& shapes) {
      return try_relation<T>(kRelationOps[pick(shapes, 6)], shapes);
    });
  };
  SECTION("f32") { relations(float{}); }
  SECTION("f16") { relations(half{}); }
  SECTION("bf16") { relations(Bf16{}); }
  SECTION("i8") { relations(std::int8_t{}); }
  SECTION("i32") { relations(std::int32_t{}); }
  SECTION("i64") { relations(std::int64_t{}); }
}

TEST_CASE("operator: random shapes at pointers that are aligned to their element and no more") {
  require_device();
  const auto offsets = [](const ShapePair& shapes) {
    return Offsets{pick(shapes, 2), pick(shapes, 3), pick(shapes, 5)};
  };
  SECTION("logical") {
    check_random_shapes(800, [&](const ShapePair& shapes) {
      return try_logical(LogicalOp::Xor, shapes, offsets(shapes));
    });
  }
  SECTION("f16") {
    check_random_shapes(800, [&](const ShapePair& shapes) {
      return try_relation<half>(RelationOp::Less, shapes, offsets(shapes));
    });
  }
  SECTION("i64") {
    check_random_shapes(800, [&](const ShapePair& shapes) {
      return try_relation<std::int64_t>(RelationOp::GreaterOrEqual, shapes, offsets(shapes));
    });
  }
}

TEST_CASE("operator: the strided kernels on random shapes") {
  require_device();
  SECTION("logical") {
    check_random_shapes(800, [](const ShapePair& shapes) {
      return try_logical_strided(kLogicalOps[pick(shapes, 3)], shapes);
    });
  }
  SECTION("f32") {
    check_random_shapes(600, [](const ShapePair& shapes) {
      return try_strided<float>(kRelationOps[pick(shapes, 6)], shapes);
    });
  }
  SECTION("f16") {
    check_random_shapes(600, [](const ShapePair& shapes) {
      return try_strided<half>(kRelationOps[pick(shapes, 6)], shapes);
    });
  }
  SECTION("bf16") {
    check_random_shapes(600, [](const ShapePair& shapes) {
      return try_strided<Bf16>(kRelationOps[pick(shapes, 6)], shapes);
    });
  }
}

TEST_CASE("operator: every operation on every type, lists of equal length") {
  require_device();
  for_each_type(Types<float, half, Bf16, std::int8_t, std::int32_t, std::int64_t>{}, [](auto zero) {
    using T = decltype(zero);
    for (const std::int64_t n : {1, 15, 16, 17, 1027}) {
      for (const RelationOp op : kRelationOps) {
        INFO(name_of(op) << " " << n);
        CHECK(try_relation<T>(op, {{n}, {n}}) == "");
        CHECK(try_relation<T>(op, {{n}, {n}}, {1, 0, 0}) == "");
      }
    }
  });
}

TEST_CASE("operator: the causal mask, positions (n, 1) against (1, n)") {
  require_device();
  for (const std::int64_t n : {1, 7, 16, 100, 256, 512}) {
    INFO(n);
    std::vector<std::int32_t> positions;
    for (std::int32_t i = 0; i < n; ++i) positions.push_back(i);
    const GuardedBuffer<std::int32_t> rows(positions), columns(positions);
    const GuardedBuffer<Byte> mask(static_cast<std::size_t>(n * n));
    REQUIRE(relation(RelationOp::GreaterOrEqual, {n, 1}, rows.data(), {1, n}, columns.data(),
                     mask.data(), nullptr) == cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    const std::vector<Byte> result = mask.download();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {  // a row sees itself and what came before
      const std::size_t row = i / positions.size(), column = i % positions.size();
      if (result[i] != (column <= row ? 1 : 0)) ++wrong;
    }
    CHECK(wrong == 0);
    CHECK(mask.intact());
  }
}

// ---- NumPy's answers ---------------------------------------------------------------------------

namespace {

/// A file of the chapter by its path from this folder.
std::string chapter_file(const std::string& name) {
  const std::string file = __FILE__;
  return file.substr(0, file.find_last_of('/') + 1) + name;
}

TensorShape shape_of(const std::string& text) {
  TensorShape shape;
  if (text == "scalar") return shape;
  std::istringstream sizes(text);
  for (std::string size; std::getline(sizes, size, 'x');) shape.push_back(std::stoll(size));
  return shape;
}

/// What NumPy answered to one operation on two shapes.
struct Recorded {
  TensorShape shape0, shape1, shape;
  std::vector<Byte> answers;
};

/// From hexadecimal digits of four answers each, the first in the highest bit.
std::vector<Byte> recorded_answers(const std::string& digits, std::int64_t count) {
  std::vector<Byte> answers;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string digit(1, digits.at(static_cast<std::size_t>(i / 4)));
    answers.push_back(static_cast<Byte>(std::stoi(digit, nullptr, 16) >> (3 - i % 4) & 1));
  }
  return answers;
}

/// The operands of numpy_reference.py through `launch(in0, in1, out)`.
template <class T, class Launch>
std::string differs_from(const Recorded& one, const std::vector<T>& values, const Launch& launch) {
  TensorShape result;
  require_success(broadcast_shape(one.shape0, one.shape1, &result), "broadcast_shape");
  if (result != one.shape) return "the result's shape is another";
  const GuardedBuffer<T> in0(operand(values, one.shape0, 0)), in1(operand(values, one.shape1, 1));
  const GuardedBuffer<Byte> out(one.answers.size());
  require_success(launch(one.shape0, in0.data(), one.shape1, in1.data(), out.data()), "launch");
  require_success(cudaDeviceSynchronize(), "kernel");
  if (!out.intact()) return "the output was " + out.damage();
  return out.download() == one.answers ? "" : "NumPy's answers differ";
}

RelationOp relation_named(const std::string& name) {
  for (const RelationOp op : kRelationOps) {
    if (name == name_of(op)) return op;
  }
  throw std::runtime_error("no relation is called " + name);
}

template <class T>
void check_relation(const Recorded& one, RelationOp op, const std::vector<T>& values) {
  INFO(dtype_name<T>());
  const auto launch = [op](const TensorShape& shape0, const T* in0, const TensorShape& shape1,
                           const T* in1, Byte* out) {
    return relation(op, shape0, in0, shape1, in1, out, nullptr);
  };
  CHECK(differs_from(one, values, launch) == "");
}

template <class T>
std::vector<T> numbers(const std::vector<double>& values) {
  std::vector<T> result;
  for (const double value : values) {
    if constexpr (std::is_integral_v<T>) {
      result.push_back(static_cast<T>(value));
    } else {
      result.push_back(from_double<T>(value));
    }
  }
  return result;
}

/// `name`: "and", or "less.f" of floats, "less.i" of integers.
void check_recorded(const std::string& name, const Recorded& one) {
  const double inf = HUGE_VAL;
  const std::vector<double> floats = {0, -0.0, 1, -1, inf, -inf, NAN, 0.5, 65504, 1, 0.5};
  const std::vector<double> integers = {0, 1, -1, 127, -128, 5, 5, 2, 1, 0, -1};
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) {
    const LogicalOp op = name == "and"  ? LogicalOp::And
                         : name == "or" ? LogicalOp::Or
                                        : LogicalOp::Xor;
    const auto launch = [op](const TensorShape& shape0, const Byte* in0, const TensorShape& shape1,
                             const Byte* in1, Byte* out) {
      return logical(op, shape0, in0, shape1, in1, out, nullptr);
    };
    CHECK(differs_from(one, std::vector<Byte>{0, 1, 2, 0, 128, 255, 0}, launch) == "");
    return;
  }
  const RelationOp op = relation_named(name.substr(0, dot));
  if (name.substr(dot) == ".f") {
    check_relation(one, op, numbers<float>(floats));
    check_relation(one, op, numbers<half>(floats));
  } else {
    check_relation(one, op, numbers<std::int8_t>(integers));
    check_relation(one, op, numbers<std::int32_t>(integers));
    check_relation(one, op, numbers<std::int64_t>(integers));
  }
}

}  // namespace

TEST_CASE("operator: NumPy's recorded answers") {
  require_device();
  std::ifstream file(chapter_file("numpy_reference.txt"));
  REQUIRE(file.is_open());
  int records = 0;
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#') continue;
    std::istringstream words(line);
    std::string shape0, shape1, shape;
    words >> shape0 >> shape1 >> shape;
    for (std::string word; words >> word; ++records) {
      INFO(shape0 << ' ' << shape1 << ' ' << word);
      const std::size_t colon = word.find(':');
      const TensorShape result = shape_of(shape);
      check_recorded(word.substr(0, colon),
                     {shape_of(shape0), shape_of(shape1), result,
                      recorded_answers(word.substr(colon + 1), elements_of(result))});
    }
  }
  CHECK(records == 21 * 15);
}

// ---- What is refused ---------------------------------------------------------------------------

namespace {

/// One call that must be refused: with this error, for this reason, and with nothing written.
template <class Call>
void check_refused(cudaError_t error, const std::string& why, const GuardedBuffer<Byte>& out,
                   const Call& call) {
  INFO(why);
  CHECK(call() == error);
  CHECK(last_refusal() == why);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out.untouched());
}

}  // namespace

TEST_CASE("operator: each kind of bad input has its own sentence, and nothing is written") {
  require_device();
  const std::vector<float> values(64, 1.0f);
  const GuardedBuffer<float> in(values);
  const GuardedBuffer<Byte> bytes(std::vector<Byte>(64, 1)), out(64);
  constexpr cudaError_t invalid = cudaErrorInvalidValue, misaligned = cudaErrorMisalignedAddress;
  const auto refuses = [&](cudaError_t error, const std::string& why, const TensorShape& shape0,
                           const float* in0, const TensorShape& shape1, const float* in1, Byte* y) {
    check_refused(error, why, out, [&] {
      return relation(RelationOp::Greater, shape0, in0, shape1, in1, y, nullptr);
    });
    check_refused(error, why, out,
                  [&] { return equal(Equality::exact(), shape0, in0, shape1, in1, y, nullptr); });
  };
  const float* x = in.data();
  Byte* y = out.data();
  refuses(invalid, "the shapes (2, 3) and (4,) do not broadcast: 3 meets 4", {2, 3}, x, {4}, x, y);
  refuses(invalid, "a shape of 8 dimensions, and at most 7 are supported", {1, 1, 1, 1, 1, 1, 1, 1},
          x, {1}, x, y);
  refuses(invalid, "the shape (2, -1) has a negative size", {2, -1}, x, {1}, x, y);
  refuses(invalid, "the shape (4294967296, 4294967296) has 2^63 elements or more",
          {std::int64_t{1} << 32, std::int64_t{1} << 32}, x, {1}, x, y);
  refuses(invalid,
          "the shapes (4294967296, 1) and (1, 4294967296) broadcast to 2^63 elements or more",
          {std::int64_t{1} << 32, 1}, x, {1, std::int64_t{1} << 32}, x, y);
  refuses(invalid, "in0 is a null pointer", {8}, nullptr, {8}, x, y);
  refuses(invalid, "in1 is a null pointer", {8}, x, {8}, nullptr, y);
  refuses(invalid, "out is a null pointer", {8}, x, {8}, x, nullptr);
  const auto* odd = reinterpret_cast<const float*>(reinterpret_cast<const Byte*>(x) + 2);
  refuses(misaligned, "in0 is not aligned to 4 bytes", {8}, odd, {8}, x, y);
  refuses(misaligned, "in1 is not aligned to 4 bytes", {8}, x, {8}, odd, y);

  const Byte* b = bytes.data();
  const auto refuses_logical = [&](LogicalOp op, const std::string& why, const TensorShape& shape0,
                                   const Byte* in0, const TensorShape& shape1, const Byte* in1) {
    check_refused(invalid, why, out,
                  [&] { return logical(op, shape0, in0, shape1, in1, y, nullptr); });
  };
  refuses_logical(LogicalOp::Not, "Not has one operand, and there are two", {8}, b, {8}, b);
  refuses_logical(static_cast<LogicalOp>(4), "the operation is none of And, Or, Xor and Not", {8},
                  b, {8}, b);
  check_refused(invalid, "the operation is none of the six", out,
                [&] { return relation(static_cast<RelationOp>(6), {8}, x, {8}, x, y, nullptr); });
  refuses_logical(LogicalOp::And, "the shapes (2, 3) and (4,) do not broadcast: 3 meets 4", {2, 3},
                  b, {4}, b);
  refuses_logical(LogicalOp::Or, "in1 is a null pointer", {8}, b, {8}, nullptr);
  const auto refuses_not = [&](LogicalOp op, const std::string& why, const TensorShape& shape,
                               const Byte* only) {
    check_refused(invalid, why, out, [&] { return logical(op, shape, only, y, nullptr); });
  };
  refuses_not(LogicalOp::And, "And, Or and Xor have two operands, and there is one", {8}, b);
  refuses_not(LogicalOp::Not, "the shape (2, -1) has a negative size", {2, -1}, b);
  refuses_not(LogicalOp::Not, "in is a null pointer", {8}, nullptr);

  const auto refuses_policy = [&](Equality policy, const std::string& why) {
    check_refused(invalid, why, out, [&] { return equal(policy, {8}, x, {8}, x, y, nullptr); });
  };
  refuses_policy(Equality::absolute(-1.0f),
                 "the tolerance is -1.000000, and it must be finite and not negative");
  refuses_policy(Equality::relative(INFINITY),
                 "the tolerance is inf, and it must be finite and not negative");
  refuses_policy(Equality::ulp(1.5f),
                 "the tolerance is 1.500000 ULP, and it must be a whole number up to 2^24");
  refuses_policy(Equality::ulp(33554432.0f),
                 "the tolerance is 33554432.000000 ULP, and it must be a whole number up to 2^24");
}

TEST_CASE("operator: a size of 0 is an empty result, and launches nothing") {
  require_device();
  CHECK(relation<float>(RelationOp::Less, {3, 0}, nullptr, {3, 1}, nullptr, nullptr, nullptr) ==
        cudaSuccess);
  CHECK(logical(LogicalOp::And, {0}, nullptr, {1}, nullptr, nullptr, nullptr) == cudaSuccess);
  CHECK(logical(LogicalOp::Not, {4, 0}, nullptr, nullptr, nullptr) == cudaSuccess);
  CHECK(equal(Equality::exact(), {0, 2}, nullptr, {2}, nullptr, nullptr, nullptr) == cudaSuccess);
}

TEST_CASE("operator: Not on every shape and pointer, and on its own input") {
  require_device();
  for (const std::size_t offset : {std::size_t{0}, std::size_t{1}}) {
    const std::vector<Byte> values = OperandSample<Byte>(truth_values(), 1).first(6 * 7 * 11);
    const GuardedBuffer<Byte> in(values, offset), out(values.size(), offset);
    REQUIRE(logical(LogicalOp::Not, {6, 7, 11}, in.data(), out.data(), nullptr) == cudaSuccess);
    CHECK(out.download() == expected_answers(LogicalOp::Not, values, values, Answers::bytes));
    REQUIRE(logical(LogicalOp::Not, {6, 7, 11}, in.data(), in.data(), nullptr) == cudaSuccess);
    CHECK(in.download() == out.download());
    CHECK(in.intact());
    CHECK(out.intact());
  }
}

// ---- What equality means -----------------------------------------------------------------------

namespace {

constexpr float kInf = HUGE_VALF;

bool are_equal(const Equality& policy, float a, float b) {
  const GuardedBuffer<float> left(std::vector<float>{a}), right(std::vector<float>{b});
  const GuardedBuffer<Byte> y(1);
  require_success(equal(policy, {}, left.data(), {}, right.data(), y.data(), nullptr), "equal");
  return y.download()[0] == 1;
}

struct Policy {
  const char* name;
  Equality policy;
};

const Policy kPolicies[] = {{"exact", Equality::exact()},
                            {"absolute 1e-6", Equality::absolute(1e-6f)},
                            {"relative 1e-6", Equality::relative(1e-6f)},
                            {"4 ULP", Equality::ulp(4.0f)}};

struct EqualityRow {
  const char* text;
  float a, b;
  bool expected[4];
};

const std::vector<EqualityRow> kEqualityTable = {
    {"NaN and NaN", NAN, NAN, {false, false, false, false}},
    {"+0 and −0", 0.0f, -0.0f, {true, true, true, true}},
    {"∞ and ∞", kInf, kInf, {true, true, true, true}},
    {"∞ and −∞", kInf, -kInf, {false, false, false, false}},
    {"∞ and the largest float", kInf, 3.40282347e38f, {false, false, false, false}},
    {"1e-7 and 5e-7", 1e-7f, 5e-7f, {false, true, false, false}},
    {"0 and 1e-7", 0.0f, 1e-7f, {false, true, false, false}},
    {"0 and the smallest subnormal", 0.0f, 1.4e-45f, {false, true, false, true}},
    {"1 and the next float", 1.0f, 1.00000012f, {false, true, true, true}},
    {"1 and −1", 1.0f, -1.0f, {false, false, false, false}},
    {"16777216 and 16777217", 16777216.0f, 16777217.0f, {true, true, true, true}},
    {"16777216 and 16777218", 16777216.0f, 16777218.0f, {false, false, true, true}},
    {"1e30 and 1.0000001e30", 1e30f, 1.0000001e30f, {false, false, true, true}},
};

std::string markdown_row(const EqualityRow& row) {
  std::string line = std::string("| ") + row.text + " |";
  for (const Policy& policy : kPolicies) {
    line += are_equal(policy.policy, row.a, row.b) ? " equal |" : " – |";
  }
  return line;
}

std::string whole_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("equality: what each policy says of NaN, zeros, infinities, small and large numbers") {
  require_device();
  for (const EqualityRow& row : kEqualityTable) {
    for (std::size_t i = 0; i < 4; ++i) {
      INFO(row.text << ", " << kPolicies[i].name);
      CHECK(are_equal(kPolicies[i].policy, row.a, row.b) == row.expected[i]);
      CHECK(are_equal(kPolicies[i].policy, row.b, row.a) == row.expected[i]);
    }
  }
}

TEST_CASE("equality: the ladder's table is what the kernels say") {
  require_device();
  const std::string ladder = whole_file(chapter_file("../notes/ladder.md"));
  for (const EqualityRow& row : kEqualityTable) {
    const std::string line = markdown_row(row);
    INFO("notes/ladder.md lacks the line\n" << line);
    CHECK(ladder.find("\n" + line + "\n") != std::string::npos);
  }
}

TEST_CASE("equality: 16777217 is no float, and the integers know the difference") {
  require_device();
  CHECK(16777217.0f == 16777216.0f);
  const GuardedBuffer<std::int32_t> a(std::vector<std::int32_t>{16777216}),
      b(std::vector<std::int32_t>{16777217});
  const GuardedBuffer<Byte> y(1);
  REQUIRE(relation(RelationOp::Equal, {1}, a.data(), {1}, b.data(), y.data(), nullptr) ==
          cudaSuccess);
  CHECK(y.download()[0] == 0);
}

TEST_CASE("equality: no tolerant policy is transitive") {
  require_device();
  const auto check = [](Equality policy, float a, float b, float c) {
    CHECK(are_equal(policy, a, b));
    CHECK(are_equal(policy, b, c));
    CHECK_FALSE(are_equal(policy, a, c));
  };
  check(Equality::absolute(1e-6f), 0.0f, 8e-7f, 1.6e-6f);
  check(Equality::relative(1e-6f), 1.0f, 1.0000008f, 1.0000016f);
  check(Equality::ulp(4.0f), 1.0f, 1.0000004f, 1.0000008f);
}

TEST_CASE(
    "equality: exact is an equivalence on all that are not NaN, and the tolerant ones agree "
    "with themselves") {
  require_device();
  const Pairs<float> pairs = all_pairs(special_values<float>());
  const auto n = static_cast<std::int64_t>(pairs.a.size());
  const GuardedBuffer<float> a(pairs.a), b(pairs.b);
  const GuardedBuffer<Byte> y(pairs.a.size()), swapped(pairs.a.size());
  for (const Policy& policy : kPolicies) {
    INFO(policy.name);
    REQUIRE(equal(policy.policy, {n}, a.data(), {n}, b.data(), y.data(), nullptr) == cudaSuccess);
    REQUIRE(equal(policy.policy, {n}, b.data(), {n}, a.data(), swapped.data(), nullptr) ==
            cudaSuccess);
    const std::vector<Byte> answers = y.download();
    CHECK(answers == swapped.download());  // symmetric
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const bool nan = std::isnan(pairs.a[i]) || std::isnan(pairs.b[i]);
      INFO(pairs.a[i] << " and " << pairs.b[i]);
      if (pairs.a[i] == pairs.b[i]) CHECK(answers[i] == 1);  // never less than exact
      if (nan) CHECK(answers[i] == 0);
      if (policy.policy.kind == Equality::Kind::exact) {
        CHECK(answers[i] == (pairs.a[i] == pairs.b[i] ? 1 : 0));
      }
    }
  }
}

TEST_CASE("equality: each policy against its definition, on all pairs of special values") {
  require_device();
  const Pairs<float> pairs = all_pairs(special_values<float>());
  const auto n = static_cast<std::int64_t>(pairs.a.size());
  const GuardedBuffer<float> a(pairs.a), b(pairs.b);
  const auto answers = [&](Equality policy) {
    const GuardedBuffer<Byte> y(pairs.a.size());
    require_success(equal(policy, {n}, a.data(), {n}, b.data(), y.data(), nullptr), "equal");
    return y.download();
  };
  const std::vector<Byte> absolute = answers(Equality::absolute(1e-6f)),
                          relative = answers(Equality::relative(1e-6f)),
                          ulp = answers(Equality::ulp(4.0f));
  for (std::size_t i = 0; i < pairs.a.size(); ++i) {
    const double left = pairs.a[i], right = pairs.b[i];
    INFO(left << " and " << right);
    const bool same = left == right, finite = std::isfinite(left) && std::isfinite(right);
    const double distance = std::fabs(left - right);
    const double larger = std::fmax(std::fabs(left), std::fabs(right));
    const std::int64_t steps =
        std::int64_t{order_of(pairs.a[i])} - std::int64_t{order_of(pairs.b[i])};
    CHECK(absolute[i] == (same || (finite && distance < double{1e-6f}) ? 1 : 0));
    CHECK(relative[i] == (same || (finite && distance <= double{1e-6f} * larger) ? 1 : 0));
    CHECK(ulp[i] == (same || (finite && std::abs(steps) <= 4) ? 1 : 0));
  }
}

TEST_CASE("equality: an infinity equals no number, whatever the tolerance") {
  require_device();
  for (const Equality& policy :
       {Equality::absolute(3e38f), Equality::relative(1.0f), Equality::ulp(16777216.0f)}) {
    for (const float number : {0.0f, 1.0f, -3.40282347e38f, 3.40282347e38f}) {
      CHECK_FALSE(are_equal(policy, kInf, number));
      CHECK_FALSE(are_equal(policy, number, -kInf));
    }
    CHECK(are_equal(policy, -kInf, -kInf));
  }
}

TEST_CASE("equality: broadcasts as the relations do") {
  require_device();
  check_random_shapes(600, [](const ShapePair& shapes) {
    const std::vector<float> values = {0.0f, 1e-7f, 5e-7f, 1.0f, 1.0000005f, kInf, NAN};
    const auto trial = trial_of(shapes, values, [](float a, float b) {
      return Byte(a == b || std::fabs(a - b) < 1e-6f ? 1 : 0);
    });
    return trial.violation([&](const float* in0, const float* in1, Byte* out) {
      return equal(Equality::absolute(1e-6f), shapes.shape0, in0, shapes.shape1, in1, out, nullptr);
    });
  });
}
