// Arrays that begin anywhere: every offset of every array against every other, modulo sixteen bytes.

#include "common/proof/catch.h"
#include "common/proof/support.h"
#include "common/test/any_address_kernels.h"
#include "common/test/binary_kernels.h"
#include "common/test/broadcast_kernels.h"

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

using namespace tutorial;        // NOLINT(google-build-using-namespace)
using namespace tutorial::test;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::size_t kLine = 128;  // bytes

/// Around the ends of packs and of lines, and several blocks.
const std::vector<std::int64_t> kSizes = {1,  2,  7,  8,  9,   15,  16,  17,  31,  33, 63,
                                          65, 71, 79, 80, 127, 129, 135, 143, 255, 300};
constexpr std::int64_t kLargest = 300, kBlocks = 5003;

/// An array of device memory that may begin at any element of a line.
template <class T>
class Movable {
 public:
  static constexpr std::size_t kOffsets = 16 / sizeof(T);

  explicit Movable(std::int64_t n)
      : values_(2 * kLine / sizeof(T) + static_cast<std::size_t>(n)), memory_(values_.size()) {}

  T* begin(std::size_t offset) const { return memory_.data() + kLine / sizeof(T) + offset; }
  const T* values(std::size_t offset) const { return values_.data() + kLine / sizeof(T) + offset; }

  /// Small numbers that are exact in every type, or one byte everywhere.
  template <class F>
  void fill(F value) {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = value(i);
    memory_.upload(values_);
  }
  void fill_bytes(int byte) {
    std::memset(static_cast<void*>(values_.data()), byte, values_.size() * sizeof(T));
    memory_.upload(values_);
  }

  /// Whether the n elements are expected(0), ... and all others as they were.
  template <class F>
  std::string mistake(std::size_t offset, std::int64_t n, F expected) const {
    const std::vector<T> now = memory_.download();
    const std::size_t first = kLine / sizeof(T) + offset;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const bool inside = i >= first && i < first + static_cast<std::size_t>(n);
      const T right = inside ? expected(i - first) : values_[i];
      if (std::memcmp(&now[i], &right, sizeof(T)) == 0) continue;
      return (inside ? "y[" : "outside: [") +
             std::to_string(static_cast<std::int64_t>(i) - static_cast<std::int64_t>(first)) + "]";
    }
    return memory_.damage();
  }

 private:
  std::vector<T> values_;
  GuardedBuffer<T> memory_;
};

template <class T>
T number(std::size_t i) {
  return static_cast<T>(static_cast<float>(static_cast<int>(i * 37 % 29) - 14));
}

template <class T>
void check_negate(const std::vector<std::int64_t>& sizes, std::int64_t largest) {
  Movable<T> x(largest), y(largest);
  x.fill(number<T>);
  for (const std::int64_t n : sizes) {
    for (std::size_t of_x = 0; of_x < x.kOffsets; ++of_x) {
      for (std::size_t of_y = 0; of_y < y.kOffsets; ++of_y) {
        y.fill_bytes(0x5A);
        REQUIRE(negate(x.begin(of_x), y.begin(of_y), n, nullptr) == cudaSuccess);
        const T* const v = x.values(of_x);
        const std::string wrong = y.mistake(
            of_y, n, [&](std::size_t i) { return static_cast<T>(-static_cast<float>(v[i])); });
        INFO("n = " << n << ", x at " << of_x << ", y at " << of_y << " elements: " << wrong);
        REQUIRE(wrong.empty());
      }
    }
  }
}

/// y = f(a, b) by launch(a, b, y, n); y may be a where `in_place` and T is Out.
template <class T, class Out>
void check_two(const std::vector<std::int64_t>& sizes, std::int64_t largest,
               const std::function<cudaError_t(const T*, const T*, Out*, std::int64_t)>& launch,
               const std::function<Out(T, T)>& expected) {
  Movable<T> a(largest), b(largest);
  Movable<Out> y(largest);
  a.fill(number<T>);
  b.fill([](std::size_t i) { return number<T>(i * 11 + 3); });
  for (const std::int64_t n : sizes) {
    for (std::size_t at = 0; at < a.kOffsets * b.kOffsets * y.kOffsets; ++at) {
      const std::size_t of_a = at % a.kOffsets, of_b = at / a.kOffsets % b.kOffsets,
                        of_y = at / a.kOffsets / b.kOffsets;
      y.fill_bytes(0x5A);
      REQUIRE(launch(a.begin(of_a), b.begin(of_b), y.begin(of_y), n) == cudaSuccess);
      const T *const v = a.values(of_a), *const w = b.values(of_b);
      const std::string wrong =
          y.mistake(of_y, n, [&](std::size_t i) { return expected(v[i], w[i]); });
      INFO("n = " << n << ", a, b, y at " << of_a << ", " << of_b << ", " << of_y
                  << " elements: " << wrong);
      REQUIRE(wrong.empty());
    }
  }
}

Broadcast row_of(std::int64_t n) {
  Broadcast row;
  row.rank = 1;
  row.extent[0] = row.elements = n;
  row.stride0[0] = row.stride1[0] = 1;
  return row;
}

}  // namespace

TEST_CASE("any address: packs are aligned, and their pieces inside the arrays") {
  CHECK(mistakes_of_divide().empty());
}

TEST_CASE("any address: one input, all offsets") {
  require_device();
  check_negate<half>(kSizes, kLargest);
  check_negate<float>(kSizes, kLargest);
  check_negate<half>({kBlocks}, kBlocks);
  check_negate<E4m3>({15, 17, 127, 255, 300}, kLargest);
}

TEST_CASE("any address: two inputs, all offsets") {
  require_device();
  const auto difference = [](auto a, auto b) {
    using T = decltype(a);
    return static_cast<T>(static_cast<float>(a) - 2 * static_cast<float>(b));
  };
  const auto launch = [](auto* a, auto* b, auto* y, std::int64_t n) {
    return minus_twice(a, b, y, n, nullptr);
  };
  check_two<float, float>(kSizes, kLargest, launch, difference);
  check_two<half, half>({9, 65, 143, 300}, kLargest, launch, difference);
  check_two<float, float>({kBlocks}, kBlocks, launch, difference);
}

TEST_CASE("any address: bytes out of wider elements, words out of bytes, all offsets") {
  require_device();
  const auto greater_of = [](auto a, auto b) -> unsigned char {
    return static_cast<float>(a) > static_cast<float>(b) ? 1 : 0;
  };
  const auto launch = [](auto* a, auto* b, auto* y, std::int64_t n) {
    return greater(row_of(n), a, b, y, {}, nullptr);
  };
  check_two<half, unsigned char>({17, 143, 300}, kLargest, launch, greater_of);
  check_two<float, unsigned char>({9, 129, 300}, kLargest, launch, greater_of);
  check_two<std::int64_t, unsigned char>({7, 130}, kLargest, launch, greater_of);
  check_two<std::int8_t, std::int32_t>(
      {17, 33, 80}, kLargest,
      [](auto* a, auto* b, auto* y, std::int64_t n) {
        return widened(row_of(n), a, b, y, {}, nullptr);
      },
      [](std::int8_t a, std::int8_t b) { return a * 1000 + b; });
}

TEST_CASE("any address: in place") {
  require_device();
  for (std::size_t of_y = 0; of_y < 8; ++of_y) {
    for (std::size_t of_b = 0; of_b < 8; ++of_b) {
      for (const std::int64_t n : {std::int64_t{65}, kLargest, kBlocks}) {
        Movable<half> y(n), b(n);
        y.fill(number<half>);
        b.fill([](std::size_t i) { return number<half>(i * 11 + 3); });
        const half* const w = b.values(of_b);
        REQUIRE(minus_twice(y.begin(of_y), b.begin(of_b), y.begin(of_y), n, nullptr) ==
                cudaSuccess);
        REQUIRE(minus_twice(b.begin(of_b), y.begin(of_y), y.begin(of_y), n, nullptr) ==
                cudaSuccess);
        const std::string wrong = y.mistake(of_y, n, [&](std::size_t i) {
          const float v = static_cast<float>(y.values(of_y)[i]), second = static_cast<float>(w[i]);
          return static_cast<half>(second - 2 * (v - 2 * second));
        });
        INFO("n = " << n << ", y and b at " << of_y << ", " << of_b << ": " << wrong);
        REQUIRE(wrong.empty());
      }
    }
  }
}
