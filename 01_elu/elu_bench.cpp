#include "common/bench/ladder.h"

#include "01_elu/elu.h"
#include "01_elu/elu_rungs.h"
#include "01_elu/peers/elu_peers.h"
#include "01_elu/proof/elu_reference.h"

namespace tutorial::bench {
namespace {

constexpr Reference kReference = elu_reference;

/// The operator at alpha = 1, and what one would use instead of the ladder.
template <class T>
void add_operator_and_peers(const std::string& dtype, double max_ulp) {
  const auto operator_at_1 = [](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
    return elu(x, y, n, 1.0f, stream);
  };
  const auto cub = [](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
    return elu_cub(x, y, n, stream);
  };
  add_unary<T>("elu", "operator_" + dtype, Kind::rung, operator_at_1, kReference, max_ulp);
  add_unary<T>("elu", "cub_" + dtype, Kind::peer, cub, kReference, max_ulp);
}

}  // namespace

void register_benchmarks() {
  add_ladder("elu", elu_rungs_f32(), kReference);
  add_operator_and_peers<float>("f32", 2.0);
  add_unary<float>("elu", "host_loop_f32", Kind::peer, elu_host_loop, kReference, 2.0);
  add_block_sweep<float>("elu", "f32", elu_f32_block, kReference, 2.0);

  add_ladder("elu", elu_rungs_f16(), kReference);
  add_operator_and_peers<half>("f16", 0.51);
  const UnaryRung<half> yours = your_elu_rung();
  add_unary<half>("elu", yours.name, Kind::yours, yours.launch, kReference, yours.max_ulp,
                  yours.width);
  add_block_sweep<half>("elu", "f16x8_pack_pdl", elu_f16x8_pack_pdl_block, kReference, 0.51);

  add_ladder("elu", elu_rungs_bf16(), kReference);
  add_operator_and_peers<Bf16>("bf16", 0.51);

  add_ladder("elu", elu_rungs_fp8<E4m3>(), kReference);
  add_ladder("elu", elu_rungs_fp8<E5m2>(), kReference);
}

}  // namespace tutorial::bench
