// Tensors of any strides: random layouts, the layouts that users have, and what is refused.

#include "common/proof/broadcast_cases.h"
#include "common/proof/catch.h"
#include "common/proof/launches.h"
#include "common/proof/support.h"
#include "common/proof/views.h"
#include "common/refusal.h"
#include "common/test/strided_kernels.h"

#if !defined(TUTORIAL_BACKEND_CUDA)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

using namespace tutorial;        // NOLINT(google-build-using-namespace)
using namespace tutorial::test;  // NOLINT(google-build-using-namespace)

namespace {

template <class T>
T minus_twice_of(T a, T b) {
  return static_cast<T>(a - static_cast<T>(b + b));
}

/// y = a - 2 b of these layouts, the tensors so many elements past a line.
template <class T>
std::string mistake_of_minus_twice(const TensorLayout& of_y, const TensorLayout& of_a,
                                   const TensorLayout& of_b, std::size_t y_at = 0,
                                   std::size_t a_at = 0, std::size_t b_at = 0,
                                   std::int64_t most = 0) {
  const Placed<T> y(of_y, y_at, 0), a(of_a, a_at, 1), b(of_b, b_at, 2);
  const std::string wrong =
      mistake(y, minus_twice<T>(a.in(), b.in(), y.out(), most), [&](const TensorShape& index) {
        return minus_twice_of(value_at(a, index), value_at(b, index));
      });
  return wrong.empty()
             ? ""
             : wrong + ", y " + to_text(of_y) + " a " + to_text(of_a) + " b " + to_text(of_b);
}

template <class T>
std::string mistake_of_two_minus(const TensorLayout& of_y, const TensorLayout& of_x,
                                 std::size_t y_at = 0, std::size_t x_at = 0) {
  const Placed<T> y(of_y, y_at, 0), x(of_x, x_at, 1);
  const std::string wrong =
      mistake(y, two_minus<T>(x.in(), y.out(), 0), [&](const TensorShape& index) {
        return static_cast<T>(static_cast<T>(2) - value_at(x, index));
      });
  return wrong.empty() ? "" : wrong + ", y " + to_text(of_y) + " x " + to_text(of_x);
}

template <class T>
std::string mistake_of_is_greater(const TensorLayout& of_y, const TensorLayout& of_a,
                                  const TensorLayout& of_b, std::size_t y_at = 0,
                                  std::size_t a_at = 0, std::size_t b_at = 0) {
  const Placed<std::uint8_t> y(of_y, y_at, 0);
  const Placed<T> a(of_a, a_at, 1), b(of_b, b_at, 2);
  const std::string wrong =
      mistake(y, is_greater<T>(a.in(), b.in(), y.out(), 0), [&](const TensorShape& index) {
        return static_cast<std::uint8_t>(
            static_cast<float>(value_at(a, index)) > static_cast<float>(value_at(b, index)) ? 1
                                                                                            : 0);
      });
  return wrong.empty()
             ? ""
             : wrong + ", y " + to_text(of_y) + " a " + to_text(of_a) + " b " + to_text(of_b);
}

std::string mistake_of_choose(const TensorLayout& of_y, const TensorLayout& of_c,
                              const TensorLayout& of_a, const TensorLayout& of_b,
                              std::size_t offset = 0) {
  const Placed<half> y(of_y, offset, 0), a(of_a, 2 * offset, 1), b(of_b, 3 * offset, 2);
  const Placed<std::uint8_t> c(of_c, offset, 3);
  const std::string wrong =
      mistake(y, choose<half>(c.in(), a.in(), b.in(), y.out(), 0), [&](const TensorShape& index) {
        return value_at(c, index) != 0 ? value_at(a, index) : value_at(b, index);
      });
  return wrong.empty() ? ""
                       : wrong + ", y " + to_text(of_y) + " c " + to_text(of_c) + " a " +
                             to_text(of_a) + " b " + to_text(of_b);
}

}  // namespace

TEST_CASE("strided: no piece reaches beyond its tensor") { CHECK(mistakes_of_is_inside().empty()); }

TEST_CASE("strided: no two lanes want the same banks of a tile at once") {
  CHECK(most_in_a_bank() == 1);
}

TEST_CASE("strided: random layouts, one operand to three", "[exchange]") {
  require_device();
  const std::uint64_t seed = random_seed();
  std::printf("TUTORIAL_SEED=%llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  for (int i = 0; i < 400; ++i) {
    const TensorShape shape = random_shape(random);
    const TensorLayout y = random_layout(random, shape);
    const TensorLayout a = random_operand(random, shape), b = random_operand(random, shape),
                       c = random_operand(random, shape);
    const auto at = [&] { return static_cast<std::size_t>(below(random, 9)); };
    CHECK(mistake_of_minus_twice<half>(y, a, b, at(), at(), at()) == "");
    CHECK(mistake_of_minus_twice<float>(y, a, b, at(), at(), at()) == "");
    if (i % 2 == 0) CHECK(mistake_of_minus_twice<std::int64_t>(y, a, b, at(), at(), at()) == "");
    CHECK(mistake_of_two_minus<half>(y, a, at(), at()) == "");
    CHECK(mistake_of_two_minus<std::uint8_t>(y, b, at(), at()) == "");
    CHECK(mistake_of_is_greater<half>(y, a, b, at(), at(), at()) == "");
    if (i % 2 == 1) CHECK(mistake_of_is_greater<std::int64_t>(y, a, b, at(), at(), at()) == "");
    CHECK(mistake_of_choose(y, c, a, b, at()) == "");
  }
}

TEST_CASE("strided: cut into parts", "[exchange]") {
  require_device();
  Random random(7);
  for (int i = 0; i < 100; ++i) {
    const TensorShape shape = random_shape(random);
    const TensorLayout y = random_layout(random, shape);
    const TensorLayout a = random_operand(random, shape), b = random_operand(random, shape);
    CHECK(mistake_of_minus_twice<half>(y, a, b, 1, 2, 3, 1 + below(random, 700)) == "");
  }
}

TEST_CASE("strided: padded rows and the halves of rows, all offsets", "[exchange]") {
  require_device();
  for (const std::int64_t columns : {1, 3, 7, 8, 9, 16, 17, 57, 64, 300}) {
    for (const std::int64_t pitch : {columns, columns + 1, columns + 4, columns + 8, 2 * columns}) {
      const TensorLayout padded = rows_of(5, columns, pitch), dense = rows_of(5, columns, columns);
      for (std::size_t at = 0; at < 8; ++at) {
        CHECK(mistake_of_minus_twice<half>(dense, padded, padded, 0, 0, at) == "");
        CHECK(mistake_of_minus_twice<half>(dense, padded, dense, at, 8 - at, at) == "");
        CHECK(mistake_of_minus_twice<float>(padded, padded, dense, at % 4, 0, 1) == "");
        CHECK(mistake_of_two_minus<half>(padded, padded, at, 3) == "");
        CHECK(mistake_of_is_greater<half>(padded, dense, padded, at, 1, 2) == "");
      }
    }
  }
}

TEST_CASE("strided: one element a row, one row, and rows that are no packs", "[exchange]") {
  require_device();
  for (const std::int64_t columns : {8, 9, 31, 57, 64, 259}) {
    const TensorLayout dense = rows_of(37, columns, columns),
                       wide = rows_of(37, columns, columns + 1);
    const TensorLayout one = {{37, 1}, {2, 7}}, row = {{columns}, {1}}, number = {{1}, {1}};
    for (std::size_t at = 0; at < 8; ++at) {
      CHECK(mistake_of_minus_twice<half>(dense, one, dense, 0, at, 0) == "");
      CHECK(mistake_of_minus_twice<half>(dense, wide, one, 0, at, 1) == "");
      CHECK(mistake_of_minus_twice<float>(dense, dense, one, 0, 0, at) == "");
      CHECK(mistake_of_minus_twice<half>(dense, number, row, at % 2 * 8, 0, at) == "");
      CHECK(mistake_of_minus_twice<std::int64_t>(wide, one, row, 0, at, 0) == "");
      CHECK(mistake_of_is_greater<half>(dense, one, dense, 0, at, 8) == "");
      CHECK(mistake_of_choose(dense, one, dense, row, at / 4 * 8) == "");
    }
  }
  const TensorLayout last = rows_of(36, 57, 57);  // half a pack more than a block has
  CHECK(mistake_of_minus_twice<half>(last, {{36, 1}, {1, 1}}, last) == "");
  const TensorLayout image = contiguous_layout({3, 5, 57, 57});
  CHECK(mistake_of_minus_twice<half>(image, image, {{5, 1, 1}, {1, 1, 1}}) == "");
  CHECK(mistake_of_minus_twice<float>(image, {{3, 1, 1, 57}, {57, 57, 57, 1}}, image) == "");
}

