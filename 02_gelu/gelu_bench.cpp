#include "common/bench/bench.h"

#include "02_gelu/gelu.h"
#include "02_gelu/gelu_rungs.h"
#include "02_gelu/museum/exhibits.cuh"
#include "02_gelu/peers/gelu_peers.h"
#include "02_gelu/proof/gelu_reference.h"

namespace tutorial::bench {
namespace {

/// The rungs of one variant and type, the operator, and what one would use instead of the ladder.
template <class T>
void add_variant(GeluApproximate approximate, const std::vector<UnaryRung<T>>& rungs,
                 const std::string& dtype, double max_ulp) {
  const Reference reference = gelu_reference(approximate);
  const auto add_rung = [reference](Kind kind, const UnaryRung<T>& rung) {
    add_unary<T>("gelu", rung.name, kind, rung.launch, reference, rung.max_ulp, rung.width);
  };
  for (const UnaryRung<T>& rung : rungs) add_rung(Kind::rung, rung);
  add_rung(Kind::rung, gelu_operator_rung<T>(approximate, dtype, max_ulp));
  add_rung(Kind::peer, gelu_rung<T>(approximate, "cub_" + dtype, gelu_cub, 1, sizeof(T), max_ulp));
}

template <class T>
void add_fp8() {
  add_copy_peers<T>("gelu");
  for (const GeluApproximate approximate : {GeluApproximate::tanh, GeluApproximate::none}) {
    for (const UnaryRung<T>& rung : gelu_rungs_fp8<T>(approximate)) {
      add_unary<T>("gelu", rung.name, Kind::rung, rung.launch, gelu_reference(approximate),
                   rung.max_ulp, rung.width);
    }
  }
}

}  // namespace

void register_benchmarks() {
  constexpr double kFormula = 1.7e7;  // 1 + tanh and 1 + erf: every digit of the left tail
  constexpr GeluApproximate kVariants[] = {GeluApproximate::tanh, GeluApproximate::none};

  add_copy_peers<float>("gelu");
  for (const GeluApproximate approximate : kVariants) {
    add_variant<float>(approximate, gelu_rungs_f32(approximate), "f32", kGeluF32MaxUlp);
    const UnaryRung<float> loop =
        gelu_rung<float>(approximate, "host_loop_f32", gelu_host_loop, 1, 4, kFormula);
    add_unary<float>("gelu", loop.name, Kind::peer, loop.launch, gelu_reference(approximate),
                     loop.max_ulp);
  }
  add_unary<float>("gelu", "museum_double_constant", Kind::sweep,
                   exhibits::gelu_f32x4_double_constant, gelu_tanh_reference, kFormula);
  add_unary<float>("gelu", "museum_float_constant", Kind::sweep,
                   exhibits::gelu_f32x4_float_constant, gelu_tanh_reference, kFormula);

  add_copy_peers<half>("gelu");
  for (const GeluApproximate approximate : kVariants) {
    add_variant<half>(approximate, gelu_rungs_f16(approximate), "f16", 0.51);
  }
  const UnaryRung<half> yours = your_gelu_rung();
  add_unary<half>("gelu", yours.name, Kind::yours, yours.launch, gelu_tanh_reference, yours.max_ulp,
                  yours.width);

  add_copy_peers<Bf16>("gelu");
  for (const GeluApproximate approximate : kVariants) {
    add_variant<Bf16>(approximate, gelu_rungs_bf16(approximate), "bf16", 0.51);
  }

  add_fp8<E4m3>();
  add_fp8<E5m2>();
}

}  // namespace tutorial::bench
