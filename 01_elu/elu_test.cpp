#include "01_elu/elu.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "01_elu/proof/elu_reference.h"
#include "01_elu/proof/museum/exhibits.cuh"
#include "common/proof/catch.h"
#include "common/proof/fp8.h"
#include "common/proof/operators.h"
#include "common/proof/support.h"
#include "common/proof/views.h"
#include "common/proof/worse.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

constexpr float kSeluAlpha = 1.6732632f;
constexpr Reference kSelu = [](double x) { return elu_reference(x, kSeluAlpha); };

template <class T>
UnaryLauncher<T> elu_at(float alpha) {
  return [alpha](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
    return elu(x, y, n, alpha, stream);
  };
}

const UnaryLauncher<half>& f16_rung(const std::string& name) {
  return rung_named(name, elu_rungs<half>()).launch;
}

std::vector<half> halves(std::size_t count, float value) {
  return std::vector<half>(count, half(value));
}

}  // namespace

TEST_CASE("elu: every launcher keeps its promises") {
  require_device();
  const auto check = [](auto type) {
    check_launcher_promises(elu_rungs<decltype(type)>(), elu_reference);
  };
  for_each_type(Floats{}, check);
  for_each_type(Fp8{}, check);
}

TEST_CASE("elu: a launcher with a name is the rung of that name") {
  require_device();
  const auto check = [](auto rung, auto launch) {
    rung.launch = launch;
    check_launcher_promises(rung, elu_reference);
  };
  check(rung_named("f32", elu_rungs<float>()), elu_f32);
  check(rung_named("f32x4", elu_rungs<float>()), elu_f32x4);
  check(rung_named("f16", elu_rungs<half>()), elu_f16);
  check(rung_named("f16x2", elu_rungs<half>()), elu_f16x2);
  check(rung_named("f16x8", elu_rungs<half>()), elu_f16x8);
  check(rung_named("f16x8_pack", elu_rungs<half>()), elu_f16x8_pack);
}

TEST_CASE("elu: largest error of the f32 rungs", "[long]") {
  require_device();
  check_accuracy(elu_rungs<float>(), elu_reference, "elu");
}

TEST_CASE("elu: largest error of the f16 rungs over all inputs") {
  require_device();
  check_accuracy(elu_rungs<half>(), elu_reference, "elu");
}

TEST_CASE("elu: largest error of the bf16 rungs over all inputs") {
  require_device();
  check_accuracy(elu_rungs<Bf16>(), elu_reference, "elu");
}

TEST_CASE("elu: every bit of the fp8 rungs over all inputs") {
  require_device();
  for_each_type(Fp8{}, [](auto type) {
    check_every_bit(elu_rungs<decltype(type)>(), elu_reference);
    check_accuracy(elu_rungs<decltype(type)>(), elu_reference, "elu");
  });
}

TEST_CASE("elu: where the subtraction loses digits, the error is still below 2^-10") {
  require_device();
  const std::vector<half> x = all_values<half>();
  for (const UnaryRung<half>& rung : elu_rungs<half>()) {
    INFO(rung.name);
    const std::vector<half> y = run_unary<half>(rung.launch, x);
    double largest = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!(std::fabs(to_double(x[i])) < kInfinity)) continue;
      largest = worse(largest, std::fabs(to_double(y[i]) - elu_reference(to_double(x[i]))));
    }
    CHECK(largest < 0x1p-10);  // 2048 ULP near zero are no more than that, and elsewhere all of it
  }
}

TEST_CASE("elu: zeros keep their sign, infinities and NaN go where they belong") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    check_special_values(elu_rungs<decltype(type)>(), elu_reference);
  });
}

TEST_CASE("elu: more than 2^31 elements", "[long]") {
  require_device();
  SECTION("f32x4_pdl") { check_past_2_31(elu_rungs<float>().back(), elu_reference); }
  SECTION("f16") { check_past_2_31(elu_rungs<half>().front(), elu_reference); }
  SECTION("f16x8_pack") {
    check_past_2_31(rung_named("f16x8_pack", elu_rungs<half>()), elu_reference);
  }
  SECTION("f16x8_pack_pdl") { check_past_2_31(elu_rungs<half>().back(), elu_reference); }
  SECTION("bf16x8_pack_pdl") { check_past_2_31(elu_rungs<Bf16>().back(), elu_reference); }
  SECTION("e4m3x16_table") { check_past_2_31(elu_rungs<E4m3>().back(), elu_reference); }
}

TEST_CASE("elu: the operator takes every pointer, every type and any finite alpha") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    using T = decltype(type);
    const UnaryRung<T> rung = operator_rung<T>(elu_at<T>(1.0f), sizeof(T) == 4 ? 2.0 : 0.51);
    check_launcher_promises(rung, elu_reference);
    if (sizeof(T) == 4) return;  // below
    check_accuracy(rung, elu_reference, "elu");
    check_accuracy(operator_rung<T>(elu_at<T>(kSeluAlpha), rung.max_ulp, "_selu"), kSelu, "elu");
    check_accuracy<T>(
        operator_rung<T>(elu_at<T>(-0.3f), rung.max_ulp, "_negative"),
        [](double x) { return elu_reference(x, -0.3f); }, "elu");
  });
}

TEST_CASE("elu: tensors of any strides, bit for bit as without gaps") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    using T = decltype(type);
    const auto wrong = mistake_of_views<T, T>(
        [](const TensorView<T>& y, const TensorView<const T>& x) {
          return elu(x, y, 0.7f, nullptr);
        },
        [](T* y, std::int64_t n, const T* x) { return elu(x, y, n, 0.7f, nullptr); });
    CHECK(wrong.empty());
  });
  const float x[4] = {};
  float y[4];
  const TensorView<const float> in = contiguous_view(static_cast<const float*>(x), {4});
  CHECK(elu(in, contiguous_view(y, {4}), std::nanf(""), nullptr) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "alpha must be finite");
  CHECK(elu<float>(in, {y, {{4}, {0}}}, 1.0f, nullptr) == cudaErrorInvalidValue);
  CHECK(elu(in, contiguous_view<float>(nullptr, {4}), 1.0f, nullptr) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "out is a null pointer");
  CHECK(elu<float>({x, {{4}, {2}}}, {y, {{0, 4}, {0, 0}}}, 1.0f, nullptr) == cudaSuccess);
}

TEST_CASE("elu: largest error of the f32 operator", "[long]") {
  require_device();
  check_accuracy(operator_rung<float>(elu_at<float>(1.0f), 2.0), elu_reference, "elu");
  check_accuracy(operator_rung<float>(elu_at<float>(kSeluAlpha), 2.0, "_selu"), kSelu, "elu");
}

TEST_CASE("elu: the operator refuses an alpha that is not finite, and writes nothing") {
  require_device();
  for (const float alpha : {kInfinity, -kInfinity, kNaN}) {
    for_each_type(Floats{}, [=](auto type) {
      check_refused<decltype(type)>(
          [=](auto* x, auto* y, std::int64_t n) { return elu(x, y, n, alpha, nullptr); });
    });
  }
}

TEST_CASE("elu: alpha = 0 is relu, and negative inputs give a zero of the formula's sign") {
  require_device();
  const float values[] = {-3.0f, -1.0f, -0.1f, -1e-5f, 2.0f, -kInfinity, 0.0f, -0.0f, -200.0f};
  for_each_type(Floats{}, [&](auto type) {
    using T = decltype(type);
    std::vector<T> x;  // packs and a tail
    for (int i = 0; i < 27; ++i) x.push_back(T(values[i % 9]));
    const auto worst = [&](float alpha, Reference reference) {
      return worst_error(x, run_unary<T>(elu_at<T>(alpha), x), reference).ulp;
    };
    CHECK(worst(0.0f, [](double v) { return elu_reference(v, 0.0); }) == 0.0);
    CHECK(worst(-0.0f, [](double v) { return elu_reference(v, -0.0); }) == 0.0);
  });
}

TEST_CASE("elu: the block-size sweep is right at every size, and refuses what no GPU runs") {
  require_device();
  const auto f32_block = [](int threads) {
    return [threads](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
      return elu_f32_block(x, y, n, threads, stream);
    };
  };
  const auto f16_block = [](int threads) {
    return [threads](const half* x, half* y, std::int64_t n, cudaStream_t stream) {
      return elu_f16x8_pack_pdl_block(x, y, n, threads, stream);
    };
  };
  for (const int threads : {32, 96, 256, 1024}) {
    INFO(threads);
    check_launcher_promises<float>({"f32_block", f32_block(threads), 1, 4, 2.0}, elu_reference);
    check_launcher_promises<half>({"f16x8_pack_pdl_block", f16_block(threads), 8, 16, 0.51},
                                  elu_reference);
  }
  const GuardedBuffer<half> x(halves(64, -1.0f));
  const GuardedBuffer<half> y(64);
  for (const int threads : {-1, 0, 1025}) {
    INFO(threads);
    CHECK(f16_block(threads)(x.data(), y.data(), 64, nullptr) == cudaErrorInvalidConfiguration);
  }
  CHECK(y.untouched());
}

// What common/ONE_ELEMENT.md says of this launch.
TEST_CASE("elu: one element, followed through a launch") {
  require_device();
  constexpr std::int64_t n = 4096 * 4096, element = 1000003, block = 976, per_block = 128 * 8;
  const auto bits_at = [](const std::vector<half>& y, std::int64_t i) {
    return __half_raw(y[static_cast<std::size_t>(i)]).x;
  };
  std::vector<half> inputs(static_cast<std::size_t>(n), half(0.0f));
  inputs[element] = half(-0.75f);
  const std::vector<half> y = run_unary<half>(elu_f16x8_pack, inputs);
  CHECK(bits_at(y, element) == 0xB838);  // -0.527344: rounded twice
  CHECK(bits_at(y, element - 1) == 0);
  CHECK(bits_at(y, element + 1) == 0);
  CHECK(bits_at(run_unary<half>(f16_rung("f16x8_pack_poly"), inputs), element) ==
        0xB839);  // the nearest

  // The 976 blocks before block 976 do not reach the element.
  inputs.resize(static_cast<std::size_t>((block + 1) * per_block));
  const GuardedBuffer<half> x(inputs), before(inputs.size());
  REQUIRE(elu_f16x8_pack(x.data(), before.data(), block * per_block, nullptr) == cudaSuccess);
  CHECK(bits_at(before.download(), element) == 0xFFFF);  // not written
}

TEST_CASE("elu: your rung") {
  require_device();
  check_launcher_promises(your_elu_rung(), elu_reference);
  check_accuracy(your_elu_rung(), elu_reference, "elu");
}

// ---- The bug museum ---------------------------------------------------------------------------
// Each exhibit fails in the way that the README tells. Inputs are longer than n says, so that a
// read past the end finds memory; canaries around the output show the writes.

TEST_CASE("museum: f16x2 indexed by halves skips every other pair and leaves the buffer",
          "[exhibit]") {
  require_device();
  constexpr std::int64_t n = 1024;
  const GuardedBuffer<half> x(halves(2 * n, 1.0f));
  const GuardedBuffer<half> y(n);
  REQUIRE(exhibits::elu_f16x2_misindexed(x.data(), y.data(), n, nullptr) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);

  CHECK_FALSE(y.intact());
  const std::vector<half> result = y.download();
  for (std::size_t i = 0; i < n; i += 4) {
    CHECK(to_double(result[i]) == 1.0);
    CHECK(to_double(result[i + 1]) == 1.0);
    CHECK(std::isnan(to_double(result[i + 2])));
    CHECK(std::isnan(to_double(result[i + 3])));
  }
}

