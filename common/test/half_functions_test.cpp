// The functions of half and bf16 that the executor defines: against the exact result, rounded once,
// and against the GPU, over all 65,536 inputs of each.

#include "common/executor/half_functions.h"
#include "common/proof/catch.h"
#include "common/proof/record.h"
#include "common/proof/support.h"
#include "common/test/half_functions_kernels.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace tutorial::test {
namespace {

constexpr int kInputs = 65536;

std::vector<std::uint16_t> all_inputs() {
  std::vector<std::uint16_t> inputs(kInputs);
  std::iota(inputs.begin(), inputs.end(), std::uint16_t{0});
  return inputs;
}

// ---- Our functions, on bit patterns -------------------------------------------------------------

using BitFunction = std::uint16_t (*)(std::uint16_t);

/// `exact` has the longer significand: what double's functions round wrongly is far too rare to meet one
/// of these inputs near a tie.
struct HostFunction {
  BitFunction f16, f16_pair, bf16, bf16_pair;
  long double (*exact)(long double);
};

/// The value as both halves of a pair, and the first half of a result whose halves agree.
__half2 twice(__half x) { return __halves2half2(x, x); }
__nv_bfloat162 twice(__nv_bfloat16 x) { return __halves2bfloat162(x, x); }

template <class T2>
std::uint16_t either_half(T2 x) {
  if (to_bits(x.x) != to_bits(x.y)) throw std::logic_error("the halves of a pair differ");
  return to_bits(x.x);
}

#define TUTORIAL_ENTRY(name, pair_name, expression)                                            \
  {[](std::uint16_t x) { return to_bits(name(from_bits<__half>(x))); },                        \
   [](std::uint16_t x) { return either_half(pair_name(twice(from_bits<__half>(x)))); },        \
   [](std::uint16_t x) { return to_bits(name(from_bits<__nv_bfloat16>(x))); },                 \
   [](std::uint16_t x) { return either_half(pair_name(twice(from_bits<__nv_bfloat16>(x)))); }, \
   [](long double x) { return expression; }},
constexpr HostFunction kHostFunctions[] = {TUTORIAL_HALF_FUNCTIONS(TUTORIAL_ENTRY)};
#undef TUTORIAL_ENTRY

template <class T>
bool same_value(std::uint16_t a, std::uint16_t b) {
  const bool both_nan =
      std::isnan(to_double(from_bits<T>(a))) && std::isnan(to_double(from_bits<T>(b)));
  return a == b || both_nan;
}

template <class T>
void check_rounding(const std::string& name, long double (*exact)(long double),
                    BitFunction function, BitFunction pair_function) {
  for (const std::uint16_t input : all_inputs()) {
    const double x = to_double(from_bits<T>(input));
    const T expected = from_double<T>(static_cast<double>(exact(x)));
    if (same_value<T>(function(input), to_bits(expected)) &&
        same_value<T>(pair_function(input), to_bits(expected))) {
      continue;
    }
    CAPTURE(name, dtype_name<T>(), x, to_double(expected), to_double(from_bits<T>(function(input))),
            to_double(from_bits<T>(pair_function(input))));
    FAIL_CHECK("not the exact result, rounded once");
  }
}

/// Whether `result` is the value of T nearest to high + low, with ties to even. |low| is at most
/// half an ULP of `high`, so it matters only where `high` itself is as far from both candidates.
template <class T>
bool is_nearest(T result, double high, double low) {
  const auto bits = to_bits(result);
  const double to_result = high - to_double(result);
  for (const int step : {-1, 1}) {
    const double other = to_double(from_bits<T>(static_cast<std::uint16_t>(bits + step)));
    const double distance = std::fabs(high - other);
    if (!std::isfinite(other) || std::fabs(to_result) < distance) continue;
    if (std::fabs(to_result) > distance) return false;
    const bool low_decides_for_result = (to_result > 0.0) == (low < 0.0);
    if (low == 0.0 ? bits % 2 != 0 : !low_decides_for_result) return false;
  }
  return true;
}

template <class T>
void check_fused_multiply_add() {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> pattern(0, kInputs - 1);
  for (int i = 0; i < 1000000; ++i) {
    const auto any = [&] { return from_bits<T>(static_cast<std::uint16_t>(pattern(random))); };
    const T a = any();
    const T b = any();
    const T c = any();
    const T result = __hfma(a, b, c);
    const double product = to_double(a) * to_double(b);
    const double addend = to_double(c);
    const double high = product + addend;
    if (!std::isfinite(high) || !std::isfinite(to_double(result))) continue;
    const double part = high - product;
    const double low = (product - (high - part)) + (addend - part);
    if (to_double(result) != 0.0 && !is_nearest(result, high, low)) {
      CAPTURE(dtype_name<T>(), to_double(a), to_double(b), to_double(c), to_double(result));
      FAIL_CHECK("not the nearest value");
    }
  }
}

// ---- The device ---------------------------------------------------------------------------------

std::vector<std::uint16_t> run_on_device(HalfLauncher launcher) {
  const GuardedBuffer<std::uint16_t> in(all_inputs()), out(std::size_t{kInputs});
  REQUIRE(launcher(in.data(), out.data(), kInputs / 2) == cudaSuccess);
  std::vector<std::uint16_t> results = out.download();
  REQUIRE(out.intact());
  return results;
}

/// How two answers to the same inputs differ. Payloads of NaN do not count.
struct Difference {
  std::string function;
  const char* dtype;
  int differ = 0;
  int max_ulp = 0;
  double at = 0.0;
};

/// Steps between two values in the order of T's values; both zeros are one. 65536 if only one is
/// NaN.
template <class T>
int steps_between(std::uint16_t a, std::uint16_t b) {
  const T left = from_bits<T>(a), right = from_bits<T>(b);
  const bool a_is_nan = std::isnan(to_double(left)), b_is_nan = std::isnan(to_double(right));
  if (a_is_nan != b_is_nan) return kInputs;
  return a_is_nan ? 0 : std::abs(order_of(left) - order_of(right));
}

template <class T>
Difference compare(const char* name, BitFunction host, HalfLauncher device) {
  Difference difference{name, dtype_name<T>()};
  const std::vector<std::uint16_t> answers = run_on_device(device);
  for (const std::uint16_t input : all_inputs()) {
    const std::uint16_t ours = host(input);
    if (same_value<T>(ours, answers[input])) continue;
    ++difference.differ;
    const int steps = steps_between<T>(ours, answers[input]);
    if (steps < difference.max_ulp) continue;
    difference.max_ulp = steps;
    difference.at = to_double(from_bits<T>(input));
  }
  return difference;
}

std::vector<Difference> compare_all() {
  std::vector<Difference> differences;
  for (int i = 0; i < kHalfFunctions; ++i) {
    const HostFunction& host = kHostFunctions[i];
    const DeviceFunction& device = device_functions[i];
    differences.push_back(compare<__half>(device.name, host.f16, device.f16));
    differences.push_back(compare<__half>(device.pair_name, host.f16_pair, device.f16_pair));
    differences.push_back(compare<__nv_bfloat16>(device.name, host.bf16, device.bf16));
    differences.push_back(
        compare<__nv_bfloat16>(device.pair_name, host.bf16_pair, device.bf16_pair));
  }
  return differences;
}

void print(const std::vector<Difference>& differences) {
  std::printf("%-14s %-5s %8s %8s  %s\n", "function", "type", "differ", "max ULP", "at");
  for (const Difference& d : differences) {
    std::printf("%-14s %-5s %8d %8d  ", d.function.c_str(), d.dtype, d.differ, d.max_ulp);
    std::printf(d.differ != 0 ? "%.9g\n" : "-\n", d.at);
  }
}

/// Writes half_functions.json, what differs, into the directory that TUTORIAL_RECORD_DIR names, if any.
void record(const std::vector<Difference>& differences) {
  const char* const directory = std::getenv("TUTORIAL_RECORD_DIR");
  if (directory == nullptr || *directory == '\0') return;
  std::ofstream file(std::string(directory) + "/half_functions.json");
  file << "{\"context\": " << json_context() << ",\n \"half_functions\": [";
  const char* separator = "\n  ";
  for (const Difference& d : differences) {
    if (d.differ == 0) continue;
    file << separator << "{\"function\": " << json_string(d.function + " (" + d.dtype + ")")
         << ", \"inputs\": " << kInputs << ", \"differ\": " << d.differ
         << ", \"max_ulp\": " << d.max_ulp << ", \"at\": " << json_number(d.at) << "}";
    separator = ",\n  ";
  }
  file << "]}\n";
  REQUIRE(file.flush());
}

}  // namespace

