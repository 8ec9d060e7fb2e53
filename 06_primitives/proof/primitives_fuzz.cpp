// Random calls of the ladder of ElementwiseAdd and of the operators on lists and matrices.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "06_primitives/primitives.h"
#include "06_primitives/proof/primitives_reference.h"
#include "common/proof/fuzz/rungs.h"
#include "common/proof/fuzz/views.h"

namespace tutorial::fuzz {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class T>
double wide(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<double>(value);
  } else {
    return test::to_double(value);
  }
}

// ---- Lists --------------------------------------------------------------------------------------

template <class T>
void try_add(FuzzInput& input) {
  Trial trial(input, "add");
  std::vector<BinaryRung<T>> rungs = {add_operator_rung<T>(), add_by_hand_rung<T>()};
  if constexpr (!std::is_same_v<T, Bf16>) {
    for (const BinaryRung<T>& rung : add_rungs<T>()) rungs.push_back(rung);
  }
  const BinaryRung<T> rung = input.pick(rungs);
  // No length is too much for a grid that strides, nor for what cuts it into several launches.
  const bool takes_any = rung.name.find("grid_stride") != std::string::npos ||
                         rung.name.find("by_hand") != std::string::npos;
  try_binary(trial, rung, add_reference, !takes_any);
}

void try_add_to_float(FuzzInput& input) {
  Trial trial(input, "add_to_float");
  const Count n = trial.count(8);
  const auto a = trial.in<half>("a", n.held, 2, n.any());
  const auto b = trial.in<half>("b", n.held, 2, n.any());
  const auto y = trial.out<float>("out", n.held, 4, n.any());
  if (!trial.call([&] { return add_to_float(a.pointer, b.pointer, y.pointer, n.n, nullptr); })) {
    return;
  }
  trial.check(y, [&](std::size_t i, float actual) {
    return same_value(static_cast<float>(wide(a.values[i]) + wide(b.values[i])), actual);
  });
}

template <class T>
void try_multiply_add(FuzzInput& input) {
  Trial trial(input, "multiply_add");
  const Count n = trial.count(16 / sizeof(T));
  const auto a = trial.in<T>("a", n.held, sizeof(T), n.any());
  const auto b = trial.in<T>("b", n.held, sizeof(T), n.any());
  const auto c = trial.in<T>("c", n.held, sizeof(T), n.any());
  const auto y = trial.out<T>("out", n.held, sizeof(T), n.any(), {&a, &b, &c});
  if (!trial.call(
          [&] { return multiply_add(a.pointer, b.pointer, c.pointer, y.pointer, n.n, nullptr); })) {
    return;
  }
  trial.check(y, [&](std::size_t i, T actual) {
    const double exact = wide(a.values[i]) * wide(b.values[i]) + wide(c.values[i]);
    return test::ulp_error(actual, exact) <= kAddUlp;
  });
}

template <class T>
void try_sum4(FuzzInput& input) {
  Trial trial(input, "sum4");
  const Count n = trial.count(16 / sizeof(T));
  const auto a = trial.in<T>("a", n.held, sizeof(T), n.any());
  const auto b = trial.in<T>("b", n.held, sizeof(T), n.any());
  const auto c = trial.in<T>("c", n.held, sizeof(T), n.any());
  const auto d = trial.in<T>("d", n.held, sizeof(T), n.any());
  const auto y = trial.out<T>("out", n.held, sizeof(T), n.any(), {&a, &b, &c, &d});
  if (!trial.call([&] {
        return sum4(a.pointer, b.pointer, c.pointer, d.pointer, y.pointer, n.n, nullptr);
      })) {
    return;
  }
  const auto as_float = [](T value) { return static_cast<float>(wide(value)); };
  trial.check(y, [&](std::size_t i, T actual) {
    const float left = as_float(a.values[i]) + as_float(b.values[i]);
    const float right = as_float(c.values[i]) + as_float(d.values[i]);
    return same_value(test::from_double<T>(static_cast<double>(left + right)), actual);
  });
}

