// The operations themselves: NumPy as a second opinion, and the definitions that we did not take.
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "04_arithmetic/proof/arithmetic_test_support.h"
#include "04_arithmetic/proof/museum/exhibits.cuh"

using namespace tutorial;
using namespace tutorial::test;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// ---- NumPy --------------------------------------------------------------------------------------

/// What numpy_reference.csv has for one operation and type: bit patterns.
struct NumpyRows {
  std::vector<std::uint64_t> a, b, result;
};

/// The fields of numpy_reference.csv for one operation and type, which numpy_reference.py wrote.
std::vector<std::string> numpy_fields(const std::string& operation, const std::string& dtype) {
  const std::string here = __FILE__;
  const std::string path = here.substr(0, here.find_last_of('/')) + "/numpy_reference.csv";
  const std::string wanted = operation + ',' + dtype + ',';
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<std::string> found;
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, wanted.size(), wanted) != 0) continue;
    std::istringstream fields(line.substr(wanted.size()));
    for (std::string value; std::getline(fields, value, ',');) found.push_back(value);
  }
  return found;
}

/// The pairs of which NumPy was asked for this operation, and its results.
NumpyRows numpy_reference(const std::string& operation, const std::string& dtype) {
  const auto a = numpy_fields("a", dtype), b = numpy_fields("b", dtype);
  const auto result = numpy_fields(operation, dtype);
  REQUIRE((a.size() == b.size() && a.size() == result.size()));
  NumpyRows rows;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (result[i] == "-") continue;
    rows.a.push_back(std::stoull(a[i], nullptr, 16));
    rows.b.push_back(std::stoull(b[i], nullptr, 16));
    rows.result.push_back(std::stoull(result[i], nullptr, 16));
  }
  return rows;
}

/// The values of these bit patterns.
template <class T>
std::vector<T> from_bits(const std::vector<std::uint64_t>& bits) {
  std::vector<T> values(bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i)
    std::memcpy(static_cast<void*>(&values[i]), &bits[i], sizeof(T));
  return values;
}

template <class T>
bool agrees(T actual, T expected, [[maybe_unused]] double max_ulp) {
  if constexpr (std::is_integral_v<T>) {
    return actual == expected;
  } else {
    // NumPy's own power may be off by as much as ours.
    return ulp_error(actual, to_double(expected)) <= (max_ulp > 0.5 ? max_ulp + 1 : 0);
  }
}

template <class T>
void check_against_numpy() {
  for (const ArithmeticOp op : kArithmeticOps) {
    const NumpyRows rows = numpy_reference(name_of(op), dtype_name<T>());
    const std::vector<T> a = from_bits<T>(rows.a), b = from_bits<T>(rows.b);
    const std::vector<T> expected = from_bits<T>(rows.result);
    REQUIRE(a.size() > 50);
    for (const ArithmeticRung<T>& rung : arithmetic_rungs<T>()) {
      const std::vector<T> y = run_pairs(operation_of(rung, op), a, b);
      for (std::size_t i = 0; i < y.size(); ++i) {
        if (agrees(y[i], expected[i], arithmetic_max_ulp<T>(op))) continue;
        FAIL(rung.name << " " << name_of(op) << " row " << i << ": a = 0x" << std::hex << rows.a[i]
                       << ", b = 0x" << rows.b[i] << ", NumPy 0x" << rows.result[i]);
      }
    }
  }
}

/// What NumPy's // and % say of integers, which round towards minus infinity: that they follow from
/// ours, which round towards zero.
template <class T>
void check_floor_division() {
  const NumpyRows floor = numpy_reference("floor_divide", dtype_name<T>());
  const NumpyRows remainder = numpy_reference("remainder", dtype_name<T>());
  REQUIRE(floor.a == remainder.a);
  const std::vector<T> a = from_bits<T>(floor.a), b = from_bits<T>(floor.b);
  const auto run = [&](ArithmeticOp op) {
    return run_pairs(operation_of(arithmetic_rungs<T>().back(), op), a, b);
  };
  const std::vector<T> quotient = run(ArithmeticOp::Div), rest = run(ArithmeticOp::Mod);
  const std::vector<T> numpy_quotient = from_bits<T>(floor.result);
  const std::vector<T> numpy_rest = from_bits<T>(remainder.result);
  std::size_t differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool between = rest[i] != 0 && (rest[i] < 0) != (b[i] < 0);
    INFO(a[i] << " and " << b[i]);
    CHECK(numpy_quotient[i] == static_cast<T>(quotient[i] - (between ? 1 : 0)));
    CHECK(numpy_rest[i] == static_cast<T>(rest[i] + (between ? b[i] : 0)));
    differ += between ? 1 : 0;
  }
  CHECK(differ > 0);
}

}  // namespace

