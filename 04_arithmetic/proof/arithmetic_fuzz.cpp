// Random calls of the operator and of ladders B and C: shapes that broadcast and that do not, every
// type and operation, scales of all kinds.
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "04_arithmetic/arithmetic.h"
#include "04_arithmetic/proof/arithmetic_broadcast_reference.h"
#include "04_arithmetic/proof/arithmetic_reference.h"
#include "common/proof/fuzz/rungs.h"
#include "common/proof/fuzz/shapes.h"
#include "common/proof/fuzz/views.h"

namespace tutorial::fuzz {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// ---- What every call has ------------------------------------------------------------------------

/// One of the nine, or now and then none of them.
ArithmeticOp fuzz_op(Trial& trial) {
  const int others[] = {9, -1, 255, std::numeric_limits<int>::max()};
  const auto op = trial.input.one_in(40) ? static_cast<ArithmeticOp>(trial.input.pick(others))
                                         : trial.input.pick(kArithmeticOps);
  trial.describe(name_of(op));
  if (!is_known(op)) trial.mistake(cudaErrorInvalidValue);
  return op;
}

bool is_scale(float scale) { return std::isfinite(scale) && scale > 0.0f; }

/// Three scales; only int8 looks at them.
template <class T>
Int8Scales fuzz_scales(Trial& trial) {
  if (!std::is_same_v<T, std::int8_t>) return {};
  constexpr float kOrdinary[] = {1.0f, 0.5f, 0.25f, 2.0f, 0.0123f, 0.00456f, 3.0f, 7.0f};
  constexpr float kOthers[] = {1e-20f,    1e-38f,     0x1p20f, 0x1.000002p20f, 0x1p-60f, 0x1p60f,
                               1e-45f,    3.4e38f,    0.0f,    -0.0f,          -1.0f,    1e30f,
                               kInfinity, -kInfinity, kNaN,    -kNaN,          -1e-45f};
  const auto scale = [&] {
    if (!trial.input.one_in(5)) return trial.input.pick(kOrdinary);
    return trial.input.pick(kOthers);
  };
  const Int8Scales scales{scale(), scale(), scale()};
  for (const float each : {scales.in0, scales.in1, scales.out}) {
    trial.describe("scale " + text_of(each));
    if (!is_scale(each)) trial.mistake(cudaErrorInvalidValue);
  }
  return scales;
}

/// Whether a result is right. int8's powers may go either way within 10^-5 of a tie, where powf is
/// off by some bits.
template <class T>
bool is_right(ArithmeticOp op, T a, T b, Int8Scales scales, T actual) {
  if constexpr (std::is_same_v<T, std::int8_t>) {
    return is_right_int8(op, a, b, scales, actual);
  } else if constexpr (std::is_integral_v<T>) {
    return actual == arithmetic_reference_integer(op, a, b);
  } else {
    // The 0th power of a NaN is 1, but for a signalling one, which the way to a double makes quiet.
    const bool is_nan = std::isnan(test::to_double(a)) || std::isnan(test::to_double(b));
    if (op == ArithmeticOp::Pow && is_nan && std::isnan(test::to_double(actual))) return true;
    // The reference is rounded to a double first: at a tie that may cost a little.
    const double expected = arithmetic_reference(op, test::to_double(a), test::to_double(b));
    return test::ulp_error(actual, expected) <= arithmetic_max_ulp<T>(op) + 1e-6;
  }
}

template <class T>
std::string names(T a, T b) {
  return " of " + text_of(a) + " and " + text_of(b) + ", which is wrong";
}

// ---- Tensors of two shapes ----------------------------------------------------------------------

/// The operands and the result of shapes, row-major.
template <class T>
struct Tensors {
  Operand<T> in0, in1, out;

  Tensors(Trial& trial, const FuzzShapes& shapes)
      : in0(trial.in<T>("in0", shapes.held0, sizeof(T), shapes.any())),
        in1(trial.in<T>("in1", shapes.held1, sizeof(T), shapes.any())),
        out(trial.out<T>("out", shapes.elements, sizeof(T), shapes.any(), {&in0, &in1})) {}
};

template <class T>
void check_result(const Trial& trial, const FuzzShapes& shapes, const Tensors<T>& at,
                  ArithmeticOp op, Int8Scales scales) {
  const Walk walk = walk_of(shapes);
  const auto a = [&](std::size_t i) { return at.in0.values[walk.at0[i]]; };
  const auto b = [&](std::size_t i) { return at.in1.values[walk.at1[i]]; };
  trial.check(
      at.out, [&](std::size_t i, T actual) { return is_right(op, a(i), b(i), scales, actual); },
      [&](std::size_t i) { return names(a(i), b(i)); });
}

template <class T>
void try_operator(FuzzInput& input) {
  Trial trial(input, "arithmetic");
  trial.says_why();
  const ArithmeticOp op = fuzz_op(trial);
  const Int8Scales scales = fuzz_scales<T>(trial);
  const FuzzShapes shapes = fuzz_shapes(trial);
  const Tensors<T> at(trial, shapes);
  const bool went_ahead = trial.call([&] {
    if constexpr (std::is_same_v<T, std::int8_t>) {
      return arithmetic(op, shapes.shape0, at.in0.pointer, shapes.shape1, at.in1.pointer,
                        at.out.pointer, scales, nullptr);
    } else {
      return arithmetic(op, shapes.shape0, at.in0.pointer, shapes.shape1, at.in1.pointer,
                        at.out.pointer, nullptr);
    }
  });
  if (went_ahead) check_result(trial, shapes, at, op, scales);
}

/// Tensors of any strides.
template <class T>
void try_views(FuzzInput& input) {
  Trial trial(input, "arithmetic of views");
  trial.says_why();
  const ArithmeticOp op = fuzz_op(trial);
  const Int8Scales scales = fuzz_scales<T>(trial);
  const TensorShape shape = fuzz_view_shape(input, 0, 5);
  const FuzzView of_a = fuzz_view(trial, shape, ViewOf::operand);
  const FuzzView of_b = fuzz_view(trial, shape, ViewOf::operand);
  const FuzzView of_y = fuzz_view(trial, shape, ViewOf::result);
  const bool any = of_y.held > 0;
  const auto a = trial.in<T>("in0", of_a.held, sizeof(T), any);
  const auto b = trial.in<T>("in1", of_b.held, sizeof(T), any);
  const auto y = trial.out<T>("out", of_y.held, sizeof(T), any);
  if (!trial.call([&] {
        const TensorView<const T> in0{a.pointer, of_a.layout}, in1{b.pointer, of_b.layout};
        const TensorView<T> out{y.pointer, of_y.layout};
        if constexpr (std::is_same_v<T, std::int8_t>) {
          return arithmetic(op, in0, in1, out, scales, nullptr);
        } else {
          return arithmetic(op, in0, in1, out, nullptr);
        }
      })) {
    return;
  }
  check_view(trial, y, of_y, [&](std::size_t i, T actual) {
    return is_right(op, a.values[of_a.places[i]], b.values[of_b.places[i]], scales, actual);
  });
}

// ---- Ladder B: rungs on a Broadcast -------------------------------------------------------------

/// One number of a Broadcast that cannot be; `elements` is what it can be told from.
void spoil(Trial& trial, Broadcast* broadcast) {
  FuzzInput& input = trial.input;
  const auto d = static_cast<std::size_t>(input.below(kMaxDimensions));
  const bool has_d = static_cast<int>(d) < broadcast->rank;
  switch (input.below(4)) {
    case 0: {
      const int ranks[] = {-1, kMaxDimensions + 1, std::numeric_limits<int>::max(),
                           std::numeric_limits<int>::min()};
      broadcast->rank = input.pick(ranks);
      break;
    }
    case 1:  // an empty one stays empty, whatever its other extents
      if (has_d && broadcast->elements > 0) {
        broadcast->extent[d] = std::numeric_limits<std::int64_t>::max() - static_cast<int>(d);
      } else {
        ++broadcast->elements;
      }
      break;
    case 2:
      if (has_d) (input.one_in(2) ? broadcast->stride0 : broadcast->stride1)[d] = -1;
      if (!has_d) broadcast->elements = -1;
      break;
    default:
      ++broadcast->elements;
  }
  trial.describe("spoiled");
  trial.mistake(cudaErrorInvalidValue);
}

template <class T>
void try_ladder_b(FuzzInput& input) {
  Trial trial(input, "ladder B");
  trial.says_why();
  const ArithmeticOp op = fuzz_op(trial);
  const Int8Scales scales = fuzz_scales<T>(trial);
  FuzzShapes shapes = fuzz_shapes(trial);
  if (!shapes.broadcast) return;  // there is no Broadcast of these
  Broadcast broadcast = broadcast_strides(shapes.shape0, shapes.shape1);
  if (input.one_in(2)) broadcast = merge_dimensions(broadcast);
  const std::vector<BroadcastRung<T>>& rungs = arithmetic_broadcast_rungs<T>();
  std::size_t which = input.below(rungs.size());
  constexpr std::size_t kForms = 4;  // these take numbers, which only a broadcast of the form has
  if (which < kForms && !rungs[which].claims(broadcast)) which = kForms;
  const BroadcastRung<T>& rung = rungs[which];
  trial.describe(rung.name);
  if (which >= kForms) {
    if (shapes.any() && !rung.claims(broadcast)) trial.mistake(cudaErrorInvalidValue);
    if (input.one_in(12)) spoil(trial, &broadcast);
  }
  const Tensors<T> at(trial, shapes);
  if (trial.call([&] {
        return rung.launch({op, at.in0.pointer, at.in1.pointer, at.out.pointer, nullptr, scales},
                           broadcast);
      })) {
    check_result(trial, shapes, at, op, scales);
  }
}

// ---- Ladder C: NHWC8 storage --------------------------------------------------------------------

/// Elements of NHWC8 storage, or 2^63 - 1 where they cannot be counted; a size of 0 counts as 1 in
/// that, and makes the storage empty after it.
std::size_t storage_of(const TensorShape& shape) {
  __extension__ using Wide = unsigned __int128;
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
  Wide product = 1;
  bool is_empty = false;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    Wide size = static_cast<Wide>(shape[d]);
    if (d == 1) size = (size + 7) / 8 * 8;
    is_empty = is_empty || size == 0;
    product *= size == 0 ? 1 : size;
    if (product > kMost) return kMost;
  }
  return is_empty ? 0 : static_cast<std::size_t>(product);
}

/// For each place of the result's storage: the element of both operands' storage, or nowhere.
struct NhwcPlace {
  bool used = false;
  std::size_t at0 = 0, at1 = 0;
};

std::vector<NhwcPlace> nhwc_places(const test::ShapePair& padded, const TensorShape& result) {
  std::vector<NhwcPlace> places(storage_of(result));
  const auto at = [](const TensorShape& shape, const TensorShape& index) {
    return static_cast<std::size_t>(nhwc8_reference_index(shape, index));
  };
  test::for_each_index(result, [&](const TensorShape& index) {
    places[at(result, index)] = {true, at(padded.shape0, index), at(padded.shape1, index)};
  });
  return places;
}

template <class T>
void try_ladder_c(FuzzInput& input) {
  Trial trial(input, "ladder C");
  trial.says_why();
  const ArithmeticOp op = fuzz_op(trial);
  const Int8Scales scales = fuzz_scales<T>(trial);
  const NhwcRung<T> rung = input.pick(arithmetic_nhwc_rungs<T>());
  trial.describe(rung.name);
  const FuzzShapes shapes = fuzz_shapes(trial);
  const std::size_t rank = std::max(shapes.shape0.size(), shapes.shape1.size());
  test::ShapePair padded;
  TensorShape result;
  std::size_t held0 = 1, held1 = 1, held = 1;
  bool any = shapes.any();
  if (shapes.broadcast) {
    padded = {pad_tensor_shape(shapes.shape0, rank), pad_tensor_shape(shapes.shape1, rank)};
    result = test::result_shape(padded);
    held0 = storage_of(padded.shape0), held1 = storage_of(padded.shape1), held = storage_of(result);
    constexpr std::size_t kMost = 1 << 20;
    if (rank < 2 || held0 > kMost || held1 > kMost || held > kMost) {
      trial.mistake(cudaErrorInvalidValue);
      held0 = held1 = held = 8;
      any = false;
    }
  }
  const auto in0 = trial.in<T>("in0", held0, rung.alignment, any);
  const auto in1 = trial.in<T>("in1", held1, rung.alignment, any);
  // In place of an operand only if that has the result's shape: storage of one size may be of two.
  const bool over0 = padded.shape0 == result, over1 = padded.shape1 == result;
  const auto out = over0   ? trial.out<T>("out", held, rung.alignment, any, {&in0})
                   : over1 ? trial.out<T>("out", held, rung.alignment, any, {&in1})
                           : trial.out<T>("out", held, rung.alignment, any);
  const ArithmeticCall<T> call{op, in0.pointer, in1.pointer, out.pointer, nullptr, scales};
  if (!trial.call([&] { return rung.launch(call, shapes.shape0, shapes.shape1); })) return;
  const std::vector<NhwcPlace> places = nhwc_places(padded, result);
  // The padding keeps its value in C1, and is zero after the others.
  std::vector<T> padding = out.values;
  if (rung.writes_zeros || padding.empty()) {
    padding.resize(held);
    const int byte = rung.writes_zeros ? 0 : 0xff;
    if (held > 0) std::memset(static_cast<void*>(padding.data()), byte, held * sizeof(T));
  }
  trial.check(out, [&](std::size_t i, T actual) {
    if (!places[i].used) return std::memcmp(&actual, &padding[i], sizeof(T)) == 0;
    return is_right(op, in0.values[places[i].at0], in1.values[places[i].at1], scales, actual);
  });
}

// ---- All of it ----------------------------------------------------------------------------------

template <class T>
void try_type(FuzzInput& input) {
  const std::size_t kind = input.below(7);
  if (kind < 3) return try_operator<T>(input);
  if (kind < 4) return try_views<T>(input);
  return kind < 6 ? try_ladder_b<T>(input) : try_ladder_c<T>(input);
}

}  // namespace

void try_input(FuzzInput& input) {
  for_one_type(input, Types<float, half, Bf16, std::int32_t, std::int64_t, std::int8_t>{},
               [&](auto type) { try_type<decltype(type)>(input); });
}

}  // namespace tutorial::fuzz
