// The operators on matrices: bias, reductions, softmax, running sums, sorted rows.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "06_primitives/launchers/batch.h"
#include "06_primitives/primitives.h"
#include "06_primitives/proof/primitives_reference.h"
#include "06_primitives/proof/test_data.h"
#include "common/launch.cuh"
#include "common/proof/worse.h"
#include "common/refusal.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

struct MatrixShape {
  std::int64_t rows, columns;
  std::size_t size() const { return static_cast<std::size_t>(rows * columns); }
  std::string text() const { return std::to_string(rows) + " x " + std::to_string(columns); }
};

/// Shapes that fill tiles, miss them by one, and some at random.
std::vector<MatrixShape> shapes(std::int64_t most_columns) {
  std::vector<MatrixShape> all = {{0, 0},    {0, 5},    {5, 0},    {1, 1},    {9, 1},    {1, 33},
                                  {5, 31},   {6, 32},   {3, 127},  {5, 128},  {2, 129},  {4, 256},
                                  {3, 512},  {5, 1000}, {5, 1024}, {3, 1025}, {2, 1536}, {3, 2048},
                                  {3, 4096}, {2, 4100}, {1, 8192}};
  std::mt19937 random(6);
  for (int i = 0; i < 12; ++i) {
    const std::int64_t rows = 1 + random() % 40, columns = 1 + random() % (i < 8 ? 300 : 3000);
    all.push_back({rows, columns});
  }
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const MatrixShape& s) { return s.columns > most_columns; }),
            all.end());
  return all;
}

/// Few enough for sums of rows to stay within a half's range.
constexpr int kExponents = 5;

template <class T>
using Rows = std::function<cudaError_t(const T*, T*, std::int64_t, std::int64_t, cudaStream_t)>;

/// Runs y = f(x), from an input that ends where its allocation ends into a guarded output; both
/// `offset` elements past an aligned address. in_place: y is x.
template <class T>
std::vector<T> run_matrix(const Rows<T>& launch, const std::vector<T>& x, MatrixShape shape,
                          std::size_t x_offset, std::size_t y_offset, bool in_place) {
  const ExactBuffer<T> in(x, x_offset);
  GuardedBuffer<T> out(x.size(), y_offset);
  if (in_place) out.upload(x);
  require_success(
      launch(in_place ? out.data() : in.data(), out.data(), shape.rows, shape.columns, nullptr),
      "launch");
  require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  if (!out.intact()) throw std::runtime_error(out.damage());
  return out.download();
}

template <class T>
std::vector<T> run_matrix(const Rows<T>& launch, const std::vector<T>& x, MatrixShape shape,
                          std::size_t offset = 0, bool in_place = false) {
  return run_matrix<T>(launch, x, shape, offset, offset, in_place);
}

/// Whether the results of one row are right.
template <class T>
using RowJudge = std::function<bool(const T* y)>;

/// The judge of a row that holds x. It is made once for all launches on that row.
template <class T>
using JudgeOf = std::function<RowJudge<T>(const std::vector<T>& x)>;

/// One judge for each row of x.
template <class T>
std::vector<RowJudge<T>> judges_of(const JudgeOf<T>& judge_of, const std::vector<T>& x,
                                   std::int64_t columns) {
  std::vector<RowJudge<T>> judges;
  for (auto row = x.begin(); row != x.end(); row += columns) {
    judges.push_back(judge_of({row, row + columns}));
  }
  return judges;
}

template <class T>
int wrong_rows(const std::vector<RowJudge<T>>& judges, const T* y, std::int64_t columns) {
  int wrong = 0;
  for (const RowJudge<T>& is_right : judges) {
    if (!is_right(y)) ++wrong;
    y += columns;
  }
  return wrong;
}

/// The rows of aligned and misaligned matrices, also in place.
constexpr std::initializer_list<std::size_t> kAligned = {0}, kNotAligned = {1},
                                             kAlignedAndNot = {0, 1};
template <class T>
void check_rows(const Rows<T>& launch, const std::vector<MatrixShape>& all,
                const JudgeOf<T>& judge_of,
                std::initializer_list<std::size_t> offsets = kAlignedAndNot, unsigned seed = 1) {
  for (const MatrixShape& shape : all) {
    const std::vector<T> x = random_values<T>(kExponents, shape.size(), seed++);
    const std::vector<RowJudge<T>> judges = judges_of(judge_of, x, shape.columns);
    for (const std::size_t offset : offsets) {
      INFO(shape.text() << ", offset " << offset);
      const std::vector<T> y = run_matrix<T>(launch, x, shape, offset, seed % 2 == 0);
      CHECK(wrong_rows(judges, y.data(), shape.columns) == 0);
    }
  }
}

/// The same of matrices whose kernel follows from their many rows. On the executor three of these rows show what it does.
template <class T, class OfBatch>
void check_batches(const OfBatch& of_batch, const std::vector<MatrixShape>& all,
                   const JudgeOf<T>& judge_of,
                   std::initializer_list<std::size_t> offsets = kAlignedAndNot) {
#if defined(TUTORIAL_BACKEND_CPU)
  constexpr std::int64_t kRows = 3;
#else
  constexpr std::int64_t kRows = std::numeric_limits<std::int64_t>::max();
#endif
  unsigned seed = 1;
  for (const MatrixShape& shape : all) {
    INFO("of a batch of " << shape.rows);
    check_rows<T>(of_batch(shape.rows), {{std::min(shape.rows, kRows), shape.columns}}, judge_of,
                  offsets, seed++);
  }
}

/// Results that may be off by so much each.
struct Within {
  std::vector<double> expected, bound;

  explicit Within(std::size_t columns) : expected(columns), bound(columns) {}

  /// The largest error, as a part of its bound.
  template <class T>
  double error(const T* y) const {
    double worst = 0.0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      worst = worse(worst, std::fabs(number(y[i]) - expected[i]) / bound[i]);
    }
    return worst;
  }

  template <class T>
  bool operator()(const T* y) const {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (!(std::fabs(number(y[i]) - expected[i]) <= bound[i])) return false;
    }
    return true;
  }
};