TEST_CASE("half functions round the exact result once") {
  for (int i = 0; i < kHalfFunctions; ++i) {
    const HostFunction& host = kHostFunctions[i];
    const std::string name = device_functions[i].name;
    check_rounding<__half>(name, host.exact, host.f16, host.f16_pair);
    check_rounding<__nv_bfloat16>(name, host.exact, host.bf16, host.bf16_pair);
  }
}

TEST_CASE("fused multiply-add rounds once") {
  check_fused_multiply_add<__half>();
  check_fused_multiply_add<__nv_bfloat16>();
}

TEST_CASE("next to nothing decides a tie, though a sum in double forgets it") {
  const auto bf16 = [](double x) { return from_double<__nv_bfloat16>(x); };
  const __nv_bfloat16 a = bf16(1.0078125);
  const __nv_bfloat16 b = bf16(1.5);  // a * b is halfway between 1.5078125 and 1.515625
  const double tiny = std::ldexp(1.0, -100);
  REQUIRE(to_double(__hfma(a, b, bf16(0.0))) == 1.515625);  // to even
  REQUIRE(to_double(__hfma(a, b, bf16(tiny))) == 1.515625);
  REQUIRE(to_double(__hfma(a, b, bf16(-tiny))) == 1.5078125);
  REQUIRE(to_double(__hfma(__hneg(a), b, bf16(tiny))) == -1.5078125);
}

TEST_CASE("half functions: the device against the host") {
  require_device();
  const std::vector<Difference> differences = compare_all();
  if (on_gpu) {
    print(differences);
    record(differences);
  }
  const int most = on_gpu ? 2 : 0;  // the executor runs the very functions that it is compared with
  for (const Difference& d : differences) {
    CAPTURE(d.function, d.dtype, d.differ, d.at);
    CHECK(d.max_ulp <= most);
  }
}

}  // namespace tutorial::test
