#include "common/bench/binary.h"
#include "common/bench/host_loop.h"
#include "common/bench/ladder.h"

#include <cmath>

#include "02_gelu/backward/gelu_backward.h"
#include "02_gelu/gelu.h"
#include "02_gelu/proof/gelu_reference.h"
#include "02_gelu/proof/museum/exhibits.cuh"
#include "02_gelu/proof/peers/gelu_peers.h"

namespace tutorial::bench {
namespace {

constexpr GeluApproximate kVariants[] = {GeluApproximate::tanh, GeluApproximate::none};

template <class T>
void add_rungs(GeluApproximate approximate) {
  for (const UnaryRung<T>& rung : gelu_rungs<T>(approximate)) {
    add_rung("gelu", Kind::rung, rung, gelu_reference(approximate));
  }
}

/// The rungs of one variant and type, the operator, and what one would use instead of the ladder.
template <class T>
void add_variant(GeluApproximate approximate) {
  const UnaryRung<T> by_operator = gelu_operator_rung<T>(approximate);
  add_rungs<T>(approximate);
  add_rung("gelu", Kind::rung, by_operator, gelu_reference(approximate));
  add_rung("gelu", Kind::peer,
           gelu_rung<T>(approximate, std::string("cub_") + dtype_name<T>(), gelu_cub<T>, 1,
                        sizeof(T), by_operator.max_ulp),
           gelu_reference(approximate));
}

template <class T>
void add_backward(GeluApproximate approximate) {
  add_binary_ladder<T>(
      std::string("gelu_backward_") + name_of(approximate), gelu_backward_rungs<T>(approximate),
      gelu_backward_operator_rung<T>(approximate), gelu_backward_reference(approximate));
}

}  // namespace

void register_benchmarks() {
  constexpr double kFormula = 1.7e7;  // 1 + tanh and 1 + erf: every digit of the left tail
  for_each_type(Floats{}, [](auto type) {
    add_copy_peers<decltype(type)>("gelu");
    for (const GeluApproximate variant : kVariants) add_variant<decltype(type)>(variant);
  });
  const auto by_tanh = [](float x) {
    const float u = 0.797884561f * (x + 0.044715f * x * x * x);
    return 0.5f * x * (1.0f + std::tanh(u));
  };
  const auto by_erf = [](float x) { return 0.5f * x * (1.0f + std::erf(0.707106781f * x)); };
  add_unary<float>("gelu", "tanh_host_loop_f32", Kind::peer, host_loop<float, float>(by_tanh),
                   gelu_tanh_reference, kFormula, 1, 4);
  add_unary<float>("gelu", "none_host_loop_f32", Kind::peer, host_loop<float, float>(by_erf),
                   gelu_reference(GeluApproximate::none), kFormula, 1, 4);
  add_unary<float>("gelu", "museum_double_constant", Kind::sweep,
                   exhibits::gelu_f32x4_double_constant, gelu_tanh_reference, kFormula, 0, 16);
  add_unary<float>("gelu", "museum_float_constant", Kind::sweep,
                   exhibits::gelu_f32x4_float_constant, gelu_tanh_reference, kFormula, 0, 16);
  add_rung("gelu", Kind::yours, your_gelu_rung(), gelu_tanh_reference);
  for_each_type(Fp8{}, [](auto type) {
    add_copy_peers<decltype(type)>("gelu");
    for (const GeluApproximate variant : kVariants) add_rungs<decltype(type)>(variant);
  });
  for (const GeluApproximate variant : kVariants) {
    for_each_type(Floats{}, [=](auto type) { add_backward<decltype(type)>(variant); });
  }
}

}  // namespace tutorial::bench
