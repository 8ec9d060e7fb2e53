// Three ladders of rows.
//
//   arithmetic            arrays of the same shape: ladders A and D, and every operation
//   arithmetic_broadcast  ladder B: each kernel on each form of broadcasting
//   arithmetic_nhwc       ladder C
//
// A row of the last two is called KERNEL_DTYPE_FORM, as in packed_f16_1C11; the tables with a line
// for each form are made of these names. What each row computes is compared with the references of
// arithmetic_reference.h, and broadcasting with a walk over indices that is written out here.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "04_arithmetic/arithmetic.h"
#include "04_arithmetic/proof/arithmetic_reference.h"
#include "04_arithmetic/proof/peers/arithmetic_peers.h"
#include "common/bench/binary.h"
#include "common/bench/host_loop.h"
#include "common/bench/measure.h"
#include "common/bench/mixed.h"
#include "common/bench/yardsticks.h"

namespace tutorial::bench {
namespace {

constexpr ArithmeticOp kAdd = ArithmeticOp::Add;
constexpr std::size_t kPeriod = test::TiledReference<float>::default_period;  // odd
constexpr Int8Scales kScales{0.05f, 0.03f, 0.07f};

/// Shapes for rungs that are not worth the whole grid. Without a GPU the grid is one small shape,
/// which does for all.
std::vector<NamedShape> largest() {
  if (!on_gpu) return {};
  return {{"16384x16384", {16384, 16384}}};
}
std::vector<NamedShape> medium_and_largest() {
  if (!on_gpu) return {};
  return {{"4096x4096", {4096, 4096}}, {"16384x16384", {16384, 16384}}};
}

// ---- Operands, and what is expected of them -----------------------------------------------------

/// What an operand repeats.
template <class T>
struct Tile {
  std::vector<T> values;
  std::shared_ptr<const std::vector<unsigned char>> bytes;

  explicit Tile(std::vector<T> from) : values(std::move(from)), bytes(tile_of(values)) {}
};

/// The first operand's tile, and the second's: the same values, the last one first. Floats are
/// normally distributed, integers have any bits.
template <class T>
const std::array<Tile<T>, 2>& tiles() {
  static const std::array<Tile<T>, 2> both = [] {
    std::vector<T> values;
    if constexpr (std::is_integral_v<T>) {
      std::mt19937_64 engine(20240229);
      for (std::size_t i = 0; i < kPeriod; ++i) values.push_back(static_cast<T>(engine() >> 20));
    } else {
      values = test::normal_values<T>(kPeriod);
    }
    std::vector<T> reversed(values.rbegin(), values.rend());
    return std::array<Tile<T>, 2>{Tile<T>(std::move(values)), Tile<T>(std::move(reversed))};
  }();
  return both;
}

/// An operand of that many elements.
template <class T>
Input input_of(std::size_t which, std::int64_t elements) {
  const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(T);
  return {tiles<T>()[which].bytes, [bytes](const Shape&) { return bytes; }};
}

/// op in double.
BinaryReference reference_of(ArithmeticOp op) {
  return with_op(op, BinaryReference{}, [](auto known) -> BinaryReference {
    return [](double a, double b) { return arithmetic_reference(decltype(known)::value, a, b); };
  });
}

/// op of the tiles' integers.
template <class T>
std::vector<T> integers_of(ArithmeticOp op) {
  std::vector<T> results;
  for (std::size_t i = 0; i < kPeriod; ++i) {
    const T a = tiles<T>()[0].values[i], b = tiles<T>()[1].values[i];
    if constexpr (std::is_same_v<T, std::int8_t>) {
      results.push_back(arithmetic_reference_int8(op, a, b, kScales));
    } else {
      results.push_back(arithmetic_reference_integer(op, a, b));
    }
  }
  return results;
}

// ---- Ladders A and D: arrays of the same shape --------------------------------------------------

/// Registers launch(in0, in1, out, n, stream) on the grid, or at shapes of its own. `most_off`: ULP for
/// floats, and for integers by how much they may differ. A peer that does not exist in this backend is
/// left out.
template <class T, class Launch>
void add_same_shape(const std::string& rung, Kind kind, ArithmeticOp op, double most_off,
                    Launch launch, const std::vector<NamedShape>& own_shapes = {},
                    int per_thread = 0, std::size_t alignment = 0) {
  if (kind == Kind::peer && launch(nullptr, nullptr, nullptr, 0, nullptr) != cudaSuccess) return;
  Case operation = named(copy2_case(sizeof(T), tiles<T>()[0].bytes, tiles<T>()[1].bytes),
                         "arithmetic", rung, dtype_name<T>(), kind);
  operation.own_shapes = own_shapes;
  operation.per_thread = per_thread;
  operation.alignment = operation.out_alignment = alignment;
  operation.launch = [launch](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    return launch(set.in<T>(0), set.in<T>(1), set.out<T>(), shape.elements(), stream);
  };
  if constexpr (std::is_integral_v<T>) {
    operation.verify =
        must_repeat<T>([op] { return integers_of<T>(op); }, static_cast<int>(most_off));
  } else {
    operation.verify = judge<T>(reference_of(op), most_off);
  }
  add(operation);
}

template <class T>
void add_rung(const ArithmeticRung<T>& rung, ArithmeticOp op, Kind kind,
              const std::vector<NamedShape>& own_shapes = {}) {
  double most_off = rung.is_folded ? 1 : 0;
  if constexpr (!std::is_integral_v<T>) most_off = arithmetic_max_ulp<T>(op);
  const BinaryRung<T> one = binary_rung(rung, op, kScales);
  add_same_shape<T>(one.name, kind, op, most_off, one.launch, own_shapes, rung.width,
                    rung.alignment);
}

/// The ladder (of int8: D) with Add. A rung below the operator has the whole grid only if `climb_everywhere`.
template <class T>
void add_ladder_a(bool climb_everywhere) {
  const std::vector<ArithmeticRung<T>>& rungs = arithmetic_rungs<T>();
  for (const ArithmeticRung<T>& rung : rungs) {
    const bool everywhere = climb_everywhere || rung.name == rungs.back().name;
    add_rung(rung, kAdd, Kind::rung, everywhere ? std::vector<NamedShape>{} : medium_and_largest());
  }
}

/// Other operations by the operator's kernel.
template <class T>
void add_operations(const std::vector<ArithmeticOp>& ops,
                    const std::vector<NamedShape>& own_shapes) {
  for (const ArithmeticOp op : ops) {
    add_rung(arithmetic_rungs<T>().back(), op, Kind::sweep, own_shapes);
  }
}

template <class T>
void add_cub_peer() {
  add_same_shape<T>(std::string("add_cub_") + dtype_name<T>(), Kind::peer, kAdd, 0.5, add_cub<T>);
}

/// Ladder D, and its yardstick: two bytes in, one byte out, and no arithmetic but an exclusive or.
void add_ladder_d() {
  add(named(copy2_case(1, normal_tile<float>(), reversed_tile<float>()), "arithmetic", "copy2_i8",
            "i8", Kind::peer));
  add_ladder_a<std::int8_t>(false);
  add_operations<std::int8_t>({ArithmeticOp::Mul, ArithmeticOp::Max}, {});
  add_operations<std::int8_t>({ArithmeticOp::Div, ArithmeticOp::PRelu}, largest());
}

void add_same_shapes() {
  constexpr auto Mul = ArithmeticOp::Mul, Max = ArithmeticOp::Max, Div = ArithmeticOp::Div;
  constexpr auto Mod = ArithmeticOp::Mod, PRelu = ArithmeticOp::PRelu, Pow = ArithmeticOp::Pow;

  add_two_in_one_out_peer<float>("arithmetic");
  add_ladder_a<float>(false);
  add_operations<float>({Mul, Max}, {});
  add_operations<float>({Div, PRelu, Mod, Pow}, largest());
  add_cub_peer<float>();
  add_same_shape<float>("add_host_loop_f32", Kind::peer, kAdd, 0.5,
                        host_loop<float, float, float>([](float a, float b) { return a + b; }));

  add_two_in_one_out_peer<half>("arithmetic");
  add_ladder_a<half>(true);
  add_operations<half>({Mul, Max}, {});
  add_operations<half>({Div, PRelu, Mod, Pow}, largest());
  add_cub_peer<half>();

  add_two_in_one_out_peer<Bf16>("arithmetic");
  add_ladder_a<Bf16>(false);
  add_operations<Bf16>({Mul, Max}, {});
  add_cub_peer<Bf16>();

  add_ladder_a<std::int32_t>(false);
  add_operations<std::int32_t>({Mul}, largest());
  add_ladder_d();
}

// ---- Ladder B: shapes that broadcast ------------------------------------------------------------

/// Where element `index` of the result finds its own in an operand: the result's index along each
/// dimension, by division, and from these the operand's, in which a size of 1 stands still.
std::int64_t place_in(const TensorShape& operand, const TensorShape& result, std::int64_t index) {
  std::int64_t place = 0, step = 1;
  for (std::size_t d = result.size(); d-- > 0;) {
    const std::int64_t along = index % result[d];
    index /= result[d];
    if (d + operand.size() < result.size()) continue;  // a dimension that the operand does not have
    const std::int64_t size = operand[d + operand.size() - result.size()];
    if (size > 1) place += along * step;
    step *= size;
  }
  return place;
}

/// Two shapes, what the tables call them, and the shape of the result as rows are named.
struct Form {
  std::string name;
  TensorShape shape0, shape1;

  TensorShape result() const {
    TensorShape shape;
    broadcast_shape(shape0, shape1, &shape);
    return shape;
  }
  NamedShape named_result() const {
    std::string name_of_result;
    for (const std::int64_t size : result()) {
      name_of_result += (name_of_result.empty() ? "" : "x") + std::to_string(size);
    }
    return {name_of_result, {1, elements_of(result())}};
  }
};

/// op(a, b) of the tiles' elements as T, quick enough to be computed for every element of a result.
template <class T>
class SumOfTiles {
 public:
  SumOfTiles() {
    for (std::size_t i = 0; i < 2; ++i) {
      for (const T value : tiles<T>()[i].values) {
        if constexpr (std::is_same_v<T, std::int8_t>) {
          values_[i].push_back(value + 128);
        } else {
          values_[i].push_back(static_cast<float>(test::to_double(value)));
        }
      }
    }
    if constexpr (std::is_same_v<T, std::int8_t>) {
      for (int a = -128; a < 128; ++a) {
        for (int b = -128; b < 128; ++b) {
          sums_.push_back(arithmetic_reference_int8(kAdd, static_cast<std::int8_t>(a),
                                                    static_cast<std::int8_t>(b), kScales));
        }
      }
    }
  }

  /// Of element at0 of the first operand and element at1 of the second.
  T operator()(std::size_t at0, std::size_t at1) const {
    const auto a = values_[0][at0 % kPeriod], b = values_[1][at1 % kPeriod];
    if constexpr (std::is_same_v<T, std::int8_t>) {
      return sums_[static_cast<std::size_t>(a) * 256 + static_cast<std::size_t>(b)];
    } else if constexpr (std::is_same_v<T, half>) {
      return __float2half_rn(a + b);
    } else {
      return a + b;
    }
  }

