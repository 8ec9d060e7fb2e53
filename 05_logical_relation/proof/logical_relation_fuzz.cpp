// Random calls of the operators and of the strided rungs: shapes that broadcast and that do not, every
// type and operation, tolerances of all kinds.
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "05_logical_relation/logical_relation.h"
#include "05_logical_relation/proof/logical_relation_reference.h"
#include "common/proof/fuzz/rungs.h"
#include "common/proof/fuzz/shapes.h"

namespace tutorial::fuzz {
namespace {

constexpr LogicalOp kTwoOperands[] = {LogicalOp::And, LogicalOp::Or, LogicalOp::Xor};
constexpr int kNoOperation[] = {6, -1, 255, std::numeric_limits<int>::max()};

// ---- Operations, right or wrong -----------------------------------------------------------------

/// One with two operands; now and then Not, or none at all.
LogicalOp fuzz_logical(Trial& trial) {
  LogicalOp op = trial.input.pick(kTwoOperands);
  if (trial.input.one_in(30)) {
    op = trial.input.one_in(2) ? LogicalOp::Not
                               : static_cast<LogicalOp>(trial.input.pick(kNoOperation));
    trial.mistake(cudaErrorInvalidValue);
  }
  trial.describe("operation " + std::to_string(static_cast<int>(op)));
  return op;
}

RelationOp fuzz_relation(Trial& trial) {
  RelationOp op = trial.input.pick(kRelationOps);
  if (trial.input.one_in(30)) {
    op = static_cast<RelationOp>(trial.input.pick(kNoOperation));
    trial.mistake(cudaErrorInvalidValue);
  }
  trial.describe("operation " + std::to_string(static_cast<int>(op)));
  return op;
}

/// Whether two values are near each other, so that comparisons have something to decide.
template <class T>
void make_some_equal(FuzzInput& input, const std::vector<T>& from, std::vector<T>* values) {
  const std::size_t every = input.below(4);
  if (every == 0 || from.empty()) return;
  for (std::size_t i = 0; i < values->size(); i += every) (*values)[i] = from[i % from.size()];
}

// ---- Tensors of two shapes ----------------------------------------------------------------------

/// `launch(in0, in1, out)`; is_right(a, b, answer) judges what comes of two elements.
template <class T, class Launch, class IsRight>
void try_tensors(Trial& trial, const FuzzShapes& shapes, const Launch& launch,
                 const IsRight& is_right) {
  const auto in0 = trial.in<T>("in0", shapes.held0, sizeof(T), shapes.any());
  std::vector<T> second = values<T>(trial.input, shapes.held1);
  make_some_equal(trial.input, in0.values, &second);
  const auto in1 = trial.in<T>("in1", second, sizeof(T), shapes.any());
  const auto out = [&] {
    if constexpr (std::is_same_v<T, Byte>) {
      return trial.out<Byte>("out", shapes.elements, 1, shapes.any(), {&in0, &in1});
    } else {
      return trial.out<Byte>("out", shapes.elements, 1, shapes.any());
    }
  }();
  if (!trial.call([&] { return launch(in0.pointer, in1.pointer, out.pointer); })) return;
  const Walk walk = walk_of(shapes);
  const auto a = [&](std::size_t i) { return in0.values[walk.at0[i]]; };
  const auto b = [&](std::size_t i) { return in1.values[walk.at1[i]]; };
  trial.check(
      out, [&](std::size_t i, Byte actual) { return is_right(a(i), b(i), actual); },
      [&](std::size_t i) { return " for " + text_of(a(i)) + " and " + text_of(b(i)); });
}

void try_logical(FuzzInput& input) {
  Trial trial(input, "logical");
  trial.says_why();
  const LogicalOp op = fuzz_logical(trial);
  const FuzzShapes shapes = fuzz_shapes(trial);
  try_tensors<Byte>(
      trial, shapes,
      [&](const Byte* in0, const Byte* in1, Byte* out) {
        return logical(op, shapes.shape0, in0, shapes.shape1, in1, out, nullptr);
      },
      [&](Byte a, Byte b, Byte actual) { return actual == logical_reference(op, a, b); });
}

void try_not(FuzzInput& input) {
  Trial trial(input, "logical not");
  trial.says_why();
  LogicalOp op = LogicalOp::Not;
  if (input.one_in(20)) {
    op = input.pick(kTwoOperands);
    trial.mistake(cudaErrorInvalidValue);
  }
  const FuzzShapes shapes = fuzz_shape(trial);
  const auto in = trial.in<Byte>("in", shapes.held0, 1, shapes.any());
  const auto out = trial.out<Byte>("out", shapes.elements, 1, shapes.any(), {&in});
  if (!trial.call([&] { return logical(op, shapes.shape0, in.pointer, out.pointer, nullptr); })) {
    return;
  }
  trial.check(out,
              [&](std::size_t i, Byte actual) { return actual == (in.values[i] == 0 ? 1 : 0); });
}

template <class T>
void try_relation(FuzzInput& input) {
  Trial trial(input, "relation");
  trial.says_why();
  const RelationOp op = fuzz_relation(trial);
  const FuzzShapes shapes = fuzz_shapes(trial);
  try_tensors<T>(
      trial, shapes,
      [&](const T* in0, const T* in1, Byte* out) {
        return relation(op, shapes.shape0, in0, shapes.shape1, in1, out, nullptr);
      },
      [&](T a, T b, Byte actual) { return actual == relation_reference(op, a, b); });
}

/// By 64-bit division: what has no shapes to refuse.
template <class T>
void try_strided(FuzzInput& input) {
  Trial trial(input, "strided");
  const LogicalOp logical_op = std::is_same_v<T, Byte> ? fuzz_logical(trial) : LogicalOp::And;
  const RelationOp relation_op = std::is_same_v<T, Byte> ? RelationOp::Equal : fuzz_relation(trial);
  const FuzzShapes shapes = fuzz_shapes(trial);
  if (!shapes.broadcast) return;
  Broadcast broadcast = broadcast_strides(shapes.shape0, shapes.shape1);
  if (input.one_in(2)) broadcast = merge_dimensions(broadcast);
  if constexpr (std::is_same_v<T, Byte>) {
    try_tensors<T>(
        trial, shapes,
        [&](const T* in0, const T* in1, Byte* out) {
          return logical_strided(logical_op, broadcast, in0, in1, out, nullptr);
        },
        [&](T a, T b, Byte actual) { return actual == logical_reference(logical_op, a, b); });
  } else {
    try_tensors<T>(
        trial, shapes,
        [&](const T* in0, const T* in1, Byte* out) {
          return relation_strided(relation_op, broadcast, in0, in1, out, nullptr);
        },
        [&](T a, T b, Byte actual) { return actual == relation_reference(relation_op, a, b); });
  }
}

// ---- Equality -----------------------------------------------------------------------------------

/// Whether `actual` may be the answer. Distances and bounds are floats: where the exact ones are so
/// near each other, or so large, that rounding decides, either answer will do.
bool is_equality(const Equality& policy, float a, float b, Byte actual) {
  const double left = a, right = b, tolerance = policy.tolerance;
  if (left == right) return actual == 1;
  if (policy.kind == Equality::Kind::exact || !std::isfinite(left) || !std::isfinite(right)) {
    return actual == 0;
  }
  if (policy.kind == Equality::Kind::ulp) {
    const std::int64_t steps = std::int64_t{test::order_of(a)} - test::order_of(b);
    return actual == (static_cast<double>(std::abs(steps)) <= tolerance ? 1 : 0);
  }
  const double larger = std::fmax(std::fabs(left), std::fabs(right));
  const double distance = std::fabs(left - right);
  const double bound = policy.kind == Equality::Kind::relative ? tolerance * larger : tolerance;
  const double most = static_cast<double>(std::numeric_limits<float>::max());
  if (std::fabs(distance - bound) <= 0x1p-22 * bound + 0x1p-148) return actual <= 1;
  if (distance > most && bound > most) return actual <= 1;
  return actual == (distance < bound ? 1 : 0);
}

void try_equal(FuzzInput& input) {
  Trial trial(input, "equal");
  trial.says_why();
  constexpr float kTolerances[] = {
      0.0f,        1.0f,        4.0f,      1e-6f,
      0.5f,        1.5f,        -0.0f,     -1.0f,
      16777216.0f, 16777218.0f, 3e38f,     1e-45f,
      -1e-45f,     INFINITY,    -INFINITY, std::numeric_limits<float>::quiet_NaN()};
  const Equality policy{static_cast<Equality::Kind>(input.below(4)), input.pick(kTolerances)};
  trial.describe("kind " + std::to_string(static_cast<int>(policy.kind)) + ", tolerance " +
                 text_of(policy.tolerance));
  const bool is_ulp = policy.kind == Equality::Kind::ulp;
  if (policy.kind != Equality::Kind::exact &&
      (!std::isfinite(policy.tolerance) || policy.tolerance < 0.0f ||
       (is_ulp &&
        (policy.tolerance > 0x1p24f || policy.tolerance != std::floor(policy.tolerance))))) {
    trial.mistake(cudaErrorInvalidValue);
  }
  const FuzzShapes shapes = fuzz_shapes(trial);
  try_tensors<float>(
      trial, shapes,
      [&](const float* in0, const float* in1, Byte* out) {
        return equal(policy, shapes.shape0, in0, shapes.shape1, in1, out, nullptr);
      },
      [&](float a, float b, Byte actual) { return is_equality(policy, a, b, actual); });
}

// ---- where ---------------------------------------------------------------------------------------

template <class T>
void try_where(FuzzInput& input) {
  Trial trial(input, "where");
  struct Rung {
    const char* name;
    cudaError_t (*launch)(const Byte*, const T*, const T*, T*, std::int64_t, cudaStream_t);
    std::size_t of_c, of_values;
  };
  const Rung rungs[] = {{"operator", where<T>, 1, sizeof(T)},
                        {"naive", where_naive<T>, 1, sizeof(T)},
                        {"pack", where_pack<T>, 16 / sizeof(T), 16}};
  const Rung rung = input.pick(rungs);
  trial.describe(rung.name);
  const Count n = trial.count(16 / sizeof(T));
  const auto c = trial.in<Byte>("c", n.held, rung.of_c, n.any());
  const auto a = trial.in<T>("a", n.held, rung.of_values, n.any());
  const auto b = trial.in<T>("b", n.held, rung.of_values, n.any());
  const auto y = trial.out<T>("y", n.held, rung.of_values, n.any(), {&a, &b});
  if (!trial.call(
          [&] { return rung.launch(c.pointer, a.pointer, b.pointer, y.pointer, n.n, nullptr); })) {
    return;
  }
  trial.check(y, [&](std::size_t i, T actual) {
    const T expected = c.values[i] != 0 ? a.values[i] : b.values[i];
    return std::memcmp(&expected, &actual, sizeof(T)) == 0;  // a NaN keeps its bits
  });
}

// ---- All of it ----------------------------------------------------------------------------------

template <class T>
void try_type(FuzzInput& input) {
  switch (input.below(4)) {
    case 0:
    case 1:
      return try_relation<T>(input);
    case 2:
      return try_strided<T>(input);
    default:
      return try_where<T>(input);
  }
}

}  // namespace

void try_input(FuzzInput& input) {
  switch (input.below(9)) {
    case 0:
      return try_logical(input);
    case 1:
      return try_not(input);
    case 2:
      return input.one_in(2) ? try_strided<Byte>(input) : try_strided<std::int32_t>(input);
    case 3:
      return try_equal(input);
    case 4:
      return try_type<float>(input);
    case 5:
      return try_type<half>(input);
    case 6:
      return try_type<Bf16>(input);
    case 7:
      return try_relation<std::int8_t>(input);
    default:
      return input.one_in(2) ? try_relation<std::int32_t>(input)
                             : try_relation<std::int64_t>(input);
  }
}

}  // namespace tutorial::fuzz
