// Tests of what tests stand on: a checker that accepts a wrong launcher is worse than none.

#include "common/proof/support.h"
#include "common/arguments.h"
#include "common/proof/catch.h"
#include "common/proof/record.h"
#include "common/proof/worse.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

using namespace tutorial;
using namespace tutorial::test;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double identity(double x) { return x; }

}  // namespace

TEST_CASE("ulp is the spacing of each type", "[ulp]") {
  CHECK(ulp<float>(1.0) == 0x1p-23);
  CHECK(ulp<float>(-1.999) == 0x1p-23);
  CHECK(ulp<float>(0x1p-126) == 0x1p-149);
  CHECK(ulp<float>(1e-45) == 0x1p-149);
  CHECK(ulp<float>(0) == 0x1p-149);
  CHECK(ulp<float>(1e300) == 0x1p104);
  CHECK(ulp<__half>(1.0) == 0x1p-10);
  CHECK(ulp<__half>(0x1p-14) == 0x1p-24);
  CHECK(ulp<__half>(0x1p-13) == 0x1p-23);
  CHECK(ulp<__half>(-1e6) == 32);
  CHECK(ulp<__half>(kInfinity) == 32);
  CHECK(ulp<__nv_bfloat16>(1.0) == 0x1p-7);
  CHECK(ulp<__nv_bfloat16>(0) == 0x1p-133);
  CHECK(ulp<double>(1.0) == 0x1p-52);
  CHECK(ulp<double>(0) == std::numeric_limits<double>::denorm_min());
}

TEST_CASE("from_double rounds once, to nearest even", "[ulp]") {
  CHECK(to_double(from_double<__half>(2049)) == 2048);
  CHECK(to_double(from_double<__half>(2051)) == 2052);
  CHECK(to_double(from_double<__half>(-2051)) == -2052);
  // By way of float this would first become a tie, and the tie would go to 1.
  CHECK(to_double(from_double<__half>(1 + 0x1p-11 + 0x1p-40)) == 1 + 0x1p-10);
  CHECK(to_double(from_double<__nv_bfloat16>(1 + 0x1p-8 + 0x1p-40)) == 1 + 0x1p-7);
  CHECK(to_double(from_double<__half>(0x1p-25)) == 0);
  CHECK(to_double(from_double<__half>(0x1.001p-25)) == 0x1p-24);
  CHECK(to_double(from_double<__half>(65519.99)) == 65504);
  CHECK(to_double(from_double<__half>(65520)) == kInfinity);
  CHECK(to_double(from_double<__nv_bfloat16>(-3.4e38)) == -kInfinity);
  CHECK(to_double(from_double<__nv_bfloat16>(-3.39e38)) == -0x1.fep127);
  CHECK(std::isnan(to_double(from_double<__half>(kNaN))));
  CHECK(to_bits(from_double<__half>(-0.0)) == 0x8000);
  CHECK(to_bits(from_double<__half>(-1e-30)) == 0x8000);
}

TEMPLATE_TEST_CASE("every 16-bit value survives the way to double and back", "[ulp]", __half,
                   __nv_bfloat16) {
  const auto values = all_values<TestType>();
  REQUIRE(values.size() == 65536);
  int changed = 0;
  for (const TestType value : values) {
    const double wide = to_double(value);
    const TestType back = from_double<TestType>(wide);
    changed += std::isnan(wide) ? !std::isnan(to_double(back)) : to_bits(back) != to_bits(value);
  }
  CHECK(changed == 0);
}

TEMPLATE_TEST_CASE("eight-bit floats are what their format says, round to even and saturate",
                   "[ulp]", __nv_fp8_e4m3, __nv_fp8_e5m2) {
  using Type = Format<TestType>;
  constexpr int fraction_bits = Type::digits - 1, hidden = 1 << fraction_bits;
  const auto value_of = [](int code) {
    return to_double(from_bits<TestType>(static_cast<std::uint8_t>(code)));
  };
  const auto code_of = [](double value) { return int{to_bits(from_double<TestType>(value))}; };
  int code = 0;
  for (; value_of(code) <= Type::largest; ++code) {
    const int exponent = std::max(code / hidden, 1) - 1 + Type::min_exponent;
    const int significand = code % hidden + (code < hidden ? 0 : hidden);
    CHECK(value_of(code) == std::ldexp(significand, exponent - fraction_bits));
    CHECK(value_of(code + 128) == -value_of(code));
    CHECK(code_of(value_of(code)) == code);
    CHECK(code_of(-value_of(code)) == code + 128);
    if (value_of(code) == Type::largest) continue;
    const double halfway = (value_of(code) + value_of(code + 1)) / 2;
    CHECK(code_of(halfway) == code + code % 2);
    CHECK(code_of(std::nextafter(halfway, 0)) == code);
    CHECK(code_of(std::nextafter(halfway, 1e9)) == code + 1);
  }
  CHECK(value_of(code - 1) == Type::largest);
  CHECK(code_of(1e9) == code - 1);
  CHECK(code_of(-HUGE_VAL) == code - 1 + 128);
  CHECK(code_of(std::nan("")) == 0x7F);
  CHECK(ulp_error(from_double<TestType>(HUGE_VAL), 1e9) == 0.0);
}

TEST_CASE("ulp_error is a fraction of the spacing at the expected value", "[ulp]") {
  CHECK(ulp_error(1.0f, 1.0) == 0);
  CHECK(ulp_error(1.0f, 1.0 + 0x1p-24) == 0.5);
  CHECK(ulp_error(1.0f, 1.0 + 0x1p-20) == 8);
  CHECK(ulp_error(-1.0f, 1.0) == 0x1p24);
  CHECK(ulp_error(0.0f, -0.0) == 0);
  CHECK(ulp_error(0.0f, 0x1p-150) == 0.5);  // half the smallest subnormal
  CHECK(ulp_error(from_double<__half>(0x1p-24), 0x1p-23) == 1);
  CHECK(ulp_error(from_double<__nv_bfloat16>(1), 1.0 + 0x1p-8) == 0.5);
  CHECK(ulp_error(1.0, 1.0 + 0x1p-52) == 1);
}

TEST_CASE("signed_ulp_error tells zeros apart where the right answer is one", "[ulp]") {
  CHECK(signed_ulp_error(0.0f, -0.0) == kInfinity);
  CHECK(signed_ulp_error(-0.0f, 0.0) == kInfinity);
  CHECK(signed_ulp_error(-0.0f, -0.0) == 0);
  CHECK(signed_ulp_error(0.0f, -0x1p-150) == kInfinity);  // rounds to -0
  CHECK(signed_ulp_error(-0.0f, -0x1p-150) == 0.5);
  CHECK(signed_ulp_error(0.0f, -0x1.8p-150) == 0.75);  // does not: as wrong as it is far
  CHECK(signed_ulp_error(1.0f, 1.0 + 0x1p-24) == 0.5);
}

TEST_CASE("ulp_error of infinities and NaN", "[ulp]") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float largest = std::numeric_limits<float>::max();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(ulp_error(nan, kNaN) == 0);
  CHECK(ulp_error(nan, 1.0) == kInfinity);
  CHECK(ulp_error(nan, kInfinity) == kInfinity);
  CHECK(ulp_error(1.0f, kNaN) == kInfinity);
  CHECK(ulp_error(infinity, kNaN) == kInfinity);
  CHECK(ulp_error(infinity, kInfinity) == 0);
  CHECK(ulp_error(-infinity, kInfinity) == kInfinity);
  CHECK(ulp_error(infinity, 1e39) == 0);  // rounds to infinity
  CHECK(ulp_error(-infinity, -1e39) == 0);
  CHECK(ulp_error(-infinity, 1e39) == kInfinity);
  CHECK(ulp_error(infinity, 3e38) == kInfinity);  // does not
  CHECK(ulp_error(largest, kInfinity) == kInfinity);
  CHECK(ulp_error(largest, 0x1.ffffffp127) == 0.5);  // the tie goes to infinity; one away is close
  CHECK(ulp_error(infinity, 0x1.ffffffp127) == 0);
  CHECK(ulp_error(from_double<__half>(kInfinity), 65520) == 0);
  CHECK(ulp_error(from_double<__half>(kInfinity), 65519.0) == 17.0 / 32.0);  // 65536 is next
  CHECK(ulp_error(from_double<__half>(kInfinity), 65504.0) == 1.0);
  CHECK(ulp_error(from_double<__half>(-kInfinity), -65504.0) == 1.0);
  CHECK(ulp_error(from_double<__half>(-kInfinity), 65519.0) == kInfinity);
  CHECK(ulp_error(from_double<__half>(kInfinity), 65503.9) == kInfinity);
  CHECK(ulp_error(infinity, 0x1.fffffep127) == 1.0);
  CHECK(ulp_error(infinity, 0x1.fffffcp127) == kInfinity);
  CHECK(ulp_error(std::numeric_limits<double>::infinity(), 1e308) == kInfinity);
}

TEMPLATE_TEST_CASE("order_of numbers neighbours in sequence", "[ulp]", __half, __nv_bfloat16) {
  const std::int32_t infinity = order_of(from_double<TestType>(kInfinity));
  double last = -kInfinity;
  int wrong = 0;
  for (std::int32_t order = -infinity + 1; order <= infinity; ++order) {
    const TestType value = from_order<TestType>(order);
    wrong += order_of(value) != order || !(to_double(value) > last);
    last = to_double(value);
  }
  CHECK(wrong == 0);
  CHECK(order_of(-0.0f) == 0);
}

TEST_CASE("accepted is the interval of what ulp_error allows", "[tiled]") {
  const double max_ulp = GENERATE(0.5, 0.51, 2.0, 2048.0);
  const auto expected =
      GENERATE(0.0, 1e-9, 0x1p-25, 0x1p-24, -3e-5, 0x1p-14, 1.0, -1.0004, 1.0004, 3.14159, 65504.0,
               65519.9, -65519.9, 65503.9, 65520.0, -70000.0, kInfinity, -kInfinity);
  const Accepted interval = accepted<__half>(expected, max_ulp);
  int wrong = 0;
  for (const __half value : all_values<__half>()) {
    if (std::isnan(to_double(value))) continue;
    const std::int32_t order = order_of(value);
    const bool inside = interval.lowest <= order && order <= interval.highest;
    wrong += inside != (ulp_error(value, expected) <= max_ulp);
  }
  CAPTURE(max_ulp, expected);
  CHECK(wrong == 0);
  CHECK(accepted<__half>(kNaN, max_ulp).only_nan());
}

TEST_CASE("dense_floats visits every exponent", "[inputs]") {
  const std::vector<float> values = dense_floats(16);
  std::vector<int> seen(512);
  for (const float value : values) ++seen[to_bits(value) >> 23];
  for (const int count : seen) CHECK(count >= 2);
  const auto contains = [&](float value) {
    return std::any_of(values.begin(), values.end(),
                       [&](float v) { return to_bits(v) == to_bits(value); });
  };
  for (const double value : {0.0, -0.0, 1.0, -2.0, kInfinity, -kInfinity, 0x1p-149, 0x1p-126}) {
    CHECK(contains(static_cast<float>(value)));
  }
  CHECK(contains(std::nextafter(1.0f, 0.0f)));
  CHECK(contains(std::nextafter(1.0f, 2.0f)));
  CHECK(contains(std::numeric_limits<float>::max()));
}

TEST_CASE("n_ladder is sorted and without repetition", "[inputs]") {
  using Sizes = std::vector<std::int64_t>;
  CHECK(n_ladder(1) == Sizes{0, 1, 2, 255, 256, 257, 1023, 1027, 1048579});
  CHECK(n_ladder(8) == Sizes{0, 1, 7, 8, 9, 15, 255, 256, 257, 1023, 1027, 1048579});
}

TEST_CASE("GuardedBuffer holds what was uploaded", "[buffers]") {
  require_device();
  const std::size_t offset = GENERATE(0u, 1u, 3u);
  const std::vector<float> values = normal_values<float>(1000);
  const GuardedBuffer<float> buffer(values, offset);
  CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256 == offset * sizeof(float));
  CHECK(buffer.download() == values);
  CHECK(buffer.intact());
  CHECK_FALSE(buffer.untouched());
  CHECK_THROWS(GuardedBuffer<float>(10).upload(values));
}

TEST_CASE("GuardedBuffer begins as NaN", "[buffers]") {
  require_device();
  const GuardedBuffer<__half> buffer(77, 1);
  CHECK(buffer.untouched());
  for (const __half value : buffer.download()) CHECK(std::isnan(to_double(value)));
}

TEST_CASE("GuardedBuffer notices a write on either side", "[buffers]") {
  require_device();
  const GuardedBuffer<unsigned char> buffer(100, 3);
  const auto write = [&](std::ptrdiff_t at) {
    unsigned char now = 0;
    REQUIRE(cudaMemcpy(&now, buffer.data() + at, 1, cudaMemcpyDeviceToHost) == cudaSuccess);
    now ^= 1;
    REQUIRE(cudaMemcpy(buffer.data() + at, &now, 1, cudaMemcpyHostToDevice) == cudaSuccess);
  };
  SECTION("the last byte before") {
    write(-1);
    CHECK(buffer.damage() == "written before its beginning: 1 byte, 1 away");
  }
  SECTION("far before") {
    write(-3 - static_cast<std::ptrdiff_t>(GuardedBytes::canary_bytes));
    CHECK(buffer.damage() == "written before its beginning: 1 byte, 32771 away");
  }
  SECTION("the first byte behind") {
    write(100);
    CHECK(buffer.damage() == "written past its end: 1 byte, 1 away");
  }
  SECTION("the last byte of the canary behind") {
    write(99 + static_cast<std::ptrdiff_t>(GuardedBytes::canary_bytes));
    CHECK(buffer.damage() == "written past its end: 1 byte, 32768 away");
  }
  SECTION("several bytes, of which one keeps its value") {
    for (const int at : {102, 103, 105}) write(at);
    CHECK(buffer.damage() == "written past its end: 4 bytes, 3 to 6 away");
  }
  CHECK_FALSE(buffer.intact());
}

TEST_CASE("one buffer's canary on another's is noticed", "[buffers]") {
  require_device();
  const GuardedBuffer<float> from(64), to(64);
  REQUIRE(cudaMemcpy(to.data() + 64, from.data() + 64, sizeof(float), cudaMemcpyDeviceToDevice) ==
          cudaSuccess);
  CHECK_FALSE(to.intact());
}

TEST_CASE("TiledReference finds the first wrong output", "[tiled]") {
  const TiledReference<__half> tiled(identity, 0.5, 1001);
  std::vector<__half> outputs = tiled.inputs(5000);
  CHECK(to_bits(outputs[1001]) == to_bits(outputs[0]));
  CHECK(tiled.first_wrong(outputs.data(), 0, 5000) == -1);
  CHECK(tiled.first_wrong(outputs.data() + 1234, 1234, 3000) == -1);
  CHECK(tiled.first_wrong(outputs.data(), 1, 4000) == 1);
  outputs[4321] = from_order<__half>(order_of(outputs[4321]) + 1);
  CHECK(tiled.first_wrong(outputs.data(), 0, 5000) == 4321);
  CHECK(tiled.first_wrong(outputs.data() + 2000, 2000, 3000) == 4321);
  outputs[17] = from_double<__half>(kNaN);
  CHECK(tiled.first_wrong(outputs.data(), 0, 5000) == 17);
}

TEST_CASE("TiledReference asks for NaN where the reference says NaN", "[tiled]") {
  const TiledReference<float> tiled([](double) { return kNaN; }, 1, 11);
  const std::vector<float> nan(11, std::numeric_limits<float>::quiet_NaN());
  CHECK(tiled.first_wrong(nan.data(), 0, 11) == -1);
  CHECK(tiled.first_wrong(tiled.tile().data(), 0, 11) == 0);
}

TEST_CASE("fill_with_tile repeats the tile and stops at the end", "[tiled]") {
  require_device();
  const std::size_t bytes = GENERATE(5u, 15u, 1000u);
  const std::vector<unsigned char> tile{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const GuardedBuffer<unsigned char> buffer(bytes);
  fill_with_tile(buffer.data(), bytes, tile.data(), tile.size());
  std::vector<unsigned char> expected;
  for (std::size_t i = 0; i < bytes; ++i) expected.push_back(tile[i % tile.size()]);
  CHECK(buffer.download() == expected);
  CHECK(buffer.intact());
}

TEST_CASE("worst_error is the largest of all, where most outputs are the nearest value too",
          "[accuracy]") {
  const auto root = [](double x) { return std::sqrt(x); };
  std::vector<float> inputs, outputs;
  for (int i = 1; i < 4000; ++i) inputs.push_back(static_cast<float>(i));
  for (const float x : inputs) outputs.push_back(from_double<float>(root(x)));
  for (const std::size_t off : {std::size_t{4000}, std::size_t{7}, std::size_t{3000}}) {
    if (off < outputs.size()) outputs[off] = std::nextafter(outputs[off], 0.0f);
    double largest = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      largest = std::fmax(largest, ulp_error(outputs[i], root(inputs[i])));
    }
    const WorstError worst = worst_error(inputs, outputs, root);
    CHECK(worst.ulp == largest);
    CHECK(worst.count == 3999);
  }
}

TEST_CASE("of two errors a NaN is the worse one, in either place", "[accuracy]") {
  const double nan = std::nan("");
  CHECK(worse(1.0, 2.0) == 2.0);
  CHECK(worse(2.0, 1.0) == 2.0);
  CHECK(std::isnan(worse(1.0, nan)));
  CHECK(std::isnan(worse(nan, 1.0)));
}

TEST_CASE("worst_error finds the one wrong output", "[accuracy]") {
  const std::vector<float> inputs = normal_values<float>(10007);
  std::vector<float> outputs = inputs;
  CHECK(worst_error(inputs, outputs, identity).ulp == 0);
  CHECK(worst_error(inputs, outputs, identity).count == 10007);
  outputs[777] = from_order<float>(order_of(inputs[777]) + 3);
  outputs[9000] = from_order<float>(order_of(inputs[9000]) + 1);
  const WorstError worst = worst_error(inputs, outputs, identity);
  CHECK(worst.ulp == 3);
  CHECK(worst.at_input == to_double(inputs[777]));
  CHECK(worst.expected == to_double(inputs[777]));
  CHECK(worst.actual == to_double(outputs[777]));
  CHECK(worst.over == 2);
  CHECK(worst.over_from == std::min(to_double(inputs[777]), to_double(inputs[9000])));
  CHECK(worst.over_to == std::max(to_double(inputs[777]), to_double(inputs[9000])));
  CHECK(worst_error(inputs, outputs, identity, 1).over == 1);
  CHECK(worst.description(0).find("(2 of 10007 inputs exceed 0 ULP, x from ") != std::string::npos);
  CHECK(worst_error(inputs, inputs, identity).description(0).find("(10007 inputs)") !=
        std::string::npos);
  outputs[3] = std::numeric_limits<float>::quiet_NaN();
  CHECK(worst_error(inputs, outputs, identity).ulp == kInfinity);
  CHECK_THROWS(worst_error(inputs, std::vector<float>(3), identity));
}