 private:
  std::array<std::vector<std::conditional_t<std::is_same_v<T, std::int8_t>, int, float>>, 2>
      values_;
  std::vector<std::int8_t> sums_;
};

template <class T>
const SumOfTiles<T>& sum_of_tiles() {
  static const SumOfTiles<T> sum;
  return sum;
}

/// The judgement of a result: a row of its last dimension at a time.
template <class T>
std::string judged(const Form& form, const TensorShape& result, const T* results, std::size_t first,
                   std::size_t count) {
  const SumOfTiles<T>& sum = sum_of_tiles<T>();
  const auto columns = static_cast<std::size_t>(result.back());
  const auto step_of = [&](const TensorShape& operand) {
    return std::size_t{!operand.empty() && operand.back() > 1 ? 1u : 0u};
  };
  const std::size_t step0 = step_of(form.shape0), step1 = step_of(form.shape1);
  for (std::size_t i = first; i < first + count;) {
    const std::size_t end = std::min(i + columns - i % columns, first + count);
    const auto index = static_cast<std::int64_t>(i);
    auto at0 = static_cast<std::size_t>(place_in(form.shape0, result, index));
    auto at1 = static_cast<std::size_t>(place_in(form.shape1, result, index));
    for (; i < end; ++i, at0 += step0, at1 += step1) {
      const T expected = sum(at0, at1);
      if (std::memcmp(&results[i - first], &expected, sizeof expected) != 0) return wrong(i);
    }
  }
  return "";
}

/// A row of ladder B with all but its name and what is launched.
template <class T>
Case broadcast_case(const Form& form) {
  Case operation{"arithmetic_broadcast", "", dtype_name<T>(), Kind::rung};
  operation.form = form.name;
  operation.own_shapes = {form.named_result()};
  operation.copied_inputs = 1;
  const TensorShape result = form.result();
  const std::size_t bytes = static_cast<std::size_t>(elements_of(result)) * sizeof(T);
  operation.inputs = {input_of<T>(0, elements_of(form.shape0)),
                      input_of<T>(1, elements_of(form.shape1))};
  operation.output_bytes = [bytes](const Shape&) { return bytes; };
  operation.verify = [form, result](const Shape&, const void* from, std::size_t begin,
                                    std::size_t count) {
    return judged(form, result, static_cast<const T*>(from), begin / sizeof(T), count / sizeof(T));
  };
  return operation;
}

template <class T>
void add_broadcast_rung(const BroadcastRung<T>& rung, const Form& form, Kind kind = Kind::rung) {
  const Broadcast broadcast = broadcast_strides(form.shape0, form.shape1);
  if (!rung.claims(broadcast)) return;
  Case operation = broadcast_case<T>(form);
  operation.rung = rung.name;
  if (kind == Kind::rung) operation.rung += "_" + operation.dtype + "_" + form.name;
  operation.kind = kind;
  operation.launch = [rung, broadcast](const Buffers& set, const Shape&, cudaStream_t stream) {
    return rung.launch({kAdd, set.in<T>(0), set.in<T>(1), set.out<T>(), stream, kScales},
                       broadcast);
  };
  add(operation);
}

/// What the form is measured against: half of its bytes in, half of them out, by the copy kernel;
/// and where next to nothing is read, as many bytes as it writes filled with a constant.
template <class T>
void add_broadcast_peers(const Form& form) {
  const Case rung = broadcast_case<T>(form);
  const Shape shape = rung.own_shapes.front().shape;
  std::size_t read = 0;
  for (const Input& input : rung.inputs) read += input.bytes(shape);
  const std::size_t written = rung.output_bytes(shape);
  const auto half_of_all = static_cast<std::int64_t>((read + written) / 2);

  Case copy = named(copy_case(1, normal_tile<float>()), rung.ladder,
                    "copy_" + rung.dtype + "_" + form.name, rung.dtype, Kind::copy);
  copy.form = rung.form;
  copy.own_shapes = {{rung.own_shapes.front().name, {1, half_of_all}}};
  add(copy);

  if (read * 8 > written) return;
  Case fill = named(fill_case(rung.output_bytes, write_128bit), rung.ladder,
                    "fill_" + rung.dtype + "_" + form.name, rung.dtype, Kind::peer);
  fill.form = copy.form;
  fill.own_shapes = copy.own_shapes;
  fill.copied_inputs = 1;
  add(fill);
}

std::vector<Form> forms() {
  const std::int64_t n = on_gpu ? 64 : 4, c = on_gpu ? 256 : 32, h = on_gpu ? 56 : 28, w = h;
  const TensorShape all = {n, c, h, w};
  return {
      {"scalar", all, {}},         {"W", all, {w}},
      {"1C11", all, {1, c, 1, 1}}, {"N1HW", all, {n, 1, h, w}},
      {"NC11", all, {n, c, 1, 1}}, {"N1H1_1C1W", {n, 1, h, 1}, {1, c, 1, w}},
  };
}

/// Rows that no pack divides.
std::vector<Form> odd_forms() {
  if (!on_gpu) {
    return {{"1C11", {2, 16, 29, 29}, {16, 1, 1}},
            {"1C11", {32, 32, 7, 7}, {32, 1, 1}},
            {"R1_C", {201, 1}, {201}},
            {"C", {4096, 3}, {3}}};
  }
  return {{"1C11", {64, 256, 57, 57}, {256, 1, 1}},
          {"1C11", {1024, 1024, 7, 7}, {1024, 1, 1}},
          {"R1_C", {7001, 1}, {7001}},
          {"C", {16777216, 3}, {3}}};
}

template <class T>
void add_ladder_b() {
  const std::vector<BroadcastRung<T>>& rungs = arithmetic_broadcast_rungs<T>();
  for (const Form& form : forms()) {
    for (const BroadcastRung<T>& rung : rungs) add_broadcast_rung(rung, form);
    add_broadcast_peers<T>(form);
  }
  for (const Form& form : odd_forms()) add_broadcast_rung(rungs.back(), form);
}

/// The operator on a matrix and a transposed one: a tile in shared memory.
template <class T>
void add_transposed() {
  const std::int64_t side = on_gpu ? 16384 : 128;
  const TensorShape shape = {side, side};
  Case operation = broadcast_case<T>({"transposed", shape, shape});
  operation.rung = "transposed_" + operation.dtype;
  operation.launch = [shape](const Buffers& set, const Shape&, cudaStream_t stream) {
    return arithmetic<T>(kAdd, contiguous_view(set.in<T>(0), shape),
                         {set.in<T>(1), {shape, {1, shape[0]}}},
                         contiguous_view(set.out<T>(), shape), stream);
  };
  operation.verify =
      must_be<T>([edge = static_cast<std::size_t>(side)](const Shape&, std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        return sum_of_tiles<T>()(at, at % edge * edge + at / edge);
      });
  add(operation);
}

/// int8: the library's kernel and ours on one form.
void add_ladder_b_int8() {
  const Form form = forms()[2];
  for (const BroadcastRung<std::int8_t>& rung : arithmetic_broadcast_rungs<std::int8_t>()) {
    if (rung.name == "one_not_broadcast" || rung.name == "packed") add_broadcast_rung(rung, form);
  }
  add_broadcast_peers<std::int8_t>(form);
}

// ---- Ladder C: NHWC8 storage --------------------------------------------------------------------

/// Half sums of (N,C,H,W) with itself or with (1,C,1,1), all in NHWC8 storage. `padding` is what the
/// result has as padding afterwards.
void add_nhwc(const NhwcRung<half>& rung, std::int64_t channels, bool per_channel, half padding) {
  const std::int64_t n = on_gpu ? 64 : 2, h = on_gpu ? 56 : 28;
  const TensorShape shape0 = {n, channels, h, h};
  const TensorShape shape1 = per_channel ? TensorShape{1, channels, 1, 1} : shape0;
  const std::int64_t stored0 = nhwc8_elements(shape0), stored1 = nhwc8_elements(shape1);
  const std::string name = std::to_string(n) + "x" + std::to_string(channels) + "x" +
                           std::to_string(h) + "x" + std::to_string(h);
  const std::string form = per_channel ? "1C11" : "NCHW";
  Case operation{"arithmetic_nhwc", rung.name + "_f16_" + form, "f16", Kind::rung};
  operation.form = form;
  operation.alignment = operation.out_alignment = rung.alignment;
  operation.own_shapes = {{name, {1, stored0}}};
  operation.copied_inputs = per_channel ? 1 : 2;
  operation.inputs = {input_of<half>(0, stored0), input_of<half>(1, stored1)};
  operation.output_bytes = bytes_of<half>([stored0](const Shape&) { return stored0; });
  operation.launch = [=](const Buffers& set, const Shape&, cudaStream_t stream) {
    return rung.launch({kAdd, set.in<half>(0), set.in<half>(1), set.out<half>(), stream}, shape0,
                       shape1);
  };
  const auto pixel = static_cast<std::size_t>((channels + 7) / 8 * 8);
  operation.verify = must_be<half>([=](const Shape&, std::int64_t i) {
    const std::size_t at = static_cast<std::size_t>(i), channel = at % pixel;
    if (channel >= static_cast<std::size_t>(channels)) return padding;
    return sum_of_tiles<half>()(at, per_channel ? channel : at);
  });
  add(operation);
}

void add_ladder_c() {
  const half untouched = __ushort_as_half(0xFFFF);  // what the output is filled with
  for (const std::int64_t channels :
       on_gpu ? std::vector<std::int64_t>{256, 255} : std::vector<std::int64_t>{16, 15}) {
    for (const bool per_channel : {false, true}) {
      for (const NhwcRung<half>& rung : arithmetic_nhwc_rungs<half>()) {
        if (rung.name == "nhwc") continue;  // the operator
        add_nhwc(rung, channels, per_channel, rung.writes_zeros ? half(0.0f) : untouched);
      }
    }
  }
}

}  // namespace

void register_benchmarks() {
  add_same_shapes();
  add_ladder_b<float>();
  add_ladder_b<half>();
  add_transposed<float>();
  add_transposed<half>();
  add_broadcast_rung(your_arithmetic_rung(), forms()[2], Kind::yours);
  add_ladder_b_int8();
  add_ladder_c();
}

}  // namespace tutorial::bench