TEST_CASE("arithmetic: NumPy computes the same") {
  require_device();
  SECTION("f32") { check_against_numpy<float>(); }
  SECTION("f16") { check_against_numpy<half>(); }
  SECTION("i32") { check_against_numpy<std::int32_t>(); }
  SECTION("i64") { check_against_numpy<std::int64_t>(); }
}

TEST_CASE("arithmetic: NumPy's // and % follow from the truncating Div and Mod") {
  require_device();
  SECTION("i32") { check_floor_division<std::int32_t>(); }
  SECTION("i64") { check_floor_division<std::int64_t>(); }
}

TEST_CASE("arithmetic: the names of the operations") {
  CHECK(std::string(name_of(ArithmeticOp::Add)) == "add");
  CHECK(std::string(name_of(ArithmeticOp::Mod)) == "mod");
  CHECK(std::string(name_of(static_cast<ArithmeticOp>(9))) == "unknown");
  CHECK_FALSE(is_known(static_cast<ArithmeticOp>(9)));
  CHECK_FALSE(is_known(static_cast<ArithmeticOp>(-1)));
  for (const ArithmeticOp op : kArithmeticOps) {
    CHECK(is_known(op));
    CHECK(with_op(op, false, [&](auto known) { return decltype(known)::value == op; }));
  }
}

// ---- The museum ---------------------------------------------------------------------------------

TEST_CASE("exhibit: shared memory for 256 threads") {
  require_device();
  const std::vector<half> x = normal_values<half>(256 * 8 * 3 + 5);
  const auto with = [](int threads) -> BinaryLauncher<half> {
    return [=](const half* a, const half* b, half* y, std::int64_t n, cudaStream_t stream) {
      return exhibits::fp16_for_256_threads(a, b, y, n, stream, threads);
    };
  };
  // Right with 256 threads, and with fewer, where it wastes what it does not use; but the tail is
  // nobody's. (With 512 it leaves its array: see exhibits_asan.cpp.)
  for (const int threads : {128, 256}) {
    INFO(threads << " threads");
    const std::vector<half> y = run_pairs(with(threads), x, x);
    const std::size_t whole = x.size() / 8 * 8;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < whole; ++i) wrong += to_double(y[i]) != 2 * to_double(x[i]);
    CHECK(wrong == 0);
    for (std::size_t i = whole; i < x.size(); ++i) CHECK(std::isnan(to_double(y[i])));
  }
}

TEST_CASE("a maximum keeps a NaN of either side, and is +0 of two zeros") {
  require_device();
  const std::vector<float> a = {kNaN, 1.0f, 0.0f, -0.0f}, b = {1.0f, kNaN, -0.0f, 0.0f};
  for (const ArithmeticRung<float>& rung : arithmetic_rungs<float>()) {
    INFO(rung.name);
    const std::vector<float> ours = run_pairs(operation_of(rung, ArithmeticOp::Max), a, b);
    CHECK(std::isnan(ours[0]));
    CHECK(std::isnan(ours[1]));
    CHECK_FALSE(std::signbit(ours[2]));
    CHECK_FALSE(std::signbit(ours[3]));
  }
}

TEST_CASE("exhibit: a rest by way of a rounded quotient") {
  require_device();
  const std::vector<float> a = {1e10f, 7.0f, 1.0f, -5.5f}, b = {3.0f, 0.1f, kNaN, 2.0f};
  const std::vector<float> seed = run_pairs<float>(exhibits::mod_by_truncation, a, b);
  const std::vector<float> ours =
      run_pairs(operation_of(arithmetic_rungs<float>().front(), ArithmeticOp::Mod), a, b);
  CHECK(ours[0] == 1.0f);  // 10^10 = 3 * 3333333333 + 1
  CHECK(std::fabs(seed[0] - ours[0]) >= 1.0f);
  CHECK(ours[1] == std::fmod(7.0f, 0.1f));
  CHECK(std::fabs(seed[1] - ours[1]) > 0.05f);  // 7 / 0.1f is a bit below 70, and rounds to it
  CHECK(std::isnan(seed[2]));
  CHECK(seed[3] == ours[3]);  // small quotients are no trouble
}

TEST_CASE("exhibit: integer powers in float are right up to 2^24") {
  require_device();
  const std::vector<std::int32_t> a = {2, 3, 3, 7}, b = {20, 10, 17, 11};
  const std::vector<std::int32_t> seed = run_pairs<std::int32_t>(exhibits::pow_by_float, a, b);
  const std::vector<std::int32_t> ours =
      run_pairs(operation_of(arithmetic_rungs<std::int32_t>().front(), ArithmeticOp::Pow), a, b);
  CHECK(ours == std::vector<std::int32_t>{1048576, 59049, 129140163, 1977326743});
  CHECK(seed[0] == ours[0]);
  CHECK(seed[2] != ours[2]);  // odd, and above 2^24
  CHECK(seed[3] != ours[3]);
}
