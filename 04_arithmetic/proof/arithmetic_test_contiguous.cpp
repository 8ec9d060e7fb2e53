// Ladder A: every operation of every rung, and what each launcher promises.
#include <cmath>
#include <cstring>
#include <limits>

#include "04_arithmetic/proof/arithmetic_test_support.h"
#include "04_arithmetic/proof/museum/exhibits.cuh"
#include "common/proof/binary.h"
#include "common/refusal.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

template <class T>
std::vector<T> special_values() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<T> values;
  for (const double value : {0.0, -0.0, 1.0, -1.0, 0.5, 1.5, -2.0, 3.0, infinity, -infinity,
                             std::numeric_limits<double>::quiet_NaN()}) {
    values.push_back(from_double<T>(value));
  }
  return values;
}

/// A sample with every exponent in it. The steps are odd, so that every last bit appears. One NaN
/// is among the special values; signalling ones are left out, because a host's powf answers NaN,
/// and not 1, to their power of 0.
template <class T>
std::vector<T> sample(std::size_t step) {
  std::vector<T> all;
  if constexpr (std::is_same_v<T, float>) {
    all = dense_floats(2);
    step = step % 4 + 2;  // floats alternate in sign: an even step would leave one out
  } else {
    all = all_values<T>();
  }
  std::vector<T> values = special_values<T>();
  for (std::size_t i = 0; i < all.size(); i += step) {
    if (!std::isnan(to_double(all[i]))) values.push_back(all[i]);
  }
  return values;
}

template <class T>
void check_all_operations() {
  const std::vector<T> a = sample<T>(61), b = sample<T>(67);
  for (const ArithmeticRung<T>& rung : arithmetic_rungs<T>()) {
    for (const ArithmeticOp op : kArithmeticOps) {
      with_op(op, 0, [&](auto known) {
        check_accuracy(binary_rung(rung, op), arithmetic_reference_of<decltype(known)::value>, a, b,
                       "arithmetic");
        return 0;
      });
    }
  }
}

template <class T>
void check_float_promises() {
  for (const ArithmeticRung<T>& rung : arithmetic_rungs<T>()) {
    check_launcher_promises(binary_rung(rung, ArithmeticOp::Sub),
                            arithmetic_reference_of<ArithmeticOp::Sub>);
  }
}

/// What `actual` should be, zeros' signs included: to the bit, but for a power that is no special
/// value. Which NaN it is does not matter.
template <class T>
bool is_right(T actual, double expected, double max_ulp) {
  const double value = to_double(actual);
  if (std::isnan(expected)) return std::isnan(value);
  return std::signbit(value) == std::signbit(expected) && ulp_error(actual, expected) <= max_ulp;
}

/// The pairs of special values, in whole packs and in the tail: 11 * 11 pairs are no multiple of 8.
template <class T>
void check_special_values(const ArithmeticRung<T>& rung, ArithmeticOp op) {
  const auto [a, b] = all_pairs(special_values<T>(), special_values<T>());
  const std::vector<T> y = run_pairs(operation_of(rung, op), a, b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO(rung.name << " " << name_of(op) << "(" << to_double(a[i]) << ", " << to_double(b[i])
                   << ") = " << to_double(y[i]));
    const double expected = arithmetic_reference(op, to_double(a[i]), to_double(b[i]));
    CHECK(is_right(y[i], expected, arithmetic_max_ulp<T>(op)));
  }
}

template <class T>
void check_special_values() {
  for (const ArithmeticRung<T>& rung : arithmetic_rungs<T>()) {
    for (const ArithmeticOp op : kArithmeticOps) check_special_values(rung, op);
  }
}

template <class T>
std::vector<T> integer_values() {
  constexpr T lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
  std::vector<T> values = {0,
                           1,
                           -1,
                           2,
                           -2,
                           3,
                           -3,
                           5,
                           7,
                           10,
                           -10,
                           15,
                           16,
                           30,
                           31,
                           32,
                           33,
                           62,
                           63,
                           64,
                           65,
                           99,
                           100,
                           lowest,
                           highest,
                           T(lowest + 1),
                           T(highest - 1),
                           T(lowest / 2),
                           T(highest / 2)};
  std::uint64_t state = 7;
  for (int i = 0; i < 100; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    values.push_back(static_cast<T>(static_cast<std::int64_t>(state) >> i % 60));
  }
  return values;
}

template <class T>
void check_integers() {
  const auto [a, b] = all_pairs(integer_values<T>(), integer_values<T>());
  for (const ArithmeticRung<T>& rung : arithmetic_rungs<T>()) {
    for (const ArithmeticOp op : kArithmeticOps) {
      const std::vector<T> y = run_pairs(operation_of(rung, op), a, b);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        const T expected = arithmetic_reference_integer(op, a[i], b[i]);
        if (y[i] == expected) continue;
        if (++wrong > 3) break;
        INFO(rung.name << " " << name_of(op) << "(" << a[i] << ", " << b[i] << ")");
        CHECK(y[i] == expected);
      }
    }
  }
}

template <class T>
void check_integer_edges() {
  constexpr T lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
  const struct {
    ArithmeticOp op;
    T a, b, expected;
  } cases[] = {
      {ArithmeticOp::Add, highest, 1, lowest},
      {ArithmeticOp::Sub, lowest, 1, highest},
      {ArithmeticOp::Mul, lowest, -1, lowest},
      {ArithmeticOp::Div, lowest, -1, lowest},
      {ArithmeticOp::Div, 7, 0, 0},
      {ArithmeticOp::Div, lowest, 0, 0},
      {ArithmeticOp::Div, -7, 2, -3},
      {ArithmeticOp::Div, 7, -2, -3},
      {ArithmeticOp::Mod, -7, 2, -1},
      {ArithmeticOp::Mod, 7, -2, 1},
      {ArithmeticOp::Mod, lowest, -1, 0},
      {ArithmeticOp::Mod, 7, 0, 0},
      {ArithmeticOp::Pow, 0, 0, 1},
      {ArithmeticOp::Pow, 0, -1, 0},
      {ArithmeticOp::Pow, 2, -1, 0},
      {ArithmeticOp::Pow, 1, lowest, 1},
      {ArithmeticOp::Pow, -1, lowest, 1},
      {ArithmeticOp::Pow, -1, -3, -1},
      {ArithmeticOp::Pow, -2, 3, -8},
      {ArithmeticOp::Pow, -1, highest, -1},
      {ArithmeticOp::Pow, 2, sizeof(T) * 8, 0},
      {ArithmeticOp::Pow, 2, sizeof(T) * 8 - 1, lowest},
      {ArithmeticOp::PRelu, lowest, -1, lowest},
      {ArithmeticOp::PRelu, -3, 5, -15},
      {ArithmeticOp::PRelu, 3, 5, 3},
      {ArithmeticOp::Pow, 3, 16, 43046721},
  };
  for (const ArithmeticRung<T>& rung : arithmetic_rungs<T>()) {
    for (const auto& edge : cases) {
      INFO(rung.name << " " << name_of(edge.op) << "(" << edge.a << ", " << edge.b << ")");
      const std::vector<T> a(5, edge.a), b(5, edge.b);  // a pack and a tail
      CHECK(run_pairs(operation_of(rung, edge.op), a, b) == std::vector<T>(5, edge.expected));
    }
  }
}

template <class T>
void check_integer_rungs() {
  for (const ArithmeticRung<T>& rung : arithmetic_rungs<T>()) {
    const auto reference = [](T a, T b) {
      return arithmetic_reference_integer(ArithmeticOp::Sub, a, b);
    };
    check_promises(rung.name, integer_promises<T>(operation_of(rung, ArithmeticOp::Sub), rung.width,
                                                  rung.alignment, reference));
  }
}

/// x + x by one rung, as a rung with one input.
template <class T>
void check_sum_past_2_31(const ArithmeticRung<T>& rung) {
  check_past_2_31(with_both_inputs_the_same(binary_rung(rung, ArithmeticOp::Add)),
                  [](double x) { return x + x; });
}

template <class T>
void check_unknown_operation() {
  const auto unknown = static_cast<ArithmeticOp>(9);
  const GuardedBuffer<T> x(std::vector<T>(64, T(1))), y(64);
  for (const ArithmeticRung<T>& rung : arithmetic_rungs<T>()) {
    INFO(rung.name);
    CHECK(rung.launch({unknown, x.data(), x.data(), y.data()}, 64) == cudaErrorInvalidValue);
    CHECK(last_refusal() == "the operation is none of the nine");
    refuse(cudaErrorInvalidValue, "");
  }
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(y.untouched());
}

}  // namespace

TEST_CASE("arithmetic, contiguous: every launcher keeps its promises") {
  require_device();
  SECTION("f32") { check_float_promises<float>(); }
  SECTION("f16") { check_float_promises<half>(); }
  SECTION("bf16") { check_float_promises<Bf16>(); }
  SECTION("i32") { check_integer_rungs<std::int32_t>(); }
  SECTION("i64") { check_integer_rungs<std::int64_t>(); }
}

TEST_CASE("arithmetic, contiguous: every operation over every exponent, f32") {
  require_device();
  check_all_operations<float>();
}

TEST_CASE("arithmetic, contiguous: every operation over every exponent, f16") {
  require_device();
  check_all_operations<half>();
}

TEST_CASE("arithmetic, contiguous: every operation over every exponent, bf16") {
  require_device();
  check_all_operations<Bf16>();
}

TEST_CASE("arithmetic, contiguous: the quotient of any two halves", "[long]") {
  require_device();
  if (!on_gpu) SKIP("2^32 quotients are for a GPU; a sample of them is tested above");
  for (const ArithmeticRung<half>& rung : arithmetic_rungs<half>()) {
    if (rung.name != "f16x8_pack" && rung.name != "f16x8_h2") continue;
    BinaryRung<half> all = binary_rung(rung, ArithmeticOp::Div);
    all.name += "_all_pairs";
    check_accuracy(all, arithmetic_reference_of<ArithmeticOp::Div>, all_values<half>(),
                   all_values<half>(), "arithmetic");
  }
}

TEST_CASE("arithmetic, contiguous: quotients midway between two halves are rounded to even") {
  require_device();
  // An odd number of half steps of the subnormals. Only these quotients of halves are midpoints,
  // and a float that is off by its last bit falls on one side of them.
  std::vector<half> a, b;
  for (int divisor = 1; divisor < 2048; divisor += 2) {
    for (int steps = 1; steps * divisor < 2048; steps += 2) {
      a.push_back(half(std::ldexp(static_cast<float>(steps * divisor), -24)));
      b.push_back(half(std::ldexp(static_cast<float>(divisor), 1)));
    }
  }
  const GuardedBuffer<half> in0(a), in1(b);
  for (const ArithmeticRung<half>& rung : arithmetic_rungs<half>()) {
    INFO(rung.name);
    const GuardedBuffer<half> out(a.size());
    const auto n = static_cast<std::int64_t>(a.size());
    REQUIRE(binary_rung(rung, ArithmeticOp::Div)
                .launch(in0.data(), in1.data(), out.data(), n, nullptr) == cudaSuccess);
    const std::vector<half> y = out.download();
    int wrong = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const half expected = from_double<half>(to_double(a[i]) / to_double(b[i]));
      if (to_double(y[i]) != to_double(expected)) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("arithmetic, contiguous: special values and the signs of zeros") {
  require_device();
  SECTION("f32") { check_special_values<float>(); }
  SECTION("f16") { check_special_values<half>(); }
  SECTION("bf16") { check_special_values<Bf16>(); }
}

TEST_CASE("arithmetic, contiguous: integers against integers of twice the width") {
  require_device();
  SECTION("i32") { check_integers<std::int32_t>(); }
  SECTION("i64") { check_integers<std::int64_t>(); }
  SECTION("edges, i32") { check_integer_edges<std::int32_t>(); }
  SECTION("edges, i64") { check_integer_edges<std::int64_t>(); }
}

TEST_CASE("arithmetic, contiguous: through shared memory with any block size") {
  require_device();
  const std::vector<half> a = normal_values<half>(8 * 1024 + 5);
  const std::vector<half> b(a.rbegin(), a.rend());
  std::vector<half> expected;
  for (std::size_t i = 0; i < a.size(); ++i) {
    expected.push_back(from_double<half>(to_double(a[i]) / to_double(b[i])));
  }
  const auto with = [](int threads) -> BinaryLauncher<half> {
    return [=](const half* in0, const half* in1, half* out, std::int64_t n, cudaStream_t stream) {
      return arithmetic_fp16(ArithmeticOp::Div, in0, in1, out, n, stream, threads);
    };
  };
  for (const int threads : {1, 32, 100, 128, 256, 512, 1024}) {
    INFO(threads << " threads a block");
    const std::vector<half> y = run_pairs(with(threads), a, b);
    CHECK(std::memcmp(y.data(), expected.data(), y.size() * sizeof(half)) == 0);
  }
  const GuardedBuffer<half> x(a), y(a.size());
  const auto n = static_cast<std::int64_t>(a.size());
  for (const int threads : {0, -1, 1025}) {
    CHECK(with(threads)(x.data(), x.data(), y.data(), n, nullptr) == cudaErrorInvalidConfiguration);
  }
  CHECK(y.untouched());
}

TEST_CASE("arithmetic, contiguous: an operation that is none of the nine is refused") {
  require_device();
  check_unknown_operation<float>();
  check_unknown_operation<half>();
  check_unknown_operation<std::int64_t>();
}

TEST_CASE("arithmetic, contiguous: more than 2^31 elements", "[long]") {
  require_device();
  SECTION("f16") { check_sum_past_2_31(arithmetic_rungs<half>().front()); }
  SECTION("f16x8_unaligned") { check_sum_past_2_31(arithmetic_rungs<half>()[1]); }
  SECTION("f16x8_shared") { check_sum_past_2_31(arithmetic_rungs<half>()[2]); }
  SECTION("f16x8_h2") { check_sum_past_2_31(arithmetic_rungs<half>()[3]); }
  SECTION("f16x8_pdl") { check_sum_past_2_31(arithmetic_rungs<half>().back()); }
}