/// ELU, GELU, Swish, by primitives or by hand. Their error is bounded where the result is a normal
/// number with some room, or zero because x is.
template <class T>
void try_activation(FuzzInput& input) {
  Trial trial(input, "elu, gelu, swish");
  struct Activation {
    const char* name;
    cudaError_t (*launch)(const T*, T*, std::int64_t, cudaStream_t);
    double (*reference)(double);
  };
  const Activation all[] = {{"elu", elu<T>, elu_reference},
                            {"gelu", gelu<T>, gelu_reference},
                            {"swish", swish<T>, swish_reference},
                            {"elu_by_hand", elu_by_hand<T>, elu_reference},
                            {"gelu_by_hand", gelu_by_hand<T>, gelu_reference},
                            {"swish_by_hand", swish_by_hand<T>, swish_reference}};
  const Activation activation = input.pick(all);
  const double least = test::Format<T>::min_exponent < -24 ? 0x1p-110 : 0.0;
  try_unary(trial, activation_rung<T>(activation.name, activation.launch), activation.reference,
            [&](double x) {
              const double y = std::fabs(activation.reference(x));
              return x == 0.0 || !std::isfinite(x) || y >= least;
            });
}

// ---- Matrices -----------------------------------------------------------------------------------

struct Matrix {
  std::int64_t rows, columns;
  bool any;          ///< it is a matrix, and has elements
  std::size_t held;  ///< elements that there is memory for
  bool is_right;     ///< no size is a mistake
};

/// Sizes around what the kernels change their ways at; now and then none that a matrix can have.
/// `most_rows` and `most_columns`, mostly: the executor takes its time for what has many barriers.
/// One in `long_one_in` is a long row, or a long column where there may be many rows.
Matrix fuzz_matrix(Trial& trial, std::size_t most_rows, std::int64_t most_columns,
                   std::size_t long_one_in = 32) {
  FuzzInput& input = trial.input;
  constexpr std::int64_t kLong[] = {1024, 1025, 1536, 2048, 2049, 4096, 4097, 8192, 16384, 16385};
  const auto size = [&](std::size_t bound) {
    return static_cast<std::int64_t>(input.below(bound));
  };
  Matrix matrix{};
  const std::size_t kind = input.below(31);
  if (input.one_in(long_one_in)) {
    matrix.rows = 1, matrix.columns = input.pick(kLong);
    if (most_rows > 100 && input.one_in(2)) std::swap(matrix.rows, matrix.columns);
  } else if (kind < 17) {
    matrix.rows = 1 + size(6), matrix.columns = 1 + size(70);
  } else if (kind < 22) {
    matrix.rows = 1 + size(3), matrix.columns = 1 + size(1100);
  } else if (kind < 23) {
    matrix.rows = 1 + size(most_rows), matrix.columns = 1 + size(3);
  } else if (kind < 27) {  // whole vectors
    matrix.rows = 1 + size(5), matrix.columns = 32 * (1 + size(9));
  } else {
    matrix.rows = size(5), matrix.columns = size(5);
  }
  if (matrix.columns > most_columns && !input.one_in(8)) matrix.columns %= most_columns;
  if (input.one_in(16)) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t kWrong[] = {-1, -2, -kMost - 1, kMost, std::int64_t{1} << 62};
    (input.one_in(2) ? matrix.rows : matrix.columns) = input.pick(kWrong);
    const bool is_huge = matrix.rows > 1 << 20 || matrix.columns > 1 << 20;
    if (is_huge) {  // the other is at least 2 to the power of what is missing to 2^63
      std::int64_t& other = matrix.rows < matrix.columns ? matrix.rows : matrix.columns;
      other = std::max<std::int64_t>(other, 2);
    }
    trial.mistake(cudaErrorInvalidValue);
    matrix.held = 4;
  } else {
    matrix.is_right = true;
    matrix.any = matrix.rows > 0 && matrix.columns > 0;
    matrix.held = static_cast<std::size_t>(matrix.rows * matrix.columns);
  }
  trial.describe(std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns));
  return matrix;
}

