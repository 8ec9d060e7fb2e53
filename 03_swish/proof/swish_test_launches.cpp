// Which kernel each function of swish.h launches: launches.txt.
#include "03_swish/swish.h"
#include "common/proof/catch.h"
#include "common/proof/launches.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

template <class T>
void add_swish(LaunchTable& table, const std::string& name, float beta,
               const std::vector<std::int64_t>& sizes) {
  table.add_unary<T>(name, sizes, swish_operator_rung<T>(beta).launch);
}

/// In blocks of 128 threads up to 33,792 packs, of 256 while three arrays have 64 MiB, and of 704 beyond.
template <class T>
void add_swiglu(LaunchTable& table, const std::string& dtype) {
  constexpr std::int64_t most = (std::int64_t{64} << 20) / (3 * sizeof(T));
  constexpr std::int64_t few = 33792 * 16 / sizeof(T) + 16 / sizeof(T) - 1;
  table.add_binary<T>("swiglu " + dtype, {few, few + 1, most, most + 1}, swiglu_rung<T>().launch);
  table.add_binary<T>("swiglu_separate " + dtype, {most + 1}, swiglu_separate_rung<T>().launch);
}

}  // namespace

TEST_CASE("swish: which kernel runs, in how many blocks") {
  LaunchTable table;
  constexpr std::int64_t n = 1'048'579;
  // Floats: two waves of blocks of one pack a thread begin at the second size, and are past one of
  // two packs at the last.
  const std::vector<std::int64_t> waves = {1'081'344, 1'081'345, 2'162'688, 2'162'689};
  for_each_type(Floats{}, [&](auto type) {
    using T = decltype(type);
    add_swish<T>(table, std::string("swish ") + dtype_name<T>(), 1.0f,
                 std::is_same_v<T, float> ? waves : std::vector<std::int64_t>{n});
    add_swiglu<T>(table, dtype_name<T>());
  });
  add_swish<float>(table, "swish f32, beta 2^-41", 0x1p-41f, {n});
  const auto add_rungs = [&](auto type) { table.add_rungs(swish_rungs<decltype(type)>(), n); };
  for_each_type(Floats{}, add_rungs);
  for_each_type(Fp8{}, add_rungs);
  table.check("03_swish/proof/launches.txt");
}

TEST_CASE("swish: which kernel runs, in how many blocks: any strides") {
  LaunchTable table;
  table.add_views<half, half>(
      "swish f16", [](auto stream, auto y, auto x) { return swish<half>(x, y, 1.0f, stream); });
  table.add_views<half, half, half>("swiglu f16", [](auto stream, auto y, auto a, auto b) {
    return swiglu<half>(a, b, y, stream);
  });
  table.add("swiglu_halves f16", "(1000, 2046)", {2, 2}, [](const Addresses& at, auto stream) {
    return swiglu_halves<half>(contiguous_view<const half>(at.of<half>(0), {1000, 2046}),
                               contiguous_view(at.of<half>(1), {1000, 1023}), stream);
  });
  table.check("03_swish/proof/launches_views.txt");
}