TEST_CASE("museum: f32x4 that checks its first element overruns by up to three", "[exhibit]") {
  require_device();
  for (const std::int64_t n : {1024, 1025, 1026, 1027}) {
    INFO(n);
    const GuardedBuffer<float> x(std::vector<float>(1028, 1.0f));
    const GuardedBuffer<float> y(static_cast<std::size_t>(n));
    REQUIRE(exhibits::elu_f32x4_overrun(x.data(), y.data(), n, nullptr) == cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(y.intact() == (n % 4 == 0));  // a test that tries only round sizes sees nothing
  }
}

TEST_CASE("museum: pack without a tail drops the last n % 8 elements", "[exhibit]") {
  require_device();
  constexpr std::size_t n = 1029;
  const GuardedBuffer<half> x(halves(2048, 1.0f));
  const GuardedBuffer<half> y(n);
  REQUIRE(exhibits::elu_f16x8_dropped_tail(x.data(), y.data(), n, nullptr) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);

  const std::vector<half> result = y.download();
  CHECK(to_double(result[1023]) == 1.0);
  for (std::size_t i = 1024; i < n; ++i) {
    CHECK(std::isnan(to_double(result[i])));  // never written: still the NaN of a fresh buffer
  }
}

TEST_CASE("museum: exp(x) - 1 near zero", "[exhibit]") {
  require_device();
  const std::vector<float> x = {-1e-7f, -1e-8f, -1e-3f};
  const std::vector<float> broken = run_unary<float>(exhibits::elu_f32_cancelling, x);
  const std::vector<float> right = run_unary<float>(elu_f32, x);

  const double expected = elu_reference(x[0]);
  CHECK(std::fabs(broken[0] - expected) > 0.15 * std::fabs(expected));  // 19 % wrong
  CHECK(broken[1] == 0.0f);                                             // and then nothing is left
  CHECK(ulp_error(broken[2], elu_reference(x[2])) > 10.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(ulp_error(right[i], elu_reference(x[i])) <= 2.0);
  }

  // In half the same formula loses everything sooner: at -1e-4, hexp(x) is 1.
  const std::vector<half> lost = run_unary<half>(elu_f16x8_pack, halves(1, -1e-4f));
  CHECK(to_double(lost[0]) == 0.0);
  const std::vector<half> kept = run_unary<half>(f16_rung("f16x8_pack_poly"), halves(1, -1e-4f));
  CHECK(ulp_error(kept[0], elu_reference(to_double(half(-1e-4f)))) <= 0.51);
}

TEST_CASE("museum: a reference with the kernel's formula cannot see the cancellation",
          "[exhibit]") {
  require_device();
  const std::vector<float> x = {-2e-8f};
  const float same_formula = std::exp(x[0]) - 1.0f;
  const float broken = run_unary<float>(exhibits::elu_f32_cancelling, x)[0];
  const float right = run_unary<float>(elu_f32, x)[0];
  CHECK(broken == same_formula);  // both are 0: such a test passes the broken kernel,
  CHECK(right != same_formula);   // and would fail the right one
  CHECK(ulp_error(broken, elu_reference(x[0])) > 1e6);
}

TEST_CASE("museum: an index computed in 32 bits starts again at zero", "[exhibit]") {
  require_device();
  constexpr std::int64_t first = std::int64_t{1} << 32;
  const GuardedBuffer<std::int64_t> index(256);
  REQUIRE(exhibits::narrow_index(first, index.data(), 256, nullptr) == cudaSuccess);
  const std::vector<std::int64_t> result = index.download();
  CHECK(result[0] == 0);  // not 2^32
  CHECK(result[255] == 255);
}
