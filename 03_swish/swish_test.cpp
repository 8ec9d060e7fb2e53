#include "03_swish/swish.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "03_swish/proof/swish_reference.h"
#include "common/launch.cuh"
#include "common/proof/binary.h"
#include "common/proof/catch.h"
#include "common/proof/fp8.h"
#include "common/proof/operators.h"
#include "common/proof/support.h"
#include "common/proof/views.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

template <class T>
UnaryLauncher<T> launcher_of(const std::string& name) {
  return rung_named(name, swish_rungs<T>()).launch;
}

template <class T>
UnaryLauncher<T> swish_at(float beta) {
  return swish_operator_rung<T>(beta).launch;
}

/// A beta, and the reference for it: a plain function, since a reference cannot carry a number.
struct AtBeta {
  float beta;
  const char* name;
  Reference reference;
};

constexpr float kGeluBeta = 1.702f;

const std::vector<AtBeta>& other_betas() {
  static const std::vector<AtBeta> betas = {
      {kGeluBeta, "1.702", [](double x) { return swish_reference(x, kGeluBeta); }},
      {-1.0f, "-1", [](double x) { return swish_reference(x, -1.0f); }},
      {0.0f, "0", [](double x) { return swish_reference(x, 0.0f); }},
      {0.1f, "0.1", [](double x) { return swish_reference(x, 0.1f); }},
      {1e-3f, "1e-3", [](double x) { return swish_reference(x, 1e-3f); }},
      {-37.0f, "-37", [](double x) { return swish_reference(x, -37.0f); }},
      {1e6f, "1e6", [](double x) { return swish_reference(x, 1e6f); }},
      {0x1p-40f, "2^-40", [](double x) { return swish_reference(x, 0x1p-40); }},
      {0x1p-90f, "2^-90", [](double x) { return swish_reference(x, 0x1p-90); }},
      {0x1p100f, "2^100", [](double x) { return swish_reference(x, 0x1p100); }},
  };
  return betas;
}

template <class T>
void check_other_betas(double max_ulp) {
  for (const AtBeta& at : other_betas()) {
    UnaryRung<T> rung = swish_operator_rung<T>(at.beta);
    rung.name += std::string("_beta_") + at.name;
    rung.max_ulp = max_ulp;
    check_accuracy<T>(rung, at.reference, "swish");
  }
}

template <class T>
void check_infinities(float beta, double at_plus, double at_minus) {
  const std::vector<T> y = run_unary<T>(swish_at<T>(beta), {T(kInfinity), T(-kInfinity)});
  INFO("beta = " << beta);
  CHECK(to_double(y[0]) == at_plus);
  CHECK(std::signbit(to_double(y[0])) == std::signbit(at_plus));
  CHECK(to_double(y[1]) == at_minus);
  CHECK(std::signbit(to_double(y[1])) == std::signbit(at_minus));
}

/// The finite ones of `values` with a magnitude in [least, most].
template <class T>
std::vector<T> between(double least, double most, const std::vector<T>& values) {
  std::vector<T> result;
  for (const T value : values) {
    const double magnitude = std::fabs(to_double(value));
    if (std::isfinite(magnitude) && magnitude >= least && magnitude <= most)
      result.push_back(value);
  }
  return result;
}

/// Every `step`th value of a 16-bit type.
template <class T>
std::vector<T> every(std::size_t step) {
  const std::vector<T> all = all_values<T>();
  std::vector<T> values;
  for (std::size_t i = 0; i < all.size(); i += step) values.push_back(all[i]);
  return values;
}

/// Inputs whose Swish is a normal number of T.
template <class T>
std::vector<T> with_normal_swish(const std::vector<T>& values) {
  const double least = std::ldexp(1.0, Format<T>::min_exponent);
  std::vector<T> result;
  for (const T value : values) {
    const double swish = std::fabs(swish_reference(to_double(value)));
    if (std::isfinite(swish) && swish >= least) result.push_back(value);
  }
  return result;
}

}  // namespace

TEST_CASE("swish: every launcher keeps its promises") {
  require_device();
  const auto check = [](auto type) {
    check_launcher_promises(swish_rungs<decltype(type)>(), swish_reference);
  };
  for_each_type(Floats{}, check);
  for_each_type(Fp8{}, check);
}

TEST_CASE("swish: largest error of the f32 rungs", "[long]") {
  require_device();
  check_accuracy(swish_rungs<float>(), swish_reference, "swish");
}

TEST_CASE("swish: largest error of the f16 rungs over all inputs") {
  require_device();
  check_accuracy(swish_rungs<half>(), swish_reference, "swish");
}

TEST_CASE("swish: largest error of the bf16 rungs over all inputs") {
  require_device();
  check_accuracy(swish_rungs<Bf16>(), swish_reference, "swish");
}

TEST_CASE("swish: every bit of the fp8 rungs over all inputs") {
  require_device();
  for_each_type(Fp8{}, [](auto type) {
    check_every_bit(swish_rungs<decltype(type)>(), swish_reference);
    check_accuracy(swish_rungs<decltype(type)>(), swish_reference, "swish");
  });
}

TEST_CASE("swish: where 1 + e^-x has no bits left for the 1, the error stays what it is") {
  require_device();
  std::vector<float> x;  // from e^16.3 on, which is 2^23.5: more than the other samples have
  for (int i = 0; i < 1 << 17; ++i) x.push_back(-17.0f + 0x1p-17f * static_cast<float>(i));
  const std::vector<float> y = run_unary<float>(launcher_of<float>("f32x4_poly"), x);
  CHECK(worst_error(x, y, swish_reference).ulp <= 2.0);
}

TEST_CASE("swish: zeros keep their sign, infinities and NaN go where they belong") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    check_special_values(swish_rungs<decltype(type)>(), swish_reference);
  });
}

TEST_CASE("swish: more than 2^31 elements", "[long]") {
  require_device();
  SECTION("f32x8_pdl") { check_past_2_31(swish_rungs<float>().back(), swish_reference); }
  SECTION("f16") { check_past_2_31(swish_rungs<half>().front(), swish_reference); }
  SECTION("f16x8_pack") {
    check_past_2_31(rung_named("f16x8_pack", swish_rungs<half>()), swish_reference);
  }
  SECTION("f16x8_pack_pdl") { check_past_2_31(swish_rungs<half>().back(), swish_reference); }
  SECTION("bf16x8_pack_pdl") { check_past_2_31(swish_rungs<Bf16>().back(), swish_reference); }
  SECTION("swiglu") {
    check_past_2_31(with_both_inputs_the_same(swiglu_rung<half>()),
                    [](double x) { return swiglu_reference(x, x); });
  }
}

TEST_CASE("swish: the operator takes every pointer and every type") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    using T = decltype(type);
    check_launcher_promises(swish_operator_rung<T>(), swish_reference);
  });
}

TEST_CASE("swish: largest error of the 16-bit operators at other betas") {
  require_device();
  check_other_betas<half>(kSwishUlp<half>);
  check_other_betas<Bf16>(kSwishUlp<Bf16>);
}

TEST_CASE("swish: largest error of the f32 operator at other betas", "[long]") {
  require_device();
  check_other_betas<float>(kSwishUlp<float>);
}

TEST_CASE("swish: one pack or two, the float operator's results are the same bit for bit") {
  require_device();
  for (const std::int64_t n : sizes_around_waves(resident_threads(), 4)) {
    for (const char* rung : {"f32x4_pdl", "f32x8_pdl"}) {
      check_same_bits(swish_at<float>(1.0f), launcher_of<float>(rung), n);
    }
  }
}

TEST_CASE("swish: an infinite x gives the limit, whatever beta is") {
  require_device();
  const auto check_all = [](float beta, double at_plus, double at_minus) {
    for_each_type(Floats{},
                  [=](auto type) { check_infinities<decltype(type)>(beta, at_plus, at_minus); });
  };
  const double infinity = std::numeric_limits<double>::infinity();
  for (const float beta : {1.0f, 0x1p-100f, 3e38f}) {
    check_all(beta, infinity, -0.0);
    check_all(-beta, 0.0, -infinity);
  }
  check_all(0.0f, infinity, -infinity);  // x / 2
}

TEST_CASE("swish: with a steep beta the float operator is a ramp, at every finite x") {
  require_device();
  const std::vector<float> x = {1e-3f, 10.0f, 1e20f, 1e38f, std::numeric_limits<float>::max()};
  std::vector<float> minus;
  for (const float v : x) minus.push_back(-v);
  const std::vector<float> none(x.size(), 0.0f);
  for (const float beta : {1e30f, 3e38f}) {
    INFO("beta = " << beta);
    CHECK(run_unary<float>(swish_at<float>(beta), x) == x);
    CHECK(run_unary<float>(swish_at<float>(beta), minus) == none);
    CHECK(run_unary<float>(swish_at<float>(-beta), minus) == minus);
    CHECK(run_unary<float>(swish_at<float>(-beta), x) == none);
  }
}

TEST_CASE(
    "swish: the operator refuses a beta that is not finite or too small, and writes nothing") {
  require_device();
  for (const float beta : {kInfinity, -kInfinity, kNaN, 0x1p-101f, -0x1p-101f}) {
    for_each_type(Floats{}, [=](auto type) {
      check_refused<decltype(type)>(
          [=](auto* x, auto* y, std::int64_t n) { return swish(x, y, n, beta, nullptr); });
    });
  }
}

TEST_CASE("swish: your rung") {
  require_device();
  check_launcher_promises(your_swish_rung(), swish_reference);
  check_accuracy(your_swish_rung(), swish_reference, "swish");
}

// ---- SwiGLU -----------------------------------------------------------------------------------

TEST_CASE("swiglu: the fused launcher keeps its promises") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    check_launcher_promises(swiglu_rung<decltype(type)>(), swiglu_reference);
  });
}

TEST_CASE("swiglu: largest error, every a with many b", "[long]") {
  require_device();
  constexpr std::size_t step = on_gpu ? 13 : 509;
  constexpr double largest = 0x1p90;  // beyond it, b makes numbers of what has underflowed before
  const double infinity = std::numeric_limits<double>::infinity();
  check_accuracy(swiglu_rung<half>(), swiglu_reference, all_values<half>(),
                 between(0, infinity, every<half>(step)), "swish");
  check_accuracy(swiglu_rung<Bf16>(), swiglu_reference, all_values<Bf16>(),
                 between(0, largest, every<Bf16>(step)), "swish");
  check_accuracy(swiglu_rung<float>(), swiglu_reference,
                 between(0x1p-125, infinity, dense_floats(on_gpu ? 64 : 16)),
                 between(0, largest, dense_floats(on_gpu ? 16 : 4)), "swish");
}

TEST_CASE("swiglu: two kernels are right where swish(a) is a normal number") {
  require_device();
  check_accuracy(swiglu_separate_rung<half>(), swiglu_reference,
                 with_normal_swish(all_values<half>()), between(0, 1, every<half>(509)), "swish");
  check_accuracy(swiglu_separate_rung<Bf16>(), swiglu_reference,
                 with_normal_swish(all_values<Bf16>()), between(0, 1, every<Bf16>(509)), "swish");
  check_accuracy(swiglu_separate_rung<float>(), swiglu_reference,
                 with_normal_swish(dense_floats(16)), between(0, 1, dense_floats(4)), "swish");
}

TEST_CASE("swiglu: two kernels lose what is small in between, one kernel does not") {
  require_device();
  // swish(-18) is -2.7e-7, and half has steps of 6e-8 there; times 30000 it is an ordinary number.
  const half a(-18.0f), b(30000.0f);
  const double expected = swiglu_reference(to_double(a), to_double(b));
  CHECK(ulp_error(run_binary<half>(swiglu_rung<half>().launch, {a}, {b})[0], expected) <= 0.51);
  const double separate = to_double(run_binary<half>(swiglu_separate<half>, {a}, {b})[0]);
  CHECK(std::fabs(separate - expected) > 0.05 * std::fabs(expected));
}

