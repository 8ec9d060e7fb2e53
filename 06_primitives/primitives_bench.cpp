// The benchmark: the ladder on lists, the operators on matrices, and what each is compared with.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "06_primitives/primitives.h"
#include "06_primitives/proof/peers/primitives_peers.h"
#include "06_primitives/proof/primitives_reference.h"
#include "common/bench/binary.h"
#include "common/bench/measure.h"
#include "common/bench/mixed.h"
#include "common/bench/shapes.h"
#include "common/bench/yardsticks.h"
#include "common/proof/device.h"
#include "common/proof/inputs.h"
#include "common/proof/tiled.h"
#include "common/proof/ulp.h"

namespace tutorial::bench {
namespace {

using test::to_double;
using test::ulp;

// ---- Where, and on what -------------------------------------------------------------------------

/// Rows that begin at every offset within sixteen bytes.
const std::vector<Shape> kOddRows = {{16384, 8191}};

/// What decoding has: a few long rows; and long ones, a cluster of blocks each.
const std::vector<Shape> kFewRows = {{1, 131072}, {16, 131072}}, kLongRows = {{1024, 131072}};

/// Registers `operation` at its own shapes; in the CPU executor at a small one, in which long rows stay so long that
/// floats are cut into parts.
void add_at(Case operation, const std::vector<Shape>& own) {
  const bool are_long = own.front().columns > 100000;
  const Shape small =
      are_long ? Shape{2, 65544} : Shape{64, own.front().columns % 2 == 0 ? 1024 : 1023};
  for (const Shape& shape : on_gpu ? own : std::vector<Shape>{small}) {
    operation.own_shapes.push_back({name_of(shape), shape});
  }
  add(operation);
}

/// Device memory that lies beside a launch's buffers and is the same for all launches: workspace of
/// reductions, a bias. It is small, and so it lies in the L2, in practice as here.
constexpr std::size_t kBesideBytes = std::size_t{32} << 20;
unsigned char* beside() {
  static test::DeviceBytes& memory = *new test::DeviceBytes(kBesideBytes);
  return memory.data();
}

/// The values that an input repeats, and what is worked out from them when first asked for: sums
/// over any stretch by the difference of two sums.
template <class T>
class TiledSums {
 public:
  static constexpr std::int64_t kPeriod = test::TiledReference<T>::default_period;

  static const TiledSums& instance() {
    static const TiledSums sums;
    return sums;
  }

  double value(std::int64_t i) const { return values_[static_cast<std::size_t>(i % kPeriod)]; }
  /// Of elements [begin, end): the sum, that of the magnitudes, and that of e^x.
  double sum(std::int64_t begin, std::int64_t end) const { return at(0, end) - at(0, begin); }
  double magnitudes(std::int64_t begin, std::int64_t end) const {
    return at(1, end) - at(1, begin);
  }
  double exponentials(std::int64_t begin, std::int64_t end) const {
    return at(2, end) - at(2, begin);
  }

 private:
  TiledSums() : sums_(kPeriod + 1) {
    for (const T value : test::normal_values<T>(kPeriod)) values_.push_back(to_double(value));
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const double x = values_[i];
      sums_[i + 1] = {sums_[i][0] + x, sums_[i][1] + std::fabs(x), sums_[i][2] + std::exp(x)};
    }
  }

  double at(std::size_t which, std::int64_t i) const {
    const std::int64_t rounds = i / kPeriod;
    return static_cast<double>(rounds) * sums_.back()[which] +
           sums_[static_cast<std::size_t>(i % kPeriod)][which];
  }

  std::vector<double> values_;
  std::vector<std::array<double, 3>> sums_;
};

// ---- Judging ------------------------------------------------------------------------------------

/// What an output should be, and how far it may be from that before it is rounded to T.
struct Wanted {
  double value, slack;
};

/// A Case's verify: output element i must be within expected(shape, i).
template <class T, class Expected>
auto must_be_near(Expected expected) {
  return [expected](const Shape& shape, const void* bytes, std::size_t begin, std::size_t count) {
    const auto* outputs = static_cast<const T*>(bytes);
    const auto first = static_cast<std::int64_t>(begin / sizeof(T));
    for (std::size_t i = 0; i < count / sizeof(T); ++i) {
      const std::int64_t index = first + static_cast<std::int64_t>(i);
      const Wanted wanted = expected(shape, index);
      const double bound = wanted.slack + 0.51 * ulp<T>(wanted.value);
      if (!(std::fabs(to_double(outputs[i]) - wanted.value) <= bound)) {
        return "element " + std::to_string(index) + " is " + std::to_string(to_double(outputs[i])) +
               ", expected " + std::to_string(wanted.value);
      }
    }
    return std::string();
  };
}

/// A sum of floats that no element enters by more than 100 additions.
double sum_slack(double magnitudes) { return 100.0 * std::ldexp(1.0, -24) * magnitudes; }

template <class T>
Wanted wanted_sum(Dimension dimension, const Shape& shape, std::int64_t i) {
  const TiledSums<T>& sums = TiledSums<T>::instance();
  if (dimension == Dimension::inner) {
    const std::int64_t begin = i * shape.columns, end = begin + shape.columns;
    return {sums.sum(begin, end), sum_slack(sums.magnitudes(begin, end))};
  }
  double sum = 0.0, magnitudes = 0.0;
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    const double x = sums.value(row * shape.columns + i);
    sum += x;
    magnitudes += std::fabs(x);
  }
  return {sum, sum_slack(magnitudes)};
}

