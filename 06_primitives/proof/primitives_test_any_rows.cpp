// Reductions of tensors of any strides, and of rows and columns that begin anywhere.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
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

TEST_CASE("reduce: rows and columns at every offset, lengths around a pack") {
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

TEST_CASE("reduce: columns in packs, in rows that lie alike and in others, at every offset") {
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

TEST_CASE("reduce: in parts") {
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

TEST_CASE("reduce: a middle dimension, transposed, every second element, channels last") {
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
