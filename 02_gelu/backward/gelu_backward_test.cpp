#include "02_gelu/backward/gelu_backward.h"

#include <limits>
#include <string>
#include <vector>

#include "02_gelu/proof/gelu_reference.h"
#include "common/proof/backward.h"
#include "common/proof/launches.h"
#include "common/proof/operators.h"
#include "common/proof/support.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

constexpr GeluApproximate kVariants[] = {GeluApproximate::tanh, GeluApproximate::none};

}  // namespace

TEST_CASE("gelu backward: every launcher keeps its promises") {
  require_device();
  for (const GeluApproximate variant : kVariants) {
    for_each_type(Floats{}, [=](auto type) {
      using T = decltype(type);
      check_backward_promises(gelu_backward_rungs<T>(variant), gelu_backward_reference(variant));
      check_launcher_promises(gelu_backward_operator_rung<T>(variant),
                              gelu_backward_reference(variant));
    });
  }
}

TEST_CASE("gelu backward: largest error over all inputs and many gradients") {
  require_device();
  for (const GeluApproximate variant : kVariants) {
    for_each_type(Floats{}, [=](auto type) {
      check_backward_accuracy(gelu_backward_rungs<decltype(type)>(variant),
                              gelu_backward_reference(variant), "gelu");
    });
  }
}

TEST_CASE("gelu backward: zeros, infinities and NaN, in packs and in the tail") {
  require_device();
  for (const GeluApproximate variant : kVariants) {
    for_each_type(Floats{}, [=](auto type) {
      check_backward_special_values(gelu_backward_operator_rung<decltype(type)>(variant),
                                    gelu_backward_reference(variant));
    });
  }
}

TEST_CASE("gelu backward: around its zero, the textbook's derivative has no right digit") {
  require_device();
  std::vector<float> x, one(2000, 1.0f);
  for (int i = 0; i < 2000; ++i) x.push_back(-0.7515f - 0x1p-20f * static_cast<float>(i));
  for (const GeluApproximate variant : kVariants) {
    const auto& ladder = gelu_backward_rungs<float>(variant);
    const auto worst = [&](const BinaryRung<float>& rung) {
      const std::vector<float> dx = run_binary<float>(rung.launch, x, one);
      double largest = 0.0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double expected = gelu_backward_reference(variant)(x[i], 1.0);
        largest = std::fmax(largest, ulp_error(dx[i], expected));
      }
      return largest;
    };
    CHECK(worst(ladder[1]) > 10000.0);
    CHECK(worst(ladder[2]) <= kGeluBackwardUlp<float>);
  }
}

TEST_CASE("gelu backward: refuses a variant that does not exist, and writes nothing") {
  require_device();
  check_refused<float>([](auto* x, auto* dx, std::int64_t n) {
    return gelu_backward(x, x, dx, n, static_cast<GeluApproximate>(2), nullptr);
  });
}

TEST_CASE("gelu backward: which kernel runs, in how many blocks") {
  LaunchTable table;
  constexpr std::int64_t n = 1'048'579;
  for (const GeluApproximate variant : kVariants) {
    for_each_type(Floats{}, [&](auto type) {
      using T = decltype(type);
      table.add_binary<T>(std::string("gelu_backward ") + name_of(variant) + " " + dtype_name<T>(),
                          {n, past_l2<T>}, gelu_backward_operator_rung<T>(variant).launch);
      table.add_rungs(gelu_backward_rungs<T>(variant), n);
    });
  }
  table.check("02_gelu/backward/launches_backward.txt");
}
