// The functors, and the primitives that compute with them. (What is read and written, reductions
// and scans, sorts: primitives_test_*.cpp.)
#include <limits>
#include <string>

#include "06_primitives/proof/test_data.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Operands that break things: zeros of both signs, the ends of the range, NaN, ties of a division.
template <class T>
std::vector<T> operands() {
  std::vector<T> values;
  if constexpr (std::is_same_v<T, unsigned char>) {
    return {0, 1};  // bool
  } else if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    for (const T v :
         {Limits::lowest(), Limits::max(), T{0}, T{1}, T{2}, T{3}, T{7}, T{10}, T{100}}) {
      const auto wide = static_cast<std::uint64_t>(std::int64_t{1} * v);  // wraps, as T does here
      values.push_back(v);
      values.push_back(static_cast<T>(0 - wide));
      values.push_back(static_cast<T>(wide + 1));
    }
    return values;
  } else {
    for (const double v :
         {0.0, 0.1, 0.25, 1.0, 1.5, 2.0, 3.0, 7.0, 10.0, 100.0, 60000.0, kInfinity}) {
      values.push_back(make<T>(v));
      values.push_back(make<T>(-v));
    }
    values.push_back(make<T>(kNaN));
    return values;
  }
}

/// The functors on integers, in 64 bits where that is enough.
template <class T>
T expected_integer(Functor functor, T a, T b) {
  const auto wide_a = static_cast<std::uint64_t>(std::int64_t{1} * a);  // with a's sign
  const auto wide_b = static_cast<std::uint64_t>(std::int64_t{1} * b);
  switch (functor) {
    case Functor::add:
      return static_cast<T>(wide_a + wide_b);
    case Functor::mul:
      return static_cast<T>(wide_a * wide_b);
    case Functor::max:
      return a > b ? a : b;
    case Functor::min:
      return a < b ? a : b;
    case Functor::logical_and:
      return a != 0 && b != 0 ? 1 : 0;
    case Functor::logical_or:
      break;
  }
  return a != 0 || b != 0 ? 1 : 0;
}

bool expected_bool(Functor functor, bool a, bool b) {
  switch (functor) {
    case Functor::add:
    case Functor::max:
    case Functor::logical_or:
      return a || b;
    default:
      return a && b;
  }
}

/// In double; rounding the double to T is rounding the exact result, for + and * of all but double
/// itself.
double expected_float(Functor functor, double a, double b) {
  switch (functor) {
    case Functor::add:
      return a + b;
    case Functor::mul:
      return a * b;
    case Functor::max:
      return std::isnan(a) || std::isnan(b) ? kNaN : (a > b ? a : b);
    case Functor::min:
      return std::isnan(a) || std::isnan(b) ? kNaN : (a < b ? a : b);
    case Functor::logical_and:
      return a != 0 && b != 0 ? 1 : 0;
    case Functor::logical_or:
      break;
  }
  return a != 0 || b != 0 ? 1 : 0;
}

/// Whether `actual` is what the functor must answer, to the last bit, signs of zero apart.
template <class T>
bool is_right(Functor functor, T a, T b, T actual) {
  if constexpr (std::is_same_v<T, unsigned char>) {
    return actual == (expected_bool(functor, a != 0, b != 0) ? 1 : 0);
  } else if constexpr (std::is_integral_v<T>) {
    return actual == expected_integer(functor, a, b);
  } else {
    const double expected = expected_float(functor, number(a), number(b));
    const double rounded = number(make<T>(expected));
    return std::isnan(rounded) ? std::isnan(number(actual)) : number(actual) == rounded;
  }
}

constexpr std::initializer_list<Functor> kFunctors = {Functor::add,         Functor::mul,
                                                      Functor::max,         Functor::min,
                                                      Functor::logical_and, Functor::logical_or};

template <class T>
void check_functors() {
  require_device();
  const std::vector<T> values = operands<T>();
  std::vector<T> a, b;
  for (const T x : values) {
    for (const T y : values) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  const ExactBuffer<T> in_a(a), in_b(b);
  for (const Functor functor : kFunctors) {
    const GuardedBuffer<T> out(a.size());
    REQUIRE(apply(functor, in_a.data(), in_b.data(), out.data(),
                  static_cast<std::int64_t>(a.size())) == cudaSuccess);
    const std::vector<T> results = out.download();
    for (std::size_t i = 0; i < a.size(); ++i) {
      const T on_host = apply_on_host(functor, a[i], b[i]);
      if (is_right(functor, a[i], b[i], results[i]) && is_right(functor, a[i], b[i], on_host)) {
        continue;
      }
      FAIL_CHECK("functor " << static_cast<int>(functor) << " of " << number(a[i]) << ", "
                            << number(b[i]) << ": " << number(results[i]) << ", on the host "
                            << number(on_host));
    }
  }
}

template <class T>
void check_identities() {
  require_device();
  for (const Functor functor : kFunctors) {
    const GuardedBuffer<T> out(1);
    REQUIRE(identity_of(functor, out.data()) == cudaSuccess);
    const T identity = out.download()[0];
    INFO("functor " << static_cast<int>(functor) << ", identity " << number(identity));
    CHECK(same_bits(identity, identity_on_host<T>(functor)));
    const bool logical = functor == Functor::logical_and || functor == Functor::logical_or;
    for (const T x : operands<T>()) {
      const double expected = logical ? (number(x) != 0 ? 1.0 : 0.0) : number(x);
      for (const double result : {number(apply_on_host(functor, identity, x)),
                                  number(apply_on_host(functor, x, identity))}) {
        INFO("with " << number(x) << ": " << result);
        CHECK((std::isnan(expected) ? std::isnan(result) : result == expected));
      }
    }
  }
}

}  // namespace

TEST_CASE("Functors: right for every type, on the device and on the host") {
  SECTION("float") { check_functors<float>(); }
  SECTION("double") { check_functors<double>(); }
  SECTION("half") { check_functors<half>(); }
  SECTION("bf16") { check_functors<__nv_bfloat16>(); }
  SECTION("bool") { check_functors<unsigned char>(); }
  SECTION("int8") { check_functors<std::int8_t>(); }
  SECTION("int32") { check_functors<std::int32_t>(); }
  SECTION("uint32") { check_functors<std::uint32_t>(); }
  SECTION("int64") { check_functors<std::int64_t>(); }
}

TEST_CASE("Convert: a double is rounded to the 16-bit types once, not by way of a float") {
  require_device();
  const auto check = [](auto type, double unit) {
    using T = decltype(type);
    std::vector<double> in;
    std::vector<T> expected;
    for (const double tie : {1.0 + 0.5 * unit, 1.0 + 1.5 * unit}) {
      for (const double off : {-0x1p-40, 0.0, 0x1p-40}) {  // a float has no digits left for it
        in.push_back(tie + off);
        in.push_back(-tie - off);
      }
    }
    for (const double value : in) expected.push_back(from_double<T>(value));
    const ExactBuffer<double> source(in);
    const GuardedBuffer<T> results(in.size());
    REQUIRE(convert(source.data(), results.data(), static_cast<unsigned>(in.size())) ==
            cudaSuccess);
    const std::vector<T> actual = results.download();
    for (std::size_t i = 0; i < in.size(); ++i) {
      INFO(in[i]);
      CHECK(to_double(actual[i]) == to_double(expected[i]));
    }
  };
  check(half{}, 0x1p-10);
  check(__nv_bfloat16{}, 0x1p-7);
}

TEST_CASE("Functors: an identity changes nothing, the ends of the range included") {
  SECTION("float") { check_identities<float>(); }
  SECTION("double") { check_identities<double>(); }
  SECTION("half") { check_identities<half>(); }
  SECTION("bf16") { check_identities<__nv_bfloat16>(); }
  SECTION("bool") { check_identities<unsigned char>(); }
  SECTION("int8") { check_identities<std::int8_t>(); }
  SECTION("int32") { check_identities<std::int32_t>(); }
  SECTION("uint32") { check_identities<std::uint32_t>(); }
  SECTION("int64") { check_identities<std::int64_t>(); }
}

TEST_CASE("Elementwise primitives: each applies its functor to each register") {
  require_device();
  for (const int vec : {1, 2, 4, 8}) {
    const std::size_t n = static_cast<std::size_t>(vec) * 32;
    std::vector<float> a(n), b(n), c(n);
    for (std::size_t i = 0; i < n; ++i) {  // small quarters: every result below is exact
      a[i] = static_cast<float>(i % 37) - 18.0f;
      b[i] = static_cast<float>(i % 11) * 0.25f;
      c[i] = static_cast<float>(i % 5) - 2.0f;
    }
    const ExactBuffer<float> in_a(a), in_b(b), in_c(c);
    const GuardedBuffer<float> results(kComputeResults * n);
    REQUIRE(compute(vec, in_a.data(), in_b.data(), in_c.data(), results.data()) == cudaSuccess);
    CHECK(results.intact());
    const std::vector<float> out = results.download();
    std::vector<float> expected(out.size());
    for (std::size_t i = 0; i < n; ++i) {
      const float values[kComputeResults] = {
          2 * a[i],   a[i] - b[i], a[i] - b[i] / 4 + 3 * c[i], 7.0f, std::trunc(a[i] / 4 + b[i]),
          a[i] * a[i]};
      for (std::size_t r = 0; r < kComputeResults; ++r) expected[r * n + i] = values[r];
    }
    INFO("vec " << vec);
    CHECK(out == expected);
  }
}

TEST_CASE("CycleBinary: a row that is used again for each row") {
  require_device();
  for (const int nx : {1, 2, 4}) {
    for (const int ny : {1, 2, 3}) {
      const auto n = static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny);
      std::vector<float> in(n), row(static_cast<std::size_t>(nx)), expected(n);
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = 100.0f * static_cast<float>(i + 1);
      for (std::size_t i = 0; i < n; ++i) {
        in[i] = static_cast<float>(i) + 0.5f;
        expected[i] = row[i % row.size()] - in[i];
      }
      const ExactBuffer<float> source(in), row_source(row);
      const GuardedBuffer<float> results(n);
      REQUIRE(cycle(nx, ny, row_source.data(), source.data(), results.data()) == cudaSuccess);
      INFO("nx " << nx << ", ny " << ny);
      CHECK(results.download() == expected);
      CHECK(results.intact());
    }
  }
}