/// What every launcher on matrices refuses, and that it then writes nothing.
template <class T>
void check_refusals(const Rows<T>& launch) {
  const GuardedBuffer<T> x(random_values<T>(kExponents, 64, 3)), y(std::size_t{64});
  CHECK(launch(x.data(), y.data(), -1, 8, nullptr) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "a matrix of -1 x 8 has a negative size");
  CHECK(launch(x.data(), y.data(), 8, -1, nullptr) == cudaErrorInvalidValue);
  CHECK(launch(x.data(), y.data(), std::int64_t{1} << 32, std::int64_t{1} << 31, nullptr) ==
        cudaErrorInvalidValue);
  CHECK(last_refusal() == "a matrix of 4294967296 x 2147483648 has 2^63 elements or more");
  CHECK(launch(nullptr, y.data(), 8, 8, nullptr) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "x is a null pointer");
  CHECK(launch(x.data(), nullptr, 8, 8, nullptr) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "y is a null pointer");
  const auto odd = [](const GuardedBuffer<T>& buffer) {
    return reinterpret_cast<T*>(reinterpret_cast<char*>(buffer.data()) + 1);
  };
  CHECK(launch(odd(x), y.data(), 2, 8, nullptr) == cudaErrorMisalignedAddress);
  CHECK(launch(x.data(), odd(y), 2, 8, nullptr) == cudaErrorMisalignedAddress);
  CHECK(last_refusal() == "y is not aligned to " + std::to_string(sizeof(T)) + " bytes");
  CHECK(launch(nullptr, nullptr, 0, 0, nullptr) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(y.untouched());
  CHECK(y.intact());
}

/// What a launcher on the rows of a matrix promises. Its n is the number of rows, of `columns`
/// elements each.
template <class T>
Promises promises_of(const Rows<T>& launch, std::int64_t columns, const JudgeOf<T>& judge_of) {
  Promises promises;
  promises.sizes = {0, 1, 2, 3, 9};
  const std::int64_t most = promises.sizes.back();
  // Of long rows two: every offset is tried, so that the second begins where any other would.
  promises.any_size = columns > kSoftmaxTile ? 2 : most;
  promises.row_elements = columns;
  const auto in_row = static_cast<std::size_t>(columns);
  const std::vector<T> values =
      random_values<T>(kExponents, static_cast<std::size_t>(most) * in_row, 4);
  promises.inputs = {input_array("x", values, alignof(T), true)};
  promises.out_element_bytes = sizeof(T);
  promises.out_alignment = alignof(T);
  promises.out_bytes = [in_row](std::int64_t n) {
    return static_cast<std::size_t>(n) * in_row * sizeof(T);
  };
  promises.launch = [=](const std::vector<const void*>& inputs, void* output, std::int64_t n,
                        cudaStream_t stream) {
    return launch(static_cast<const T*>(inputs[0]), static_cast<T*>(output), n, columns, stream);
  };
  if (judge_of == nullptr) return promises;
  promises.judge = [judges = judges_of(judge_of, values, columns), columns](
                       const unsigned char* output, std::int64_t n) -> std::string {
    for (std::int64_t row = 0; row < n; ++row) {
      if (!judges[static_cast<std::size_t>(row)](reinterpret_cast<const T*>(output) +
                                                 row * columns)) {
        return "row " + std::to_string(row) + " is wrong";
      }
    }
    return "";
  };
  return promises;
}

/// Every offset of x against every other of y, modulo 16 bytes, at lengths around a pack, two and the tiles
/// of the kernels; in place where they are the same.
template <class T>
void check_offsets(const Rows<T>& launch, const JudgeOf<T>& judge_of) {
  constexpr std::size_t kPack = 16 / sizeof(T);
  for (const std::int64_t columns : {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 263, 515, 1031}) {
    const MatrixShape shape{columns < 100 ? 9 : 2, columns};
    const std::vector<T> x = random_values<T>(kExponents, shape.size(), 5);
    const std::vector<RowJudge<T>> judges = judges_of(judge_of, x, columns);
    for (std::size_t x_offset = 0; x_offset < kPack; ++x_offset) {
      for (std::size_t y_offset = 0; y_offset < kPack; ++y_offset) {
        if (columns > 100 && x_offset % 3 + y_offset % 3 > 0) continue;
        INFO(shape.text() << ", x at " << x_offset << ", y at " << y_offset);
        const bool in_place = x_offset == y_offset && columns % 2 == 1;
        const std::vector<T> y = run_matrix<T>(launch, x, shape, x_offset, y_offset, in_place);
        CHECK(wrong_rows(judges, y.data(), columns) == 0);
      }
    }
  }
}

template <class T>
void check_row_promises(const Rows<T>& launch, const JudgeOf<T>& judge_of) {
  check_refusals(launch);
  check_offsets(launch, judge_of);
  for (const std::int64_t columns : {33, 1024}) {
    check_promises(std::to_string(columns) + " columns", promises_of(launch, columns, judge_of));
  }
}

// ---- Bias -------------------------------------------------------------------------------------

template <class T>
using Bias = cudaError_t (*)(const T*, const T*, T*, std::int64_t, std::int64_t, cudaStream_t);

template <class T>
void check_bias(Bias<T> launch) {
  const std::vector<T> bias = random_values<T>(kExponents, 20000, 99);
  for (const std::size_t offset : {0u, 1u}) {
    const GuardedBuffer<T> term(bias, offset);
    const Rows<T> add = [&](const T* x, T* y, std::int64_t rows, std::int64_t columns,
                            cudaStream_t stream) {
      return launch(x, term.data(), y, rows, columns, stream);
    };
    const JudgeOf<T> judge_of = [&](const std::vector<T>& x) {
      std::vector<T> sums;
      for (std::size_t i = 0; i < x.size(); ++i) {
        sums.push_back(from_double<T>(to_double(x[i]) + to_double(bias[i])));
      }
      return [sums](const T* y) { return std::equal(sums.begin(), sums.end(), y, same_bits<T>); };
    };
    std::vector<MatrixShape> all = shapes(8192);  // and both sides of where few rows end
    for (const MatrixShape& s : {MatrixShape{256, 1024}, {257, 1024}, {300, 1032}}) {
      all.push_back(s);
    }
    check_rows<T>(add, all, judge_of);
    check_row_promises<T>(add, judge_of);
  }
  const GuardedBuffer<T> x(random_values<T>(kExponents, 16, 1)), y(std::size_t{16});
  CHECK(launch(x.data(), nullptr, y.data(), 4, 4, nullptr) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "bias is a null pointer");
  CHECK(y.untouched());
}

/// Packs that end in another row than they begin in, or in the one after that, and begin and end near either end of the
/// bias; x, bias and y at every place of a pack.
template <class T>
void check_bias_anywhere() {
  constexpr std::size_t kPack = 16 / sizeof(T);
  for (const std::int64_t columns : {1, 3, 5, 8, 9, 17, 31, 33, 100}) {
    const std::int64_t rows = columns == 100 ? 1350 : 257;
    const std::vector<T> x =
        random_values<T>(kExponents, static_cast<std::size_t>(rows * columns), 3);
    const std::vector<T> bias = random_values<T>(kExponents, static_cast<std::size_t>(columns), 4);
    std::vector<T> sums;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const T term = bias[i % static_cast<std::size_t>(columns)];
      sums.push_back(from_double<T>(to_double(x[i]) + to_double(term)));
    }
    for (std::size_t k = 0; k < kPack * kPack; ++k) {
      const GuardedBuffer<T> from(x, k), term(bias, k / kPack), to(x.size(), 3 * k + 1);
      CAPTURE(columns, k);
      REQUIRE(bias_add_cycle(from.data(), term.data(), to.data(), rows, columns, nullptr) ==
              cudaSuccess);
      const std::vector<T> y = to.download();
      CHECK(std::equal(sums.begin(), sums.end(), y.begin(), same_bits<T>));
      CHECK(to.intact());
    }
  }
}

// ---- Reductions -------------------------------------------------------------------------------

/// Shapes whose parts are reduced by two kernels, and rows that are whole tiles of 64 KiB or nearly,
/// besides the others.
std::vector<MatrixShape> reduction_shapes(Dimension dimension) {
  std::vector<MatrixShape> all = shapes(4100);
  if (dimension == Dimension::inner) {
    for (const MatrixShape& s : {MatrixShape{2, 70001},
                                 {1, 65536},
                                 {3, 40000},
                                 {2, 16384},
                                 {3, 32768},
                                 {2, 32752},
                                 {2, 32776},
                                 {4099, 8},  // too many rows for the kernel that begins sooner
                                 {4099, 40}}) {
      all.push_back(s);
    }
  } else {
    for (const MatrixShape& s : {MatrixShape{5003, 8},
                                 {9000, 3},
                                 {70001, 1},
                                 {2500, 40},
                                 {1100, 128},
                                 {640, 260},
                                 {3, 16384}}) {
      all.push_back(s);
    }
  }
  return all;
}

template <class T>
std::vector<T> run_reduce(Reduction reduction, Dimension dimension, const std::vector<T>& x,
                          MatrixShape shape, std::size_t x_offset, std::size_t y_offset,
                          std::int64_t blocks) {
  const ExactBuffer<T> in(x, x_offset);
  const std::size_t bytes = reduce_workspace<T>(dimension, shape.rows, shape.columns, blocks);
  const GuardedBuffer<unsigned char> workspace(bytes);
  const auto results = dimension == Dimension::inner ? shape.rows : shape.columns;
  const GuardedBuffer<T> out(static_cast<std::size_t>(results), y_offset);
  require_success(reduce(reduction, dimension, in.data(), out.data(), shape.rows, shape.columns,
                         bytes > 0 ? workspace.data() : nullptr, bytes, nullptr, blocks),
                  "reduce");
  require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  if (!out.intact()) throw std::runtime_error(out.damage());
  if (!workspace.intact()) throw std::runtime_error("workspace: " + workspace.damage());
  return out.download();
}

template <class T>
std::vector<T> run_reduce(Reduction reduction, Dimension dimension, const std::vector<T>& x,
                          MatrixShape shape, std::size_t offset = 0) {
  return run_reduce(reduction, dimension, x, shape, offset, offset, kReduceBlocks);
}

/// check(values that belong together, their result)
template <class T, class Check>
void for_each_reduced(Dimension dimension, const std::vector<T>& x, MatrixShape shape,
                      const std::vector<T>& y, Check check) {
  const bool inner = dimension == Dimension::inner;
  const std::int64_t length = inner ? shape.columns : shape.rows;
  for (std::size_t i = 0; i < y.size(); ++i) {
    std::vector<T> values;
    for (std::int64_t k = 0; k < length; ++k) {
      const auto at = static_cast<std::int64_t>(i);
      values.push_back(
          x[static_cast<std::size_t>(inner ? at * shape.columns + k : k * shape.columns + at)]);
    }
    check(values, y[i]);
  }
}

/// The additions on the way of one element into a sum, at most. Inner: a thread adds its registers
/// in a tree, tile after tile of 512 elements or more, then 512 threads in a tree; outer: four rows
/// or more in a tree, step after step. With two kernels there are two such sums, of fewer elements.
///
/// 700 steps: more than any thread has here, for many threads share a column of so many rows. 40: a tree over 64
/// registers and one over 512 threads have 15 levels, twice; and 10 for what lies beside whole packs.
int depth_of(Dimension dimension, std::size_t length) {
  const auto steps = static_cast<int>(length / (dimension == Dimension::inner ? 512 : 4));
  return std::min(steps, 700) + 40;
}

/// Where x begins behind sixteen bytes, and the argument `blocks`.
struct Cut {
  std::size_t offset;
  std::int64_t blocks;
};

/// Along columns also one block fewer than the default, which alone takes ReduceShortColumns.
std::vector<Cut> cuts_along(Dimension dimension, std::size_t offset) {
  std::vector<Cut> all = {{0, kReduceBlocks}, {offset, kReduceBlocks}};
  if (dimension == Dimension::outer) all.push_back({0, kReduceBlocks - 1});
  return all;
}

template <class T>
void check_sums(Dimension dimension) {
  unsigned seed = 20;
  for (const MatrixShape& shape : reduction_shapes(dimension)) {
    const std::vector<T> x = random_values<T>(kExponents, shape.size(), seed++);
    for (const Cut& cut : cuts_along(dimension, 1)) {
      INFO(shape.text() << ", offset " << cut.offset << ", " << cut.blocks << " blocks");
      int wrong = 0;
      const std::vector<T> y =
          run_reduce(Reduction::sum, dimension, x, shape, cut.offset, cut.offset, cut.blocks);
      for_each_reduced(dimension, x, shape, y, [&](const std::vector<T>& values, T result) {
        ExactSum sum;
        for (const T v : values) sum.add(to_double(v));
        const double bound = sum_bound(depth_of(dimension, values.size()), sum.magnitudes) +
                             (std::is_same_v<T, float> ? 0.0 : 0.51 * ulp<T>(sum.value()));
        if (!(std::fabs(to_double(result) - sum.value()) <= bound)) ++wrong;
      });
      CHECK(wrong == 0);
    }
  }
}

void check_integer_reductions(Dimension dimension) {
  unsigned seed = 50;
  for (const MatrixShape& shape : reduction_shapes(dimension)) {
    const std::vector<std::int32_t> x =
        random_values<std::int32_t>(kExponents, shape.size(), seed++);
    for (const auto& [offset, blocks] : cuts_along(dimension, 3)) {
      INFO(shape.text() << ", offset " << offset << ", " << blocks << " blocks");
      int wrong = 0;
      for_each_reduced(dimension, x, shape,
                       run_reduce(Reduction::sum, dimension, x, shape, offset, offset, blocks),
                       [&](const std::vector<std::int32_t>& values, std::int32_t result) {
                         std::uint32_t sum = 0;
                         for (const std::int32_t v : values) sum += static_cast<std::uint32_t>(v);
                         if (static_cast<std::uint32_t>(result) != sum) ++wrong;
                       });
      const std::vector<std::int32_t> largest =  // only one of x and y is aligned to 16 bytes
          run_reduce(Reduction::max, dimension, x, shape, offset, 3 - offset, blocks);
      for_each_reduced(dimension, x, shape, largest,
                       [&](const std::vector<std::int32_t>& values, std::int32_t result) {
                         std::int32_t most = std::numeric_limits<std::int32_t>::lowest();
                         for (const std::int32_t v : values) most = std::max(most, v);
                         if (result != most) ++wrong;
                       });
      CHECK(wrong == 0);
    }
  }
}

/// A NaN, an infinity, and infinities of both signs, wherever in the matrix: they show in the
/// results that they belong to and in no other.
template <class T>
void check_special_reductions(Dimension dimension, MatrixShape shape) {
  INFO(shape.text());
  std::mt19937 random(8);
  for (int trial = 0; trial < 6; ++trial) {
    std::vector<T> x = random_values<T>(kExponents, shape.size(), 70);
    const auto place = [&](float value) { x[random() % x.size()] = make<T>(value); };
    if (trial % 3 == 0) place(kNaN);
    if (trial % 3 != 0) place(kInfinity);
    if (trial % 3 == 2) place(-kInfinity);
    int wrong = 0;
    const auto judge = [&](Reduction reduction) {
      for_each_reduced(dimension, x, shape, run_reduce(reduction, dimension, x, shape),
                       [&](const std::vector<T>& values, T result) {
                         double sum = 0, most = -kInfinity;
                         for (const T v : values) {
                           sum += to_double(v);
                           most = std::isnan(to_double(v)) || std::isnan(most)
                                      ? kNaN
                                      : std::max(most, to_double(v));
                         }
                         const double r = to_double(result);
                         const double wanted = reduction == Reduction::sum ? sum : most;
                         if (std::isnan(wanted) != std::isnan(r)) ++wrong;
                         if (std::isinf(wanted) && wanted != r) ++wrong;
                         if (reduction == Reduction::max && !std::isnan(r) && r != wanted) ++wrong;
                         if (std::isfinite(wanted) != std::isfinite(r)) ++wrong;
                       });
    };
    judge(Reduction::sum);
    judge(Reduction::max);
    CHECK(wrong == 0);
  }
}

/// launch(x, y, rows, columns, workspace, bytes, stream) with a workspace of bytes_of(rows, columns),
/// and no more: a new one each time. A launch that is captured gets the last one, which must be of its
/// size: a capture allows no allocation, and the memory must be there when the graph is launched.
template <class T, class BytesOf, class Launch>
Rows<T> with_workspace(BytesOf bytes_of, Launch launch) {
  using Workspace = GuardedBuffer<unsigned char>;
  const auto last = std::make_shared<std::unique_ptr<Workspace>>();
  return [=](const T* x, T* y, std::int64_t rows, std::int64_t columns, cudaStream_t stream) {
    const std::size_t bytes = bytes_of(rows, columns);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    require_success(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
    const bool is_captured = status != cudaStreamCaptureStatusNone;
    if (!is_captured) *last = std::make_unique<Workspace>(bytes);
    const Workspace& workspace = **last;
    if (workspace.size() != bytes) throw std::runtime_error("no workspace for a captured launch");
    const cudaError_t error =
        launch(x, y, rows, columns, bytes > 0 ? workspace.data() : nullptr, bytes, stream);
    if (is_captured || error != cudaSuccess) return error;
    require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    if (!workspace.intact()) throw std::runtime_error("workspace: " + workspace.damage());
    return error;
  };
}

template <class T>
Rows<T> as_rows(Reduction reduction, Dimension dimension) {
  return with_workspace<T>(
      [=](std::int64_t rows, std::int64_t columns) {
        return reduce_workspace<T>(dimension, rows, columns);
      },
      [=](const T* x, T* y, std::int64_t rows, std::int64_t columns, void* workspace,
          std::size_t bytes, cudaStream_t stream) {
        return reduce(reduction, dimension, x, y, rows, columns, workspace, bytes, stream);
      });
}

// ---- Softmax ----------------------------------------------------------------------------------

template <class T>
Within softmax_of(const std::vector<T>& x) {
  Within row(x.size());
  if (x.empty()) return row;
  std::vector<double> wide(x.size());
  std::transform(x.begin(), x.end(), wide.begin(), [](T v) { return to_double(v); });
  row.expected = softmax_reference(wide);
  const double max = *std::max_element(wide.begin(), wide.end());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double rounding = std::is_same_v<T, float> ? 0.0 : 0.51 * ulp<T>(row.expected[i]);
    row.bound[i] =
        softmax_bound(wide[i], max, row.expected[i], static_cast<double>(x.size())) + rounding;
  }
  return row;
}

template <class T>
void check_softmax(const Rows<T>& launch, const std::vector<MatrixShape>& all,
                   std::initializer_list<std::size_t> offsets = kAlignedAndNot) {
  check_rows<T>(launch, all, softmax_of<T>, offsets);
}

/// Besides the others, rows of floats that 512 threads share, and their neighbours.
std::vector<MatrixShape> softmax_shapes() {
  std::vector<MatrixShape> all = shapes(8192);
  for (const std::int64_t columns : {2052, 2304, 3840, 4352}) all.push_back({2, columns});
  return all;
}

std::vector<MatrixShape> with_long_rows() {
  std::vector<MatrixShape> all = softmax_shapes();
  for (const std::int64_t columns : {16384, 16385, 16392, 20000, 24576})
    all.push_back({1, columns});
  all.push_back({3, 16376});
  return all;
}

/// Rows of one kind each; `y` must be as `softmax_reference` says: NaN everywhere, or
/// probabilities.
template <class T>
void check_softmax_ends(const Rows<T>& launch, std::int64_t columns) {
  INFO(columns << " columns");
  const auto at = static_cast<std::size_t>(columns);
  const std::size_t last = at - 1;
  std::vector<std::vector<T>> rows(9, random_values<T>(kExponents, at, 31));
  rows[1][last] = make<T>(kNaN);
  rows[2][at / 2] = make<T>(kInfinity);
  rows[3].assign(at, make<T>(-kInfinity));
  rows[4].assign(at, make<T>(-kInfinity));
  rows[4][last] = make<T>(-5.0);
  for (std::size_t i = 0; i < at; i += 2) rows[5][i] = make<T>(-kInfinity);
  rows[6].assign(at, make<T>(6e4));  // differences of nothing, sums of large numbers
  rows[7].assign(at, make<T>(-6e4));
  rows[8].assign(at, make<T>(-6e4));
  rows[8][0] = make<T>(6e4);
  std::vector<T> x;
  for (const std::vector<T>& row : rows) x.insert(x.end(), row.begin(), row.end());
  const MatrixShape shape{static_cast<std::int64_t>(rows.size()), columns};
  const std::vector<T> y = run_matrix<T>(launch, x, shape);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<double> wide(at);
    std::transform(rows[r].begin(), rows[r].end(), wide.begin(), [](T v) { return to_double(v); });
    const std::vector<double> expected = softmax_reference(wide);
    int wrong = 0;
    for (std::size_t i = 0; i < at; ++i) {
      const double actual = to_double(y[r * at + i]);
      const bool right =
          std::isnan(expected[i])
              ? std::isnan(actual)
              : std::fabs(actual - expected[i]) <= 1e-4 * expected[i] + 0.51 * ulp<T>(expected[i]);
      if (!right) ++wrong;
    }
    INFO("row " << r);
    CHECK(wrong == 0);
  }
}

template <class T>
Rows<T> split() {
  return with_workspace<T>(
      [](std::int64_t rows, std::int64_t columns) { return softmax_workspace<T>(rows, columns); },
      [](auto... arguments) { return softmax_split<T>(arguments...); });
}

template <class T>
Rows<T> split_of_batch(std::int64_t batch) {
  return with_workspace<T>(
      [](std::int64_t rows, std::int64_t columns) { return softmax_workspace<T>(rows, columns); },
      [batch](auto... arguments) { return softmax_split_of_batch<T>(batch, arguments...); });
}

template <class T>
Rows<T> of_batch(std::int64_t batch) {
  return [batch](auto... arguments) { return softmax_of_batch<T>(batch, arguments...); };
}

/// Rows at the ends of what is split, of parts of one tile and of two, and neighbours of whole tiles.
template <class T>
void check_softmax_split() {
  constexpr std::int64_t kTile = 2048;
  check_softmax<T>(split<T>(), {{1, kSoftmaxTile},
                                {1, kSoftmaxTile + 1},
                                {2, 5 * kTile},
                                {3, 5 * kTile - 1},
                                {2, 5 * kTile + 8},
                                {2, 9 * kTile},
                                {2, 33 * kTile},
                                {2, 33 * kTile + 8},
                                {5, 40 * kTile + 7},
                                {1, 256 * kTile + 8},
                                {1, 512 * kTile},
                                {1, 256 * kTile},
                                {1, 257 * kTile + 3}});
  check_batches<T>(split_of_batch<T>,
                   {{32, kSoftmaxTile + 8},
                    {33, kSoftmaxTile + 8},
                    {64, kSoftmaxTile + 9},
                    {65, kSoftmaxTile + 8}},
                   softmax_of<T>);
  const MatrixShape shape{2, 20001};
  const std::vector<T> x = random_values<T>(kExponents, shape.size(), 5);
  const std::vector<T> y = run_matrix<T>(split<T>(), x, shape);
  for (const std::size_t offset : {0u, 1u, 3u}) {  // x and y begin differently
    const std::vector<T> z = run_matrix<T>(split<T>(), x, shape, offset, offset + 1, false);
    CHECK(softmax_of<T>({x.begin(), x.begin() + 20001}).error(z.data()) <= 1.0);
  }
  CHECK(run_matrix<T>(split<T>(), x, shape) == y);
}

/// Rows in shares of so many KiB. The last block has three packs less.
template <class T>
MatrixShape in_shares(std::int64_t blocks, std::int64_t kib) {
  const std::int64_t packs = blocks * kib * 64 - 3;
  return {2, packs * 16 / static_cast<std::int64_t>(sizeof(T))};
}

/// Rows from anywhere in clusters: each begins elsewhere in a pack than the one before it. Shares of every form, and held with
/// two packs a thread and with four.
template <class T>
void check_softmax_any_clusters() {
  const std::int64_t pack = 16 / static_cast<std::int64_t>(sizeof(T)), kib = 64 * pack;
  check_softmax<T>(softmax<T>, {{3, 8 * 75 * kib - 1},
                                {3, 8 * 75 * kib + 1},
                                {2, 8 * 113 * kib + 3},
                                {3, 1025 * pack - 1},
                                {3, 1500 * pack + 1},
                                {3, 2047 * pack + 1},
                                {2, 8192 * pack + 1}});
  check_softmax<T>(softmax<T>, {{1, 8 * 331 * kib + 3}}, kNotAligned);
  std::vector<MatrixShape> batches = {{128, kSoftmaxTile + 3}, {512, 41 * kib + 1}};
  if (sizeof(T) == 4) batches.push_back({16, 8 * 130 * kib + 5});  // a part in registers
  if (sizeof(T) == 2) {
    batches.push_back({511, 33 * kib + 1});
    batches.push_back({512, 33 * kib + 1});
  }
  check_batches<T>(of_batch<T>, batches, softmax_of<T>);
  check_softmax_ends<T>(softmax<T>, 40 * kib * 4 + 1);
  check_softmax_ends<T>(softmax<T>, 1700 * pack + 1);
}

/// Rows of whole packs at the ends of what clusters of 1, 2, 4 and 8 blocks take, with the last block's share
/// full, nearly full and short.
template <class T>
void check_softmax_clusters() {
  const std::int64_t pack = 16 / static_cast<std::int64_t>(sizeof(T)), kib = 64 * pack;
  std::vector<MatrixShape> all;
  for (const std::int64_t share : {75, 112, 144}) {
    const std::int64_t columns = 8 * share * kib;
    for (const std::int64_t packs : {-1, 0, 1}) all.push_back({2, columns + packs * pack});
  }
  for (const std::int64_t share : {33, 76, 113}) all.push_back(in_shares<T>(8, share));
  std::vector<MatrixShape> batches;
  if (sizeof(T) == 4) batches.push_back({16, in_shares<T>(8, 130).columns});  // a part in registers
  // Clusters of one, two and four blocks.
  if (sizeof(T) == 4) {
    batches.push_back({128, 75 * kib});
    batches.push_back({97, 80 * kib});
  }
  if (std::is_same_v<T, half>) batches.push_back({128, 75 * kib + pack});
  if (sizeof(T) == 2) batches.push_back({97, 40 * kib + pack});
  for (const std::int64_t rows : {127, 128}) batches.push_back({rows, kSoftmaxTile + pack});
  if (sizeof(T) == 4) {  // 32,768 fill a block, one pack more does not
    for (const std::int64_t more : {std::int64_t{0}, pack}) batches.push_back({128, 32768 + more});
  }
  // What a block's shared memory holds, and what it holds with the registers of 512 threads.
  for (const std::int64_t more : {std::int64_t{0}, pack}) all.push_back({1, 8 * 220 * kib + more});
  all.push_back({1, 8 * (220 + 112) * kib});
  for (const std::int64_t blocks : {8, 16}) {
    if (sizeof(T) == 4) all.push_back({1, blocks * (220 + 112) * kib + pack});
  }
  // Held in registers: two packs a thread and four, of eight blocks and of four, whose last has less.
  for (const MatrixShape& s : {MatrixShape{1, 1024},
                               {1, 1025},
                               {3, 2048},
                               {2, 2049},
                               {2, 4095},
                               {1, 4097},
                               {2, 8185},
                               {1, 8192},
                               {1, 8193}}) {
    all.push_back({s.rows, s.columns * pack});
  }
  for (const std::int64_t rows : {33, 48}) batches.push_back({rows, 2057 * pack});
  check_softmax<T>(softmax<T>, all, kAligned);  // others are no cluster's
  check_batches<T>(of_batch<T>, batches, softmax_of<T>, kAligned);
  check_softmax_ends<T>(softmax<T>, 40 * kib * 4);
  check_softmax_ends<T>(softmax<T>, 1700 * pack);
}

template <class T>
void check_softmax_type() {
  const Rows<T> online = softmax<T>, two = softmax_two_reductions<T>;
  check_softmax<T>(online, with_long_rows());
  check_softmax<T>(two, softmax_shapes());
  check_softmax_split<T>();
  check_softmax_clusters<T>();
  check_softmax_any_clusters<T>();
}

template <class T>
void check_softmax_kinds() {
  const Rows<T> online = softmax<T>, two = softmax_two_reductions<T>;
  for (const std::int64_t columns : {7, 512, 1000, 4096}) {
    check_softmax_ends<T>(online, columns);
    check_softmax_ends<T>(two, columns);
  }
  check_softmax_ends<T>(online, 16500);
  check_softmax_ends<T>(split<T>(), 16500);
}

template <class T>
void check_softmax_promises() {
  check_row_promises<T>(softmax<T>, softmax_of<T>);
  check_row_promises<T>(softmax_two_reductions<T>, softmax_of<T>);
  // Held by a cluster, rows from anywhere and whole packs; and in parts of both.
  for (const std::int64_t columns : {16501, 16504, 49160, 49165}) {
    if (columns > 49000 && sizeof(T) == 2) continue;  // held as well
    check_promises(std::to_string(columns) + " columns",
                   promises_of<T>(split<T>(), columns, softmax_of<T>));
  }
}

// ---- Running sums -----------------------------------------------------------------------------

/// The additions on the way of one element into an output: within a vector, over the lanes, over
/// the warps and rounds, and three for each tile of 256 or more that came before.
int cumsum_depth(std::size_t columns) { return 40 + 3 * static_cast<int>(columns / 256); }

template <class T>
RowJudge<T> running_sums_of(const std::vector<T>& x) {
  if constexpr (std::is_integral_v<T>) {
    std::vector<T> sums;
    std::uint32_t sum = 0;
    for (const T v : x) sums.push_back(static_cast<T>(sum += static_cast<std::uint32_t>(v)));
    return [sums](const T* y) { return std::equal(sums.begin(), sums.end(), y); };
  } else {
    Within row(x.size());
    ExactSum sum;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum.add(to_double(x[i]));
      row.expected[i] = sum.value();
      const double rounding = std::is_same_v<T, float> ? 0.0 : 0.51 * ulp<T>(sum.value());
      row.bound[i] = sum_bound(cumsum_depth(x.size()), sum.magnitudes) + rounding;
    }
    return row;
  }
}

template <class T>
Rows<T> split_cumsum() {
  return with_workspace<T>(
      [](std::int64_t rows, std::int64_t columns) { return cumsum_workspace<T>(rows, columns); },
      [](auto... arguments) { return cumsum_split<T>(arguments...); });
}

template <class T>
Rows<T> split_cumsum_of_batch(std::int64_t batch) {
  return with_workspace<T>(
      [](std::int64_t rows, std::int64_t columns) { return cumsum_workspace<T>(rows, columns); },
      [batch](auto... arguments) { return cumsum_split_of_batch<T>(batch, arguments...); });
}

template <class T>
Rows<T> cumsum_of(std::int64_t batch) {
  return [batch](auto... arguments) { return cumsum_of_batch<T>(batch, arguments...); };
}

template <class T>
void check_cumsum() {
  std::vector<MatrixShape> all = shapes(8192);
  for (const MatrixShape& s : {MatrixShape{1, 20000}, {2, 12289}, {5, 3072}}) all.push_back(s);
  check_rows<T>(tutorial::cumsum<T>, all, running_sums_of<T>);
  // Ends of what is cut, parts of one tile and of two, whole tiles and their neighbours.
  check_rows<T>(split_cumsum<T>(),
                {{1, 16384}, {2, 20480}, {2, 40960}, {2, 70001}, {1, 256 * 2048 + 8}},
                running_sums_of<T>);
  // Clusters of four and of eight, whose last blocks have less; and in shared memory, the shortest rows, in eight blocks and
  // in four, 17 tiles in eight, and the most that these hold.
  constexpr std::int64_t kPack = 16 / sizeof(T), kMost = 8 * (220 << 10) / sizeof(T);
  check_rows<T>(tutorial::cumsum<T>,
                {{1, 8200},
                 {2, 16384},
                 {1, 16392},
                 {3, 32768},
                 {2, 32768 + kPack},
                 {2, (8 * 1024 + 1) * kPack},
                 {2, (16 * 1024 + 1) * kPack},
                 {1, kMost}},
                running_sums_of<T>, kAligned);
  check_batches<T>(cumsum_of<T>, {{sizeof(T) == 4 ? 129 : 65, (4 * 1024 + 1) * kPack}},
                   running_sums_of<T>, kAligned);
}

template <class T>
void check_cumsum_parts() {
  check_rows<T>(split_cumsum<T>(), {{1, 16385}, {3, 20481}}, running_sums_of<T>);
  check_batches<T>(split_cumsum_of_batch<T>, {{32, 16392}, {33, 16392}}, running_sums_of<T>);
  const MatrixShape shape{2, 20001};  // x and y begin differently; the same bits every time
  const std::vector<T> x = random_values<T>(kExponents, shape.size(), 5);
  const std::vector<T> y = run_matrix<T>(split_cumsum<T>(), x, shape, 1, 2, false);
  CHECK(running_sums_of<T>({x.begin(), x.begin() + 20001})(y.data()));
  CHECK(run_matrix<T>(split_cumsum<T>(), x, shape, 1, 2, false) == y);
}

