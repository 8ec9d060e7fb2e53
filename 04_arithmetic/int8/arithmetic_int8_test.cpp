// Ladder D: every pair of int8, every operation, every rung; and what each launcher promises.
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

#include "04_arithmetic/proof/arithmetic_test_support.h"
#include "common/refusal.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

using Bytes = std::vector<std::int8_t>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr Int8Scales kPlain{0.05f, 0.1f, 0.07f};

Bytes all_bytes() {
  Bytes values;
  for (int q = -128; q < 128; ++q) values.push_back(static_cast<std::int8_t>(q));
  return values;
}

const std::pair<Bytes, Bytes>& every_pair() {
  static const std::pair<Bytes, Bytes> pairs = all_pairs(all_bytes(), all_bytes());
  return pairs;
}

/// Scales of all kinds: as a network has them; powers of two, where every half is a tie; those at
/// and beyond the ends of what the fast functor covers; and the ends of float.
std::vector<Int8Scales> many_scales() {
  constexpr float smallest = std::numeric_limits<float>::denorm_min();
  constexpr float largest = std::numeric_limits<float>::max();
  return {
      kPlain,
      {1.0f, 1.0f, 1.0f},
      {0.5f, 0.25f, 1.0f},
      {1.0f, 1.0f, 2.0f},
      {0.0123f, 0.00456f, 0.0078f},
      {0.1f, 0.1f, 0.2f},
      {3.0f, 7.0f, 0.3f},
      {0x1p20f, 0x1p20f, 0x1p-60f},
      {0x1p20f, 0x1.8p-30f, 0x1.2p60f},
      {0x1.000002p20f, 1.0f, 1e5f},
      {1e-20f, 1e-20f, 1e-20f},
      {1e-30f, 3e-30f, 1e-38f},
      {largest, largest, 1.0f},
      {1.0f, 1.0f, largest},
      {smallest, 1.0f, smallest},
      {0x1p-130f, 0x1p-129f, 0x1p-130f},  // whose reciprocal is no float
      {1.0f, 0x1p-100f, 0x1.fffffep-61f},
  };
}

std::string text(Int8Scales s) {
  char buffer[100];
  std::snprintf(buffer, sizeof(buffer), "scales %a, %a, %a", static_cast<double>(s.in0),
                static_cast<double>(s.in1), static_cast<double>(s.out));
  return buffer;
}

/// Fails for the first few wrong results of a rung over every pair.
void check_every_pair(const Int8Rung& rung, ArithmeticOp op, Int8Scales scales) {
  const auto& [a, b] = every_pair();
  const Bytes y = run_pairs(operation_of(rung, op, scales), a, b);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < y.size() && wrong < 3; ++i) {
    if (is_right_int8(op, a[i], b[i], scales, y[i])) continue;
    ++wrong;
    INFO(rung.name << " " << name_of(op) << "(" << int{a[i]} << ", " << int{b[i]} << "), "
                   << text(scales) << ": " << int{y[i]});
    CHECK(int{y[i]} == int{arithmetic_reference_int8(op, a[i], b[i], scales)});
  }
}

const Int8Rung& folded_rung() {
  const std::vector<Int8Rung>& rungs = arithmetic_rungs<std::int8_t>();
  return *std::find_if(rungs.begin(), rungs.end(), [](const Int8Rung& r) { return r.is_folded; });
}

/// The folded rung: results that differ from the definition, and the largest difference.
struct Difference {
  int count = 0, largest = 0;
};

Difference difference_of_folding(ArithmeticOp op, Int8Scales scales) {
  const auto& [a, b] = every_pair();
  const Bytes folded = run_pairs(operation_of(folded_rung(), op, scales), a, b);
  Difference difference;
  for (std::size_t i = 0; i < folded.size(); ++i) {
    const int by =
        std::abs(int{folded[i]} - int{arithmetic_reference_int8(op, a[i], b[i], scales)});
    difference.count += by != 0 ? 1 : 0;
    difference.largest = std::max(difference.largest, by);
  }
  return difference;
}

Promises promises_of(const Int8Rung& rung) {
  return integer_promises<std::int8_t>(
      operation_of(rung, ArithmeticOp::Sub, {1.0f, 2.0f, 4.0f}), rung.width, rung.alignment,
      [](std::int8_t a, std::int8_t b) {
        return arithmetic_reference_int8(ArithmeticOp::Sub, a, b, {1.0f, 2.0f, 4.0f});
      });
}

struct Example {
  ArithmeticOp op;
  int a, b;
  Int8Scales scales;
  int expected;
};

const std::vector<Example>& examples() {
  using Op = ArithmeticOp;
  constexpr Int8Scales one{1.0f, 1.0f, 1.0f}, halved{1.0f, 1.0f, 2.0f};
  static const std::vector<Example> list = {
      // ties go to the even neighbour
      {Op::Add, 1, 0, halved, 0},
      {Op::Add, 3, 0, halved, 2},
      {Op::Add, 5, 0, halved, 2},
      {Op::Add, -1, 0, halved, 0},
      {Op::Add, -3, 0, halved, -2},
      {Op::Add, -5, 0, halved, -2},
      // both ends saturate, and what just fits does not
      {Op::Add, 127, 1, one, 127},
      {Op::Add, 100, 27, one, 127},
      {Op::Add, -128, -1, one, -128},
      {Op::Sub, -128, 127, one, -128},
      {Op::Sub, 127, -128, one, 127},
      {Op::Mul, -128, -128, one, 127},
      {Op::Mul, -128, 1, one, -128},
      {Op::Mul, -128, 127, one, -128},
      // a divisor of zero
      {Op::Div, 5, 0, one, 127},
      {Op::Div, -5, 0, one, -128},
      {Op::Div, 0, 0, one, 0},
      {Op::Div, 0, 5, one, 0},
      {Op::Div, -128, -1, one, 127},
      {Op::Mod, 5, 0, one, 0},
      {Op::Mod, -7, 2, one, -1},
      {Op::Mod, 7, -2, one, 1},
      // scales take part in every operation
      {Op::Max, 10, 3, {0.1f, 1.0f, 1.0f}, 3},
      {Op::Min, 10, 3, {0.1f, 1.0f, 1.0f}, 1},
      {Op::Mod, 7, 5, {1.0f, 0.5f, 0.5f}, 4},
      {Op::PRelu, -10, 50, {1.0f, 0.01f, 1.0f}, -5},
      {Op::PRelu, 10, 50, {1.0f, 0.01f, 1.0f}, 10},
      {Op::PRelu, 10, 50, {2.0f, 0.01f, 1.0f}, 20},
      // powers: of a zero, and of a negative number to a broken exponent, which is NaN
      {Op::Pow, 2, 3, one, 8},
      {Op::Pow, -2, 3, one, -8},
      {Op::Pow, 0, 0, one, 1},
      {Op::Pow, 0, -1, one, 127},
      {Op::Pow, -2, 1, {1.0f, 0.5f, 1.0f}, 0},
      {Op::Pow, 127, 127, one, 127},
      {Op::Pow, -127, 127, one, -128},
  };
  return list;
}

}  // namespace

TEST_CASE("arithmetic, int8: every launcher keeps its promises") {
  require_device();
  for (const Int8Rung& rung : arithmetic_rungs<std::int8_t>())
    check_promises(rung.name, promises_of(rung));
}

TEST_CASE("arithmetic, int8: every pair, every operation, scales of all kinds") {
  require_device();
  for (const Int8Scales scales : many_scales()) {
    for (const Int8Rung& rung : arithmetic_rungs<std::int8_t>()) {
      if (rung.is_folded) continue;
      for (const ArithmeticOp op : kArithmeticOps) check_every_pair(rung, op, scales);
    }
  }
}