TEST_CASE("strided: transposed, tiles whole and cut", "[exchange]") {
  require_device();
  for (const std::int64_t rows : {15, 16, 63, 64, 65, 130}) {
    for (const std::int64_t columns : {16, 64, 72, 129}) {
      const TensorLayout dense = rows_of(rows, columns, columns);
      for (const std::int64_t gap : {0, 1, 8}) {
        const TensorLayout turned = transposed(rows, columns, rows + gap);
        for (const std::size_t at : {0, 1, 4}) {
          CHECK(mistake_of_minus_twice<half>(dense, dense, turned, 0, 0, at) == "");
          CHECK(mistake_of_minus_twice<half>(dense, turned, turned, at, 0, 0) == "");
          CHECK(mistake_of_minus_twice<float>(rows_of(rows, columns, columns + 3), turned, dense, 0,
                                              at, 1) == "");
          CHECK(mistake_of_minus_twice<std::int64_t>(dense, dense, turned, 0, at, 1) == "");
          CHECK(mistake_of_two_minus<half>(turned, dense, 0, at) == "");
          CHECK(mistake_of_two_minus<std::uint8_t>(dense, turned, at, 0) == "");
          CHECK(mistake_of_is_greater<half>(dense, turned, dense, at, 0, 0) == "");
          CHECK(mistake_of_choose(dense, turned, dense, turned, at) == "");
        }
      }
    }
  }
}

TEST_CASE("strided: every operand transposed, whole tiles and one row less", "[exchange]") {
  require_device();
  for (const std::int64_t batch : {1, 3}) {
    for (const std::int64_t rows : {63, 64, 128, 192}) {
      for (const std::int64_t columns : {32, 64, 128}) {
        const TensorShape shape = {batch, rows, columns};
        const auto layout = [&](std::int64_t pitch, bool turned) {
          const std::int64_t lines = turned ? columns : rows;
          return turned ? TensorLayout{shape, {lines * pitch, 1, pitch}}
                        : TensorLayout{shape, {lines * pitch, pitch, 1}};
        };
        const TensorLayout dense = layout(columns, false), wide = layout(columns + 8, false);
        const TensorLayout turned = layout(rows, true), apart = layout(rows + 8, true);
        for (const std::size_t at : {0, 1, 8}) {
          CHECK(mistake_of_minus_twice<half>(dense, turned, apart, 0, at, 0) == "");
          CHECK(mistake_of_minus_twice<half>(wide, apart, turned, at, 0, 0) == "");
          CHECK(mistake_of_minus_twice<half>(wide, apart, dense, 0, 0, at) == "");
          CHECK(mistake_of_minus_twice<float>(dense, turned, apart, 0, at, 0) == "");
          CHECK(mistake_of_minus_twice<float>(wide, apart, turned, at, 0, 0) == "");
          CHECK(mistake_of_minus_twice<std::int64_t>(wide, turned, apart, 0, 0, at) == "");
          CHECK(mistake_of_is_greater<half>(dense, turned, apart, at, 0, 0) == "");
          CHECK(mistake_of_choose(dense, turned, turned, apart, at) == "");
        }
      }
    }
  }
}

TEST_CASE("strided: every second element, every third, an image with the channels last",
          "[exchange]") {
  require_device();
  const TensorShape shape = {3, 40, 66};
  const TensorLayout dense = contiguous_layout(shape);
  for (const std::int64_t step : {2, 3}) {
    const TensorLayout some = {shape, {40 * 66 * step, 66 * step, step}};
    for (std::size_t at = 0; at < 8; ++at) {
      CHECK(mistake_of_minus_twice<half>(dense, some, some, 0, at, 1) == "");
      CHECK(mistake_of_minus_twice<float>(some, some, dense, 0, at, 1) == "");
      CHECK(mistake_of_is_greater<half>(dense, some, some, at, 1, 2) == "");
    }
  }
  for (const std::int64_t columns : {8, 9, 16, 57, 300}) {  // of an only operand, in pieces
    const TensorLayout rows = rows_of(5, columns, columns);
    for (const std::int64_t pitch : {2 * columns - 1, 2 * columns, 2 * columns + 3}) {
      const TensorLayout second = {rows.shape, {pitch, 2}};
      for (std::size_t at = 0; at < 8; ++at) {
        CHECK(mistake_of_two_minus<half>(rows, second, 0, at) == "");
        CHECK(mistake_of_two_minus<half>(rows, second, 8, at) == "");
        CHECK(mistake_of_two_minus<float>(rows, second, 4, at) == "");
        CHECK(mistake_of_two_minus<std::uint8_t>(rows, second, 16, at) == "");
        CHECK(mistake_of_two_minus<half>(rows, second, 1, at) == "");
      }
    }
  }
  const TensorLayout last = {{2, 3, 20, 20}, {1200, 1, 60, 3}},
                     wide = {{2, 32, 9, 9}, {2592, 1, 288, 32}};
  CHECK(mistake_of_minus_twice<half>(contiguous_layout(last.shape), last, last) == "");
  CHECK(mistake_of_minus_twice<half>(contiguous_layout(wide.shape), wide,
                                     contiguous_layout(wide.shape)) == "");
  CHECK(mistake_of_two_minus<float>(wide, contiguous_layout(wide.shape)) == "");
}

#if !defined(TUTORIAL_BACKEND_CUDA)
TEST_CASE("strided: nothing behind the last element is read") {
  constexpr std::size_t kPage = 4096;  // where the tensor ends; behind it there is no memory
  void* const pages =
      mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  REQUIRE(mprotect(static_cast<char*>(pages) + kPage, kPage, PROT_NONE) == 0);
  half* const end = static_cast<half*>(pages) + kPage / sizeof(half);
  for (const std::int64_t columns : {8, 9, 16, 23, 64}) {
    for (const std::int64_t step : {1, 2}) {
      const TensorLayout some = {{3, columns}, {columns * step + 5, step}};
      const Placed<half> x(some, 0, 1), y(rows_of(3, columns, columns), 0, 0);
      half* const first =
          std::copy(x.values.begin(), x.values.end(), end - x.values.size()) - x.values.size();
      CHECK(mistake(y, two_minus<half>({first, some}, y.out(), 0), [&](const TensorShape& index) {
              return static_cast<half>(static_cast<half>(2) - value_at(x, index));
            }) == "");
    }
  }
  munmap(pages, 2 * kPage);
}
#endif

TEST_CASE("strided: where pieces pay") {
  const Addresses at({16, 16, 16, 16});
  const auto kernel_of = [&](const auto& call) {
    const auto launches = launches_of(call);
    REQUIRE(launches.size() == 1);
    return launches[0].kernel.substr(0, launches[0].kernel.find(','));
  };
  const auto dense = [](std::int64_t rows, std::int64_t columns) {
    return contiguous_layout({rows, columns});
  };
  const auto apart = [](std::int64_t rows, std::int64_t columns, std::int64_t step = 1) {
    return TensorLayout{{rows, columns}, {columns * step + 1, step}};
  };
  const auto of_one = [&](auto element, std::int64_t rows, std::int64_t columns, int step = 1) {
    using T = decltype(element);
    return kernel_of([&](cudaStream_t stream) {
      return two_minus<T>({at.of<T>(0), apart(rows, columns, step)},
                          {at.of<T>(1), dense(rows, columns)}, kUsualLimits, stream);
    });
  };
  const auto of_two = [&](std::int64_t rows, std::int64_t columns, const TensorLayout& second) {
    return kernel_of([&](cudaStream_t stream) {
      return minus_twice<half>({at.of<half>(0), apart(rows, columns)}, {at.of<half>(1), second},
                               {at.of<half>(2), dense(rows, columns)}, kUsualLimits, stream);
    });
  };
  const auto of_three = [&](std::int64_t rows, std::int64_t columns) {
    return kernel_of([&](cudaStream_t stream) {
      return choose<half>({at.of<std::uint8_t>(0), apart(rows, columns)},
                          {at.of<half>(1), apart(rows, columns)},
                          {at.of<half>(2), apart(rows, columns)},
                          {at.of<half>(3), dense(rows, columns)}, kUsualLimits, stream);
    });
  };
  constexpr auto kByte = std::uint8_t{};
  const std::string elements = "strided_elements_kernel<half";
  CHECK(of_one(half{}, 31250, 64) == "strided_pieces_kernel<8");
  CHECK(of_one(half{}, 31249, 64) == elements);
  CHECK(of_one(half{}, 40000, 63) == elements);
  CHECK(of_one(half{}, 31250, 64, 2) == "strided_pieces_kernel<8");
  CHECK(of_one(half{}, 31249, 64, 2) == elements);
  CHECK(of_one(kByte, 15625, 128) == "strided_pieces_kernel<16");
  CHECK(of_one(kByte, 16000, 127) == "strided_elements_kernel<unsigned char");
  CHECK(of_one(float{}, 5209, 3072, 2) == "strided_pieces_kernel<4");
  CHECK(of_one(float{}, 5208, 3072, 2) == "strided_elements_kernel<float");
  CHECK(of_one(float{}, 6000, 3071, 2) == "strided_elements_kernel<float");
  CHECK(of_one(float{}, 5209, 3072) == "strided_elements_kernel<float");
  CHECK(of_two(4000, 513, apart(4000, 513)) == "strided_pieces_kernel<8");
  CHECK(of_two(4000, 511, apart(4000, 511)) == elements);
  CHECK(of_two(31250, 64, dense(31250, 64)) == "strided_pieces_kernel<8");
  CHECK(of_two(31250, 64, {{31250, 64}, {1, 0}}) == "strided_pieces_kernel<8");
  CHECK(of_three(31250, 512) == "strided_pieces_kernel<8");
  CHECK(of_three(31249, 512) == elements);
}

TEST_CASE("strided: in place", "[exchange]") {
  require_device();
  for (const TensorLayout& layout :
       {rows_of(9, 57, 60), rows_of(70, 64, 80), transposed(64, 40, 72)}) {
    for (std::size_t at = 0; at < 8; ++at) {
      const Placed<half> y(layout, at, 0), b(rows_of(layout.shape[0], layout.shape[1], 100), 3, 1);
      const cudaError_t error = minus_twice<half>(y.in(), b.in(), y.out(), 0);
      CHECK(mistake(y, error, [&](const TensorShape& index) {
              return minus_twice_of(value_at(y, index), value_at(b, index));
            }) == "");
    }
  }
}

TEST_CASE("strided: what is refused, and an empty result") {
  const auto refused = [](const TensorLayout& y, const TensorLayout& x) {
    StridedLoop loop;
    const cudaError_t error = make_strided_loop(y, {x}, &loop);
    return error == cudaErrorInvalidValue ? last_refusal() : "";
  };
  const TensorLayout dense = contiguous_layout({4, 5});
  constexpr std::int64_t kLarge = std::int64_t{1} << 62;
  CHECK(refused(dense, {{4, 5}, {5, -1}}) == "in0 has a negative stride: pass a copy of it");
  CHECK(refused({{4, 5}, {-5, 1}}, dense) == "the result has a negative stride: pass a copy of it");
  CHECK(refused({{4, 5}, {4, 1}}, dense) ==
        "the result has two elements that may share a place: pass a copy of it");
  CHECK(refused({{4, 5}, {0, 1}}, dense) ==
        "the result has two elements that may share a place: pass a copy of it");
  CHECK(refused(dense, contiguous_layout({4, 4})) ==
        "in0 has the shape (4, 4), which does not broadcast to the result's, (4, 5)");
  CHECK(refused(dense, contiguous_layout({1, 4, 5})) ==
        "in0 has the shape (1, 4, 5), which does not broadcast to the result's, (4, 5)");
  CHECK(refused(dense, {{4, 5}, {5}}) == "in0 has 2 sizes and 1 strides");
  CHECK(refused(dense, {{-4, 5}, {5, 1}}) == "in0 has a negative size");
  TensorLayout many = contiguous_layout(TensorShape(8, 2)), evenly = many;
  CHECK(refused(many, evenly).empty());
  std::int64_t step = 1;
  for (std::size_t d = 8; d-- > 0; step *= 3) many.strides[d] = step;
  CHECK(refused(many, evenly) ==
        "the operation has 8 dimensions that do not merge, and at most 7 are supported");
  CHECK(refused(dense, {{4, 5}, {kLarge, 1}}) == "in0 reaches beyond 2^63 - 1 elements");
  CHECK(refused({{kLarge, 4}, {0, 0}}, dense) == "the result reaches beyond 2^63 - 1 elements");
  StridedLoop loop;
  CHECK(make_strided_loop({{4, 0}, {7, 1}}, {{{4, 1}, {3, 1}}}, &loop) == cudaSuccess);
  CHECK(loop.elements == 0);
}

TEST_CASE("strided: dimensions that all tensors step through evenly are one") {
  StridedLoop loop;
  REQUIRE(make_strided_loop(contiguous_layout({8, 1, 4, 6}), {{{8, 1, 4, 6}, {48, 9, 12, 1}}},
                            &loop) == cudaSuccess);
  CHECK(loop.rank == 2);
  CHECK(loop.extent[0] == 32);
  CHECK(loop.stride[0][0] == 6);
  CHECK(loop.stride[1][0] == 12);
  CHECK_FALSE(is_contiguous(loop));
  CHECK(span_of(loop, 1) == 31 * 12 + 6);
  const TensorLayout turned = {{4, 6}, {1, 4}};
  REQUIRE(make_strided_loop(turned, {turned}, &loop) == cudaSuccess);
  CHECK(is_contiguous(loop));
}