template <class T>
Wanted wanted_softmax(const Shape& shape, std::int64_t i) {
  const TiledSums<T>& sums = TiledSums<T>::instance();
  const std::int64_t begin = i / shape.columns * shape.columns;
  const double y = std::exp(sums.value(i)) / sums.exponentials(begin, begin + shape.columns);
  return {y, 100.0 * std::ldexp(1.0, -24) * y};
}

template <class T>
Wanted wanted_cumsum(const Shape& shape, std::int64_t i) {
  const TiledSums<T>& sums = TiledSums<T>::instance();
  const std::int64_t begin = i / shape.columns * shape.columns;
  return {sums.sum(begin, i + 1), sum_slack(sums.magnitudes(begin, i + 1))};
}

/// Judges sorted rows, a whole row at a time.
template <class T>
std::string judge_sorted(const Shape& shape, const void* bytes, std::size_t begin,
                         std::size_t count) {
  const TiledSums<T>& tile = TiledSums<T>::instance();
  const auto* outputs = static_cast<const T*>(bytes);
  const auto first = static_cast<std::int64_t>(begin / sizeof(T));
  const auto end = first + static_cast<std::int64_t>(count / sizeof(T));
  std::vector<double> row(static_cast<std::size_t>(shape.columns));
  for (std::int64_t r = first / shape.columns; r * shape.columns < end; ++r) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      row[c] = tile.value(r * shape.columns + static_cast<std::int64_t>(c));
    }
    std::sort(row.begin(), row.end());
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::int64_t i = r * shape.columns + static_cast<std::int64_t>(c);
      if (i < first || i >= end) continue;
      if (to_double(outputs[i - first]) != row[c]) {
        return "element " + std::to_string(i) + " is out of order";
      }
    }
  }
  return "";
}

/// Judges sorted rows, and behind all of them where each element came from.
template <class T>
std::string judge_sorted_with_index(const Shape& shape, const void* bytes, std::size_t begin,
                                    std::size_t count) {
  const std::size_t values = static_cast<std::size_t>(shape.elements()) * sizeof(T);
  if (begin < values) {
    const std::string wrong = judge_sorted<T>(shape, bytes, begin, std::min(count, values - begin));
    if (!wrong.empty() || begin + count <= values) return wrong;
    return judge_sorted_with_index<T>(shape, static_cast<const char*>(bytes) + (values - begin),
                                      values, count - (values - begin));
  }
  const TiledSums<T>& tile = TiledSums<T>::instance();
  const auto* index = static_cast<const std::int32_t*>(bytes);
  const auto first = static_cast<std::int64_t>((begin - values) / sizeof(std::int32_t));
  const auto end = first + static_cast<std::int64_t>(count / sizeof(std::int32_t));
  double before = 0.0;
  for (std::int64_t i = first; i < end; ++i) {
    const std::int64_t row = i / shape.columns, from = index[i - first];
    if (from < 0 || from >= shape.columns) return "index " + std::to_string(i) + " is in no row";
    const double value = tile.value(row * shape.columns + from);
    if (i > first && i % shape.columns != 0 && value < before) {
      return "index " + std::to_string(i) + " is out of order";
    }
    before = value;
  }
  return "";
}

// ---- Cases --------------------------------------------------------------------------------------

/// A case with one input, a matrix, and one output; launch(x, y, rows, columns, stream).
template <class T, class Launch>
Case rows_case(const std::string& ladder, const std::string& rung, Kind kind, Launch launch) {
  Case operation = copy_row<T>(1, ladder, rung, kind);
  operation.launch = [launch](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    return launch(set.in<T>(0), set.out<T>(), shape.rows, shape.columns, stream);
  };
  return operation;
}

