// Float and double functions that CUDA has and a host's <cmath> has not.
//
// The functions that a GPU only approximates (`__expf` and its kin) keep the formula that the GPU
// uses, so that an error which grows with the argument grows here as well; the elementary step is
// the host's and more exact than a GPU's. Single ULPs are therefore not the GPU's. Subnormals are
// kept, as nvcc does without -ftz=true.
#pragma once

#include "common/executor/conversion.h"
#include "common/executor/qualifiers.h"

#include <cmath>
#include <type_traits>

// ---- Minimum and maximum, as overloads without a namespace --------------------------------------

template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
constexpr T min(T a, T b) {
  return b < a ? b : a;
}
template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
constexpr T max(T a, T b) {
  return a < b ? b : a;
}
/// Of a number and a NaN: the number.
inline float min(float a, float b) { return std::fmin(a, b); }
inline float max(float a, float b) { return std::fmax(a, b); }
inline double min(double a, double b) { return std::fmin(a, b); }
inline double max(double a, double b) { return std::fmax(a, b); }

// ---- Functions of the CUDA math library ---------------------------------------------------------

inline float rsqrtf(float x) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float rcbrtf(float x) { return static_cast<float>(1.0 / std::cbrt(static_cast<double>(x))); }
inline double rcbrt(double x) { return 1.0 / std::cbrt(x); }
inline double normcdf(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }
inline float normcdff(float x) { return static_cast<float>(normcdf(static_cast<double>(x))); }
inline float fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x > 0.0F ? std::fmin(x, 1.0F) : 0.0F; }

// ---- Approximations -----------------------------------------------------------------------------
// glibc declares some of these names (and exports none of them), hence noexcept.

inline float __expf(float x) noexcept { return std::exp2(x * 1.44269504F); }
inline float __exp10f(float x) noexcept { return std::exp2(x * 3.32192809F); }
inline float __log2f(float x) noexcept { return std::log2(x); }
inline float __logf(float x) noexcept { return __log2f(x) * 0.693147181F; }
inline float __log10f(float x) noexcept { return __log2f(x) * 0.301029996F; }
inline float __powf(float x, float y) noexcept { return std::exp2(y * __log2f(x)); }
inline float __sinf(float x) noexcept { return std::sin(x); }
inline float __cosf(float x) noexcept { return std::cos(x); }
inline float __tanf(float x) noexcept { return __sinf(x) / __cosf(x); }
inline void __sincosf(float x, float* sine, float* cosine) noexcept {
  *sine = __sinf(x);
  *cosine = __cosf(x);
}

/// x / y, except that a |y| above 2^126 counts as infinite.
inline float __fdividef(float x, float y) noexcept {
  constexpr float kLargest = 0x1p126F;
  return std::fabs(y) > kLargest ? x * std::copysign(0.0F, y) : x / y;
}

// ---- One rounding, and no contraction into an FMA -----------------------------------------------

inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1.0F / x; }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline float __frsqrt_rn(float x) { return rsqrtf(x); }
inline float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }

// ---- Conversions: to nearest even, to zero, up, down; saturating --------------------------------

#define TUTORIAL_CPU_CONVERSIONS(prefix, Integer)                  \
  inline Integer prefix##_rn(float x) {                            \
    return tutorial::cpu::saturate_to<Integer>(std::nearbyint(x)); \
  }                                                                \
  inline Integer prefix##_rz(float x) {                            \
    return tutorial::cpu::saturate_to<Integer>(std::trunc(x));     \
  }                                                                \
  inline Integer prefix##_ru(float x) {                            \
    return tutorial::cpu::saturate_to<Integer>(std::ceil(x));      \
  }                                                                \
  inline Integer prefix##_rd(float x) { return tutorial::cpu::saturate_to<Integer>(std::floor(x)); }
TUTORIAL_CPU_CONVERSIONS(__float2int, int)
TUTORIAL_CPU_CONVERSIONS(__float2uint, unsigned)
TUTORIAL_CPU_CONVERSIONS(__float2ll, long long)
TUTORIAL_CPU_CONVERSIONS(__float2ull, unsigned long long)
#undef TUTORIAL_CPU_CONVERSIONS

inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
inline float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }
