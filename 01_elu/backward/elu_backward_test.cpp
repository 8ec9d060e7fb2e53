#include "01_elu/backward/elu_backward.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "01_elu/elu.h"
#include "01_elu/proof/elu_reference.h"
#include "common/proof/backward.h"
#include "common/proof/launches.h"
#include "common/proof/operators.h"
#include "common/proof/support.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

constexpr BinaryReference kReference = elu_backward_reference;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("elu backward: every launcher keeps its promises") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    using T = decltype(type);
    check_backward_promises(elu_backward_rungs<T>(), kReference);
    check_launcher_promises(elu_backward_operator_rung<T>(), kReference);
  });
}

TEST_CASE("elu backward: largest error over all inputs and many gradients") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    check_backward_accuracy(elu_backward_rungs<decltype(type)>(), kReference, "elu");
  });
}

TEST_CASE("elu backward: other alphas") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    using T = decltype(type);
    const std::vector<T> x = arguments_of_derivative<T>();
    const auto check = [&](float alpha, BinaryReference reference) {
      const double product = sizeof(T) == 4 ? 1.0 : 0.0;  // alpha dy, rounded
      CHECK(worst_error_of_pairs(elu_backward_operator_rung<T>(alpha).launch, x,
                                 {T(1.0f), T(-3.7f)}, reference)
                .ulp <= kEluBackwardUlp<T> + product);
    };
    check(1.6732632f,
          [](double at, double dy) { return elu_backward_reference(at, dy, 1.6732632f); });
    check(-0.3f, [](double at, double dy) { return elu_backward_reference(at, dy, -0.3f); });
    check(0.0f, [](double at, double dy) { return elu_backward_reference(at, dy, 0.0); });
  });
}

TEST_CASE("elu backward: zeros, infinities and NaN, in packs and in the tail") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    check_backward_special_values(elu_backward_operator_rung<decltype(type)>(), kReference);
  });
}

TEST_CASE("elu backward: a small derivative times a large gradient") {
  require_device();
  // e^-14.3 is 6.2e-7; half has steps of 6e-8 there. Losses are scaled up for gradients of this kind.
  const std::vector<half> x = {half(-14.3f)}, dy = {half(40000.0f)};
  const double expected = elu_backward_reference(to_double(x[0]), 40000.0);
  const auto& ladder = elu_backward_rungs<half>();
  CHECK(ulp_error(run_binary<half>(ladder[1].launch, x, dy)[0], expected) > 20.0);
  CHECK(ulp_error(run_binary<half>(ladder[2].launch, x, dy)[0], expected) <= 0.51);
}

TEST_CASE("elu backward: from the saved result, the tail is lost") {
  require_device();
  const std::vector<half> x = {half(-8.5f)}, one = {half(1.0f)};
  const double from_y = to_double(run_unary<half>(elu_rungs<half>().back().launch, x)[0]) + 1.0;
  const double expected = elu_backward_reference(-8.5, 1.0);
  CHECK(from_y == 0.0);  // y is -1 to the last bit, and e^-8.5 is 2e-4
  CHECK(ulp_error(run_binary<half>(elu_backward_operator_rung<half>().launch, x, one)[0],
                  expected) <= 0.51);
}

TEST_CASE("elu backward: refuses an alpha that is not finite, and writes nothing") {
  require_device();
  for (const float alpha : {kInfinity, -kInfinity, kNaN}) {
    check_refused<float>(
        [=](auto* x, auto* dx, auto n) { return elu_backward(x, x, dx, n, alpha, nullptr); });
  }
}

TEST_CASE("elu backward: more than 2^31 elements", "[long]") {
  require_device();
  check_past_2_31(with_both_inputs_the_same(elu_backward_rungs<half>().back()),
                  [](double x) { return elu_backward_reference(x, x); });
}

TEST_CASE("elu backward: which kernel runs, in how many blocks") {
  LaunchTable table;
  constexpr std::int64_t n = 1'048'579;
  for_each_type(Floats{}, [&](auto type) {
    using T = decltype(type);
    table.add_binary<T>(std::string("elu_backward ") + dtype_name<T>(), {n, past_l2<T>},
                        elu_backward_operator_rung<T>().launch);
    table.add_rungs(elu_backward_rungs<T>(), n);
  });
  table.check("01_elu/backward/launches_backward.txt");
}