/// Now and then a few rows longer than a block holds: split calls cut them, and a cluster may hold them.
Matrix fuzz_rows(Trial& trial, std::size_t most_rows, std::int64_t most_columns) {
  if (!trial.input.one_in(16)) return fuzz_matrix(trial, most_rows, most_columns);
  constexpr std::int64_t kColumns[] = {16385, 16392, 20001, 32768, 40960, 65544};
  const std::int64_t rows = 1 + static_cast<std::int64_t>(trial.input.below(3));
  const std::int64_t columns = trial.input.pick(kColumns);
  trial.describe(std::to_string(rows) + " x " + std::to_string(columns));
  return {rows, columns, true, static_cast<std::size_t>(rows * columns), true};
}

struct Workspace {
  unsigned char* pointer;
  std::size_t bytes;
};

/// For a call that needs so many bytes; now and then too few.
Workspace fuzz_workspace(Trial& trial, std::size_t needed) {
  std::size_t bytes = needed;
  if (needed > 0 && trial.input.one_in(4)) {
    bytes = trial.input.below(needed);
    trial.mistake(cudaErrorInvalidValue);
  }
  trial.describe("workspace of " + std::to_string(bytes));
  return {trial.out<unsigned char>("workspace", bytes, 16, needed > 0).pointer, bytes};
}

template <class T>
void try_bias(FuzzInput& input) {
  Trial trial(input, "bias_add");
  trial.says_why();
  const bool by_cycle = input.one_in(2);
  trial.describe(by_cycle ? "cycle" : "broadcast");
  const Matrix m = fuzz_matrix(trial, 700, 1 << 20);
  const auto x = trial.in<T>("x", m.held, sizeof(T), m.any);
  const std::size_t terms = m.is_right ? static_cast<std::size_t>(m.columns) : 4;
  const auto bias = trial.in<T>("bias", terms, sizeof(T), m.any);
  const auto y = trial.out<T>("y", m.held, sizeof(T), m.any, {&x});
  if (!trial.call([&] {
        return by_cycle
                   ? bias_add_cycle(x.pointer, bias.pointer, y.pointer, m.rows, m.columns, nullptr)
                   : bias_add_broadcast(x.pointer, bias.pointer, y.pointer, m.rows, m.columns,
                                        nullptr);
      })) {
    return;
  }
  trial.check(y, [&](std::size_t i, T actual) {
    const double sum = wide(x.values[i]) + wide(bias.values[i % terms]);
    return same_value(test::from_double<T>(sum), actual);
  });
}

/// The sum of values, and what a float sum of them may be off by.
struct Sum {
  long double exact = 0, magnitudes = 0;
  double special = 0;  ///< the infinities and NaNs among them, added up
  std::uint32_t wrapped = 0;

  template <class T>
  void add(T value) {
    const double x = wide(value);
    if constexpr (std::is_integral_v<T>) {
      wrapped += static_cast<std::uint32_t>(value);
    } else if (std::isfinite(x)) {
      exact += x;
      magnitudes += std::fabs(static_cast<long double>(x));
    } else {
      special += x;
    }
  }

  /// Whether `actual` is the sum, up to the error of a tree of `depth` float additions and one
  /// rounding to T. Where floats, or T, could overflow on the way, any number will do.
  template <class T>
  bool is(T actual, int depth) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<std::uint32_t>(actual) == wrapped;
    } else {
      const double result = wide(actual);
      const double largest = std::ldexp(1.0, test::Format<T>::max_exponent);
      if (magnitudes >= std::numeric_limits<float>::max() / 2.0L) return true;
      if (!std::isfinite(special)) return same_value(special, result);
      if (std::fabs(static_cast<double>(exact)) >= largest) return true;
      const double step = depth * 0x1p-24, exactly = static_cast<double>(exact);
      const double bound = step / (1 - step) * static_cast<double>(magnitudes) +
                           (std::is_same_v<T, float> ? 0.0 : 0.51 * test::ulp<T>(exactly));
      return std::fabs(result - exactly) <= bound * (1 + 0x1p-40);
    }
  }
};

