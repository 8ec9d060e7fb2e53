#include "01_elu/elu.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "01_elu/proof/elu_reference.h"
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
  return elu_operator_rung<T>(alpha).launch;
}

/// For the record of errors, the operator at another alpha.
template <class T>
UnaryRung<T> named(const char* suffix, float alpha) {
  UnaryRung<T> rung = elu_operator_rung<T>(alpha);
  rung.name += suffix;
  return rung;
}

const UnaryLauncher<half>& f16_rung(const std::string& name) {
  return rung_named(name, elu_rungs<half>()).launch;
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
    const UnaryRung<T> rung = elu_operator_rung<T>();
    check_launcher_promises(rung, elu_reference);
    if (sizeof(T) == 4) return;  // below
    check_accuracy(rung, elu_reference, "elu");
    check_accuracy(named<T>("_selu", kSeluAlpha), kSelu, "elu");
    check_accuracy<T>(
        named<T>("_negative", -0.3f), [](double x) { return elu_reference(x, -0.3f); }, "elu");
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
  check_accuracy(elu_operator_rung<float>(), elu_reference, "elu");
  check_accuracy(named<float>("_selu", kSeluAlpha), kSelu, "elu");
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
  const GuardedBuffer<half> x(std::vector<half>(64, half(-1.0f)));
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
  const std::vector<half> y = run_unary<half>(f16_rung("f16x8_pack"), inputs);
  CHECK(bits_at(y, element) == 0xB838);  // -0.527344: rounded twice
  CHECK(bits_at(y, element - 1) == 0);
  CHECK(bits_at(y, element + 1) == 0);
  CHECK(bits_at(run_unary<half>(f16_rung("f16x8_pack_poly"), inputs), element) ==
        0xB839);  // the nearest

  // The 976 blocks before block 976 do not reach the element.
  inputs.resize(static_cast<std::size_t>((block + 1) * per_block));
  const GuardedBuffer<half> x(inputs), before(inputs.size());
  REQUIRE(f16_rung("f16x8_pack")(x.data(), before.data(), block * per_block, nullptr) ==
          cudaSuccess);
  CHECK(bits_at(before.download(), element) == 0xFFFF);  // not written
}

TEST_CASE("elu: your rung") {
  require_device();
  check_launcher_promises(your_elu_rung(), elu_reference);
  check_accuracy(your_elu_rung(), elu_reference, "elu");
}
