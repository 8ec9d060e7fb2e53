// Which kernel each function of elu.h launches: launches.txt.
#include "01_elu/elu.h"
#include "common/proof/catch.h"
#include "common/proof/launches.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

template <class T>
void add_operator(LaunchTable& table, const std::string& name,
                  const std::vector<std::int64_t>& sizes) {
  table.add_unary<T>(name, sizes, elu_operator_rung<T>().launch);
}

}  // namespace

TEST_CASE("elu: which kernel runs, in how many blocks") {
  LaunchTable table;
  constexpr std::int64_t n = 1'048'579;
  // Floats: two waves of blocks of one pack a thread begin past the first size, and are past one of
  // two packs at the last. Halves: up to 33,792 packs let the next launch begin.
  add_operator<float>(table, "elu f32", {1, 1'081'344, 1'081'345, 2'162'688, 2'162'689});
  add_operator<half>(table, "elu f16", {1, 270'343, 270'344, n});
  add_operator<Bf16>(table, "elu bf16", {1, n});
  const auto add_rungs = [&](auto type) { table.add_rungs(elu_rungs<decltype(type)>(), n); };
  for_each_type(Floats{}, add_rungs);
  for_each_type(Fp8{}, add_rungs);
  table.add_rung("elu_f32_block, 1024 threads", n, 1, {4, 4}, [](const Addresses& at, auto stream) {
    return elu_f32_block(at.of<float>(0), at.of<float>(1), n, 1024, stream);
  });
  table.add_rung("elu_f16x8_pack_pdl_block, 64 threads", n, 8, {16, 16},
                 [](const Addresses& at, auto stream) {
                   return elu_f16x8_pack_pdl_block(at.of<half>(0), at.of<half>(1), n, 64, stream);
                 });
  table.check("01_elu/proof/launches.txt");
}

TEST_CASE("elu: which kernel runs, in how many blocks: any strides") {
  LaunchTable table;
  table.add_views<half, half>(
      "elu f16", [](auto stream, auto y, auto x) { return elu<half>(x, y, 1.0f, stream); });
  // The most packs in blocks of 128 threads, more, and a result beyond the L2.
  for (const std::int64_t rows : {16, 17, 8200}) {
    const TensorShape shape = {rows, 4096};
    table.add("elu f16", "rows 8,192 apart " + to_string(shape), {2, 2},
              [&](const Addresses& at, auto stream) {
                const TensorView<const half> x{at.of<half>(0), {shape, {8192, 1}}};
                return elu<half>(x, contiguous_view(at.of<half>(1), shape), 1.0f, stream);
              });
  }
  table.check("01_elu/proof/launches_views.txt");
}
