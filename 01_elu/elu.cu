// The ladder's table: which kernel a rung is, how many elements its threads take, which alignment it
// needs, how wrong it may be. The kernels are in elu_kernels.cuh.
#include "01_elu/elu.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "01_elu/elu_kernels.cuh"
#include "common/fp8.cuh"
#include "common/strided.cuh"

namespace tutorial {
namespace {

constexpr Elu kElu{1.0f};  // the ladder's alpha

/// The launch of the last rungs: the block size that the sweep recommends, and overlap with the launch before.
constexpr LaunchOptions kLastRungs{256, Overlap::previous_kernel};

// A row: name, kernel, elements a thread, alignment in bytes, largest error in ULP of the output type.
// rung() (common/ladder.cuh) makes the launcher of it. From rung 7 on the kernel is
// elementwise_pack_kernel, 16 bytes a thread, and a row names the arithmetic. The argument is the type.

Ladder<float> rows(float) {
  return {
      rung("f32", elu_f32_kernel, 1, 4, 2.0),
      rung("f32x4", elu_f32x4_kernel, 4, 16, 2.0),
      pack_rung<float>("f32x4_poly", kElu, 2.0),
      pack_rung<float>("f32x4_pdl", kElu, 2.0, kLastRungs),
  };
}

Ladder<half> rows(half) {
  return {
      rung("f16", elu_f16_kernel, 1, 2, 2048.0),
      rung("f16x2", elu_f16x2_kernel, 2, 4, 2048.0),
      rung("f16x8", elu_f16x8_kernel, 8, 4, 2048.0),
      rung("f16x8_wide_load", elu_f16x8_wide_load_kernel, 8, 16, 2048.0),
      rung("f16x8_wide_store", elu_f16x8_wide_store_kernel, 8, 16, 2048.0),
      //! [f16x8_pack]
      rung("f16x8_pack", elu_f16x8_pack_kernel, 8, 16, 2048.0),
      //! [f16x8_pack]
      pack_rung<half>("f16x8_pack_h2", EluHalf2{}, 2048.0),
      pack_rung<half>("f16x8_pack_fexp", FloatInside<EluFastExp>{}, 4.0),
      pack_rung<half>("f16x8_pack_expm1", FloatInside<EluExpm1>{}, 0.51),
      pack_rung<half>("f16x8_pack_poly", kElu, 0.51),
      pack_rung<half>("f16x8_pack_pdl", kElu, 0.51, kLastRungs),
  };
}

Ladder<Bf16> rows(Bf16) {
  return {
      pack_rung<Bf16>("bf16x8_pack", kElu, 0.51),
      pack_rung<Bf16>("bf16x8_pack_pdl", kElu, 0.51, kLastRungs),
  };
}

Ladder<E4m3> rows(E4m3) { return fp8_rungs<E4m3>("", FloatInside<EluForFp8>{}); }
Ladder<E5m2> rows(E5m2) { return fp8_rungs<E5m2>("", FloatInside<EluForFp8>{}); }

/// The operator's arithmetic for a finite alpha. 0 (e^x - 1) is -0. As alpha e^x - alpha, in one
/// rounding, it would be +0; with the smallest alpha it is a number that a 16-bit type rounds to -0.
template <class T>
Elu elu_of(float alpha) {
  const bool is_zero = alpha == 0.0f && !std::signbit(alpha);
  return {is_zero && sizeof(T) == 2 ? std::numeric_limits<float>::denorm_min() : alpha};
}

}  // namespace

template <class T>
const Ladder<T>& elu_rungs() {
  static const Ladder<T> ladder = rows(T{});
  return ladder;
}

cudaError_t elu_f32_block(const float* x, float* y, std::int64_t n, int threads,
                          cudaStream_t stream) {
  return launch_unary(elu_f32_kernel, x, y, n, 1, alignof(float), stream, {threads});
}

cudaError_t elu_f16x8_pack_pdl_block(const half* x, half* y, std::int64_t n, int threads,
                                     cudaStream_t stream) {
  return pack_rung<half>("", kElu, 0.51, {threads, kLastRungs.overlap}).launch(x, y, n, stream);
}

template <class T>
cudaError_t elu(const T* x, T* y, std::int64_t n, float alpha, cudaStream_t stream) {
  if (!std::isfinite(alpha)) return cudaErrorInvalidValue;
  const Elu op = elu_of<T>(alpha);
  if constexpr (std::is_same_v<T, float>) {
    return launch_elementwise_one_wave(x, y, n, op, stream, kLastRungs);
  } else {
    return launch_elementwise(x, y, n, op, stream, kLastRungs);
  }
}

template <class T>
cudaError_t elu(const TensorView<const T>& x, const TensorView<T>& y, float alpha,
                cudaStream_t stream) {
  if (!std::isfinite(alpha)) return refuse(cudaErrorInvalidValue, "alpha must be finite");
  const auto contiguous = [&](std::int64_t n) { return elu(x.data, y.data, n, alpha, stream); };
  return launch_views<16 / sizeof(T)>(OnPairs<Elu>{elu_of<T>(alpha)}, contiguous, stream, y, x);
}

#define TUTORIAL_INSTANTIATE(T)                                              \
  template cudaError_t elu(const T*, T*, std::int64_t, float, cudaStream_t); \
  template cudaError_t elu(const TensorView<const T>&, const TensorView<T>&, float, cudaStream_t);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE
#define TUTORIAL_INSTANTIATE(T) template const Ladder<T>& elu_rungs<T>();
TUTORIAL_FOR_ALL_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial
