// Reductions of tensors of any strides, and of rows and columns that begin anywhere.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "06_primitives/primitives.h"
#include "06_primitives/proof/test_data.h"
#include "common/proof/views.h"
#include "common/refusal.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

/// `index` with `value` in the place of dimension `dim`.
TensorShape with(TensorShape index, std::size_t dim, std::int64_t value) {
  index.insert(index.begin() + static_cast<std::ptrdiff_t>(dim), value);
  return index;
}

TensorShape without(TensorShape shape, std::size_t dim) {
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(dim));
  return shape;
}

/// What is wrong with the sum and the maximum along `dim`, of whole numbers that are exact in every T, so
/// that the order does not matter. x and y so many elements past a line.
template <class T>
std::string mistake_of_reduce(const TensorLayout& of_x, std::size_t dim, const TensorLayout& of_y,
                              std::size_t x_at = 0, std::size_t y_at = 0,
                              std::int64_t blocks = kReduceBlocks) {
  Placed<T> x(of_x, x_at, 1);
  for (T& value : x.values) value = make<T>(static_cast<int>(number(value)) % 4);
  x.memory.upload(x.values);
  const std::size_t bytes = reduce_workspace<T>(of_x, static_cast<std::int64_t>(dim), of_y, blocks);
  for (const Reduction reduction : {Reduction::sum, Reduction::max}) {
    const Placed<T> y(of_y, y_at, 0);
    const GuardedBuffer<unsigned char> workspace(bytes);
    const cudaError_t error =
        reduce(reduction, x.in(), static_cast<std::int64_t>(dim), y.out(),
               bytes > 0 ? workspace.data() : nullptr, bytes, nullptr, blocks);
    std::string wrong = mistake(y, error, [&](const TensorShape& index) {
      double sum = 0, most = -std::numeric_limits<double>::infinity();
      for (std::int64_t k = 0; k < of_x.shape[dim]; ++k) {
        const double value = number(value_at(x, with(index, dim, k)));
        sum += value;
        most = std::max(most, value);
      }
      return make<T>(reduction == Reduction::sum ? sum : most);
    });
    if (wrong.empty()) wrong = workspace.damage();
    if (!wrong.empty()) {
      return wrong + (reduction == Reduction::sum ? ", sum" : ", max") + " along " +
             std::to_string(dim) + " of x " + to_text(of_x) + " into y " + to_text(of_y) + ", at " +
             std::to_string(x_at) + " and " + std::to_string(y_at);
    }
  }
  return "";
}

/// Into a result without gaps.
template <class T>
std::string mistake_of_reduce(const TensorLayout& of_x, std::size_t dim, std::size_t x_at = 0,
                              std::size_t y_at = 0, std::int64_t blocks = kReduceBlocks) {
  return mistake_of_reduce<T>(of_x, dim, contiguous_layout(without(of_x.shape, dim)), x_at, y_at,
                              blocks);
}

// ---- Rows with gaps ---------------------------------------------------------------------------

template <class T>
using RowOf = std::vector<T>;

/// What is wrong with y, of which each row is right(that row of x), or within `error_allowed` of it.
template <class T, class Out, class Right>
std::string mistake_of_rows(const Placed<T>& x, const Placed<Out>& y, cudaError_t error,
                            const Right& right, double error_allowed = 0) {
  const std::vector<Out> now = y.memory.download();
  RowOf<Out> results;
  return mistake(y, error, [&](TensorShape index) {
    const auto column = static_cast<std::size_t>(index.back());
    const Out actual = now[static_cast<std::size_t>(place_of(y.layout, index))];
    if (column == 0) {
      RowOf<T> row;
      for (index.back() = 0; index.back() < x.layout.shape.back(); ++index.back()) {
        row.push_back(value_at(x, index));
      }
      results = right(row);
    }
    const Out wanted = results[column];
    return std::fabs(number(actual) - number(wanted)) <= error_allowed * (number(wanted) + 1e-4)
               ? actual
               : wanted;
  });
}

template <class T>
RowOf<T> softmax_of(const RowOf<T>& x) {
  double most = number(x[0]), sum = 0;
  for (const T value : x) most = std::max(most, number(value));
  for (const T value : x) sum += std::exp(number(value) - most);
  RowOf<T> y;
  for (const T value : x) y.push_back(make<T>(std::exp(number(value) - most) / sum));
  return y;
}

/// Of whole numbers, exact in any order.
template <class T>
RowOf<T> sums_of(const RowOf<T>& x) {
  RowOf<T> y;
  double sum = 0;
  for (const T value : x) y.push_back(make<T>(sum += number(value)));
  return y;
}

template <class T>
RowOf<std::int32_t> places_of(const RowOf<T>& x) {
  RowOf<std::int32_t> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return number(x[static_cast<std::size_t>(a)]) < number(x[static_cast<std::size_t>(b)]);
  });
  return order;
}

template <class T>
RowOf<T> sorted(const RowOf<T>& x) {
  RowOf<T> y;
  for (const std::int32_t place : places_of(x)) y.push_back(x[static_cast<std::size_t>(place)]);
  return y;
}

/// What is wrong with all that goes along rows: x, y and the index as they are laid out.
template <class T>
std::string mistake_along(const TensorLayout& of_x, const TensorLayout& of_y,
                          const TensorLayout& of_index, std::size_t x_at, std::size_t y_at) {
  const Placed<T> x(of_x, x_at, 1);
  std::string wrong;
  const auto look = [&](const char* name, const std::string& mistaken) {
    if (wrong.empty() && !mistaken.empty()) {
      wrong = mistaken + ", " + name + " of x " + to_text(of_x) + " into y " + to_text(of_y) +
              ", at " + std::to_string(x_at) + " and " + std::to_string(y_at);
    }
  };
  if constexpr (!std::is_integral_v<T>) {
    const Placed<T> y(of_y, y_at, 0);
    const cudaError_t error = softmax_rows(x.in(), y.out(), nullptr);
    look("softmax", mistake_of_rows(x, y, error, softmax_of<T>, 2e-3));
  }
  const Placed<T> sums(of_y, y_at, 0);
  cudaError_t error = cumsum_rows(x.in(), sums.out(), nullptr);
  look("sums", mistake_of_rows(x, sums, error, sums_of<T>));
  if (of_x.shape.back() > kSortTile) return wrong;
  const Placed<T> y(of_y, y_at, 0), z(of_y, y_at, 0);
  const Placed<std::int32_t> index(of_index, y_at + 1, 0);
  error = sort_rows(x.in(), y.out(), nullptr);
  look("sort", mistake_of_rows(x, y, error, sorted<T>));
  error = sort_rows(x.in(), z.out(), index.out(), nullptr);
  look("sort with an index", mistake_of_rows(x, z, error, sorted<T>));
  look("the index", mistake_of_rows(x, index, error, places_of<T>));
  return wrong;
}

}  // namespace

TEST_CASE("reduce: random layouts, along every dimension") {
  require_device();
  const std::uint64_t seed = random_seed();
  std::printf("TUTORIAL_SEED=%llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  for (int i = 0; i < 150; ++i) {
    const TensorShape shape = random_shape(random, 5);
    TensorLayout x = random_layout(random, shape);
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
      if (below(random, 8) == 0) x.strides[dim] = 0;  // as expand() gives
    }
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
      const TensorLayout y = random_layout(random, without(shape, dim));
      const auto at = [&] { return static_cast<std::size_t>(below(random, 9)); };
      const std::int64_t blocks = below(random, 2) == 0 ? kReduceBlocks : 1 + below(random, 99);
      CHECK(mistake_of_reduce<half>(x, dim, y, at(), at(), blocks) == "");
      if (i % 3 == 0) CHECK(mistake_of_reduce<float>(x, dim, y, at(), at(), blocks) == "");
      if (i % 3 == 1) CHECK(mistake_of_reduce<std::int32_t>(x, dim, y, at(), at(), blocks) == "");
    }
  }
}

TEST_CASE("reduce: a matrix without gaps into results with gaps", "[exchange]") {
  require_device();
  const TensorLayout matrix = rows_of(24, 64, 64), long_rows = rows_of(2, 16384, 16384);
  CHECK(mistake_of_reduce<float>(matrix, 0, {{64}, {3}}, 0, 0, kReduceBlocks) == "");
  CHECK(mistake_of_reduce<float>(long_rows, 1, {{2}, {3}}, 0, 0, kReduceBlocks) == "");
}

TEST_CASE("reduce: rows and columns at every offset, lengths around a pack", "[exchange]") {
  require_device();
  for (const std::int64_t columns : {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 263, 515}) {
    for (const std::int64_t gap : {0, 1, 8}) {
      const TensorLayout x = rows_of(5, columns, columns + gap);
      for (std::size_t at = 0; at < 8; ++at) {
        for (const std::size_t dim : {0, 1}) {
          CHECK(mistake_of_reduce<half>(x, dim, at, 7 - at) == "");
          if (at < 4) CHECK(mistake_of_reduce<float>(x, dim, at, 3 - at) == "");
        }
      }
    }
  }
}

TEST_CASE("reduce: columns in packs, in rows that lie alike and in others, at every offset",
          "[exchange]") {
  require_device();
  for (const TensorLayout& x : std::vector<TensorLayout>{{{1, 67, 264}, {0, 264, 1}},
                                                         {{2, 64, 257}, {64 * 257, 257, 1}},
                                                         {{3, 70, 130}, {70 * 139 + 1, 139, 1}},
                                                         {{1, 129, 263}, {0, 264, 1}},
                                                         {{1, 3000, 8}, {0, 8, 1}},
                                                         {{2, 1100, 9}, {12, 26, 1}}}) {
    const TensorLayout y = {{x.shape[0], x.shape[2]}, {x.shape[2] + 1, 1}};
    for (std::size_t at = 0; at < 8; ++at) {
      for (const std::int64_t blocks : {1, 2}) {
        CHECK(mistake_of_reduce<half>(x, 1, y, at, 7 - at, blocks) == "");
        if (at < 4) CHECK(mistake_of_reduce<float>(x, 1, y, at, 3 - at, blocks) == "");
      }
    }
  }
}

TEST_CASE("reduce: short columns in many blocks", "[exchange]") {
  require_device();
  for (const std::int64_t rows : {1, 17, 145}) {
    for (const std::size_t at : {0, 1}) {  // of the result
      CHECK(mistake_of_reduce<float>(contiguous_layout({rows, 4036}), 0, 0, at) == "");
      CHECK(mistake_of_reduce<half>(contiguous_layout({rows, 8088}), 0, 0, at) == "");
    }
  }
  for (const std::int64_t rows : {13, 32, 33, 67, 128, 129, 300}) {  // a column a lane
    for (const std::size_t at : {0, 1}) {
      CHECK(mistake_of_reduce<float>(contiguous_layout({rows, 259}), 0, at, at) == "");
      CHECK(mistake_of_reduce<half>(contiguous_layout({rows, 264}), 0, 1, at) == "");
      CHECK(mistake_of_reduce<half>(contiguous_layout({rows, 259}), 0, at, 1) == "");
    }
  }
}

TEST_CASE("reduce: in parts", "[exchange]") {
  require_device();
  const TensorLayout rows = rows_of(3, 40001, 40010), columns = rows_of(9000, 5, 7);
  const TensorLayout middle = {{2, 6000, 11}, {66100, 11, 1}};
  REQUIRE(reduce_workspace<float>(rows, 1, {{3}, {2}}) > 0);
  REQUIRE(reduce_workspace<float>(columns, 0, {{5}, {2}}) > 0);
  REQUIRE(reduce_workspace<float>(middle, 1, {{2, 11}, {11, 1}}) > 0);
  for (const std::int64_t blocks : {1, 2, 7, 512}) {
    for (const std::size_t at : {0, 3}) {
      CHECK(mistake_of_reduce<float>(rows, 1, {{3}, {2}}, at, at, blocks) == "");
      CHECK(mistake_of_reduce<float>(columns, 0, {{5}, {2}}, at, 0, blocks) == "");
      CHECK(mistake_of_reduce<std::int32_t>(middle, 1, {{2, 11}, {1, 2}}, at, 1, blocks) == "");
    }
  }
}

TEST_CASE("reduce: a middle dimension, transposed, every second element, channels last",
          "[exchange]") {
  require_device();
  CHECK(mistake_of_reduce<half>(contiguous_layout({5, 33, 72}), 1) == "");
  CHECK(mistake_of_reduce<half>(contiguous_layout({5, 33, 71}), 1, 1) == "");
  CHECK(mistake_of_reduce<float>(transposed(40, 72, 72), 0) == "");
  CHECK(mistake_of_reduce<float>(transposed(40, 72, 41), 1) == "");
  CHECK(mistake_of_reduce<half>({{40, 36}, {72, 2}}, 1, 1) == "");
  CHECK(mistake_of_reduce<half>({{40, 36}, {72, 2}}, 0) == "");
  CHECK(mistake_of_reduce<half>({{2, 6, 20, 20}, {2400, 1, 120, 6}}, 1) == "");
  CHECK(mistake_of_reduce<half>({{40, 36}, {0, 1}}, 0) == "");
  CHECK(mistake_of_reduce<half>({{40, 36}, {0, 0}}, 1) == "");
  CHECK(mistake_of_reduce<half>({{1}, {5}}, 0) == "");
}

TEST_CASE("reduce: a middle dimension without gaps, by every kernel", "[exchange]") {
  require_device();
  const auto check = [](std::int64_t matrices, std::int64_t rows, std::int64_t columns) {
    const TensorLayout x = contiguous_layout({matrices, rows, columns});
    CHECK(mistake_of_reduce<float>(x, 1) == "");
    CHECK(mistake_of_reduce<half>(x, 1) == "");
    if (columns > 1000) return;
    CHECK(mistake_of_reduce<half>(x, 1, 1, 0) == "");  // of which no row is aligned
    CHECK(mistake_of_reduce<float>(x, 1, 0, 1) == "");
    CHECK(mistake_of_reduce<std::int32_t>(x, 1) == "");
  };
  for (const std::int64_t rows : {2, 3, 4, 5, 8, 9, 13, 16, 17, 33, 64, 65, 129, 515}) {
    check(5, rows, 72);
    check(3, rows, 71);
  }
  for (const std::int64_t rows : {3, 40, 70, 140}) check(3, rows, 264);
  for (const std::int64_t rows : {5, 17})
    check(4, rows, 16408);  // enough results for a thread each
  for (const std::int64_t rows : {2, 3, 4}) check(5, rows, 16407);
  CHECK(mistake_of_reduce<half>({{5, 9, 72}, {9 * 72 + 8, 72, 1}}, 1) ==
        "");  // gaps between matrices
  CHECK(mistake_of_reduce<half>(contiguous_layout({5, 9, 72}), 1, {{5, 72}, {80, 1}}) == "");
  CHECK(mistake_of_reduce<half>(contiguous_layout({65, 129, 128}), 1) == "");
  CHECK(mistake_of_reduce<float>(contiguous_layout({5, 515, 832}), 1) == "");
}

TEST_CASE("reduce of tensors: what is refused, and nothing") {
  require_device();
  const GuardedBuffer<float> x(std::size_t{60}), y(std::size_t{60});
  const auto refused = [&](const TensorLayout& of_x, std::int64_t dim, const TensorLayout& of_y) {
    const cudaError_t error = reduce(Reduction::sum, TensorView<const float>{x.data(), of_x}, dim,
                                     TensorView<float>{y.data(), of_y}, nullptr, 0, nullptr);
    return error == cudaErrorInvalidValue ? last_refusal() : "";
  };
  const TensorLayout dense = contiguous_layout({4, 5}), four = contiguous_layout({4});
  CHECK(refused(dense, 2, four) == "x has 2 dimensions, and none with the number 2");
  CHECK(refused(dense, -1, four) == "x has 2 dimensions, and none with the number -1");
  CHECK(refused({{4, 5}, {5, -1}}, 1, four) == "x has a negative stride: pass a copy of it");
  CHECK(refused(dense, 1, contiguous_layout({5})) ==
        "the result has the shape (5,), and the reduction gives (4,)");
  CHECK(refused(dense, 1, {{4}, {0}}) ==
        "the result has two elements that may share a place: pass a copy of it");
  CHECK(refused({{1 << 16, 1 << 16, 1}, {0, 0, 0}}, 2,
                {{1 << 16, 1 << 16}, {std::int64_t{1} << 17, 1}}) ==
        "the reduction has 2^32 results or more: reduce parts of x one by one");
  CHECK(y.untouched());
  const Placed<float> of_nothing(four, 0, 0);
  CHECK(reduce(Reduction::max, TensorView<const float>{nullptr, {{4, 0}, {7, 1}}}, 1,
               of_nothing.out(), nullptr, 0, nullptr) == cudaSuccess);
  CHECK(of_nothing.memory.download() ==
        std::vector<float>(4, -std::numeric_limits<float>::infinity()));
}

TEST_CASE("softmax, running sums and sort of rows with gaps", "[exchange]") {
  require_device();
  for (const std::int64_t columns : {1, 7, 8, 33, 128, 264, 515, 1024, 1031, 8191}) {
    const std::int64_t rows = columns < 100 ? 9 : 2;
    for (const std::int64_t gap : {0, 1, 8}) {
      const auto at = static_cast<std::size_t>(gap + columns) % 4;
      const TensorLayout x = rows_of(rows, columns, columns + gap),
                         y = rows_of(rows, columns, 2 * columns),
                         index = rows_of(rows, columns, columns + 8 - gap);
      CHECK(mistake_along<half>(x, y, index, at, 3) == "");
      CHECK(mistake_along<float>(y, x, index, 0, at) == "");
      CHECK(mistake_along<std::int32_t>(x, x, x, 0, 0) == "");
    }
  }
  // Alike, though not equally far apart: by a warp, in packs, held by a cluster, and in its shared memory.
  for (const std::int64_t columns : {600, 1100, 16501, 70001}) {
    const TensorLayout x = rows_of(3, columns, columns + 8), y = rows_of(3, columns, columns + 24);
    CHECK(mistake_along<half>(x, y, y, 3, 3) == "");
    CHECK(mistake_along<float>(x, y, x, 1, 1) == "");
  }
  const TensorLayout long_row = rows_of(2, 16387, 16400);
  CHECK(mistake_along<float>(long_row, long_row, long_row, 1, 0) == "");
}

TEST_CASE("softmax, running sums and sort of tensors whose rows merge", "[exchange]") {
  require_device();
  const TensorLayout dense = contiguous_layout({3, 5, 70}), alone{{70}, {1}};
  const TensorLayout parts{{3, 5, 70}, {5 * 96, 96, 1}}, turned{{3, 5, 70}, {80, 240, 1}};
  CHECK(mistake_along<half>(parts, dense, dense, 2, 0) == "");
  CHECK(mistake_along<float>(dense, parts, parts, 0, 1) == "");
  CHECK(mistake_along<half>(turned, turned, turned, 1, 1) == "");
  CHECK(mistake_along<float>({{3, 5, 70}, {0, 0, 1}}, dense, dense, 1, 0) == "");
  CHECK(mistake_along<float>(alone, alone, alone, 1, 0) == "");
  CHECK(mistake_along<half>({{4, 1}, {6, 3}}, {{4, 1}, {2, 0}}, {{4, 1}, {1, 9}}, 0, 0) == "");
}

TEST_CASE("rows with gaps: what is refused, and nothing") {
  require_device();
  const GuardedBuffer<float> x(std::size_t{99}), y(std::size_t{99});
  const GuardedBuffer<std::int32_t> index(std::size_t{99});
  const auto refused = [&](const TensorLayout& of_x, const TensorLayout& of_y,
                           const TensorLayout& of_index) {
    const cudaError_t error =
        sort_rows(TensorView<const float>{x.data(), of_x}, TensorView<float>{y.data(), of_y},
                  TensorView<std::int32_t>{index.data(), of_index}, nullptr);
    return error == cudaErrorInvalidValue ? last_refusal() : "";
  };
  const TensorLayout dense = contiguous_layout({4, 5}), cube = contiguous_layout({2, 2, 5});
  CHECK(refused({{}, {}}, dense, dense) == "x has no dimension to go along");
  CHECK(refused({{4, 5}, {-5, 1}}, dense, dense) == "x has a negative stride: pass a copy of it");
  CHECK(refused(dense, contiguous_layout({5, 4}), dense) ==
        "the result has the shape (5, 4), and x has (4, 5)");
  CHECK(refused(dense, dense, contiguous_layout({4})) ==
        "the result has the shape (4,), and x has (4, 5)");
  CHECK(refused(dense, {{4, 5}, {4, 1}}, dense) ==
        "the result has two elements that may share a place: pass a copy of it");
  CHECK(refused(dense, dense, {{4, 5}, {0, 1}}) ==
        "the result has two elements that may share a place: pass a copy of it");
  CHECK(refused({{4, 5}, {10, 2}}, dense, dense) ==
        "the elements of a row lie 2 apart, not side by side: pass a copy of the tensor");
  CHECK(refused(dense, dense, {{4, 5}, {1, 4}}) ==
        "the elements of a row lie 4 apart, not side by side: pass a copy of the tensor");
  CHECK(refused(cube, {{2, 2, 5}, {30, 5, 1}}, cube) ==
        "the rows of a tensor are not all equally far apart: pass a copy of it");
  CHECK(softmax_rows(TensorView<const float>{nullptr, dense}, TensorView<float>{y.data(), dense},
                     nullptr) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "x is a null pointer");
  CHECK(y.untouched());
  CHECK(index.untouched());
  for (const TensorLayout& nothing : {TensorLayout{{4, 0}, {7, 1}}, TensorLayout{{0, 5}, {7, 1}}}) {
    CHECK(cumsum_rows(TensorView<const float>{nullptr, nothing},
                      TensorView<float>{nullptr, nothing}, nullptr) == cudaSuccess);
  }
}