/// Registers add_one(rung, launch) of both forms of one of CUB's, if this backend has it.
template <class Launch, class AddOne>
void add_cub_block(const std::string& name, const Launch (&launch)[2], AddOne add_one) {
  if (launch[0] == nullptr) return;
  add_one(name + "_cub_block_transpose", launch[0]);
  add_one(name + "_cub_block", launch[1]);
}

/// A plain copy of the same bytes, beside the rungs of a ladder that has its own shapes.
template <class T>
void add_copy(const std::string& ladder, const std::vector<Shape>& own) {
  add_at(copy_row<T>(1, ladder, "copy_" + ladder + "_" + dtype_name<T>(), Kind::copy), own);
}

template <class T>
void add_additions() {
  add_two_in_one_out_peer<T>("primitives");
  for (const BinaryRung<T>& rung : add_rungs<T>()) {
    add_rung("primitives", Kind::rung, rung, add_reference);
  }
}

template <class T>
void add_operator() {
  const auto rung = add_operator_rung<T>(), by_hand = add_by_hand_rung<T>();
  add_rung("primitives", Kind::rung, rung, add_reference);
  add_binary<T>("primitives", by_hand.name, Kind::peer, by_hand.launch, add_reference,
                by_hand.max_ulp);
}

template <class T>
void add_addition_peers(const std::string& dtype) {
  const auto add_one = [](const std::string& rung, OnLists<T> launch) {
    add_binary<T>("primitives", rung, Kind::peer, launch, add_reference, kAddUlp);
  };
  const CubPeers<T> cub = cub_peers<T>();
  if (cub.add != nullptr) add_one("add_" + dtype + "_cub", cub.add);
  add_cub_block("add_" + dtype, cub.add_block, add_one);
}

/// Halves in, floats out.
void add_addition_to_float() {
  const std::vector<half> a = test::normal_values<half>(TiledSums<half>::kPeriod);
  const std::vector<half> b(a.rbegin(), a.rend());
  Case operation{"primitives", "add_f16_to_f32", "f16", Kind::rung};
  operation.inputs = {input_of(a, every_element), input_of(b, every_element)};
  operation.output_bytes = bytes_of<float>(every_element);
  operation.out_alignment = sizeof(float);
  operation.launch = [](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    return add_to_float(set.in<half>(0), set.in<half>(1), set.out<float>(), shape.elements(),
                        stream);
  };
  operation.verify = must_be_near<float>([](const Shape&, std::int64_t i) {
    const TiledSums<half>& tile = TiledSums<half>::instance();
    const std::int64_t at = i % TiledSums<half>::kPeriod;
    return Wanted{tile.value(at) + tile.value(TiledSums<half>::kPeriod - 1 - at), 0.0};
  });
  add(operation);
}

template <class T>
void add_activations(const std::string& dtype) {
  constexpr double kUlp = kActivationUlp<T>;
  add_copy_peers<T>("activations");
  const auto pair = [&](const std::string& name, UnaryLauncher<T> launch, UnaryLauncher<T> by_hand,
                        double (*reference)(double)) {
    add_unary<T>("activations", name, Kind::rung, launch, reference, kUlp);
    add_unary<T>("activations", name + "_by_hand", Kind::peer, by_hand, reference, kUlp);
  };
  pair("elu_" + dtype, elu<T>, elu_by_hand<T>, elu_reference);
  pair("gelu_" + dtype, gelu<T>, gelu_by_hand<T>, gelu_reference);
  pair("swish_" + dtype, swish<T>, swish_by_hand<T>, swish_reference);
}

/// The bias lies beside the matrices: the inputs' tile from its end, as long as the longest row.
constexpr std::int64_t kMostBias = 32768;

template <class T>
void add_bias(const std::string& dtype) {
  const std::vector<Shape> own = {{4096, 32768}, {32768, 4096}};
  // A place for each type.
  auto* bias = reinterpret_cast<T*>(beside() + kBesideBytes / 8 * (4 + sizeof(T) / 2));
  const std::vector<T> values = test::normal_values<T>(TiledSums<T>::kPeriod);
  const std::vector<T> reversed(values.rbegin(), values.rbegin() + kMostBias);
  test::require_success(
      cudaMemcpy(bias, reversed.data(), kMostBias * sizeof(T), cudaMemcpyHostToDevice),
      "cudaMemcpy");
  const auto add_one = [&](const std::string& rung, auto launch) {
    Case operation = rows_case<T>(
        "bias", rung, Kind::rung,
        [launch, bias](const T* x, T* y, std::int64_t rows, std::int64_t columns,
                       cudaStream_t stream) { return launch(x, bias, y, rows, columns, stream); });
    operation.verify = must_be_near<T>([](const Shape& shape, std::int64_t i) {
      const TiledSums<T>& tile = TiledSums<T>::instance();
      const std::int64_t column = i % shape.columns;
      return Wanted{tile.value(i) + tile.value(TiledSums<T>::kPeriod - 1 - column), 0.0};
    });
    add_at(operation, own);
  };
  add_copy<T>("bias", own);
  add_one("bias_cycle_" + dtype, bias_add_cycle<T>);
  add_one("bias_broadcast_" + dtype, bias_add_broadcast<T>);
}

template <class T>
void add_sum(Dimension dimension, const std::string& rung, Kind kind, OnRows<T> launch,
             const std::vector<Shape>& own) {
  Case operation = rows_case<T>("sum", rung, kind, launch);
  operation.output_bytes = bytes_of<T>([dimension](const Shape& shape) {
    return dimension == Dimension::inner ? shape.rows : shape.columns;
  });
  operation.verify = must_be_near<T>([dimension](const Shape& shape, std::int64_t i) {
    return wanted_sum<T>(dimension, shape, i);
  });
  add_at(operation, own);
}

template <class T, Dimension dimension, std::int64_t blocks = kReduceBlocks>
cudaError_t sum_over(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                     cudaStream_t stream) {
  return reduce(Reduction::sum, dimension, x, y, rows, columns, beside(), kBesideBytes / 2, stream,
                blocks);
}

/// What a sum is measured against: a kernel that reads as many bytes, and does nothing with them.
template <class T>
void add_read_peak(const std::vector<Shape>& own) {
  Case operation = rows_case<T>(
      "sum", std::string("read_peak_") + dtype_name<T>(), Kind::peer,
      [](const T* x, T* y, std::int64_t rows, std::int64_t columns, cudaStream_t stream) {
        const std::int64_t bytes = rows * columns * static_cast<std::int64_t>(sizeof(T));
        return read_128bit(x, y, static_cast<std::size_t>(bytes), stream);
      });
  operation.output_bytes = [](const Shape&) { return std::size_t{16}; };
  operation.verify = must_be<unsigned char>(  // that is, it still is what it was
      [](const Shape&, std::int64_t) { return static_cast<unsigned char>(0xff); });
  add_at(operation, own);
}

template <class T>
void add_sums(const std::string& dtype) {
  const std::vector<Shape> own = {{4096, 32768}, {32768, 4096}};
  // With columns that end within a block's tile, and narrower than one.
  const std::vector<Shape> with_edges = {
      {4096, 32768}, {32768, 4096}, {32768, 4104}, {std::int64_t{1} << 20, 96}};
  add_read_peak<T>(with_edges);
  add_sum<T>(Dimension::outer, "sum_outer_" + dtype, Kind::rung, sum_over<T, Dimension::outer>,
             with_edges);
  add_sum<T>(Dimension::outer, "sum_outer_" + dtype + "_2048_blocks", Kind::sweep,
             sum_over<T, Dimension::outer, 2048>, own);
  add_sum<T>(Dimension::outer, "sum_outer_" + dtype + "_8192_blocks", Kind::sweep,
             sum_over<T, Dimension::outer, 8192>, own);
  add_sum<T>(Dimension::inner, "sum_inner_" + dtype, Kind::rung, sum_over<T, Dimension::inner>,
             own);
  add_sum<T>(Dimension::inner, "sum_inner_" + dtype + "_few_rows", Kind::rung,
             sum_over<T, Dimension::inner>, kFewRows);
  add_sum<T>(Dimension::outer, "sum_outer_" + dtype + "_odd", Kind::rung,
             sum_over<T, Dimension::outer>, kOddRows);
  add_sum<T>(Dimension::inner, "sum_inner_" + dtype + "_odd", Kind::rung,
             sum_over<T, Dimension::inner>, kOddRows);
  add_cub_block("sum_inner_" + dtype, cub_peers<T>().sum,
                [&](const std::string& rung, OnRows<T> launch) {
                  add_sum<T>(Dimension::inner, rung, Kind::peer, launch, own);
                });
}

template <class T>
void add_softmax(const std::string& rung, Kind kind, OnRows<T> launch,
                 const std::vector<Shape>& own = {{32768, 4096}}) {
  Case operation = rows_case<T>("softmax", rung, kind, launch);
  operation.verify = must_be_near<T>(wanted_softmax<T>);
  add_at(operation, own);
}

