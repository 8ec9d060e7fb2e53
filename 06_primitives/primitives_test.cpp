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
  const T negated = static_cast<T>(std::uint64_t{0} - wide_a);
  switch (functor) {
    case Functor::add:
      return static_cast<T>(wide_a + wide_b);
    case Functor::sub:
      return static_cast<T>(wide_a - wide_b);
    case Functor::mul:
      return static_cast<T>(wide_a * wide_b);
    case Functor::square:
      return static_cast<T>(wide_a * wide_a);
    case Functor::div:
    case Functor::divide:
      if (b == 0) return 0;
      return std::is_signed_v<T> && b == static_cast<T>(-1) ? negated : static_cast<T>(a / b);
    case Functor::inverse:
      return a == 1 || (std::is_signed_v<T> && a == static_cast<T>(-1)) ? a : T{0};
    case Functor::floor_div: {
      if (b == 0) return 0;
      if (std::is_signed_v<T> && b == static_cast<T>(-1)) return negated;
      const auto quotient = static_cast<T>(a / b);
      const bool round_down = a % b != 0 && (a < 0) != (b < 0);
      return round_down ? static_cast<T>(quotient - 1) : quotient;
    }
    case Functor::max:
      return a > b ? a : b;
    case Functor::min:
      return a < b ? a : b;
    case Functor::logical_and:
      return a != 0 && b != 0 ? 1 : 0;
    case Functor::logical_or:
      return a != 0 || b != 0 ? 1 : 0;
    default:
      return a;
  }
}

bool expected_bool(Functor functor, bool a, bool b) {
  switch (functor) {
    case Functor::add:
    case Functor::max:
    case Functor::logical_or:
      return a || b;
    case Functor::mul:
    case Functor::min:
    case Functor::logical_and:
      return a && b;
    case Functor::sub:
      return a != b;
    default:
      return a;
  }
}

/// The largest integer that is not above a / b, for operands whose remainder a double knows
/// exactly.
double floor_quotient(double a, double b) {
  if (b == 0 || std::isinf(a) || std::isnan(a) || std::isnan(b)) {
    return std::isinf(a) && b != 0 ? std::fmod(a, b) : a / b;  // the remainder of inf is NaN
  }
  if (std::isinf(b)) return a == 0 || (a < 0) == (b < 0) ? 0.0 : -1.0;
  const double remainder = std::fmod(a, b);
  const double quotient = std::nearbyint((a - remainder) / b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// In double; rounding the double to T is rounding the exact result, for + - * / of all but double
/// itself.
double expected_float(Functor functor, double a, double b) {
  switch (functor) {
    case Functor::add:
      return a + b;
    case Functor::sub:
      return a - b;
    case Functor::mul:
      return a * b;
    case Functor::square:
      return a * a;
    case Functor::div:
    case Functor::divide:
      return a / b;
    case Functor::inverse:
      return 1 / a;
    case Functor::floor_div:
      return floor_quotient(a, b);
    case Functor::max:
      return std::isnan(a) || std::isnan(b) ? kNaN : (a > b ? a : b);
    case Functor::min:
      return std::isnan(a) || std::isnan(b) ? kNaN : (a < b ? a : b);
    case Functor::logical_and:
      return a != 0 && b != 0 ? 1 : 0;
    case Functor::logical_or:
      return a != 0 || b != 0 ? 1 : 0;
    case Functor::exp:
      return std::exp(a);
    case Functor::identity:
      break;
  }
  return a;
}

/// Whether `actual` is what the functor must answer: exp within 2 ULP (1 of CUDA's expf and its
/// rounding), everything else to the last bit, signs of zero apart.
template <class T>
bool is_right(Functor functor, T a, T b, T actual) {
  if constexpr (std::is_same_v<T, unsigned char>) {
    return actual == (expected_bool(functor, a != 0, b != 0) ? 1 : 0);
  } else if constexpr (std::is_integral_v<T>) {
    return actual == expected_integer(functor, a, b);
  } else {
    const double expected = expected_float(functor, number(a), number(b));
    if (functor == Functor::exp) return ulp_error(actual, expected) <= 2.0;
    const double rounded = number(make<T>(expected));
    return std::isnan(rounded) ? std::isnan(number(actual)) : number(actual) == rounded;
  }
}

const std::vector<Functor>& functors_of(bool is_bool, bool is_float) {
  static const std::vector<Functor> of_bool = {
      Functor::add,         Functor::sub,        Functor::mul,      Functor::max,   Functor::min,
      Functor::logical_and, Functor::logical_or, Functor::identity, Functor::square};
  static const std::vector<Functor> of_integers = [] {
    std::vector<Functor> list = of_bool;
    list.insert(list.end(), {Functor::div, Functor::floor_div, Functor::divide, Functor::inverse});
    return list;
  }();
  static const std::vector<Functor> of_floats = [] {
    std::vector<Functor> list = of_integers;
    list.push_back(Functor::exp);
    return list;
  }();
  return is_bool ? of_bool : (is_float ? of_floats : of_integers);
}

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
  for (const Functor functor :
       functors_of(std::is_same_v<T, unsigned char>, !std::is_integral_v<T>)) {
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

constexpr std::initializer_list<Functor> kReducers = {Functor::add,         Functor::mul,
                                                      Functor::max,         Functor::min,
                                                      Functor::logical_and, Functor::logical_or};

template <class T>
void check_identities() {
  require_device();
  for (const Functor functor : kReducers) {
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

TEST_CASE("Functors: the quotient is rounded down after it is known, not before") {
  // The float 0.1 is a little more than a tenth: nine of them fit into 1, and 1 / 0.1f rounds
  // to 10.
  CHECK(apply_on_host(Functor::floor_div, 1.0f, 0.1f) == 9.0f);
  CHECK(std::floor(1.0f / 0.1f) == 10.0f);
  CHECK(apply_on_host(Functor::floor_div, -7.0f, 2.0f) == -4.0f);
  CHECK(apply_on_host<std::int32_t>(Functor::floor_div, -7, 2) == -4);
  CHECK(apply_on_host<std::int32_t>(Functor::div, -7, 2) == -3);
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
    REQUIRE(compute(vec, in_a.data(), in_b.data(), in_c.data(), 5, results.data()) == cudaSuccess);
    CHECK(results.intact());
    const std::vector<float> out = results.download();
    std::vector<float> expected(out.size());
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t k = i / 32, thread = i % 32;
      const std::size_t mirrored = (static_cast<std::size_t>(vec) - 1 - k) * 32 + thread;
      float prefix = 5;
      for (std::size_t j = 0; j <= k; ++j) prefix += a[j * 32 + thread];
      const float values[kComputeResults] = {2.5f,
                                             2 * a[i],
                                             a[i] - b[i],
                                             a[i] * b[i] + c[i],
                                             a[i] - b[i] / 4 + 3 * c[i],
                                             7.0f,
                                             prefix,
                                             a[mirrored] - b[i],
                                             std::trunc(a[i] / 4 + b[i]),
                                             a[i] * a[i]};
      for (std::size_t r = 0; r < kComputeResults; ++r) expected[r * n + i] = values[r];
    }
    INFO("vec " << vec);
    CHECK(out == expected);
  }
}

TEST_CASE("Elementwise primitives: two dimensions, and a row that is used again for each row") {
  require_device();
  for (const int nx : {1, 2, 4}) {
    for (const int ny : {1, 2, 3}) {
      const auto n = static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny);
      std::vector<float> in(n), cycle(static_cast<std::size_t>(nx));
      for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<float>(i) + 0.5f;
      for (std::size_t i = 0; i < cycle.size(); ++i) cycle[i] = 100.0f * static_cast<float>(i + 1);
      const ExactBuffer<float> source(in), row(cycle);
      const GuardedBuffer<float> results(4 * n);
      REQUIRE(compute_2d(nx, ny, row.data(), source.data(), results.data()) == cudaSuccess);
      std::vector<float> expected(4 * n);
      for (std::size_t i = 0; i < n; ++i) {
        const float bias = cycle[i % cycle.size()];
        expected[i] = -in[i];
        expected[n + i] = in[i] - bias;
        expected[2 * n + i] = in[i] * 3.0f;
        expected[3 * n + i] = bias - in[i];
      }
      INFO("nx " << nx << ", ny " << ny);
      CHECK(results.download() == expected);
      CHECK(results.intact());
    }
  }
}
