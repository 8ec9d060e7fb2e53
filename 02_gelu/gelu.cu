// The ladder's table: which kernel a rung is, how many elements its threads take, which alignment it
// needs, how wrong it may be. The arithmetic is in gelu_math.cuh.
#include "02_gelu/gelu.h"

#include <type_traits>

#include "02_gelu/gelu_math.cuh"
#include "common/first_rungs.cuh"
#include "common/fp8.cuh"
#include "common/strided.cuh"

namespace tutorial {
namespace {

/// The launch of the last rungs: 256 threads a block, as chapter 01's sweep recommends, and an
/// early start.
constexpr LaunchOptions kLastRungs{256, Overlap::previous_kernel};

/// use(variant) with the variant as a type, so that a kernel can take it as a template parameter.
/// Nothing is used, and the answer is cudaErrorInvalidValue, where there is no such variant.
template <class Use>
cudaError_t with_variant(GeluApproximate approximate, Use use) {
  switch (approximate) {
    case GeluApproximate::none:
      return use(std::integral_constant<GeluApproximate, GeluApproximate::none>{});
    case GeluApproximate::tanh:
      return use(std::integral_constant<GeluApproximate, GeluApproximate::tanh>{});
  }
  return cudaErrorInvalidValue;
}

// A row: name, kernel, elements a thread, alignment in bytes, largest error in ULP of the output type.
// common/ladder.cuh makes the launcher of it. Rungs 1 to 6 are chapter 01's (common/first_rungs.cuh);
// from rung 7 on the kernel is elementwise_pack_kernel, 16 bytes a thread, and a row names the
// arithmetic. Each function makes the rows of one variant and type.

template <GeluApproximate kVariant>
Ladder<float> rows(float) {
  constexpr bool is_tanh = kVariant == GeluApproximate::tanh;
  const std::string variant = std::string(name_of(kVariant)) + "_";
  using ToTheLastBits = GeluToTheLastBits<kVariant>;
  Ladder<float> ladder = first_rungs_f32<GeluLibrary<kVariant>>(variant, 1.7e7);
  if constexpr (is_tanh) {
    ladder.push_back(pack_rung<float>("tanh_f32x4_approx", FloatInside<GeluTanhApprox>{}, 1.7e7));
  }
  // Gelu is what GeluFor says for the type: here GeluTanhSigmoid or GeluNoneMills.
  ladder.push_back(pack_rung<float>(is_tanh ? "tanh_f32x4_sigmoid" : "none_f32x4_mills",
                                    Gelu<kVariant>{}, kGeluF32MaxUlp));
  ladder.push_back(pack_rung<float>(variant + "f32x4_poly", ToTheLastBits{}, 2.0));
  ladder.push_back(two_packs_rung<float>(variant + "f32x8_poly", ToTheLastBits{}, 2.0));
  ladder.push_back(
      pack_rung<float>(variant + "f32x4_pdl", Gelu<kVariant>{}, kGeluF32MaxUlp, kLastRungs));
  return ladder;
}

template <GeluApproximate kVariant>
Ladder<half> rows(half) {
  const std::string variant = std::string(name_of(kVariant)) + "_";
  const FloatInside<GeluLibrary<kVariant>> library{};
  Ladder<half> ladder = first_rungs_f16<GeluHalf<kVariant>>(variant, 2048.0);
  const auto add = [&](const char* name, auto op, double max_ulp) {
    ladder.push_back(pack_rung<half>(name, op, max_ulp));
  };
  // Gelu is what GeluFor says for the type: here GeluTanhSigmoid or GeluExp2ForHalf.
  if constexpr (kVariant == GeluApproximate::tanh) {
    add("tanh_f16x8_pack_h2", GeluTanhHalf2<false>{}, 2048.0);
    add("tanh_f16x8_pack_h2_approx", GeluTanhHalf2<true>{}, 20000.0);
    add("tanh_f16x8_pack_approx", FloatInside<GeluTanhApprox>{}, 16.0);
    add("tanh_f16x8_pack_tanhf", library, 4.0);
    add("tanh_f16x8_pack_sigmoid", Gelu<kVariant>{}, 0.51);
  } else {
    add("none_f16x8_pack_erff", library, 4.0);
    add("none_f16x8_pack_normcdf", FloatInside<GeluNormcdf>{}, 0.51);
    add("none_f16x8_pack_exp2", Gelu<kVariant>{}, 0.51);
  }
  ladder.push_back(pack_rung<half>(variant + "f16x8_pack_pdl", Gelu<kVariant>{}, 0.51, kLastRungs));
  return ladder;
}

template <GeluApproximate kVariant>
Ladder<Bf16> rows(Bf16) {
  const std::string variant = std::string(name_of(kVariant)) + "_bf16";
  const bool is_tanh = kVariant == GeluApproximate::tanh;
  const Gelu<kVariant> op;
  return {
      pack_rung<Bf16>(variant + (is_tanh ? "x8_pack_tanhf" : "x8_pack_erff"),
                      FloatInside<GeluLibrary<kVariant>>{}, 256.0),
      pack_rung<Bf16>(variant + "x8_pack", op, 0.51),
      pack_rung<Bf16>(variant + "x8_pack_pdl", op, 0.51, kLastRungs),
      two_packs_rung<Bf16>(variant + "x16_pack", op, 0.51, {kThreads, kLastRungs.overlap}),
  };
}

template <GeluApproximate kVariant, class T>
Ladder<T> rows(T) {
  return fp8_rungs<T>(std::string(name_of(kVariant)) + "_", GeluForFp8<kVariant>{});
}

}  // namespace

template <class T>
const Ladder<T>& gelu_rungs(GeluApproximate approximate) {
  static const Ladder<T> none = rows<GeluApproximate::none>(T{});
  static const Ladder<T> tanh = rows<GeluApproximate::tanh>(T{});
  return approximate == GeluApproximate::tanh ? tanh : none;
}

/// From this many bf16 on, the long polynomial of erf is faster with two packs a thread.
constexpr std::int64_t kTwoPacksFrom = std::int64_t{1} << 24;

template <class T>
cudaError_t gelu(const T* x, T* y, std::int64_t n, GeluApproximate approximate,
                 cudaStream_t stream) {
  return with_variant(approximate, [=](auto variant) {
    const Gelu<variant()> op;
    if constexpr (std::is_same_v<T, half>) {
      return launch_elementwise(x, y, n, op, stream, kLastRungs);
    } else if (std::is_same_v<T, Bf16> && variant() == GeluApproximate::none &&
               n >= kTwoPacksFrom) {
      return launch_elementwise_two_packs(x, y, n, op, stream, {kThreads, kLastRungs.overlap});
    } else {
      return launch_elementwise_one_wave(x, y, n, op, stream, kLastRungs);
    }
  });
}

template <class T>
cudaError_t gelu(const TensorView<const T>& x, const TensorView<T>& y, GeluApproximate approximate,
                 cudaStream_t stream) {
  return with_variant(approximate, [&](auto variant) {
    const auto contiguous = [&](std::int64_t n) {
      return gelu(x.data, y.data, n, approximate, stream);
    };
    return launch_views<16 / sizeof(T)>(OnPairs<Gelu<variant()>>{}, contiguous, stream, y, x);
  });
}

#define TUTORIAL_INSTANTIATE(T)                                                                \
  template cudaError_t gelu(const T*, T*, std::int64_t, GeluApproximate, cudaStream_t);        \
  template cudaError_t gelu(const TensorView<const T>&, const TensorView<T>&, GeluApproximate, \
                            cudaStream_t);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE
#define TUTORIAL_INSTANTIATE(T) template const Ladder<T>& gelu_rungs<T>(GeluApproximate);
TUTORIAL_FOR_ALL_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial
