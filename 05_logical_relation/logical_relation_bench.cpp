// The benchmark. Three ladders of rows: `logical`, `relation` (bytes, bits, shapes that broadcast)
// and `where`.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "05_logical_relation/logical_relation.h"
#include "05_logical_relation/proof/logical_relation_reference.h"
#include "05_logical_relation/proof/peers/logical_relation_peers.h"
#include "common/bench/host_loop.h"
#include "common/bench/measure.h"
#include "common/bench/mixed.h"
#include "common/bench/shapes.h"
#include "common/proof/inputs.h"
#include "common/proof/ulp.h"

namespace tutorial::bench {
namespace {

constexpr std::int64_t kPeriod = (std::int64_t{1} << 19) - 1;  // odd: see TiledReference

/// The rungs that notes/results.md shows at every size. The peers in common have every size, too.
bool at_every_size(const std::string& rung) {
  static const std::set<std::string> climb = {"copy2_u8",
                                              "and_u8",
                                              "and_bool8",
                                              "and_u8x16",
                                              "and_u8x16_pdl",
                                              "greater_f16",
                                              "greater_half8",
                                              "greater_f16x8_pack",
                                              "greater_f16x16_wide",
                                              "greater_f16x8_pack_h2",
                                              "greater_f16x8_pdl",
                                              "greater_f16_operator",
                                              "greater_f16_cub",
                                              "your_relation"};
  return climb.count(rung) != 0;
}

/// Registers a case: at every size if it is part of the climb, otherwise at a small, a medium and
/// the largest one. A run with a few sizes of the reader's own (--shapes) has all rows at these.
void add_at_its_sizes(Case operation) {
  if (shapes().size() > 3 && !at_every_size(operation.rung)) {
    for (const Shape& shape : shapes()) {
      const std::string name = name_of(shape);
      if (name == "1024x1024" || name == "4096x4096" || name == "16384x16384") {
        operation.own_shapes.push_back({name, shape});
      }
    }
  }
  add(operation);
}

/// Half of them false; the true ones with every bit pattern, but mostly 1.
std::vector<Byte> truths(std::uint64_t state) {
  std::vector<Byte> values(static_cast<std::size_t>(kPeriod));
  for (Byte& value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto bits = static_cast<unsigned>(state >> 40);
    value = (bits & 1u) == 0 ? 0 : (bits & 6u) == 0 ? static_cast<Byte>(bits >> 3 | 1u) : 1;
  }
  return values;
}

template <class T>
std::vector<T> numbers_a() {
  return test::normal_values<T>(kPeriod);
}

/// The same values, the last one first: every seventh is that of a, so that Equal has something to
/// find.
template <class T>
std::vector<T> numbers_b() {
  const std::vector<T> a = numbers_a<T>();
  std::vector<T> b(a.rbegin(), a.rend());
  for (std::size_t i = 0; i < b.size(); i += 7) b[i] = a[i];
  return b;
}

template <class In>
using Launcher =
    std::function<cudaError_t(const In*, const In*, Byte*, const Shape&, cudaStream_t)>;

/// The operands of one operation: two tiles, and where output element i finds its own.
template <class In>
struct OperandLists {
  std::shared_ptr<const std::vector<In>> a, b;
  Elements elements_a = every_element, elements_b = every_element;
  std::int64_t (*index_a)(const Shape&, std::int64_t) = nullptr;  ///< nullptr: i
  std::int64_t (*index_b)(const Shape&, std::int64_t) = nullptr;

  In left(const Shape& shape, std::int64_t i) const { return at(*a, index_a, shape, i); }
  In right(const Shape& shape, std::int64_t i) const { return at(*b, index_b, shape, i); }

  /// Element i of the result comes from element i of both, so that the result repeats, too.
  bool repeat() const { return index_a == nullptr && index_b == nullptr; }

