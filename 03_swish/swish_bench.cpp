#include "common/bench/binary.h"
#include "common/bench/ladder.h"

#include "03_swish/peers/swish_peers.h"
#include "03_swish/proof/swish_reference.h"
#include "03_swish/swish.h"

namespace tutorial::bench {
namespace {

constexpr Reference kReference = swish_reference;

/// The operator at beta = 1, and what one would use instead of the ladder.
template <class T>
void add_operator_and_peers() {
  const std::string dtype = dtype_name<T>();
  const auto operator_at_1 = [](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
    return swish(x, y, n, 1.0f, stream);
  };
  const auto cub = [](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
    return swish_cub(x, y, n, stream);
  };
  add_unary<T>("swish", "operator_" + dtype, Kind::rung, operator_at_1, kReference, kSwishUlp<T>);
  add_unary<T>("swish", "cub_" + dtype, Kind::peer, cub, kReference, kSwishUlp<T>);
}

/// The largest error of SwiGLU in two kernels on the benchmark's inputs, whose |b| stays below 6.
/// swish(a) is rounded in between, by up to kSwishUlp steps of T; where it is subnormal the steps
/// do not shrink with it, and y = swish(a) b is off by |b| times as many of its own, and a half
/// more from the second rounding. (The rung's own bound holds for normal swish(a) and |b| <= 1.)
template <class T>
constexpr double kSeparateUlp = 6.0 * kSwishUlp<T> + 0.51;

/// SwiGLU in two kernels and in one, and a kernel that moves as many bytes and computes nothing.
template <class T>
void add_swiglu() {
  const auto cub = [](const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream) {
    return swiglu_cub(a, b, y, n, stream);
  };
  const auto separate = swiglu_separate_rung<T>(), fused = swiglu_rung<T>();
  add_binary<T>("swiglu", separate.name, Kind::rung, separate.launch, swiglu_reference,
                kSeparateUlp<T>, separate.width);
  add_binary<T>("swiglu", fused.name, Kind::rung, fused.launch, swiglu_reference, fused.max_ulp,
                fused.width);
  add_binary<T>("swiglu", std::string("swiglu_cub_") + dtype_name<T>(), Kind::peer, cub,
                swiglu_reference, kSwiGluUlp<T>);
  add_two_in_one_out_peer<T>("swiglu");
}

}  // namespace

void register_benchmarks() {
  for_each_type(Floats{}, [](auto type) {
    using T = decltype(type);
    add_ladder("swish", swish_rungs<T>(), kReference);
    add_operator_and_peers<T>();
  });
  add_unary<float>("swish", "host_loop_f32", Kind::peer, swish_host_loop, kReference, 64.0);
  const UnaryRung<half> yours = your_swish_rung();
  add_unary<half>("swish", yours.name, Kind::yours, yours.launch, kReference, yours.max_ulp,
                  yours.width);
  for_each_type(Fp8{},
                [](auto type) { add_ladder("swish", swish_rungs<decltype(type)>(), kReference); });
  for_each_type(Floats{}, [](auto type) { add_swiglu<decltype(type)>(); });
}

}  // namespace tutorial::bench
