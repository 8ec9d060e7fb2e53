#include "02_gelu/gelu.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "02_gelu/proof/gelu_reference.h"
#include "common/launch.cuh"
#include "common/proof/catch.h"
#include "common/proof/fp8.h"
#include "common/proof/operators.h"
#include "common/proof/support.h"
#include "common/proof/views.h"
#include "common/proof/worse.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

constexpr GeluApproximate kVariants[] = {GeluApproximate::tanh, GeluApproximate::none};

void check_f32_accuracy(GeluApproximate approximate) {
  std::vector<UnaryRung<float>> rungs = gelu_rungs<float>(approximate);
  rungs.push_back(gelu_operator_rung<float>(approximate));
  check_accuracy(rungs, gelu_reference(approximate), "gelu");
}

/// The largest error of a rung in shares of |x|, over the finite inputs other than 0.
template <class T>
double largest_share(const UnaryRung<T>& rung, Reference reference, const std::vector<T>& x) {
  const std::vector<T> y = run_unary<T>(rung.launch, x);
  double largest = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double at = to_double(x[i]);
    if (at == 0.0 || !std::isfinite(at)) continue;
    largest = worse(largest, std::fabs(to_double(y[i]) - reference(at)) / std::fabs(at));
  }
  return largest;
}

}  // namespace

TEST_CASE("gelu: every launcher keeps its promises") {
  require_device();
  for (const GeluApproximate approximate : kVariants) {
    const Reference reference = gelu_reference(approximate);
    const auto check = [=](auto type) {
      check_launcher_promises(gelu_rungs<decltype(type)>(approximate), reference);
    };
    for_each_type(Floats{}, check);
    for_each_type(Fp8{}, check);
  }
}

TEST_CASE("gelu: the float operator is off by more than 32 ULP in the tail alone") {
  require_device();
  std::vector<float> x;
  for (const float value : dense_floats(512)) {
    if (value >= -3.0f) x.push_back(value);
  }
  for (const GeluApproximate approximate : kVariants) {
    const auto launch = gelu_operator_rung<float>(approximate).launch;
    const std::vector<float> y = run_unary<float>(launch, x);
    CHECK(worst_error(x, y, gelu_reference(approximate)).ulp <= 32.0);
  }
}

TEST_CASE("gelu: largest error of the f32 rungs and the operator, tanh", "[long]") {
  require_device();
  check_f32_accuracy(GeluApproximate::tanh);
}

TEST_CASE("gelu: largest error of the f32 rungs and the operator, none", "[long]") {
  require_device();
  check_f32_accuracy(GeluApproximate::none);
}

TEST_CASE("gelu: largest error of the f16 rungs over all inputs") {
  require_device();
  for (const GeluApproximate approximate : kVariants) {
    check_accuracy(gelu_rungs<half>(approximate), gelu_reference(approximate), "gelu");
  }
}

TEST_CASE("gelu: largest error of the bf16 rungs over all inputs") {
  require_device();
  for (const GeluApproximate approximate : kVariants) {
    check_accuracy(gelu_rungs<Bf16>(approximate), gelu_reference(approximate), "gelu");
  }
}

TEST_CASE("gelu: every bit of the fp8 rungs over all inputs") {
  require_device();
  for (const GeluApproximate approximate : kVariants) {
    const Reference reference = gelu_reference(approximate);
    for_each_type(Fp8{}, [=](auto type) {
      check_every_bit(gelu_rungs<decltype(type)>(approximate), reference);
      check_accuracy(gelu_rungs<decltype(type)>(approximate), reference, "gelu");
    });
  }
}

TEST_CASE("gelu: where the tail is lost, the error is still a small share of x") {
  require_device();
  std::vector<float> floats;
  std::vector<half> halves;
  for (const float x : dense_floats(64)) {
    if (std::fabs(x) >= 0x1p-100f) floats.push_back(x);
  }
  for (const half x : all_values<half>()) {
    if (std::fabs(to_double(x)) >= 0x1p-10) halves.push_back(x);  // below, half an ULP is much
  }
  for (const GeluApproximate approximate : kVariants) {
    const Reference reference = gelu_reference(approximate);
    for (const UnaryRung<float>& rung : gelu_rungs<float>(approximate)) {
      INFO(rung.name);
      const bool approximate_tanh = rung.name == "tanh_f32x4_approx";
      CHECK(largest_share(rung, reference, floats) < (approximate_tanh ? 0x1p-11 : 0x1p-18));
    }
    for (const UnaryRung<half>& rung : gelu_rungs<half>(approximate)) {
      INFO(rung.name);
      CHECK(largest_share(rung, reference, halves) < 0x1p-9);
    }
  }
}

TEST_CASE("gelu: zeros keep their sign, infinities and NaN go where they belong") {
  require_device();
  for (const GeluApproximate approximate : kVariants) {
    for_each_type(Floats{}, [=](auto type) {
      check_special_values(gelu_rungs<decltype(type)>(approximate), gelu_reference(approximate));
    });
  }
}

TEST_CASE("gelu: more than 2^31 elements", "[long]") {
  require_device();
  SECTION("tanh_f32x4_pdl") {
    check_past_2_31(gelu_rungs<float>(GeluApproximate::tanh).back(), gelu_tanh_reference);
  }
  SECTION("none_f16x8_pack_pdl") {
    check_past_2_31(gelu_rungs<half>(GeluApproximate::none).back(), gelu_none_reference);
  }
  SECTION("none_bf16x8_pack_pdl") {
    check_past_2_31(gelu_rungs<Bf16>(GeluApproximate::none).back(), gelu_none_reference);
  }
}

TEST_CASE("gelu: the operator takes every pointer and every type") {
  require_device();
  for (const GeluApproximate approximate : kVariants) {
    const Reference reference = gelu_reference(approximate);
    for_each_type(Floats{}, [=](auto type) {
      check_launcher_promises(gelu_operator_rung<decltype(type)>(approximate), reference);
    });
    check_accuracy(gelu_operator_rung<half>(approximate), reference, "gelu");
    check_accuracy(gelu_operator_rung<Bf16>(approximate), reference, "gelu");
  }
}

TEST_CASE("gelu: one pack or two, the operator's results are the same bit for bit") {
  require_device();
  const auto check = [](auto type, std::int64_t n) {
    using T = decltype(type);
    for (const GeluApproximate variant : kVariants) {
      check_same_bits(gelu_operator_rung<T>(variant).launch, gelu_rungs<T>(variant).back().launch,
                      n);
    }
  };
  for (const std::int64_t n : sizes_around_waves(resident_threads(), 4)) check(float{}, n);
  for (const std::int64_t n : sizes_around_waves(resident_threads(), 8)) check(Bf16{}, n);
  check(Bf16{}, (1 << 24) + 3);
}

TEST_CASE("gelu: the operator refuses a variant that does not exist, and writes nothing") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    check_refused<decltype(type)>([](auto* x, auto* y, std::int64_t n) {
      return gelu(x, y, n, static_cast<GeluApproximate>(2), nullptr);
    });
  });
}

TEST_CASE("gelu: the two variants differ by less than 5e-4, and by as much as 4e-4") {
  double largest = 0.0;
  for (int i = -1000; i <= 1000; ++i) {
    const double x = 0.01 * i;
    largest = std::fmax(largest, std::fabs(gelu_none_reference(x) - gelu_tanh_reference(x)));
  }
  CHECK(largest < 5e-4);
  CHECK(largest > 4e-4);
}

TEST_CASE("gelu: tensors of any strides, bit for bit as without gaps") {
  require_device();
  for (const GeluApproximate variant : {GeluApproximate::none, GeluApproximate::tanh}) {
    for_each_type(Floats{}, [=](auto type) {
      using T = decltype(type);
      const auto wrong = mistake_of_views<T, T>(
          [=](const TensorView<T>& y, const TensorView<const T>& x) {
            return gelu(x, y, variant, nullptr);
          },
          [=](T* y, std::int64_t n, const T* x) { return gelu(x, y, n, variant, nullptr); });
      CHECK(wrong.empty());
    });
  }
}

TEST_CASE("gelu: your rung") {
  require_device();
  check_launcher_promises(your_gelu_rung(), gelu_tanh_reference);
  check_accuracy(your_gelu_rung(), gelu_tanh_reference, "gelu");
}