template <class T>
void add_softmaxes(const std::string& dtype) {
  add_copy<T>("softmax", {{32768, 4096}});
  add_softmax<T>("softmax_" + dtype + "_two_reductions", Kind::rung, softmax_two_reductions<T>);
  add_softmax<T>("softmax_" + dtype, Kind::rung, softmax<T>);
  add_softmax<T>("softmax_" + dtype + "_odd", Kind::rung, softmax<T>, kOddRows);
  add_softmax<T>("softmax_" + dtype + "_long_rows", Kind::rung, softmax<T>, kLongRows);
  add_softmax<T>(
      "softmax_" + dtype + "_few_rows", Kind::rung,
      [](const T* x, T* y, std::int64_t rows, std::int64_t columns, cudaStream_t stream) {
        return softmax_split(x, y, rows, columns, beside(), kBesideBytes / 2, stream);
      },
      kFewRows);
  add_cub_block(
      "softmax_" + dtype, cub_peers<T>().softmax,
      [](const std::string& rung, OnRows<T> launch) { add_softmax<T>(rung, Kind::peer, launch); });
}

template <class T>
void add_cumsums(const std::string& dtype) {
  const std::vector<Shape> own = {{32768, 1024}};
  const auto add_one = [&](const std::string& rung, Kind kind, OnRows<T> launch,
                           const std::vector<Shape>& at) {
    Case operation = rows_case<T>("cumsum", rung, kind, launch);
    operation.verify = must_be_near<T>(wanted_cumsum<T>);
    add_at(operation, at);
  };
  add_copy<T>("cumsum", own);
  add_one("cumsum_" + dtype, Kind::rung, cumsum<T>, own);
  add_one("cumsum_" + dtype + "_odd", Kind::rung, cumsum<T>, kOddRows);
  add_one(
      "cumsum_" + dtype + "_few_rows", Kind::rung,
      [](const T* x, T* y, std::int64_t rows, std::int64_t columns, cudaStream_t stream) {
        return cumsum_split(x, y, rows, columns, beside(), kBesideBytes / 2, stream);
      },
      kFewRows);
  add_cub_block(
      "cumsum_" + dtype, cub_peers<T>().cumsum,
      [&](const std::string& rung, OnRows<T> launch) { add_one(rung, Kind::peer, launch, own); });
}

template <class T>
void add_sorts(const std::string& dtype) {
  const std::vector<Shape> own = {{32768, 1024}};
  const auto add_one = [&](const std::string& rung, Kind kind, OnRows<T> launch) {
    Case operation = rows_case<T>("sort", rung, kind, launch);
    operation.verify = judge_sorted<T>;
    add_at(operation, own);
  };
  add_copy<T>("sort", own);
  add_one("sort_" + dtype, Kind::rung, sort_rows<T>);
  Case with_index = copy_row<T>(1, "sort", "sort_with_index_" + dtype, Kind::rung);
  with_index.may_refuse = true;
  with_index.output_bytes = [](const Shape& shape) {
    return static_cast<std::size_t>(shape.elements()) * (sizeof(T) + sizeof(std::int32_t));
  };
  with_index.launch = [](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    auto* y = set.out<T>();
    auto* index = reinterpret_cast<std::int32_t*>(y + shape.elements());
    return sort_rows(set.in<T>(0), y, index, shape.rows, shape.columns, stream);
  };
  with_index.verify = judge_sorted_with_index<T>;
  add_at(with_index, own);
  const OnRows<T> cub = cub_peers<T>().sort;
  if (cub != nullptr) add_one("sort_" + dtype + "_cub_block", Kind::peer, cub);
}

template <class T>
void add_matrices(const std::string& dtype) {
  add_bias<T>(dtype);
  add_sums<T>(dtype);
  add_softmaxes<T>(dtype);
  add_cumsums<T>(dtype);
  add_sorts<T>(dtype);
}

/// A kernel that only writes, for the byte budget's table.
void add_write_peak() {
  add_at(named(fill_case(bytes_of<float>(every_element), write_128bit), "sum", "write_peak", "f32",
               Kind::peer),
         {{32768, 4096}});
}

}  // namespace

void register_benchmarks() {
  add_additions<float>();
  add_operator<float>();
  add_addition_peers<float>("f32");
  add_additions<half>();
  add_operator<half>();
  add_rung("primitives", Kind::yours, your_primitives_rung(), add_reference);
  add_addition_peers<half>("f16");
  add_addition_to_float();
  add_two_in_one_out_peer<Bf16>("primitives");
  add_operator<Bf16>();

  add_activations<float>("f32");
  add_activations<half>("f16");
  add_matrices<float>("f32");
  add_matrices<half>("f16");
  add_write_peak();
}

}  // namespace tutorial::bench