 private:
  static In at(const std::vector<In>& tile, std::int64_t (*index)(const Shape&, std::int64_t),
               const Shape& shape, std::int64_t i) {
    const std::int64_t place = index != nullptr ? index(shape, i) : i;
    return tile[static_cast<std::size_t>(place) % tile.size()];
  }
};

template <class In>
OperandLists<In> lists() {
  static const auto a = std::make_shared<const std::vector<In>>(numbers_a<In>());
  static const auto b = std::make_shared<const std::vector<In>>(numbers_b<In>());
  return {a, b, every_element, every_element, nullptr, nullptr};
}
template <>
OperandLists<Byte> lists() {
  static const auto a = std::make_shared<const std::vector<Byte>>(truths(1));
  static const auto b = std::make_shared<const std::vector<Byte>>(truths(2));
  return {a, b, every_element, every_element, nullptr, nullptr};
}

/// The answers to operands that repeat, of one period: `expected(a, b)`.
template <class In, class Expected>
std::vector<Byte> answers_of_period(const OperandLists<In>& operands, Expected expected) {
  std::vector<Byte> answers(static_cast<std::size_t>(kPeriod));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    answers[i] = expected((*operands.a)[i], (*operands.b)[i]);
  }
  return answers;
}

/// As many words of answers in bits: the period is odd, so each word begins at another place.
std::vector<std::uint32_t> words_of_period(const std::vector<Byte>& answers) {
  std::vector<std::uint32_t> words(answers.size());
  std::size_t at = 0;
  for (std::uint32_t& word : words) {
    for (unsigned k = 0; k < 32; ++k) {
      word |= std::uint32_t{answers[at]} << k;
      if (++at == answers.size()) at = 0;
    }
  }
  return words;
}

struct Names {
  std::string ladder, rung, dtype;
  Kind kind;
  int per_thread = 0;  ///< these as in Case
  std::size_t alignment = 0, out_alignment = 0;
};

/// Registers an operation with two operands and an answer for each element; `expected(a, b)` is the
/// answer. A peer that does not exist in this backend is left out.
template <class In, class Expected>
void add_answers(const Names& names, const OperandLists<In>& operands, Answers answers,
                 const Launcher<In>& launch, Expected expected) {
  if (names.kind == Kind::peer &&
      launch(nullptr, nullptr, nullptr, {0, 0}, nullptr) == cudaErrorNotSupported) {
    return;
  }
  Case operation{names.ladder, names.rung, names.dtype, names.kind};
  operation.per_thread = names.per_thread;
  operation.alignment = names.alignment;
  operation.out_alignment = names.out_alignment;
  operation.inputs = {input_of(*operands.a, operands.elements_a),
                      input_of(*operands.b, operands.elements_b)};
  operation.launch = [launch](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    return launch(set.in<In>(0), set.in<In>(1), set.out<Byte>(), shape, stream);
  };
  const auto answer = [operands, expected](const Shape& shape, std::int64_t i) {
    return expected(operands.left(shape, i), operands.right(shape, i));
  };
  const auto period = [operands, expected] { return answers_of_period(operands, expected); };
  if (answers == Answers::bytes) {
    operation.output_bytes = bytes_of<Byte>(every_element);
    if (operands.repeat()) {
      operation.verify = must_repeat<Byte>(period);
    } else {
      operation.verify = must_be<Byte>(answer);
    }
  } else {
    operation.output_bytes =
        bytes_of<std::uint32_t>([](const Shape& shape) { return (shape.elements() + 31) / 32; });
    const auto whole = must_repeat<std::uint32_t>([period] { return words_of_period(period()); });
    const auto with_rest = must_be<std::uint32_t>([answer](const Shape& shape, std::int64_t word) {
      std::uint32_t bits = 0;
      for (std::int64_t k = 0; k < 32 && word * 32 + k < shape.elements(); ++k) {
        bits |= std::uint32_t{answer(shape, word * 32 + k)} << k;
      }
      return bits;
    });
    operation.verify = [=](const Shape& shape, const void* bytes, std::size_t begin,
                           std::size_t count) {
      const bool repeats = operands.repeat() && shape.elements() % 32 == 0;
      return repeats ? whole(shape, bytes, begin, count) : with_rest(shape, bytes, begin, count);
    };
  }
  add_at_its_sizes(operation);
}

/// A launcher of lists as one of shapes.
template <class In, class ListLauncher>
Launcher<In> of_lists(ListLauncher launcher) {
  return [launcher](const In* a, const In* b, Byte* y, const Shape& shape, cudaStream_t stream) {
    return launcher(a, b, y, shape.elements(), stream);
  };
}

// ---- Logic -------------------------------------------------------------------------------------

void add_logical(const std::string& rung, LogicalOp op, Kind kind, const Launcher<Byte>& launch,
                 int per_thread = 0, std::size_t alignment = 0, std::size_t out_alignment = 0) {
  add_answers<Byte>({"logical", rung, "u8", kind, per_thread, alignment, out_alignment},
                    lists<Byte>(), Answers::bytes, launch,
                    [op](Byte a, Byte b) { return logical_reference(op, a, b); });
}

/// With one input.
void add_not(const std::string& rung, Kind kind,
             std::function<cudaError_t(const Byte*, Byte*, std::int64_t, cudaStream_t)> launch,
             std::size_t alignment = 0) {
  if (kind == Kind::peer && launch(nullptr, nullptr, 0, nullptr) == cudaErrorNotSupported) return;
  const OperandLists<Byte> operands = lists<Byte>();
  Case operation{"logical", rung, "u8", kind};
  operation.alignment = operation.out_alignment = alignment;
  operation.inputs = {input_of(*operands.a, every_element)};
  operation.output_bytes = bytes_of<Byte>(every_element);
  operation.launch = [launch](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    return launch(set.in<Byte>(0), set.out<Byte>(), shape.elements(), stream);
  };
  operation.verify = must_repeat<Byte>([operands] {
    return answers_of_period(operands,
                             [](Byte a, Byte) { return logical_reference(LogicalOp::Not, a, 0); });
  });
  add_at_its_sizes(operation);
}

void add_copies_of_bytes() {
  const auto tile = normal_tile<float>(), reversed = reversed_tile<float>();
  add_at_its_sizes(named(copy_case(1, tile), "logical", "copy_u8", "u8", Kind::copy));
  add_at_its_sizes(named(copy2_case(1, tile, reversed), "logical", "copy2_u8", "u8", Kind::peer));
}

TensorShape matrix(const Shape& shape) { return {shape.rows, shape.columns}; }

void add_logical_ladder() {
  add_copies_of_bytes();
  for (const LogicalRung& rung : logical_rungs()) {
    for (const LogicalOp op : kLogicalOps) {
      if (op != LogicalOp::And && rung.name != "u8x16_pdl") continue;
      add_logical(std::string(name_of(op)) + "_" + rung.name, op, Kind::rung,
                  of_lists<Byte>([rung, op](const Byte* a, const Byte* b, Byte* y, std::int64_t n,
                                            cudaStream_t stream) {
                    return rung.launch(op, a, b, y, n, stream);
                  }),
                  rung.width, rung.in_alignment, rung.out_alignment);
    }
  }
  add_logical("and_operator", LogicalOp::And, Kind::rung,
              [](const Byte* a, const Byte* b, Byte* y, const Shape& shape, cudaStream_t stream) {
                return logical(LogicalOp::And, matrix(shape), a, matrix(shape), b, y, stream);
              });
  add_logical("and_strided", LogicalOp::And, Kind::rung,
              [](const Byte* a, const Byte* b, Byte* y, const Shape& shape, cudaStream_t stream) {
                return logical_strided(LogicalOp::And,
                                       broadcast_strides(matrix(shape), matrix(shape)), a, b, y,
                                       stream);
              });
  add_logical("and_cub", LogicalOp::And, Kind::peer, of_lists<Byte>(and_cub));
  const auto one = [](Byte a, Byte b) { return static_cast<Byte>(a != 0 && b != 0 ? 1 : 0); };
  add_logical("and_host_loop", LogicalOp::And, Kind::peer,
              of_lists<Byte>(host_loop<Byte, Byte, Byte>(one)));

  for (const LogicalRung& rung : logical_not_rungs()) {
    add_not(
        "not_" + rung.name, Kind::rung,
        [rung](const Byte* a, Byte* y, std::int64_t n, cudaStream_t stream) {
          return rung.launch(LogicalOp::Not, a, nullptr, y, n, stream);
        },
        rung.in_alignment);
  }
  add_not("not_cub", Kind::peer, not_cub);
}

// ---- Relations ---------------------------------------------------------------------------------

using Index = std::int64_t (*)(const Shape&, std::int64_t);

/// A form of broadcasting: the two shapes that a benchmark's shape stands for, and where an element
/// of the result finds its operands (nullptr: at its own place).
struct Form {
  std::string name;
  TensorShape (*shape0)(const Shape&);
  TensorShape (*shape1)(const Shape&);
  Index index0, index1;
};

/// Nothing is broadcast.
const Form kSame = {"", matrix, matrix, nullptr, nullptr};

template <class T>
OperandLists<T> operands_of(const Form& form, OperandLists<T> operands) {
  operands.elements_a = [form](const Shape& shape) { return elements_of(form.shape0(shape)); };
  operands.elements_b = [form](const Shape& shape) { return elements_of(form.shape1(shape)); };
  operands.index_a = form.index0;
  operands.index_b = form.index1;
  return operands;
}

template <class T>
void add_relation(const Names& names, RelationOp op, Answers answers, const Launcher<T>& launch,
                  const OperandLists<T>& operands = lists<T>()) {
  add_answers<T>(names, operands, answers, launch,
                 [op](T a, T b) { return relation_reference(op, a, b); });
}

/// A row of one form, by the operator or by the kernel that divides.
template <class T>
void add_form(const Form& form, const std::string& dtype, RelationOp op, const std::string& name,
              bool strided = false, const OperandLists<T>& operands = lists<T>()) {
  add_relation<T>(
      {"relation", name, dtype, Kind::rung}, op, Answers::bytes,
      [=](const T* a, const T* b, Byte* y, const Shape& shape, cudaStream_t stream) {
        const TensorShape shape0 = form.shape0(shape), shape1 = form.shape1(shape);
        return strided ? relation_strided(op, broadcast_strides(shape0, shape1), a, b, y, stream)
                       : relation(op, shape0, a, shape1, b, y, stream);
      },
      operands_of(form, operands));
}

template <class T>
void add_relation_ladder(const std::string& dtype) {
  constexpr RelationOp kGreater = RelationOp::Greater;
  add_narrow_peer("relation", dtype, sizeof(T));
  for (const RelationRung<T>& rung : relation_rungs<T>()) {
    add_relation<T>(
        {"relation", "greater_" + rung.name, dtype, Kind::rung, rung.width, rung.in_alignment,
         rung.out_alignment},
        kGreater, rung.answers,
        of_lists<T>([rung](const T* a, const T* b, Byte* y, std::int64_t n, cudaStream_t stream) {
          return rung.launch(kGreater, a, b, y, n, stream);
        }));
  }
  add_form<T>(kSame, dtype, kGreater, "greater_" + dtype + "_operator");
  if constexpr (std::is_same_v<T, half>) {  // one type shows it
    add_form<T>(kSame, dtype, RelationOp::NotEqual, "not_equal_" + dtype + "_operator");
    add_form<T>(kSame, dtype, kGreater, "greater_" + dtype + "_strided", true);
  }
  add_relation<T>({"relation", "greater_" + dtype + "_cub", dtype, Kind::peer}, kGreater,
                  Answers::bytes, of_lists<T>(greater_cub<T>));
}

/// Multiples of 1/64: two of them are equal or far apart, so that every policy must answer as exact
/// does. What the policies say elsewhere is the tests' business.
OperandLists<float> coarse_lists() {
  const auto rounded = [](std::vector<float> values) {
    for (float& value : values) value = std::nearbyint(value * 64.0f) / 64.0f;
    return std::make_shared<const std::vector<float>>(std::move(values));
  };
  OperandLists<float> operands = lists<float>();
  operands.a = rounded(*operands.a);
  operands.b = rounded(*operands.b);
  return operands;
}

void add_equalities() {
  const struct {
    const char* name;
    Equality policy;
  } policies[] = {{"exact", Equality::exact()},
                  {"absolute", Equality::absolute(1e-6f)},
                  {"relative", Equality::relative(1e-6f)},
                  {"ulp", Equality::ulp(4.0f)}};
  const OperandLists<float> operands = coarse_lists();
  for (const auto& entry : policies) {
    const auto launch = [policy = entry.policy](const float* a, const float* b, Byte* y,
                                                const Shape& shape, cudaStream_t stream) {
      return equal(policy, matrix(shape), a, matrix(shape), b, y, stream);
    };
    add_relation<float>({"relation", std::string("equal_f32_") + entry.name, "f32", Kind::rung},
                        RelationOp::Equal, Answers::bytes, launch, operands);
  }
}

// ---- Broadcasting ------------------------------------------------------------------------------

/// N of (N, C, H, W): 8 where the rows can be shared out.
std::int64_t images(const Shape& shape) { return shape.rows % 8 == 0 ? 8 : 1; }

std::int64_t row_of(const Shape& shape, std::int64_t i) { return i / shape.columns; }
std::int64_t column_of(const Shape& shape, std::int64_t i) { return i % shape.columns; }
std::int64_t channel_of(const Shape& shape, std::int64_t i) {
  return i / shape.columns % (shape.rows / images(shape));
}

const Form kForms[] = {
    {"scalar", matrix, [](const Shape&) { return TensorShape{}; }, nullptr,
     [](const Shape&, std::int64_t) { return std::int64_t{0}; }},
    {"row", matrix, [](const Shape& shape) { return TensorShape{shape.columns}; }, nullptr,
     column_of},
    {"column", matrix,
     [](const Shape& shape) {
       return TensorShape{shape.rows, 1};
     },
     nullptr, row_of},
};
const Form kChannel = {
    "channel",
    [](const Shape& shape) {
      return TensorShape{images(shape), shape.rows / images(shape), 1, shape.columns};
    },
    [](const Shape& shape) {
      return TensorShape{1, shape.rows / images(shape), 1, 1};
    },
    nullptr, channel_of};
const Form kOuter = {"outer",
                     [](const Shape& shape) {
                       return TensorShape{shape.rows, 1};
                     },
                     [](const Shape& shape) {
                       return TensorShape{1, shape.columns};
                     },
                     row_of, column_of};

void add_broadcast_forms() {
  constexpr RelationOp kGreater = RelationOp::Greater;
  for (const Form& form : kForms) {
    add_form<half>(form, "f16", kGreater, "greater_f16_" + form.name);
  }
  add_form<half>(kChannel, "f16", kGreater, "greater_f16_channel");
  add_form<half>(kChannel, "f16", kGreater, "greater_f16_channel_strided", true);
  add_form<float>(kChannel, "f32", kGreater, "greater_f32_channel");
  add_form<float>(kChannel, "f32", kGreater, "greater_f32_channel_strided", true);

  // The causal mask: positions against positions, no list as long as the result.
  std::vector<std::int32_t> positions(std::size_t{1} << 20);
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<std::int32_t>(i);
  const auto shared = std::make_shared<const std::vector<std::int32_t>>(positions);
  add_fill_peers("relation");
  for (const bool strided : {false, true}) {
    add_form<std::int32_t>(kOuter, "i32", RelationOp::GreaterOrEqual,
                           strided ? "causal_i32_strided" : "causal_i32", strided,
                           {shared, shared, every_element, every_element, nullptr, nullptr});
  }
}

// ---- where -------------------------------------------------------------------------------------

template <class T>
void add_where(const std::string& rung, const std::string& dtype,
               cudaError_t (*launch)(const Byte*, const T*, const T*, T*, std::int64_t,
                                     cudaStream_t),
               std::size_t alignment = 0) {
  const OperandLists<T> operands = lists<T>();
  const auto mask = lists<Byte>().a;
  Case operation{"where", rung, dtype, Kind::rung};
  operation.alignment = operation.out_alignment = alignment;
  operation.inputs = {input_of(*mask, every_element), input_of(*operands.a, every_element),
                      input_of(*operands.b, every_element)};
  operation.output_bytes = bytes_of<T>(every_element);
  operation.launch = [launch](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    return launch(set.in<Byte>(0), set.in<T>(1), set.in<T>(2), set.out<T>(), shape.elements(),
                  stream);
  };
  operation.verify = must_repeat<T>([operands, mask] {
    std::vector<T> chosen = *operands.b;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if ((*mask)[i] != 0) chosen[i] = (*operands.a)[i];
    }
    return chosen;
  });
  add_at_its_sizes(operation);
}