TEST_CASE("swiglu: infinities and NaN") {
  require_device();
  const std::vector<float> y =
      run_binary<float>(swiglu_rung<float>().launch,
                        {1.0f, -1.0f, kInfinity, -kInfinity, kNaN, 1.0f, -kInfinity, kInfinity},
                        {kInfinity, kInfinity, -2.0f, 2.0f, 1.0f, kNaN, kInfinity, 0.0f});
  CHECK(y[0] == kInfinity);
  CHECK(y[1] == -kInfinity);
  CHECK(y[2] == -kInfinity);
  CHECK(y[3] == 0.0f);
  CHECK(std::signbit(y[3]));
  for (const std::size_t i : {4u, 5u, 6u, 7u}) CHECK(std::isnan(y[i]));
}

TEST_CASE("swish, swiglu: tensors of any strides, bit for bit as without gaps") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    using T = decltype(type);
    for (const float beta : {1.0f, -1.5f}) {
      const auto wrong = mistake_of_views<T, T>(
          [=](const TensorView<T>& y, const TensorView<const T>& x) {
            return swish(x, y, beta, nullptr);
          },
          [=](T* y, std::int64_t n, const T* x) { return swish(x, y, n, beta, nullptr); });
      CHECK(wrong.empty());
    }
    const auto wrong = mistake_of_views<T, T, T>(
        [](const TensorView<T>& y, const TensorView<const T>& a, const TensorView<const T>& b) {
          return swiglu(a, b, y, nullptr);
        },
        [](T* y, std::int64_t n, const T* a, const T* b) { return swiglu(a, b, y, n, nullptr); });
    CHECK(wrong.empty());
  });
}

TEST_CASE("swiglu: the halves of rows, of any length") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    using T = decltype(type);
    for (const std::int64_t d : {1, 7, 64, 171}) {
      const Placed<T> x(contiguous_layout({2, 5, 2 * d}), 1, 1),
          y(contiguous_layout({2, 5, d}), 0, 0);
      std::vector<T> a, b;
      for_each_index({2, 5, d}, [&](TensorShape index) {
        a.push_back(value_at(x, index));
        index.back() += d;
        b.push_back(value_at(x, index));
      });
      const std::vector<T> results = run_binary<T>(swiglu_rung<T>().launch, a, b);
      std::size_t next = 0;
      CHECK(mistake(y, swiglu_halves<T>(x.in(), y.out(), nullptr),
                    [&](const TensorShape&) { return results[next++]; }) == "");
    }
  });
  const float x[6] = {};
  float y[3];
  const auto in = [&](const TensorShape& shape) {
    return contiguous_view(static_cast<const float*>(x), shape);
  };
  CHECK(swiglu_halves(in({2, 3}), contiguous_view(y, {2, 1}), nullptr) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "x of the shape (2, 3) has no halves along its last dimension");
  CHECK(swiglu_halves(in({6}), contiguous_view(y, {1, 3}), nullptr) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "y has the shape (1, 3), and a half of x has (3,)");
}

TEST_CASE("swiglu: two kernels refuse to write over their second input") {
  require_device();
  const GuardedBuffer<float> a(std::vector<float>(64, 1.0f)), b(std::vector<float>(64, 2.0f));
  CHECK(swiglu_separate(a.data(), b.data(), b.data(), 64, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(b.download() == std::vector<float>(64, 2.0f));
  const float* none = nullptr;
  CHECK(swiglu_separate(none, b.data(), a.data(), 64, nullptr) == cudaErrorInvalidValue);
  CHECK(swiglu_separate(a.data(), none, a.data(), 64, nullptr) == cudaErrorInvalidValue);
  CHECK(a.download() == std::vector<float>(64, 1.0f));  // the first kernel has not run either
}