namespace {

/// y = x as a rung of 4 elements a thread: what a good launcher does, by cudaMemcpyAsync.
template <class T, std::size_t kAlignment = 16>
cudaError_t copy(const T* x, T* y, std::int64_t n, cudaStream_t stream) {
  const cudaError_t error = check_arguments(n, {{x, kAlignment}, {y, kAlignment}});
  if (error != cudaSuccess || n == 0 || x == y) return error;
  return cudaMemcpyAsync(y, x, static_cast<std::size_t>(n) * sizeof(T), cudaMemcpyDeviceToDevice,
                         stream);
}

/// The same for pointers that are aligned to their elements and no more.
constexpr auto copy_elements = copy<float, sizeof(float)>;

template <class T>
UnaryRung<T> rung(UnaryLauncher<T> launch, std::size_t alignment = 16) {
  return {"copy", std::move(launch), 4, alignment, 0.5};
}

std::string violations(UnaryLauncher<float> launch, std::size_t alignment = 16) {
  require_device();
  std::string text;
  for (const auto& violation :
       promise_violations(promises_of(rung(std::move(launch), alignment), identity))) {
    text += violation.sentence + "\n";
  }
  return text;
}

bool mentions(const std::string& text, const std::string& part) {
  UNSCOPED_INFO("looking for \"" << part << "\" in:\n" << text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEMPLATE_TEST_CASE("a good launcher breaks no promise", "[promises]", float, __half,
                   __nv_bfloat16) {
  require_device();
  check_launcher_promises(rung<TestType>(copy<TestType>), identity);
}

TEST_CASE("a launcher that takes any alignment breaks no promise", "[promises]") {
  CHECK(violations(copy_elements, sizeof(float)).empty());
}

TEST_CASE("a launcher that takes a pointer off its element is noticed", "[promises]") {
  const auto text = violations(
      [](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
        const std::uintptr_t past = reinterpret_cast<std::uintptr_t>(x) % sizeof(float);
        const auto* aligned = reinterpret_cast<const char*>(x) - past;
        return copy_elements(reinterpret_cast<const float*>(aligned), y, n, stream);
      },
      sizeof(float));
  CHECK(mentions(text, "x one byte off: the launcher answers cudaSuccess, expected"));
  CHECK(mentions(text, "x one byte off: the output was written to all the same"));
  CHECK_FALSE(mentions(text, "y one byte off"));
}

TEST_CASE("three inputs in each other's places are noticed", "[promises]") {
  require_device();
  const auto last = [](const std::vector<const float*>& in, float* y, std::int64_t n,
                       cudaStream_t stream) {
    for (const float* input : in) {
      if (n > 0 && input == nullptr) return cudaErrorInvalidValue;
      if (n > 0 && !is_aligned(input, sizeof(float))) return cudaErrorMisalignedAddress;
    }
    return copy_elements(in.back(), y, n, stream);
  };
  const FloatRung<float> rung{"last", 3, last, 4, sizeof(float), 0.5};
  CHECK(promise_violations(promises_of(rung, [](const double* in) { return in[2]; })).empty());
  const auto wrong = promise_violations(promises_of(rung, [](const double* in) { return in[0]; }));
  REQUIRE_FALSE(wrong.empty());
  CHECK(mentions(wrong.front().sentence, "n = 1: y[0] = "));
}

TEST_CASE("a last element with other bits is noticed, though within the bound", "[promises]") {
  require_device();
  const auto rounded_up_at_the_end = [](const float* x, float* y, std::int64_t n,
                                        cudaStream_t stream) {
    const cudaError_t error = copy(x, y, n, stream);
    if (error != cudaSuccess || n == 0) return error;
    float last = 0.0f;
    cudaMemcpy(&last, y + n - 1, sizeof(last), cudaMemcpyDeviceToHost);
    last = from_order<float>(order_of(last) + 1);
    return cudaMemcpy(y + n - 1, &last, sizeof(last), cudaMemcpyHostToDevice);
  };
  const auto broken = promise_violations(
      promises_of(UnaryRung<float>{"up", rounded_up_at_the_end, 4, 16, 1.0}, identity));
  REQUIRE_FALSE(broken.empty());
  CHECK(mentions(broken.front().sentence,
                 "alone, inputs on and output on a boundary of 256 bytes: element"));
  CHECK(mentions(broken.front().sentence, "has other bits than in the whole"));
}

TEST_CASE("a dropped tail is noticed", "[promises]") {
  const auto text = violations([](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
    return copy(x, y, n < 0 ? n : n - n % 4, stream);
  });
  CHECK(mentions(text, "n = 1: y[0] was not written"));
  CHECK(mentions(text, "n = 1027: y[1024] was not written"));
}

TEST_CASE("what is made of the output or of unwritten memory is told from what is not written",
          "[promises]") {
  require_device();
  const auto kind = [](UnaryLauncher<float> launch) {
    const auto broken = promise_violations(promises_of(rung(std::move(launch)), identity));
    return broken.empty() ? "" : broken.front().kind;
  };
  const auto with_output = [](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
    const cudaError_t error = copy(x, y, n, stream);
    if (error != cudaSuccess || n == 0 || x == y) return error;
    std::vector<float> all(static_cast<std::size_t>(n), std::nanf(""));
    return cudaMemcpy(y, all.data(), all.size() * sizeof(float), cudaMemcpyHostToDevice);
  };
  CHECK(kind(copy<float>) == "");
  CHECK(kind([](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
          return copy(x, y, n == 7 ? n - 4 : n, stream);
        }) == "unwritten");
  CHECK(kind([=](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
          return n == 7 && x != y ? copy(y, y, n, stream) : copy(x, y, n, stream);
        }) == "unwritten");  // as if nobody had written it
  CHECK(kind([=](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
          if (n != 7 || x == y) return copy(x, y, n, stream);
          std::vector<float> was(7);
          cudaMemcpy(was.data(), y, 28, cudaMemcpyDeviceToHost);
          for (float& value : was) value += 1;
          return cudaMemcpy(y, was.data(), 28, cudaMemcpyHostToDevice);
        }) == "reads_output");
  CHECK(kind([=](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
          return n == 7 && x != y ? cudaMemset(y, 0xFF, 28) : copy(x, y, n, stream);
        }) == "unset");
  CHECK(kind(with_output) == "value");  // NaN by its own arithmetic
}

TEST_CASE("a write of one byte past the end is noticed", "[promises]") {
  const auto text = violations([](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
    const cudaError_t error = copy(x, y, n, stream);
    return error != cudaSuccess || n == 0 ? error : cudaMemsetAsync(y + n, 0, 1, stream);
  });
  CHECK(mentions(text, "n = 3: the output was written past its end: 1 byte, 1 away"));
  CHECK(mentions(text, "in place, n = 255: the output was written past its end: 1 byte, 1 away"));
}

TEST_CASE("a write before the beginning is noticed", "[promises]") {
  const auto text = violations([](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
    const cudaError_t error = copy(x, y, n, stream);
    return error != cudaSuccess || n == 0 ? error : cudaMemsetAsync(y - 1, 0, 4, stream);
  });
  CHECK(mentions(text, "n = 3: the output was written before its beginning: 4 bytes, 1 to 4 away"));
}

TEST_CASE("a write to the input is noticed", "[promises]") {
  const auto text = violations([](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
    const cudaError_t error = copy(x, y, n, stream);
    if (error != cudaSuccess || n == 0 || x == y) return error;
    return cudaMemsetAsync(const_cast<float*>(x), 0, 4, stream);
  });
  CHECK(mentions(text, "n = 3: the input was written to"));
}

TEST_CASE("a wrong value is noticed", "[promises]") {
  const auto text = violations([](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
    const cudaError_t error = copy(x, y, n, stream);
    return error != cudaSuccess || n < 900 ? error : cudaMemsetAsync(y + 800, 0, 4, stream);
  });
  CHECK(mentions(text, "n = 1023: y[800] = 0, expected"));
  CHECK_FALSE(mentions(text, "n = 257:"));
}

TEST_CASE("a launcher that ignores null pointers and negative sizes is noticed", "[promises]") {
  const auto text = violations([](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
    return n <= 0 || x == nullptr || y == nullptr ? cudaSuccess : copy(x, y, n, stream);
  });
  const std::string answers = ": the launcher answers cudaSuccess, expected cudaErrorInvalidValue";
  for (const std::string trial : {"n = -1", "n = -2^63", "null x", "null y"}) {
    CHECK(mentions(text, trial + answers));
  }
}

TEST_CASE("a launcher that refuses n = 0 is noticed", "[promises]") {
  const auto text = violations([](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
    return x == nullptr ? cudaErrorInvalidValue : copy(x, y, n, stream);
  });
  CHECK(mentions(text, "n = 0 with null pointers: the launcher answers cudaErrorInvalidValue"));
}

TEST_CASE("the wrong answer to a misaligned pointer is noticed", "[promises]") {
  const auto text = violations([](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
    const cudaError_t error = copy(x, y, n, stream);
    return error == cudaErrorMisalignedAddress ? cudaErrorInvalidValue : error;
  });
  CHECK(mentions(text,
                 "x 1 and y 0 elements off alignment: the launcher answers "
                 "cudaErrorInvalidValue, expected cudaErrorMisalignedAddress"));
  CHECK(mentions(text, "x 0 and y 3 elements off alignment: the launcher answers"));
}

TEST_CASE("a launcher that refuses what its rung claims to accept is noticed", "[promises]") {
  CHECK(mentions(violations(copy<float>, 8), "x 2 and y 0 elements off alignment: the launcher"));
}

TEST_CASE("a launcher that writes before it refuses is noticed", "[promises]") {
  const auto text = violations([](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
    if (y != nullptr && n > 0) static_cast<void>(cudaMemsetAsync(y, 0, 4, stream));
    return copy(x, y, n, stream);
  });
  CHECK(mentions(text, "x 1 and y 0 elements off alignment: the output was written to"));
  CHECK(mentions(text, "null pointers and negative n: the output was written to"));
}

TEST_CASE("a launcher that cannot work in place is noticed", "[promises]") {
  const auto text = violations([](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
    if (x == y && n > 1) static_cast<void>(cudaMemsetAsync(y, 0, 4, stream));
    return copy(x, y, n, stream);
  });
  CHECK(mentions(text, "in place, n = 4: y[0] = 0, expected"));
  CHECK_FALSE(mentions(text, "\nn = 4:"));
}

TEST_CASE("a launcher that forgets its stream is noticed", "[promises]") {
  const auto text = violations([](const float* x, float* y, std::int64_t n, cudaStream_t) {
    return copy(x, y, n, nullptr);
  });
  CHECK(mentions(text, "on a capturing stream: the launch did not go to the stream"));
}

TEST_CASE("a launcher of which a part forgets its stream is noticed", "[promises]") {
  const auto text = violations([](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
    const std::int64_t first = std::max<std::int64_t>(n, 0) / 8 * 4;
    const cudaError_t error = copy(x, y, first, nullptr);
    return error != cudaSuccess || first == 0 ? copy(x, y, n, stream)
                                              : copy(x + first, y + first, n - first, stream);
  });
  CHECK(mentions(text, "of a captured graph: y[0]"));
}

TEST_CASE("a launcher that allocates is noticed", "[promises]") {
  const auto text = violations([](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
    void* memory = nullptr;
    const cudaError_t error = cudaMalloc(&memory, 4);
    if (error == cudaSuccess) cudaFree(memory);
    return error != cudaSuccess ? error : copy(x, y, n, stream);
  });
  CHECK(mentions(text,
                 "on a capturing stream: the launcher answers cudaErrorStreamCaptureUnsupported"));
}

TEST_CASE("a launcher that throws in a capture does not stop the next", "[promises]") {
  const auto text = violations([](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
    if (stream != nullptr) require_success(cudaStreamSynchronize(stream), "a wait");
    return copy(x, y, n, stream);
  });
  CHECK(mentions(text, "on a capturing stream: a wait: cudaErrorStreamCaptureUnsupported"));
  CHECK(violations(copy<float>).empty());
}

TEST_CASE("a launcher whose workspace holds something else when a graph is launched is noticed",
          "[promises]") {
  require_device();
  const GuardedBuffer<float> between(std::size_t{1} << 17);
  const auto text = violations([&](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
    const cudaError_t error = copy(x, y, n, stream);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaStreamIsCapturing(stream, &status);
    if (error != cudaSuccess || n == 0 || status == cudaStreamCaptureStatusNone) return error;
    return cudaMemcpyAsync(y, between.data(), sizeof(float), cudaMemcpyDeviceToDevice, stream);
  });
  CHECK(mentions(text, "of a captured graph: y[0]"));
}

TEST_CASE("a launcher that synchronises is noticed", "[promises]") {
  const auto text = violations([](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
    const cudaError_t error = copy(x, y, n, stream);
    return error != cudaSuccess ? error : cudaStreamSynchronize(stream);
  });
  CHECK(mentions(text, "on a capturing stream"));
}

TEST_CASE("run_unary reports a failed launch and an overrun", "[accuracy]") {
  require_device();
  const std::vector<float> inputs = normal_values<float>(100);
  CHECK(run_unary<float>(copy<float>, inputs) == inputs);
  CHECK_THROWS(run_unary<float>([](auto...) { return cudaErrorInvalidConfiguration; }, inputs));
  // 16 bytes: one byte of a canary, which differs from buffer to buffer, may be zero already.
  CHECK_THROWS(run_unary<float>(
      [](const float*, float* y, std::int64_t n, cudaStream_t) { return cudaMemset(y + n, 0, 16); },
      inputs));
}

TEMPLATE_TEST_CASE("a copy is exact on every input", "[accuracy][exhaustive]", float, __half,
                   __nv_bfloat16) {
  require_device();
  const auto worst = measure_accuracy<TestType>(
      {rung<TestType>(copy<TestType>), rung<TestType>(copy<TestType>)}, identity);
  REQUIRE(worst.size() == 2);
  CHECK(worst[0].ulp == 0);
  CHECK(worst[1].ulp == 0);
  CHECK(worst[0].count >= 65536);
}

TEST_CASE("measure_accuracy tells the rungs apart and finds an unexpected NaN", "[accuracy]") {
  require_device();
  const auto all_nan = [](const __half*, __half* y, std::int64_t n, cudaStream_t stream) {
    return cudaMemsetAsync(y, 0xFF, static_cast<std::size_t>(n) * sizeof(__half), stream);
  };
  const auto worst =
      measure_accuracy<__half>({rung<__half>(copy<__half>), rung<__half>(all_nan)}, identity);
  CHECK(worst[0].ulp == 0);
  CHECK(worst[0].count == 65536);
  CHECK(worst[1].ulp == kInfinity);
  CHECK(std::isnan(worst[1].actual));
}

TEST_CASE("a copy past 2^31 elements is right", "[past_2_31]") {
  check_past_2_31(rung<__half>(copy<__half>), identity);
}

TEST_CASE("a launcher that counts in 32 bits is noticed past 2^31", "[past_2_31]") {
  if constexpr (!on_gpu) SKIP("2^31 elements take a GPU");
  require_device();
  const auto wraps = [](const __half* x, __half* y, std::int64_t n, cudaStream_t stream) {
    return copy(x, y, static_cast<std::int64_t>(n & 0x7fffffff), stream);
  };
  CHECK(mentions(violation_past_2_31(rung<__half>(wraps), identity), "y[1027]"));
}

TEST_CASE("accuracy and failures are recorded as JSON", "[record]") {
  std::string directory = std::filesystem::temp_directory_path() / "tutorial-record-XXXXXX";
  REQUIRE(mkdtemp(directory.data()) != nullptr);
  const char* was = std::getenv("TUTORIAL_RECORD_DIR");
  const std::string before = was == nullptr ? "" : was;
  REQUIRE(setenv("TUTORIAL_RECORD_DIR", directory.c_str(), 1) == 0);
  record({"chapter", "a_rung", "f16", 0.75, {0.5, -kInfinity, 1, 1.25, 65536}});
  record("a_rung", Complaint("value", "is \"no\" number", {{"index", 3}, {"actual", kNaN}}));
  REQUIRE(setenv("TUTORIAL_RECORD_DIR", before.c_str(), 1) == 0);

  const std::string path = directory + "/accuracy.chapter.a_rung.json";
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  CHECK(mentions(text.str(),
                 R"("accuracy": [{"chapter": "chapter", "rung": "a_rung", "dtype": "f16", )"
                 R"("inputs": 65536, "max_ulp": 0.5, "at": null, "expected": 1, "actual": 1.25, )"
                 R"("bound": 0.75}])"));
  CHECK(mentions(text.str(), on_gpu ? R"("backend": "cuda")" : R"("backend": "cpu-executor")"));
  std::string line;
  std::getline(std::ifstream(directory + "/failures.jsonl"), line);
  CHECK(line == R"({"rung": "a_rung", "kind": "value", "sentence": "is \"no\" number", )"
                R"("index": 3, "actual": NaN})");
  std::filesystem::remove_all(directory);
}
