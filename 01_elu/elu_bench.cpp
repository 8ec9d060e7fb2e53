#include "common/bench/binary.h"
#include "common/bench/host_loop.h"
#include "common/bench/ladder.h"

#include <cmath>

#include "01_elu/backward/elu_backward.h"
#include "01_elu/elu.h"
#include "01_elu/proof/elu_reference.h"
#include "01_elu/proof/peers/elu_peers.h"

namespace tutorial::bench {
namespace {

constexpr Reference kReference = elu_reference;

/// The ladder of a type, the operator at alpha = 1, and what one would use instead.
template <class T>
void add_type() {
  const std::string dtype = dtype_name<T>();
  const UnaryRung<T> whole = elu_operator_rung<T>();
  add_ladder("elu", elu_rungs<T>(), kReference);
  add_unary<T>("elu", whole.name, Kind::rung, whole.launch, kReference, whole.max_ulp);
  add_unary<T>("elu", "cub_" + dtype, Kind::peer, elu_cub<T>, kReference, whole.max_ulp);
}

template <class T>
void add_backward() {
  add_binary_ladder<T>("elu_backward", elu_backward_rungs<T>(), elu_backward_operator_rung<T>(),
                       elu_backward_reference);
}

}  // namespace

void register_benchmarks() {
  for_each_type(Floats{}, [](auto type) { add_type<decltype(type)>(); });
  for_each_type(Fp8{},
                [](auto type) { add_ladder("elu", elu_rungs<decltype(type)>(), kReference); });
  const auto one = [](float x) { return x < 0.0f ? std::expm1(x) : x; };
  add_unary<float>("elu", "host_loop_f32", Kind::peer, host_loop<float, float>(one), kReference,
                   2.0);
  add_rung("elu", Kind::yours, your_elu_rung(), kReference);
  add_block_sweep<float>("elu", "f32", elu_f32_block, kReference, 2.0, 4);
  add_block_sweep<half>("elu", "f16x8_pack_pdl", elu_f16x8_pack_pdl_block, kReference, 0.51, 16);
  for_each_type(Floats{}, [](auto type) { add_backward<decltype(type)>(); });
}

}  // namespace tutorial::bench