template <class T>
void add_where_ladder(const std::string& dtype) {
  add_where<T>("where_" + dtype, dtype, where_naive<T>);
  add_where<T>("where_" + dtype + "x" + std::to_string(16 / sizeof(T)) + "_pack", dtype,
               where_pack<T>, 16);
}

}  // namespace

void register_benchmarks() {
  add_logical_ladder();

  add_relation_ladder<float>("f32");
  const auto greater = [](float a, float b) { return static_cast<Byte>(a > b ? 1 : 0); };
  add_relation<float>({"relation", "greater_f32_host_loop", "f32", Kind::peer}, RelationOp::Greater,
                      Answers::bytes, of_lists<float>(host_loop<Byte, float, float>(greater)));
  add_equalities();
  add_relation_ladder<half>("f16");
  const RelationRung<half> yours = your_relation_rung();
  add_relation<half>({"relation", "your_relation", "f16", Kind::yours, yours.width,
                      yours.in_alignment, yours.out_alignment},
                     RelationOp::Greater, Answers::bytes, of_lists<half>(your_logical_relation));
  add_relation_ladder<Bf16>("bf16");
  add_broadcast_forms();

  add_where_ladder<float>("f32");
  add_where_ladder<half>("f16");
  add_where_ladder<Bf16>("bf16");
}

}  // namespace tutorial::bench