TEST_CASE("arithmetic, int8: cheaper arithmetic gives the definition's bytes at random scales") {
  require_device();
  std::mt19937 engine(2023);
  const auto scale = [&] {
    return std::ldexp(1.0f + 0x1p-23f * static_cast<float>(engine() >> 9),
                      static_cast<int>(engine() % 12) - 8);
  };
  for (int round = 0; round < 60; ++round) {
    Int8Scales scales{scale(), scale(), scale()};
    // A third of them so that values are at ties, or a bit beside them.
    if (round % 3 == 0) scales.out = 2 * scales.in0 * static_cast<float>(1 + engine() % 15);
    if (round % 6 == 0) scales.out = std::nextafter(scales.out, 0.0f);
    if (round % 3 == 0) scales.in1 = scales.in0;
    for (const ArithmeticOp op : {ArithmeticOp::Add, ArithmeticOp::Mul, ArithmeticOp::Div}) {
      const auto run = [&](const Int8Rung& rung) {
        return run_pairs(operation_of(rung, op, scales), every_pair().first, every_pair().second);
      };
      const std::vector<Int8Rung>& rungs = arithmetic_rungs<std::int8_t>();
      const Bytes definition = run(rungs[0]);
      for (const Int8Rung& rung : rungs) {
        if (rung.is_folded || rung.width == 1) continue;
        INFO(rung.name << " " << name_of(op) << ", " << text(scales));
        const bool is_same = run(rung) == definition;  // 65,536 bytes are no message
        CHECK(is_same);
      }
    }
  }
}

TEST_CASE("arithmetic, int8: ties, both ends, divisors of zero") {
  require_device();
  for (const Int8Rung& rung : arithmetic_rungs<std::int8_t>()) {
    for (const Example& example : examples()) {
      if (!has_operation(rung, example.op)) continue;
      INFO(rung.name << " " << name_of(example.op) << "(" << example.a << ", " << example.b << "), "
                     << text(example.scales));
      const Bytes a(19, static_cast<std::int8_t>(example.a));  // a pack and a tail
      const Bytes b(19, static_cast<std::int8_t>(example.b));
      const Bytes y = run_pairs(operation_of(rung, example.op, example.scales), a, b);
      CHECK(y == Bytes(19, static_cast<std::int8_t>(example.expected)));
    }
  }
}

TEST_CASE("arithmetic, int8: what folded scales change") {
  require_device();
  std::puts("results of 65,536 that folded scales change, and by how much at most:");
  int changed = 0;
  for (const Int8Scales scales : {Int8Scales{1.0f, 1.0f, 1.0f}, Int8Scales{0.5f, 0.25f, 1.0f},
                                  kPlain, Int8Scales{0.0123f, 0.00456f, 0.0078f},
                                  Int8Scales{0.1f, 0.1f, 0.2f}, Int8Scales{3.0f, 7.0f, 0.3f}}) {
    std::printf("  %g, %g -> %g:", static_cast<double>(scales.in0), static_cast<double>(scales.in1),
                static_cast<double>(scales.out));
    for (const ArithmeticOp op : kArithmeticOps) {
      if (op == ArithmeticOp::Pow || op == ArithmeticOp::Mod) continue;
      INFO(name_of(op) << ", " << text(scales));
      const Difference difference = difference_of_folding(op, scales);
      std::printf(" %s %d", name_of(op), difference.count);
      CHECK(difference.largest <= 1);
      CHECK(difference.count < 65536 / 8);
      changed += difference.count;
      // Powers of two fold exactly; a reciprocal of the special-function unit does not.
      const bool is_exact = scales.out == 1.0f && op != ArithmeticOp::Div;
      if (is_exact) CHECK(difference.count == 0);
    }
    std::puts("");
  }
  CHECK(changed > 0);
}

TEST_CASE("arithmetic, int8: folded scales are refused where they do not fold") {
  require_device();
  const GuardedBuffer<std::int8_t> x(Bytes(64, 1)), y(64);
  const auto folded = [&](ArithmeticOp op, Int8Scales scales) {
    refuse(cudaErrorInvalidValue, "");
    return folded_rung().launch({op, x.data(), x.data(), y.data(), nullptr, scales}, 64);
  };
  CHECK(folded(ArithmeticOp::Pow, kPlain) == cudaErrorNotSupported);
  CHECK(last_refusal() == "pow of int8 has no form with folded scales");
  CHECK(folded(ArithmeticOp::Mod, kPlain) == cudaErrorNotSupported);
  CHECK(last_refusal() == "mod of int8 has no form with folded scales");
  CHECK(folded(ArithmeticOp::Add, {1e30f, 1.0f, 1e-30f}) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "products of the scales leave the normal floats");
  CHECK(folded(ArithmeticOp::Mul, {1e-30f, 1e-30f, 1.0f}) == cudaErrorInvalidValue);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(y.untouched());
}

TEST_CASE("arithmetic, int8: a scale that is no scale is refused, and named") {
  require_device();
  const GuardedBuffer<std::int8_t> x(Bytes(64, 1)), y(64);
  const float bad[] = {0.0f,      -0.0f,      -1.0f,
                       kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()};
  for (const Int8Rung& rung : arithmetic_rungs<std::int8_t>()) {
    for (const float scale : bad) {
      const auto refused = [&](Int8Scales scales, const std::string& name) {
        INFO(rung.name << ", " << name << " = " << scale);
        refuse(cudaErrorInvalidValue, "");
        CHECK(rung.launch({ArithmeticOp::Add, x.data(), x.data(), y.data(), nullptr, scales}, 64) ==
              cudaErrorInvalidValue);
        CHECK(last_refusal().find("the scale of " + name + " is ") == 0);
      };
      refused({scale, 1.0f, 1.0f}, "in0");
      refused({1.0f, scale, 1.0f}, "in1");
      refused({1.0f, 1.0f, scale}, "out");
    }
    const auto unknown = static_cast<ArithmeticOp>(9);
    CHECK(rung.launch({unknown, x.data(), x.data(), y.data(), nullptr, kPlain}, 64) ==
          cudaErrorInvalidValue);
    CHECK(last_refusal() == "the operation is none of the nine");
  }
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(y.untouched());
}

TEST_CASE("arithmetic, int8: more than 2^32 elements", "[long]") {
  require_device();
  if (!on_gpu) SKIP("three times 4 GiB are for a GPU");
  constexpr std::size_t n = (std::size_t{1} << 32) + 1027, slice = 1024;
  std::size_t free_bytes = 0, total = 0;
  require_success(cudaMemGetInfo(&free_bytes, &total), "cudaMemGetInfo");
  if (free_bytes < 3 * n + (std::size_t{1} << 28)) SKIP("not enough memory on this GPU");
  const DeviceBytes a(n), b(n), y(n);
  require_success(cudaMemset(a.data(), 0, n), "cudaMemset");
  require_success(cudaMemset(b.data(), 0, n), "cudaMemset");
  const auto element = [](const DeviceBytes& bytes) {
    return reinterpret_cast<std::int8_t*>(bytes.data());
  };
  // Slices with values of their own: at the head, around 2^31 and 2^32, and at the end.
  const std::size_t first[] = {0, (std::size_t{1} << 31) - slice / 2,
                               (std::size_t{1} << 32) - slice / 2 - 1027, n - slice};
  Bytes left[4], right[4];
  std::mt19937 engine(7);
  for (int i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < slice; ++k) {
      left[i].push_back(static_cast<std::int8_t>(engine() & 0xFF));
      right[i].push_back(static_cast<std::int8_t>(engine() & 0xFF));
    }
  }
  for (const Int8Rung& rung : arithmetic_rungs<std::int8_t>()) {
    INFO(rung.name);
    require_success(cudaMemset(y.data(), 0x55, n), "cudaMemset");
    for (int i = 0; i < 4; ++i) {
      cudaMemcpy(a.data() + first[i], left[i].data(), slice, cudaMemcpyHostToDevice);
      cudaMemcpy(b.data() + first[i], right[i].data(), slice, cudaMemcpyHostToDevice);
    }
    REQUIRE(operation_of(rung, ArithmeticOp::Sub, {1.0f, 2.0f, 4.0f})(
                element(a), element(b), element(y), static_cast<std::int64_t>(n), nullptr) ==
            cudaSuccess);
    for (int i = 0; i < 4; ++i) {
      Bytes actual(slice), expected;
      require_success(cudaMemcpy(actual.data(), y.data() + first[i], slice, cudaMemcpyDeviceToHost),
                      "cudaMemcpy");
      for (std::size_t k = 0; k < slice; ++k) {
        expected.push_back(arithmetic_reference_int8(ArithmeticOp::Sub, left[i][k], right[i][k],
                                                     {1.0f, 2.0f, 4.0f}));
      }
      const bool is_same = actual == expected;
      CHECK(is_same);
    }
  }
}
