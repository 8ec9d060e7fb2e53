// Which kernel each function of gelu.h launches: launches.txt.
#include "02_gelu/gelu.h"
#include "common/proof/catch.h"
#include "common/proof/launches.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

template <class T>
void add_operator(LaunchTable& table, const std::string& dtype,
                  const std::vector<std::int64_t>& sizes) {
  for (const GeluApproximate variant : {GeluApproximate::none, GeluApproximate::tanh}) {
    const UnaryRung<T> rung = gelu_operator_rung<T>(variant);
    table.add_unary<T>(std::string("gelu ") + name_of(variant) + " " + dtype, sizes, rung.launch);
  }
}

}  // namespace

TEST_CASE("gelu: which kernel runs, in how many blocks") {
  LaunchTable table;
  constexpr std::int64_t n = 1'048'579;
  // Floats and bf16: two packs a thread where that makes one wave of blocks; erf of bf16 also from
  // 2^24 on.
  add_operator<float>(table, "f32", {2'162'688, 2'162'689});
  add_operator<half>(table, "f16", {1, n});
  add_operator<Bf16>(table, "bf16", {4'325'376, 16'777'215, 16'777'216});
  for (const GeluApproximate variant : {GeluApproximate::none, GeluApproximate::tanh}) {
    const auto add_rungs = [&](auto type) {
      table.add_rungs(gelu_rungs<decltype(type)>(variant), n);
    };
    for_each_type(Floats{}, add_rungs);
    for_each_type(Fp8{}, add_rungs);
  }
  table.check("02_gelu/proof/launches.txt");
}

TEST_CASE("gelu: which kernel runs, in how many blocks: any strides") {
  LaunchTable table;
  table.add_views<float, float>("gelu tanh f32", [](auto stream, auto y, auto x) {
    return gelu<float>(x, y, GeluApproximate::tanh, stream);
  });
  table.check("02_gelu/proof/launches_views.txt");
}