/// The additions on the way of one element into a sum, at most (primitives_test_rows.cpp).
int depth_of(Dimension dimension, std::size_t length) {
  return std::min(static_cast<int>(length / (dimension == Dimension::inner ? 512 : 4)), 700) + 40;
}

template <class T>
bool is_most(const std::vector<T>& values, T actual) {
  double most =
      std::is_integral_v<T> ? wide(std::numeric_limits<std::int32_t>::lowest()) : -kInfinity;
  for (const T value : values) most = std::isnan(wide(value)) ? kNaN : std::fmax(most, wide(value));
  for (const T value : values) {
    if (std::isnan(wide(value))) most = kNaN;
  }
  return std::isnan(most) ? std::isnan(wide(actual)) : most == wide(actual);
}

template <class T>
void try_reduce(FuzzInput& input) {
  Trial trial(input, "reduce");
  trial.says_why();
  const Reduction reduction = input.one_in(2) ? Reduction::max : Reduction::sum;
  const Dimension dimension = input.one_in(2) ? Dimension::inner : Dimension::outer;
  const bool inner = dimension == Dimension::inner;
  trial.describe(std::string(reduction == Reduction::max ? "max" : "sum") +
                 (inner ? " of rows" : " of columns"));
  const Matrix m = fuzz_matrix(trial, 700, 1 << 20, 5);
  const std::int64_t many[] = {
      kReduceBlocks, 1, 2, 7, 100, std::int64_t{1} << 40, std::numeric_limits<std::int64_t>::max()};
  std::int64_t blocks = input.pick(many);
  if (input.one_in(24)) {
    blocks = input.one_in(2) ? 0 : -static_cast<std::int64_t>(input.bits(4)) - 1;
    trial.mistake(cudaErrorInvalidValue);
  }
  trial.describe(std::to_string(blocks) + " blocks");
  const std::size_t results = m.is_right ? static_cast<std::size_t>(inner ? m.rows : m.columns) : 4;
  const std::size_t needed = reduce_workspace<T>(dimension, m.rows, m.columns, blocks);
  if (needed > std::size_t{1} << 28) trial.fail("needs a workspace of " + std::to_string(needed));
  const bool any = m.is_right && results > 0;
  const auto x = trial.in<T>("x", m.held, sizeof(T), m.any);
  const auto y = trial.out<T>("y", results, sizeof(T), any);
  const Workspace workspace = fuzz_workspace(trial, needed);
  if (!trial.call([&] {
        return reduce(reduction, dimension, x.pointer, y.pointer, m.rows, m.columns,
                      workspace.pointer, workspace.bytes, nullptr, blocks);
      })) {
    return;
  }
  const auto rows = static_cast<std::size_t>(m.rows), columns = static_cast<std::size_t>(m.columns);
  const std::size_t length = inner ? columns : rows;
  trial.check(y, [&](std::size_t i, T actual) {
    std::vector<T> values(length);
    Sum sum;
    for (std::size_t k = 0; k < length; ++k) {
      values[k] = x.values[inner ? i * columns + k : k * columns + i];
      sum.add(values[k]);
    }
    return reduction == Reduction::max ? is_most(values, actual)
                                       : sum.is(actual, depth_of(dimension, length));
  });
}

/// Along any dimension of a tensor as it lies.
template <class T>
void try_reduce_views(FuzzInput& input) {
  Trial trial(input, "reduce of tensors");
  trial.says_why();
  const Reduction reduction = input.one_in(2) ? Reduction::max : Reduction::sum;
  const TensorShape shape = fuzz_view_shape(input, 1, 5);
  const FuzzView of_x = fuzz_view(trial, shape, ViewOf::input);
  const std::size_t along = input.below(shape.size());
  auto dim = static_cast<std::int64_t>(along);
  TensorShape rest = shape;
  rest.erase(rest.begin() + dim);
  const FuzzView of_y = fuzz_view(trial, rest, ViewOf::result);
  if (input.one_in(24)) {
    dim = input.one_in(2) ? -1 : static_cast<std::int64_t>(shape.size());
    trial.mistake(cudaErrorInvalidValue);
  }
  trial.describe((reduction == Reduction::max ? "max along " : "sum along ") + std::to_string(dim));
  const std::int64_t many[] = {kReduceBlocks, 1, 7, std::int64_t{1} << 40};
  const std::int64_t blocks = input.pick(many);
  const std::size_t bytes = reduce_workspace<T>(of_x.layout, dim, of_y.layout, blocks);
  const auto x = trial.in<T>("x", of_x.held, sizeof(T), of_x.held > 0);
  const auto y = trial.out<T>("y", of_y.held, sizeof(T), of_y.held > 0);
  const auto workspace = trial.out<unsigned char>("workspace", bytes, 16, bytes > 0);
  if (!trial.call([&] {
        return reduce(reduction, TensorView<const T>{x.pointer, of_x.layout}, dim,
                      TensorView<T>{y.pointer, of_y.layout}, workspace.pointer, bytes, nullptr,
                      blocks);
      })) {
    return;
  }
  std::size_t inner = 1;  // elements of x from one to the next along the dimension
  for (std::size_t d = along + 1; d < shape.size(); ++d)
    inner *= static_cast<std::size_t>(shape[d]);
  const auto length = static_cast<std::size_t>(shape[along]);
  check_view(trial, y, of_y, [&](std::size_t i, T actual) {
    std::vector<T> values(length);
    Sum sum;
    for (std::size_t k = 0; k < length; ++k) {
      values[k] = x.values[of_x.places[(i / inner * length + k) * inner + i % inner]];
      sum.add(values[k]);
    }
    return reduction == Reduction::max ? is_most(values, actual)
                                       : sum.is(actual, depth_of(Dimension::outer, length));
  });
}

/// A call on tensors that may have gaps between their rows; empty: there is none.
template <class T>
using OnViews = std::function<cudaError_t(const TensorView<const T>&, const TensorView<T>&)>;

/// The same of matrices.
template <class T>
using OnMatrices =
    std::function<cudaError_t(const T*, T*, std::int64_t, std::int64_t, cudaStream_t)>;

/// y = f(x) row by row: is_right(x of a row, y of it) says which element is wrong, or -1.
template <class T, class Launch, class IsRight>
void try_rows(Trial& trial, const Matrix& m, const Launch& launch, const OnViews<T>& on_views,
              const IsRight& is_right) {
  const bool has_gaps = on_views && m.any && trial.input.one_in(2);
  const auto layout = [&] {
    const std::size_t gap = has_gaps ? trial.input.below(20) : 0;
    trial.describe("gap " + std::to_string(gap));
    return TensorLayout{{m.rows, m.columns}, {m.columns + static_cast<std::int64_t>(gap), 1}};
  };
  const TensorLayout of_x = layout(), of_y = layout();
  const auto held = [&](const TensorLayout& of) {
    return m.any ? static_cast<std::size_t>((m.rows - 1) * of.strides[0] + m.columns) : m.held;
  };
  const auto x = trial.in<T>("x", held(of_x), sizeof(T), m.any);
  const auto y = has_gaps ? trial.out<T>("y", held(of_y), sizeof(T), m.any)
                          : trial.out<T>("y", m.held, sizeof(T), m.any, {&x});
  if (!trial.call([&] {
        return has_gaps ? on_views({x.pointer, of_x}, {y.pointer, of_y})
                        : launch(x.pointer, y.pointer, m.rows, m.columns, nullptr);
      })) {
    return;
  }
  const std::vector<T> results = trial.result(y);
  const auto part = [](const std::vector<T>& all, std::ptrdiff_t begin, std::ptrdiff_t end) {
    return std::vector<T>(all.begin() + begin, all.begin() + end);
  };
  for (std::ptrdiff_t row = 0; m.any && row < m.rows; ++row) {
    const std::ptrdiff_t x_row = row * of_x.strides[0], y_row = row * of_y.strides[0];
    const std::vector<T> from = part(x.values, x_row, x_row + m.columns);
    const std::vector<T> to = part(results, y_row, y_row + m.columns);
    if (has_gaps && row + 1 < m.rows) {
      const std::vector<T> gap = part(results, y_row + m.columns, y_row + of_y.strides[0]);
      const std::vector<unsigned char> fresh(gap.size() * sizeof(T), 0xFF);
      if (!gap.empty() && std::memcmp(gap.data(), fresh.data(), fresh.size()) != 0) {
        trial.fail("what lies behind row " + std::to_string(row) + " was written");
      }
    }
    const std::ptrdiff_t wrong = is_right(from, to);
    if (wrong < 0) continue;
    trial.fail("row " + std::to_string(row) + ", column " + std::to_string(wrong) + " is " +
               text_of(to[static_cast<std::size_t>(wrong)]) + ", which is wrong");
  }
}

/// The softmax of a row, each probability within its bound: -1, or which is not.
template <class T>
std::ptrdiff_t wrong_probability(const std::vector<T>& x, const std::vector<T>& y) {
  std::vector<double> logits(x.size());
  std::transform(x.begin(), x.end(), logits.begin(), [](T v) { return wide(v); });
  const double max = *std::max_element(logits.begin(), logits.end());
  const std::vector<double> expected = softmax_reference(logits);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double actual = wide(y[i]);
    if (std::isnan(expected[i]) && std::isnan(actual)) continue;
    const double bound = (expected[i] > 0.0 ? softmax_bound(logits[i], max, expected[i],
                                                            static_cast<double>(x.size()))
                                            : 0x1p-125) +
                         (std::is_same_v<T, float> ? 0.0 : 0.51 * test::ulp<T>(expected[i]));
    if (!(std::fabs(actual - expected[i]) <= bound)) return static_cast<std::ptrdiff_t>(i);
  }
  return -1;
}

template <class T>
void try_softmax(FuzzInput& input) {
  Trial trial(input, "softmax");
  trial.says_why();
  const std::size_t way = input.below(3);
  trial.describe(way == 0 ? "two reductions" : way == 1 ? "online" : "split");
  const Matrix m = fuzz_rows(trial, 40, 4096);
  OnMatrices<T> launch = softmax_two_reductions<T>;
  OnViews<T> on_views;
  if (way == 0) {
    if (m.is_right && m.columns > kSoftmaxTile) trial.mistake(cudaErrorInvalidValue);
  } else if (way == 1) {
    launch = softmax<T>;
    on_views = [](auto... views) { return softmax_rows(views..., nullptr); };
  } else {
    const Workspace of = fuzz_workspace(trial, softmax_workspace<T>(m.rows, m.columns));
    launch = [of](auto x, auto y, auto rows, auto columns, auto stream) {
      return softmax_split(x, y, rows, columns, of.pointer, of.bytes, stream);
    };
    on_views = [of](auto... views) {
      return softmax_split(views..., of.pointer, of.bytes, nullptr);
    };
  }
  try_rows<T>(trial, m, launch, on_views, wrong_probability<T>);
}

template <class T>
std::ptrdiff_t wrong_running_sum(const std::vector<T>& x, const std::vector<T>& y) {
  const int depth = 40 + 3 * static_cast<int>(x.size() / 256);
  Sum sum;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum.add(x[i]);
    if (!sum.is(y[i], depth)) return static_cast<std::ptrdiff_t>(i);
  }
  return -1;
}

template <class T>
void try_cumsum(FuzzInput& input) {
  Trial trial(input, "cumsum");
  trial.says_why();
  const Matrix m = fuzz_rows(trial, 40, 4096);
  OnMatrices<T> launch = tutorial::cumsum<T>;
  OnViews<T> on_views = [](auto... views) { return cumsum_rows(views..., nullptr); };
  if (input.one_in(2)) {
    const Workspace of = fuzz_workspace(trial, cumsum_workspace<T>(m.rows, m.columns));
    launch = [of](auto x, auto y, auto rows, auto columns, auto stream) {
      return cumsum_split(x, y, rows, columns, of.pointer, of.bytes, stream);
    };
    on_views = [of](auto... views) {
      return cumsum_split(views..., of.pointer, of.bytes, nullptr);
    };
  }
  try_rows<T>(trial, m, launch, on_views, wrong_running_sum<T>);
}

/// NaN behind all numbers, -0 before +0.
template <class T>
bool in_order(T a, T b) {
  const double u = wide(a), v = wide(b);
  if (std::isnan(u) || std::isnan(v)) return !std::isnan(u) && std::isnan(v);
  return u < v || (u == v && std::signbit(u) && !std::signbit(v));
}

/// Where each element of the sorted row comes from.
template <class T>
std::vector<std::int32_t> sorted_places(const std::vector<T>& x) {
  std::vector<std::int32_t> places(x.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [&](std::int32_t a, std::int32_t b) {
    return in_order(x[static_cast<std::size_t>(a)], x[static_cast<std::size_t>(b)]);
  });
  return places;
}

template <class T>
void try_sort(FuzzInput& input) {
  Trial trial(input, "sort_rows");
  trial.says_why();
  const bool with_index = input.one_in(2);
  const Matrix m = fuzz_matrix(trial, 20, 300);
  if (m.is_right && m.columns > kSortTile) trial.mistake(cudaErrorInvalidValue);
  Operand<std::int32_t> index{};
  if (with_index) index = trial.out<std::int32_t>("index", m.held, 4, m.any);
  std::size_t row = 0;
  try_rows<T>(
      trial, m,
      [&](const T* x, T* y, std::int64_t rows, std::int64_t columns, cudaStream_t stream) {
        return with_index ? sort_rows(x, y, index.pointer, rows, columns, stream)
                          : sort_rows(x, y, rows, columns, stream);
      },
      [&](const auto& x, const auto& y) {
        const TensorView<std::int32_t> places = contiguous_view(index.pointer, {m.rows, m.columns});
        return with_index ? sort_rows(x, y, places, nullptr) : sort_rows(x, y, nullptr);
      },
      [&](const std::vector<T>& x, const std::vector<T>& y) {
        const std::vector<std::int32_t> places = sorted_places(x);
        const std::vector<std::int32_t> said =
            with_index ? trial.result(index) : std::vector<std::int32_t>();
        for (std::size_t i = 0; i < x.size(); ++i) {
          const bool is_right = same_value(x[static_cast<std::size_t>(places[i])], y[i]) &&
                                (!with_index || said[row * x.size() + i] == places[i]);
          if (!is_right) return static_cast<std::ptrdiff_t>(i);
        }
        ++row;
        return std::ptrdiff_t{-1};
      });
}

// ---- All of it ----------------------------------------------------------------------------------

template <class T>
void try_type(FuzzInput& input) {
  switch (input.below(10)) {
    case 0:
    case 1:
      return try_add<T>(input);
    case 2:
      return try_multiply_add<T>(input);
    case 3:
      return try_sum4<T>(input);
    case 4:
      return try_activation<T>(input);
    case 5:
      return try_bias<T>(input);
    case 6:
      return try_softmax<T>(input);
    case 7:
      return try_cumsum<T>(input);
    case 8:
      return try_reduce_views<T>(input);
    default:
      return try_reduce<T>(input);
  }
}

}  // namespace

void try_input(FuzzInput& input) {
  switch (input.below(11)) {
    case 0:
    case 1:
      return try_type<float>(input);
    case 2:
    case 3:
      return try_type<half>(input);
    case 4:
    case 5:
      return try_type<Bf16>(input);
    case 6:
      return try_add_to_float(input);
    case 7:
      return input.one_in(2) ? try_cumsum<std::int32_t>(input) : try_reduce<std::int32_t>(input);
    case 8:
      return try_sort<float>(input);
    case 9:
      return try_sort<half>(input);
    default:
      return try_sort<std::int32_t>(input);
  }
}

}  // namespace tutorial::fuzz