template <class T>
void check_cumsum_promises() {
  check_row_promises<T>(tutorial::cumsum<T>, running_sums_of<T>);
  check_row_promises<T>(split_cumsum<T>(), running_sums_of<T>);
  check_promises("16500 columns", promises_of<T>(split_cumsum<T>(), 16500, running_sums_of<T>));
}

// ---- Sorted rows ------------------------------------------------------------------------------

/// NaN behind all numbers, -0 before +0.
template <class T>
bool in_order(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return a < b;
  } else {
    const double u = to_double(a), v = to_double(b);
    if (std::isnan(u) || std::isnan(v)) return !std::isnan(u) && std::isnan(v);
    return u < v || (u == v && std::signbit(u) && !std::signbit(v));
  }
}

/// x in order. Which NaN it is does not matter.
template <class T>
RowJudge<T> sorted_from(std::vector<T> x) {
  std::stable_sort(x.begin(), x.end(), in_order<T>);
  return [x](const T* y) {
    return std::equal(x.begin(), x.end(), y, [](const T& wanted, const T& actual) {
      const bool nan = number(wanted) != number(wanted);
      return nan ? number(actual) != number(actual) : same_bits(actual, wanted);
    });
  };
}

/// Few different values, so that many are equal, and all kinds of them.
template <class T>
std::vector<T> sort_keys(std::size_t n, unsigned seed) {
  std::vector<T> keys = random_values<T>(kExponents, n, seed);
  std::mt19937 random(seed);
  const double special[] = {0.0, -0.0, 1.0, -1.0, 2.0, kInfinity, -kInfinity, kNaN};
  for (T& key : keys) {
    if (random() % 2 == 0) continue;
    if constexpr (std::is_integral_v<T>) {
      key = static_cast<T>(random() % 7) - 3;
    } else {
      key = make<T>(special[random() % 8]);
    }
  }
  return keys;
}

/// x `offset` elements past a line, y three times as far, and the index twice.
template <class T>
void check_sort(MatrixShape shape, std::size_t offset) {
  INFO(shape.text() << ", offset " << offset);
  const std::vector<T> x = sort_keys<T>(shape.size(), 11);
  const Rows<T> keys_only = [](const T* in, T* out, std::int64_t rows, std::int64_t columns,
                               cudaStream_t stream) {
    return sort_rows(in, out, rows, columns, stream);
  };
  const GuardedBuffer<std::int32_t> index(shape.size(), 2 * offset);
  const Rows<T> with_index = [&](const T* in, T* out, std::int64_t rows, std::int64_t columns,
                                 cudaStream_t stream) {
    return sort_rows(in, out, index.data(), rows, columns, stream);
  };
  const bool even = shape.rows % 2 == 0;
  const std::vector<T> y = run_matrix<T>(keys_only, x, shape, offset, 3 * offset, even);
  const std::vector<T> z = run_matrix<T>(with_index, x, shape, offset, 3 * offset, !even);
  REQUIRE(index.intact());
  const std::vector<std::int32_t> from = index.download();
  int wrong = 0;
  for (std::int64_t r = 0; r < shape.rows; ++r) {
    const auto begin = static_cast<std::size_t>(r * shape.columns);
    std::vector<std::int32_t> order(static_cast<std::size_t>(shape.columns));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      return in_order(x[begin + static_cast<std::size_t>(a)],
                      x[begin + static_cast<std::size_t>(b)]);
    });
    for (std::size_t i = 0; i < order.size(); ++i) {
      const T wanted = x[begin + static_cast<std::size_t>(order[i])];
      const bool nan = number(wanted) != number(wanted);
      const auto right = [&](T v) { return nan ? number(v) != number(v) : same_bits(v, wanted); };
      if (!right(y[begin + i]) || !right(z[begin + i]) || from[begin + i] != order[i]) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

template <class T>
void check_sort_type() {
  for (const std::int64_t columns :
       {1,   2,   31,   32,   33,   100,  127,  128,  129,  255,  256,  257, 500,
        512, 513, 1000, 1023, 1024, 1025, 2048, 3000, 4096, 5000, 8191, 8192}) {
    const std::int64_t rows = columns <= 1024 ? 5 + columns % 3 : 2;
    check_sort<T>({rows, columns}, 0);
    if (columns % 5 != 0) check_sort<T>({rows, columns}, columns % 2 == 0 ? 1 : 3);
  }
}

template <class T>
void check_sort_promises() {
  const Rows<T> keys_only = [](const T* in, T* out, std::int64_t rows, std::int64_t columns,
                               cudaStream_t stream) {
    return sort_rows(in, out, rows, columns, stream);
  };
  check_row_promises<T>(keys_only, sorted_from<T>);
  const GuardedBuffer<T> y(std::size_t{8193});
  CHECK(sort_rows(y.data(), y.data(), 1, 8193, nullptr) == cudaErrorInvalidValue);
  CHECK(last_refusal() ==
        "rows of 8193 elements do not fit into the tile of a sort, which has 8192");
  CHECK(sort_rows(y.data(), y.data(), nullptr, 2, 8, nullptr) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "index is a null pointer");
  CHECK(y.untouched());
}

/// So few rows, and so many, have other kernels (launchers/short_rows.cuh).
constexpr std::int64_t kFewShortRows = 1024, kManyShortRows = 8192;

/// Rows of which a warp has several, or a whole warp: of whole packs, of several in a pack, and of every number of elements
/// that a lane may have; the last block with a part of its rows, and both sides of where they are short.
std::vector<MatrixShape> short_shapes() {
  std::vector<MatrixShape> all = {{1029, 2}, {1027, 4}};
  for (const std::int64_t columns :
       {1,   2,   3,   4,   5,   6,   7,   8,   9,   11,  12,  15,  16,  17,  24,  31,  32,  33,
        40,  50,  64,  65,  97,  100, 127, 128, 129, 145, 193, 200, 201, 255, 256, 257, 288, 289,
        300, 384, 385, 388, 400, 416, 417, 480, 481, 511, 512, 513, 544, 545, 640, 641, 768, 769}) {
    all.push_back({columns < 9 ? 260 : columns < 128 ? 37 : 17, columns});
  }
  return all;
}

template <class T>
void check_short_rows() {
  const std::vector<MatrixShape> all = short_shapes();
  for (const std::int64_t batch : {kFewShortRows, kManyShortRows - 1, kManyShortRows}) {
    INFO("of a batch of " << batch);
    check_rows<T>(of_batch<T>(batch), all, softmax_of<T>);
    check_rows<T>(cumsum_of<T>(batch), all, running_sums_of<T>);
  }
  for (const std::int64_t batch : {kFewShortRows, kManyShortRows}) {
    check_offsets<T>(of_batch<T>(batch), softmax_of<T>);
    check_offsets<T>(cumsum_of<T>(batch), running_sums_of<T>);
  }
  for (const std::int64_t columns : {4, 24, 33, 130}) {
    check_softmax_ends<T>(of_batch<T>(kManyShortRows), columns);
  }
}

TEST_CASE("many short rows", "[exchange]") {
  require_device();
  check_short_rows<float>();
  check_short_rows<half>();
  check_short_rows<Bf16>();
  check_rows<std::int32_t>(cumsum_of<std::int32_t>(kManyShortRows), short_shapes(),
                           running_sums_of<std::int32_t>);
}

/// Rows by every kernel that holds them in packs: whole ones, and rows from anywhere, of x and y alike and not; of so few,
/// and so many, that a thread has one pack, two or four, or a warp the row.
template <class T>
void check_rows_in_packs() {
  constexpr std::int64_t kPack = 16 / sizeof(T);
  std::vector<MatrixShape> all;
  for (const std::int64_t packs : {33, 64, 65, 97, 128, 150, 300, 513, 1025}) {
    for (const std::int64_t more : {0, 1}) all.push_back({3, packs * kPack + more});
  }
  constexpr bool kFloats = !std::is_integral_v<T>;
  for (const std::int64_t batch : {20, 300, 20000}) {
    INFO("of a batch of " << batch);
    check_rows<T>(cumsum_of<T>(batch), all, running_sums_of<T>);
    if constexpr (kFloats) check_rows<T>(of_batch<T>(batch), all, softmax_of<T>);
  }
  const std::vector<MatrixShape> longer = {{2, 1500 * kPack},
                                           {1, 2049 * kPack - 5},
                                           {1, 1568 * kPack - 7},
                                           {2, 2304 * kPack - 3},
                                           {1, 3073 * kPack}};
  for (const MatrixShape& shape : longer) {
    check_rows<T>(cumsum_of<T>(300), {shape}, running_sums_of<T>);
    if constexpr (kFloats) check_rows<T>(of_batch<T>(300), {shape}, softmax_of<T>);
  }
  for (const std::int64_t batch : {300, 20000}) {
    for (const MatrixShape& shape : {MatrixShape{2, 1100}, {1, 5001}}) {
      const std::vector<T> x = random_values<T>(kExponents, shape.size(), 5);
      const std::vector<RowJudge<T>> sums = judges_of<T>(running_sums_of<T>, x, shape.columns);
      for (std::size_t at = 0; at < kPack; ++at) {
        for (const std::size_t y_at : {at, std::size_t{1}}) {
          INFO(shape.text() << " of " << batch << ", x at " << at << ", y at " << y_at);
          const auto run = [&](const Rows<T>& launch) {
            return run_matrix<T>(launch, x, shape, at, y_at, at == y_at && at % 2 == 1);
          };
          CHECK(wrong_rows(sums, run(cumsum_of<T>(batch)).data(), shape.columns) == 0);
          if constexpr (kFloats) {
            const std::vector<RowJudge<T>> right = judges_of<T>(softmax_of<T>, x, shape.columns);
            CHECK(wrong_rows(right, run(of_batch<T>(batch)).data(), shape.columns) == 0);
          }
        }
      }
    }
  }
  if constexpr (kFloats) {
    for (const std::int64_t columns : {70 * kPack, 200 * kPack, 200 * kPack + 1}) {
      check_softmax_ends<T>(of_batch<T>(300), columns);
    }
    check_softmax_ends<T>(of_batch<T>(1 << 14), 1024);  // so many fill the registers of whole warps
  }
}

TEST_CASE("softmax and running sums of rows in packs", "[exchange]") {
  require_device();
  check_rows_in_packs<float>();
  check_rows_in_packs<half>();
  check_rows_in_packs<Bf16>();
  check_rows_in_packs<std::int32_t>();
}

template <class T>
void check_short_reductions() {
  constexpr std::int64_t kRows = kFewShortRows + 3;
  for (const std::int64_t columns : {1, 2, 3, 4, 5, 16, 33, 140}) {
    check_special_reductions<T>(Dimension::inner, {kRows, columns});
  }
  for (const MatrixShape& shape : {MatrixShape{1, 1000}, {2, 1001}, {4, 520}, {5, 131075}}) {
    check_special_reductions<T>(Dimension::outer, shape);
  }
}

TEST_CASE("short rows of nothing but -0 add up to +0") {
  require_device();
  for (const std::int64_t columns : {1, 2, 4, 7, 8, 130, 300}) {
    const MatrixShape shape{kFewShortRows + 1, columns};
    const std::vector<float> x(shape.size(), -0.0f);
    const auto is_negative = [](float v) { return std::signbit(v); };
    for (const Dimension dimension : {Dimension::inner, Dimension::outer}) {
      const std::vector<float> y = run_reduce(Reduction::sum, dimension, x, shape);
      CHECK(std::none_of(y.begin(), y.end(), is_negative));
    }
    const std::vector<float> y = run_matrix<float>(tutorial::cumsum<float>, x, shape);
    CHECK(std::none_of(y.begin(), y.end(), is_negative));
  }
}

TEST_CASE("reductions of short rows, and of short columns", "[exchange]") {
  require_device();
  check_short_reductions<float>();
  check_short_reductions<half>();
  for (const MatrixShape& shape : {MatrixShape{kFewShortRows + 3, 1},
                                   {kFewShortRows + 3, 7},
                                   {kFewShortRows, 127},
                                   {kFewShortRows + 1, 127},
                                   {600007, 1}}) {
    const std::vector<float> x = random_values<float>(kExponents, shape.size(), 5);
    for (const std::size_t offset : {0u, 1u, 3u}) {
      const std::vector<float> y = run_reduce(Reduction::sum, Dimension::inner, x, shape, offset);
      int wrong = 0;
      for_each_reduced(Dimension::inner, x, shape, y,
                       [&](const std::vector<float>& values, float result) {
                         ExactSum sum;
                         for (const float v : values) sum.add(v);
                         const double bound = sum_bound(8, sum.magnitudes);
                         if (!(std::fabs(result - sum.value()) <= bound)) ++wrong;
                       });
      CHECK(wrong == 0);
    }
  }
}

/// The sums and maxima of numbers below zero that are so small that their sums are exact: what is added from elsewhere shows,
/// and a zero is no maximum.
template <class T>
void check_below_zero(Dimension dimension, MatrixShape shape) {
  std::vector<T> x;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    x.push_back(make<T>(-1.0f - static_cast<float>(i * 7 % 13)));
  }
  for (const Reduction reduction : {Reduction::sum, Reduction::max}) {
    INFO(shape.text() << (reduction == Reduction::sum ? ", sums" : ", maxima"));
    int wrong = 0;
    for_each_reduced(dimension, x, shape, run_reduce(reduction, dimension, x, shape),
                     [&](const std::vector<T>& values, T result) {
                       float sum = 0.0f, most = -kInfinity;
                       for (const T v : values) {
                         sum += static_cast<float>(to_double(v));
                         most = std::max(most, static_cast<float>(to_double(v)));
                       }
                       const T expected = make<T>(reduction == Reduction::sum ? sum : most);
                       if (to_double(result) != to_double(expected)) ++wrong;
                     });
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("bias by CycleBinary") {
  require_device();
  check_bias<float>(bias_add_cycle<float>);
  check_bias<half>(bias_add_cycle<half>);
  check_bias<Bf16>(bias_add_cycle<Bf16>);
}

TEST_CASE("bias of rows that begin anywhere, beside a bias that does") {
  require_device();
  check_bias_anywhere<float>();
  check_bias_anywhere<half>();
  check_bias_anywhere<Bf16>();
}

TEST_CASE("bias by ReadDataBc") {
  require_device();
  check_bias<float>(bias_add_broadcast<float>);
  check_bias<half>(bias_add_broadcast<half>);
  check_bias<Bf16>(bias_add_broadcast<Bf16>);
}

TEST_CASE("sums over the inner dimension", "[exchange]") {
  require_device();
  check_sums<float>(Dimension::inner);
  check_sums<half>(Dimension::inner);
  check_sums<Bf16>(Dimension::inner);
}

TEST_CASE("sums over the outer dimension", "[exchange]") {
  require_device();
  check_sums<float>(Dimension::outer);
  check_sums<half>(Dimension::outer);
  check_sums<Bf16>(Dimension::outer);
}

TEST_CASE("integers are reduced exactly", "[exchange]") {
  require_device();
  check_integer_reductions(Dimension::inner);
  check_integer_reductions(Dimension::outer);
}

TEST_CASE("sums and maxima of many rows, of numbers below zero", "[exchange]") {
  require_device();
  const Dimension inner = Dimension::inner;
  check_below_zero<float>(inner, {4097, 776});  // too many rows for the kernel that begins sooner
  check_below_zero<half>(inner, {1025, 1032});  // a tile and a pack
  check_below_zero<Bf16>(inner, {1025, 1032});
  check_below_zero<std::int32_t>(inner, {4097, 776});
  check_below_zero<half>(inner, {262147, 8});  // two rows for each lane
}

TEST_CASE("sums and maxima of rows of whole packs, of numbers below zero", "[exchange]") {
  require_device();
  const Dimension inner = Dimension::inner;
  // A tile of threads that is no power of two; a pack less, and more tiles.
  for (const std::int64_t columns : {10240, 10248, 16384, 16392, 20488}) {
    check_below_zero<half>(inner, {8, columns});
    check_below_zero<float>(inner, {24, columns});
  }
  check_below_zero<half>(inner, {690, 1536});
  check_below_zero<std::int32_t>(inner, {24, 16388});
  check_below_zero<float>(inner, {24, 32768});  // whole tiles, where fewer rows are cut into parts
}

TEST_CASE("sums and maxima of short rows, of numbers below zero", "[exchange]") {
  require_device();
  const auto check = [](auto zero) {
    using T = decltype(zero);
    for (const std::int64_t columns :
         {2,   4,   5,   7,   9,   16,  31,  33,  50,  63,  64,  65,  97,  127, 128,
          129, 132, 193, 256, 257, 384, 385, 511, 512, 513, 640, 641, 768, 769}) {
      check_below_zero<T>(Dimension::inner, {5, columns});
      if (columns < 130) check_below_zero<T>(Dimension::inner, {kFewShortRows + 5, columns});
    }
    check_below_zero<T>(Dimension::inner, {kFewShortRows + 1, 250});
  };
  check(0.0f);
  check(half{});
  check(std::int32_t{});
}

TEST_CASE("sums and maxima of few columns and of few rows, of numbers below zero", "[exchange]") {
  require_device();
  // Every block of ReduceShortColumns: more columns than it has, and fewer; all of its rows, and fewer.
  for (const MatrixShape& shape : {MatrixShape{5, 8},
                                   {63, 136},
                                   {64, 68},
                                   {65, 36},
                                   {128, 72},
                                   {129, 36},
                                   {256, 72},
                                   {257, 24},
                                   {512, 40},
                                   {513, 12},
                                   {1024, 24},
                                   {2048, 8},
                                   {2049, 24},
                                   {3072, 8},
                                   {4097, 40},
                                   // a column a lane
                                   {5, 257},
                                   {32, 287},
                                   {33, 257},
                                   {128, 289},
                                   {129, 257},
                                   {1024, 259}}) {
    check_below_zero<float>(Dimension::outer, shape);
    check_below_zero<half>(Dimension::outer, shape);
    check_below_zero<std::int32_t>(Dimension::outer, shape);
  }
  check_below_zero<float>(Dimension::outer, {257, 3080});
  check_below_zero<half>(Dimension::outer, {129, 8200});
}

TEST_CASE("NaN and infinities in reductions", "[exchange]") {
  require_device();
  for (const MatrixShape& shape :
       {MatrixShape{7, 300}, {3, 4096}, {2, 32768}, {2, 40000}, {1, (1 << 20) + 1}}) {
    check_special_reductions<float>(Dimension::inner, shape);
    check_special_reductions<half>(Dimension::inner, shape);
  }
  for (const MatrixShape& shape : {MatrixShape{300, 7}, {128, 256}, {5003, 8}}) {
    check_special_reductions<float>(Dimension::outer, shape);
    check_special_reductions<half>(Dimension::outer, shape);
  }
}

TEST_CASE("what is reduced from nothing is the identity", "[exchange]") {
  require_device();
  CHECK(run_reduce<float>(Reduction::sum, Dimension::inner, {}, {5, 0}) == std::vector<float>(5));
  CHECK(run_reduce<float>(Reduction::sum, Dimension::outer, {}, {0, 5}) == std::vector<float>(5));
  CHECK(run_reduce<float>(Reduction::max, Dimension::outer, {}, {0, 5}) ==
        std::vector<float>(5, -kInfinity));
  CHECK(run_reduce<float>(Reduction::sum, Dimension::outer, {}, {5, 0}).empty());
}

TEST_CASE("a sum has the same bits every time", "[exchange]") {
  require_device();
  for (const Dimension dimension : {Dimension::inner, Dimension::outer}) {
    const MatrixShape shape{300, 40000 / 100};
    const std::vector<float> x = random_values<float>(kExponents, shape.size(), 5);
    const std::vector<float> first = run_reduce(Reduction::sum, dimension, x, shape);
    for (int i = 0; i < 3; ++i) CHECK(run_reduce(Reduction::sum, dimension, x, shape) == first);
  }
}

TEST_CASE("integers are reduced exactly in any number of blocks", "[exchange]") {
  require_device();
  for (const Dimension dimension : {Dimension::inner, Dimension::outer}) {
    const MatrixShape shape =
        dimension == Dimension::inner ? MatrixShape{3, 70001} : MatrixShape{70001, 3};
    const std::vector<std::int32_t> x = random_values<std::int32_t>(kExponents, shape.size(), 90);
    const auto sums = [&](std::int64_t blocks) {
      return run_reduce(Reduction::sum, dimension, x, shape, 0, 0, blocks);
    };
    const std::vector<std::int32_t> in_one = sums(1);
    CHECK(reduce_workspace<std::int32_t>(dimension, shape.rows, shape.columns, 1) == 0);
    for (const std::int64_t blocks : {2, 3, 7, 100, 5000}) {
      INFO(blocks << " blocks");
      CHECK(reduce_workspace<std::int32_t>(dimension, shape.rows, shape.columns, 4 * blocks) > 0);
      CHECK(sums(blocks) == in_one);
    }
    CHECK(sums(std::numeric_limits<std::int64_t>::max()) == in_one);
  }
}

TEST_CASE("integers are reduced exactly along rows of several tiles of 64 KiB", "[exchange]") {
  require_device();
  for (const std::int64_t columns : {16383, 16384, 32768, 49152, 49156}) {
    const MatrixShape shape{3, columns};
    const std::vector<std::int32_t> x = random_values<std::int32_t>(kExponents, shape.size(), 91);
    for (const std::size_t offset : {0u, 1u}) {
      INFO(shape.text() << ", offset " << offset);
      int wrong = 0;
      for_each_reduced(Dimension::inner, x, shape,
                       run_reduce(Reduction::sum, Dimension::inner, x, shape, offset, 0, 1),
                       [&](const std::vector<std::int32_t>& values, std::int32_t result) {
                         std::uint32_t sum = 0;
                         for (const std::int32_t v : values) sum += static_cast<std::uint32_t>(v);
                         if (static_cast<std::uint32_t>(result) != sum) ++wrong;
                       });
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("sums of rows keep a launcher's promises", "[exchange]") {
  require_device();
  for (const std::int64_t columns : {33, 1024, 16384}) {
    const auto sums = as_rows<std::int32_t>(Reduction::sum, Dimension::inner);
    Promises promises = promises_of<std::int32_t>(sums, columns, {});
    promises.inputs[0].in_place = false;
    promises.out_bytes = [](std::int64_t n) { return static_cast<std::size_t>(n) * 4; };
    const std::vector<unsigned char> bytes = promises.inputs[0].values;
    promises.judge = exactly<std::int32_t>(
        [=](std::int64_t n) {
          std::vector<std::int32_t> expected;
          for (std::int64_t row = 0; row < n; ++row) {
            std::uint32_t sum = 0;
            for (std::int64_t i = row * columns; i < (row + 1) * columns; ++i) {
              std::uint32_t value;
              std::memcpy(&value, bytes.data() + 4 * i, 4);
              sum += value;
            }
            expected.push_back(static_cast<std::int32_t>(sum));
          }
          return expected;
        },
        "sum");
    check_promises(std::to_string(columns) + " columns", promises);
  }
}

TEST_CASE("reduce refuses what it cannot do") {
  require_device();
  for (const Dimension dimension : {Dimension::inner, Dimension::outer}) {
    check_refusals<float>(as_rows<float>(Reduction::sum, dimension));
    check_refusals<std::int32_t>(as_rows<std::int32_t>(Reduction::max, dimension));
  }
  const MatrixShape shape{2, 70000};
  const std::size_t bytes = reduce_workspace<float>(Dimension::inner, shape.rows, shape.columns);
  REQUIRE(bytes > 0);
  const GuardedBuffer<float> x(shape.size()), y(std::size_t{2});
  const GuardedBuffer<unsigned char> workspace(bytes);
  const auto sum = [&](void* memory, std::size_t size) {
    return reduce(Reduction::sum, Dimension::inner, x.data(), y.data(), shape.rows, shape.columns,
                  memory, size, nullptr);
  };
  CHECK(sum(nullptr, bytes) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "the workspace is a null pointer");
  CHECK(sum(workspace.data(), bytes - 1) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "the workspace has " + std::to_string(bytes - 1) +
                              " bytes, and this operation needs " + std::to_string(bytes));
  CHECK(sum(workspace.data() + 4, bytes) == cudaErrorMisalignedAddress);
  for (const std::int64_t blocks : {std::int64_t{0}, std::int64_t{-1}}) {
    CHECK(reduce(Reduction::sum, Dimension::inner, x.data(), y.data(), shape.rows, shape.columns,
                 workspace.data(), bytes, nullptr, blocks) == cudaErrorInvalidValue);
    CHECK(last_refusal() == std::to_string(blocks) + " blocks cannot reduce anything");
    CHECK(reduce_workspace<float>(Dimension::inner, shape.rows, shape.columns, blocks) == 0);
  }
  CHECK(workspace.untouched());
  CHECK(y.untouched());
  CHECK(reduce_workspace<float>(Dimension::inner, -1, 5) == 0);
}

TEST_CASE("softmax of rows") {
  require_device();
  check_softmax_type<float>();
  check_softmax_type<half>();
  check_softmax_type<Bf16>();
}

TEST_CASE("softmax of rows of one kind each", "[exchange]") {
  require_device();
  check_softmax_kinds<float>();
  check_softmax_kinds<half>();
  check_softmax_kinds<Bf16>();
}

TEST_CASE("softmax keeps a launcher's promises") {
  require_device();
  check_softmax_promises<float>();
  check_softmax_promises<half>();
  check_softmax_promises<Bf16>();
}

/// While it lives, a cluster has at most eight blocks, as on most GPUs. A real GPU stays as it is.
struct AtMostEight {
#if defined(TUTORIAL_BACKEND_CPU)
  AtMostEight() { cpu::set_device({0, 2048, 0, kMostInCluster}); }
  ~AtMostEight() { cpu::set_device({}); }
#else
  AtMostEight() {}
#endif
};

TEST_CASE("softmax in clusters keeps a launcher's promises") {
  require_device();
  const AtMostEight device;
  Promises promises = promises_of<float>(split<float>(), 32776, softmax_of<float>);
  promises.any_size = promises.sizes.back();  // nine rows; two of these are cut into parts
  check_promises("32776 columns, nine rows", promises);
}

TEST_CASE("softmax of halves in longer shares, a part in registers", "[long]") {
  require_device();
  check_softmax<half>(softmax<half>, {{16, in_shares<half>(8, 113).columns}});
  check_softmax<Bf16>(softmax<Bf16>, {{16, in_shares<Bf16>(8, 113).columns}});
}

TEST_CASE("softmax by the largest clusters", "[exchange]") {
  require_device();
  const auto check = [](auto zero) {
    using T = decltype(zero);
    constexpr std::int64_t kPack = 16 / sizeof(T), kFours = sizeof(T) == 2 ? 1536 : 1280;
    std::vector<MatrixShape> all;
    for (const MatrixShape& s : {MatrixShape{1, 4097},
                                 {7, 8192},
                                 {8, 8193},
                                 {1, 12288},
                                 {4, 12289},
                                 {4, 16 * kFours},
                                 {4, 16 * kFours + 1},
                                 {5, 50001}}) {
      all.push_back({s.rows, s.columns * kPack});
    }
    check_softmax<T>(softmax<T>, all, kAligned);
    check_softmax_ends<T>(softmax<T>, (16 * kFours + 1) * kPack);
    check_softmax<T>(softmax<T>, {{4, 16 * kFours * kPack - 1}, {4, 16 * kFours * kPack + 9}});
    check_softmax_ends<T>(softmax<T>, (16 * kFours + 1) * kPack + 1);
  };
  check(0.0f);
  check(half{});
}

TEST_CASE("softmax and running sums where a cluster has at most eight blocks", "[exchange]") {
  require_device();
  const AtMostEight device;
  check_softmax<float>(softmax<float>, {{2, 20480}, {9, 40960}});
  check_softmax_ends<float>(softmax<float>, 40960);
  check_rows<float>(tutorial::cumsum<float>, {{2, 32772}}, running_sums_of<float>);
  check_batches<float>(cumsum_of<float>, {{33, 131072 + 4}}, running_sums_of<float>);
}

TEST_CASE("some rows of a batch have the bits that they have in the whole", "[exchange]") {
  require_device();
  constexpr std::int64_t kBatch = 49, kRows = 2;
  const auto check = [&](const Rows<float>& whole, const Rows<float>& part, std::int64_t columns) {
    std::vector<float> x =
        random_values<float>(kExponents, static_cast<std::size_t>(kBatch * columns), 9);
    std::vector<float> y = run_matrix<float>(whole, x, {kBatch, columns});
    for (auto* each : {&x, &y}) each->resize(static_cast<std::size_t>(kRows * columns));
    CHECK(run_matrix<float>(part, x, {kRows, columns}) == y);
#if defined(TUTORIAL_BACKEND_CPU)  // two rows alone get another cluster, which not every GPU has
    CHECK(run_matrix<float>(whole, x, {kRows, columns}) != y);
#endif
  };
  check(softmax<float>, of_batch<float>(kBatch), 8208);
  check(tutorial::cumsum<float>, cumsum_of<float>(kBatch), 8192);
}

TEST_CASE("softmax in parts of whole packs, the last one short, at the ends of a float's range") {
  require_device();
  check_softmax_ends<float>(split_of_batch<float>(1), 12291 * 4);
  check_softmax_ends<half>(split_of_batch<half>(1), 12291 * 8);
}

TEST_CASE("running sums of eight long rows are a cluster's, of seven they are cut into parts") {
  require_device();
  constexpr std::int64_t kColumns = 81920;
  const std::vector<float> x = random_values<float>(kExponents, 2 * kColumns, 9);
  const auto same = [&](std::int64_t batch) {
    const MatrixShape shape{2, kColumns};
    return run_matrix<float>(split_cumsum_of_batch<float>(batch), x, shape) ==
           run_matrix<float>(cumsum_of<float>(batch), x, shape);
  };
  CHECK(same(8));
#if defined(TUTORIAL_BACKEND_CPU)  // which not every GPU has
  CHECK_FALSE(same(7));
#endif
}

TEST_CASE("running sums by the largest clusters", "[exchange]") {
  require_device();
  for (const std::int64_t packs : {8 * 1024 + 1, 16 * 1024}) {
    check_rows<float>(tutorial::cumsum<float>, {{3, packs * 4}}, running_sums_of<float>);
    check_rows<Bf16>(tutorial::cumsum<Bf16>, {{2, packs * 8}}, running_sums_of<Bf16>);
  }
  check_rows<half>(tutorial::cumsum<half>, {{12, 32 * 1024 * 8 + 8}}, running_sums_of<half>);
}

TEST_CASE("softmax of rising and of alternating rows keeps its bound, whatever their length",
          "[exchange]") {
  require_device();
  const auto check = [](const std::vector<float>& x) {
    const MatrixShape shape{1, static_cast<std::int64_t>(x.size())};
    const Within expected = softmax_of(x);
    CHECK(expected.error(run_matrix<float>(softmax<float>, x, shape).data()) <= 1.0);
    CHECK(expected.error(run_matrix<float>(split<float>(), x, shape).data()) <= 1.0);
  };
  for (const std::size_t columns : {1u << 17, 1u << 20}) {
    std::vector<float> x(columns);
    for (const double range : {1.0, 20.0, 80.0}) {  // the sum so far is scaled again and again
      const double step = range / static_cast<double>(columns);
      for (std::size_t i = 0; i < columns; ++i) {
        x[i] = static_cast<float>(step * static_cast<double>(i) - range / 2);
      }
      check(x);
    }
    for (std::size_t i = 0; i < columns; ++i) x[i] = i % 2 == 0 ? 0.0f : -0.3f;
    check(x);  // every tile has the same sum, which is rounded in the same way
  }
}

TEST_CASE("softmax_split refuses a workspace that is none, too small or not aligned") {
  require_device();
  const GuardedBuffer<float> x(std::vector<float>(20000)), y(std::size_t{20000});
  const std::size_t bytes = softmax_workspace<float>(1, 20000);
  REQUIRE(bytes > 8);
  const GuardedBuffer<unsigned char> workspace(bytes);
  const auto run = [&](void* memory, std::size_t size) {
    return softmax_split(x.data(), y.data(), 1, 20000, memory, size, nullptr);
  };
  CHECK(run(nullptr, bytes) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "the workspace is a null pointer");
  CHECK(run(workspace.data(), bytes - 1) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "the workspace has " + std::to_string(bytes - 1) +
                              " bytes, and this operation needs " + std::to_string(bytes));
  CHECK(run(workspace.data() + 4, bytes) == cudaErrorMisalignedAddress);
  CHECK(workspace.untouched());
  CHECK(y.untouched());
  CHECK(softmax_workspace<float>(-1, 20000) == 0);
  CHECK(softmax_workspace<float>(1, kSoftmaxTile) == 0);
  CHECK(softmax_workspace<float>(contiguous_layout({1, 1, 20000})) == bytes);
}

TEST_CASE("cumsum_split refuses a workspace that is none or too small") {
  require_device();
  const GuardedBuffer<float> x(std::vector<float>(20000)), y(std::size_t{20000});
  const std::size_t bytes = cumsum_workspace<float>(1, 20000);
  REQUIRE(bytes > 8);
  const GuardedBuffer<unsigned char> workspace(bytes);
  const auto run = [&](void* memory, std::size_t size) {
    return cumsum_split(x.data(), y.data(), 1, 20000, memory, size, nullptr);
  };
  CHECK(run(nullptr, bytes) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "the workspace is a null pointer");
  CHECK(run(workspace.data(), bytes - 1) == cudaErrorInvalidValue);
  CHECK(workspace.untouched());
  CHECK(y.untouched());
  CHECK(cumsum_workspace<float>(-1, 20000) == 0);
  CHECK(cumsum_workspace<float>(1, 16384) == 0);
  CHECK(cumsum_workspace<float>(contiguous_layout({1, 1, 20000})) == bytes);
}

TEST_CASE("softmax of numbers at the ends of a float's range", "[exchange]") {
  require_device();
  const float most = std::numeric_limits<float>::max();
  for (const Rows<float>& launch :
       {Rows<float>(softmax<float>), Rows<float>(softmax_two_reductions<float>)}) {
    const std::vector<float> y =
        run_matrix<float>(launch, {most, -most, 0.0f, most, -most, -most, -most, -most}, {2, 4});
    CHECK(y == std::vector<float>{0.5f, 0.0f, 0.0f, 0.5f, 0.25f, 0.25f, 0.25f, 0.25f});
  }
}

TEST_CASE("softmax by two reductions refuses rows that it cannot hold") {
  require_device();
  const GuardedBuffer<float> y(std::size_t{16385});
  CHECK(softmax_two_reductions(y.data(), y.data(), 1, 16385, nullptr) == cudaErrorInvalidValue);
  CHECK(last_refusal() ==
        "rows of 16385 elements do not fit into the registers of a block, which hold 16384");
  CHECK(y.untouched());
}

TEST_CASE("running sums of rows") {
  require_device();
  check_cumsum<float>();
  check_cumsum<half>();
  check_cumsum<Bf16>();
  check_cumsum<std::int32_t>();
}

TEST_CASE("running sums of rows in parts", "[exchange]") {
  require_device();
  check_cumsum_parts<float>();
  check_cumsum_parts<half>();
  check_cumsum_parts<Bf16>();
  check_cumsum_parts<std::int32_t>();
}

TEST_CASE("running sums keep a launcher's promises") {
  require_device();
  check_cumsum_promises<float>();
  check_cumsum_promises<half>();
  check_cumsum_promises<Bf16>();
  check_cumsum_promises<std::int32_t>();
}

TEST_CASE("a NaN or an infinity changes no running sum before it", "[exchange]") {
  require_device();
  for (const std::int64_t columns : {100, 1024, 4096, 6000}) {
    std::vector<float> x = random_values<float>(kExponents, static_cast<std::size_t>(columns), 12);
    const std::vector<float> clean = run_matrix<float>(tutorial::cumsum<float>, x, {1, columns});
    for (const float special : {kNaN, kInfinity}) {
      for (const std::size_t at : {std::size_t{0}, x.size() / 3, x.size() - 1}) {
        std::vector<float> with = x;
        with[at] = special;
        const std::vector<float> y = run_matrix<float>(tutorial::cumsum<float>, with, {1, columns});
        int wrong = 0;
        for (std::size_t i = 0; i < y.size(); ++i) {
          const bool right = i < at               ? same_bits(y[i], clean[i])
                             : special == special ? y[i] == kInfinity
                                                  : std::isnan(y[i]);
          if (!right) ++wrong;
        }
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("sorted rows: float", "[exchange]") {
  require_device();
  check_sort_type<float>();
}

TEST_CASE("sorting rows keeps a launcher's promises") {
  require_device();
  check_sort_promises<float>();
  check_sort_promises<half>();
  check_sort_promises<std::int32_t>();
}

TEST_CASE("sorted rows: half") {
  require_device();
  check_sort_type<half>();
}

TEST_CASE("sorted rows: int32", "[exchange]") {
  require_device();
  check_sort_type<std::int32_t>();
}

namespace {

/// Running sums in place of a matrix all of whose bytes are 1, and the first row, the last and the
/// one with element 2^31 (if there is one). The sums pass 2^32 from column 255 on: they wrap, and
/// so must what is expected here, whose columns are counted in 64 bits.
void check_in_place_sums(const MatrixShape& shape) {
  const std::size_t bytes = shape.size() * sizeof(std::int32_t);
  const DeviceBytes matrix(bytes);
  auto* x = reinterpret_cast<std::int32_t*>(matrix.data());
  require_success(cudaMemset(x, 1, bytes), "cudaMemset");
  REQUIRE(tutorial::cumsum(x, x, shape.rows, shape.columns, nullptr) == cudaSuccess);
  std::vector<std::int64_t> rows = {0, shape.rows - 1};
  const std::int64_t middle = (std::int64_t{1} << 31) / shape.columns;
  if (middle < shape.rows) rows.push_back(middle);
  for (const std::int64_t row : rows) {
    std::vector<std::int32_t> sums(static_cast<std::size_t>(shape.columns));
    require_success(
        cudaMemcpy(sums.data(), x + row * shape.columns, sums.size() * 4, cudaMemcpyDeviceToHost),
        "cudaMemcpy");
    int wrong = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const auto expected = static_cast<std::uint32_t>(0x01010101U * (i + 1));
      if (static_cast<std::uint32_t>(sums[i]) != expected) ++wrong;
    }
    INFO("row " << row);
    CHECK(wrong == 0);
  }
}

/// Rows that are no whole number of tiles.
constexpr std::int64_t kPast1024 = 1024 + 4;

}  // namespace

TEST_CASE("running sums in place, past 2^32", "[exchange]") {
  require_device();
  check_in_place_sums({7, kPast1024});
}

TEST_CASE("matrices of more than 2^31 elements", "[exchange]") {
  require_device();
  if (!on_gpu) SKIP("the CPU executor would take hours");
  const MatrixShape shape{(std::int64_t{1} << 21) + 5, kPast1024};
  std::size_t free_bytes = 0, total_bytes = 0;
  require_success(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  const std::size_t bytes = shape.size() * sizeof(std::int32_t);
  if (free_bytes < bytes + (std::size_t{1} << 30)) SKIP("too little memory");
  check_in_place_sums(shape);
}
