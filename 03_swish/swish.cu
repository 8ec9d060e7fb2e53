// The ladder's table: which kernel a rung is, how many elements its threads take, which alignment it
// needs, how wrong it may be. The arithmetic is in swish_math.cuh.
#include "03_swish/swish.h"

#include <cmath>
#include <type_traits>

#include "03_swish/swish_math.cuh"
#include "common/elementwise_binary.cuh"
#include "common/first_rungs.cuh"
#include "common/fp8.cuh"
#include "common/strided.cuh"

namespace tutorial {
namespace {

/// The ladder's beta. A function, because the ladder may be asked for before this file's variables exist.
const Swish& ladder_swish() {
  static const Swish swish{beta_constants(1.0f)};
  return swish;
}

/// The launch of the last rungs: an early start, and the block size that suits the arithmetic. Half
/// has little of it, and 256 threads as chapter 01's sweep recommends; the longer bodies of bf16
/// and float run better in blocks of 128.
template <class T>
constexpr LaunchOptions kLastRungs{128, Overlap::previous_kernel};
template <>
constexpr LaunchOptions kLastRungs<half>{256, Overlap::previous_kernel};
constexpr LaunchOptions kOnePack{256, Overlap::previous_kernel};  // float, one pack a thread

// A row: name, kernel, elements a thread, alignment in bytes, largest error in ULP of the output type.
// common/ladder.cuh makes the launcher of it. Rungs 1 to 6 are chapter 01's (common/first_rungs.cuh);
// from rung 7 on the kernel is elementwise_pack_kernel, 16 bytes a thread, and a row names the
// arithmetic. The argument is the type.

Ladder<float> rows(float) {
  Ladder<float> ladder = first_rungs_f32<SwishFloat>("", 64.0);
  ladder.push_back(pack_rung<float>("f32x4_poly", SwishPolynomial{ladder_swish().beta}, 2.0));
  ladder.push_back(two_packs_rung<float>("f32x8_poly", SwishPolynomial{ladder_swish().beta}, 2.0));
  ladder.push_back(two_packs_rung<float>("f32x8_ex2", ladder_swish(), kSwishUlp<float>));
  ladder.push_back(pack_rung<float>("f32x4_pdl", ladder_swish(), kSwishUlp<float>, kOnePack));
  ladder.push_back(
      two_packs_rung<float>("f32x8_pdl", ladder_swish(), kSwishUlp<float>, kLastRungs<float>));
  return ladder;
}

Ladder<half> rows(half) {
  Ladder<half> ladder = first_rungs_f16<SwishHalf>("", 16.0);
  const auto add = [&](const char* name, auto op, double max_ulp, LaunchOptions options = {}) {
    ladder.push_back(pack_rung<half>(name, op, max_ulp, options));
  };
  add("f16x8_pack_h2", SwishHalf2{}, 16.0);
  add("f16x8_pack_div", FloatInside<SwishDivide>{}, kSwishUlp<half>);
  add("f16x8_pack_frcp", FloatInside<SwishReciprocalRn>{}, kSwishUlp<half>);
  add("f16x8_pack_fdividef", FloatInside<SwishFdividef>{}, kSwishUlp<half>);
  add("f16x8_pack_rcp", FloatInside<SwishReciprocalApprox>{}, kSwishUlp<half>);
  add("f16x8_pack_tanh", FloatInside<SwishTanh>{}, 64.0);
  add("f16x8_pack_pdl", ladder_swish(), kSwishUlp<half>, kLastRungs<half>);
  return ladder;
}

Ladder<Bf16> rows(Bf16) {
  return {
      pack_rung<Bf16>("bf16x8_pack", ladder_swish(), kSwishUlp<Bf16>),
      pack_rung<Bf16>("bf16x8_pack_pdl", ladder_swish(), kSwishUlp<Bf16>, kLastRungs<Bf16>),
  };
}

Ladder<E4m3> rows(E4m3) { return fp8_rungs<E4m3>("", FloatInside<SwishReciprocalApprox>{}); }
Ladder<E5m2> rows(E5m2) { return fp8_rungs<E5m2>("", FloatInside<SwishReciprocalApprox>{}); }

constexpr const char* kBetaRefusal = "beta must be finite, and 0 or at least 2^-100 in magnitude";

}  // namespace

template <class T>
const Ladder<T>& swish_rungs() {
  static const Ladder<T> ladder = rows(T{});
  return ladder;
}

template <class T>
cudaError_t swish(const T* x, T* y, std::int64_t n, float beta, cudaStream_t stream) {
  if (!is_supported(beta)) return cudaErrorInvalidValue;
  const Swish op{beta_constants(beta)};
  if constexpr (!std::is_same_v<T, float>) {
    return launch_elementwise(x, y, n, op, stream, kLastRungs<T>);
  } else if (beta < 0x1p-40f) {  // what the short exponential leaves out
    return launch_elementwise_two_packs(x, y, n, SwishPolynomial{op.beta}, stream, kLastRungs<T>);
  } else {
    return launch_elementwise_one_wave(x, y, n, op, stream, kOnePack);
  }
}

template <class T>
cudaError_t swish(const TensorView<const T>& x, const TensorView<T>& y, float beta,
                  cudaStream_t stream) {
  if (!is_supported(beta)) return refuse(cudaErrorInvalidValue, kBetaRefusal);
  const auto contiguous = [&](std::int64_t n) { return swish(x.data, y.data, n, beta, stream); };
  const Swish op{beta_constants(beta)};
  constexpr int kWidth = 16 / sizeof(T);
  if constexpr (std::is_same_v<T, float>) {
    if (beta < 0x1p-40f) {  // what the short exponential leaves out
      return launch_views<kWidth>(OnPairs<SwishPolynomial>{{op.beta}}, contiguous, stream, y, x);
    }
  }
  return launch_views<kWidth>(OnPairs<Swish>{op}, contiguous, stream, y, x);
}

template <class T>
cudaError_t swiglu(const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream) {
  return launch_elementwise(a, b, y, n, SwiGlu{ladder_swish().beta}, stream);
}

template <class T>
cudaError_t swiglu(const TensorView<const T>& a, const TensorView<const T>& b,
                   const TensorView<T>& y, cudaStream_t stream) {
  const auto contiguous = [&](std::int64_t n) { return swiglu(a.data, b.data, y.data, n, stream); };
  const OnPairs<SwiGlu> op{{ladder_swish().beta}};
  return launch_views<16 / sizeof(T)>(op, contiguous, stream, y, a, b);
}

template <class T>
cudaError_t swiglu_halves(const TensorView<const T>& x, const TensorView<T>& y,
                          cudaStream_t stream) {
  const TensorShape& shape = x.layout.shape;
  if (shape.empty() || shape.back() % 2 != 0 || x.layout.strides.size() != shape.size()) {
    return refuse(cudaErrorInvalidValue,
                  "x of the shape " + to_string(shape) + " has no halves along its last dimension");
  }
  TensorView<const T> a = x, b = x;
  a.layout.shape.back() = b.layout.shape.back() = shape.back() / 2;
  if (a.layout.shape != y.layout.shape) {
    return refuse(cudaErrorInvalidValue, "y has the shape " + to_string(y.layout.shape) +
                                             ", and a half of x has " + to_string(a.layout.shape));
  }
  b.data += shape.back() / 2 * x.layout.strides.back();
  return swiglu(a, b, y, stream);
}

//! [swiglu_separate]
template <class T>
cudaError_t swiglu_separate(const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream) {
  if (y == b && n > 0) return cudaErrorInvalidValue;
  const cudaError_t error = check_arguments(n, {{a, alignof(T)}, {b, alignof(T)}, {y, alignof(T)}});
  if (error != cudaSuccess) return error;
  const cudaError_t first = launch_elementwise(a, y, n, ladder_swish(), stream, kLastRungs<T>);
  return first != cudaSuccess ? first : launch_elementwise<T>(y, b, y, n, Multiply{}, stream);
}
//! [swiglu_separate]

#define TUTORIAL_INSTANTIATE(T)                                                        \
  template cudaError_t swish(const T*, T*, std::int64_t, float, cudaStream_t);         \
  template cudaError_t swiglu(const T*, const T*, T*, std::int64_t, cudaStream_t);     \
  template cudaError_t swish(const TensorView<const T>&, const TensorView<T>&, float,  \
                             cudaStream_t);                                            \
  template cudaError_t swiglu(const TensorView<const T>&, const TensorView<const T>&,  \
                              const TensorView<T>&, cudaStream_t);                     \
  template cudaError_t swiglu_halves(const TensorView<const T>&, const TensorView<T>&, \
                                     cudaStream_t);                                    \
  template cudaError_t swiglu_separate(const T*, const T*, T*, std::int64_t, cudaStream_t);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE
#define TUTORIAL_INSTANTIATE(T) template const Ladder<T>& swish_rungs<T>();
TUTORIAL_FOR_ALL_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial
