#include <string>
#include <vector>

#include "01_elu/elu.h"
#include "01_elu/elu_peers.h"
#include "01_elu/elu_reference.h"
#include "01_elu/elu_rungs.h"
#include "common/bench/bench.h"

namespace tutorial::bench {
namespace {

constexpr auto kReference = static_cast<double (*)(double)>(elu_reference);

/// The copies first, then every rung, then the operator and what one would use instead.
template <class T>
void add_ladder(const std::string& dtype, const std::vector<test::UnaryRung<T>>& rungs) {
  add_copy_peers<T>("elu");
  for (const test::UnaryRung<T>& rung : rungs) {
    add_unary<T>("elu", rung.name, Kind::rung, rung.launch, kReference, rung.max_ulp);
  }
  const double best_ulp = rungs.back().max_ulp;
  const auto operator_at_1 = [](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
    return elu(x, y, n, 1.0f, stream);
  };
  const auto cub = [](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
    return elu_cub(x, y, n, stream);
  };
  add_unary<T>("elu", "operator_" + dtype, Kind::rung, operator_at_1, kReference, best_ulp);
  add_unary<T>("elu", "cub_" + dtype, Kind::peer, cub, kReference, best_ulp);
}

}  // namespace

void register_benchmarks() {
  constexpr int kBlockSizes[] = {32, 64, 128, 256, 512, 1024};
  add_ladder("f32", elu_rungs_f32());
  add_unary<float>("elu", "host_loop_f32", Kind::peer, elu_host_loop, kReference, 2.0);
  for (const int threads : kBlockSizes) {
    const auto launch = [threads](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
      return elu_f32_block(x, y, n, threads, stream);
    };
    add_unary<float>("elu", "f32_b" + std::to_string(threads), Kind::sweep, launch, kReference,
                     2.0);
  }
  add_ladder("f16", elu_rungs_f16());
  add_unary<half>("elu", "your_elu", Kind::yours, your_elu, kReference, your_elu_claims().max_ulp);
  for (const int threads : kBlockSizes) {
    const auto launch = [threads](const half* x, half* y, std::int64_t n, cudaStream_t stream) {
      return elu_f16x8_pack_block(x, y, n, threads, stream);
    };
    add_unary<half>("elu", "f16x8_pack_b" + std::to_string(threads), Kind::sweep, launch,
                    kReference, 0.51);
  }
  add_ladder("bf16", elu_rungs_bf16());
}

}  // namespace tutorial::bench
