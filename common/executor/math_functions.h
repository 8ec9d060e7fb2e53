// Float and double functions that CUDA has and a host's <cmath> has not.
//
// The functions that a GPU only approximates (`__expf` and its kin) keep the formula that the GPU
// uses, so that an error which grows with the argument grows here as well; the elementary step is
// the host's and more exact than a GPU's. Single ULPs are therefore not the GPU's. Subnormals are
// kept, as nvcc does without -ftz=true.
#pragma once

#include "common/executor/conversion.h"
#include "common/executor/qualifiers.h"

#include <math.h>
#include <stdlib.h>

#include <cmath>

// <math.h> and <stdlib.h> bring the C++ overloads of abs(), exp() and the like into the global
// namespace, where CUDA has them.

// ---- Minimum and maximum, as overloads without a namespace --------------------------------------
// Functions and no templates: with `using namespace std` they are better than std::min.

#define TUTORIAL_CPU_MIN_MAX(T, A, B)                                                     \
  constexpr T min(A a, B b) {                                                             \
    return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a); \
  }                                                                                       \
  constexpr T max(A a, B b) {                                                             \
    return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a); \
  }
#define TUTORIAL_CPU_MIN_MAX_OF_WIDTH(I, U) \
  TUTORIAL_CPU_MIN_MAX(I, I, I)             \
  TUTORIAL_CPU_MIN_MAX(U, U, U)             \
  TUTORIAL_CPU_MIN_MAX(U, I, U)             \
  TUTORIAL_CPU_MIN_MAX(U, U, I)
TUTORIAL_CPU_MIN_MAX_OF_WIDTH(int, unsigned)
TUTORIAL_CPU_MIN_MAX_OF_WIDTH(long, unsigned long)
TUTORIAL_CPU_MIN_MAX_OF_WIDTH(long long, unsigned long long)
#undef TUTORIAL_CPU_MIN_MAX_OF_WIDTH
#undef TUTORIAL_CPU_MIN_MAX

/// Of a number and a NaN: the number.
inline float min(float a, float b) { return std::fmin(a, b); }
inline float max(float a, float b) { return std::fmax(a, b); }
inline double min(double a, double b) { return std::fmin(a, b); }
inline double max(double a, double b) { return std::fmax(a, b); }
inline double min(float a, double b) { return std::fmin(a, b); }
inline double max(float a, double b) { return std::fmax(a, b); }
inline double min(double a, float b) { return std::fmin(a, b); }
inline double max(double a, float b) { return std::fmax(a, b); }

inline unsigned umin(unsigned a, unsigned b) { return min(a, b); }
inline unsigned umax(unsigned a, unsigned b) { return max(a, b); }
inline long long llmin(long long a, long long b) { return min(a, b); }
inline long long llmax(long long a, long long b) { return max(a, b); }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

// ---- Functions of the CUDA math library ---------------------------------------------------------

// Where it is not said otherwise, computed in double and rounded; noexcept, because a newer C library
// declares some of them.

#define TUTORIAL_CPU_MATH(name)                                \
  double name(double x) noexcept;                              \
  inline float name##f(float x) noexcept {                     \
    return static_cast<float>(::name(static_cast<double>(x))); \
  }                                                            \
  inline float name(float x) noexcept { return name##f(x); }
TUTORIAL_CPU_MATH(rcbrt)
TUTORIAL_CPU_MATH(sinpi)
TUTORIAL_CPU_MATH(cospi)
TUTORIAL_CPU_MATH(normcdf)
TUTORIAL_CPU_MATH(normcdfinv)
TUTORIAL_CPU_MATH(erfinv)
TUTORIAL_CPU_MATH(erfcinv)
TUTORIAL_CPU_MATH(erfcx)
TUTORIAL_CPU_MATH(cyl_bessel_i0)
TUTORIAL_CPU_MATH(cyl_bessel_i1)
#undef TUTORIAL_CPU_MATH

inline double rsqrt(double x) noexcept { return 1.0 / std::sqrt(x); }
inline float rsqrtf(float x) noexcept { return static_cast<float>(rsqrt(static_cast<double>(x))); }
inline float rsqrt(float x) noexcept { return rsqrtf(x); }

void sincospi(double x, double* sine, double* cosine) noexcept;
inline void sincospif(float x, float* sine, float* cosine) noexcept {
  *sine = sinpif(x);
  *cosine = cospif(x);
}

/// Lengths of vectors, and 1 over them.
inline double norm3d(double a, double b, double c) noexcept { return std::hypot(a, b, c); }
inline double norm4d(double a, double b, double c, double d) noexcept {
  return std::hypot(std::hypot(a, b), std::hypot(c, d));
}
double norm(int count, const double* values) noexcept;
inline double rhypot(double x, double y) noexcept { return 1.0 / std::hypot(x, y); }
inline double rnorm3d(double a, double b, double c) noexcept { return 1.0 / norm3d(a, b, c); }
inline double rnorm4d(double a, double b, double c, double d) noexcept {
  return 1.0 / norm4d(a, b, c, d);
}
inline double rnorm(int count, const double* values) noexcept { return 1.0 / norm(count, values); }
float normf(int count, const float* values) noexcept;
#define TUTORIAL_CPU_FLOAT(name, parameters, arguments) \
  inline float name##f parameters noexcept { return static_cast<float>(name arguments); }
TUTORIAL_CPU_FLOAT(norm3d, (float a, float b, float c), (a, b, c))
TUTORIAL_CPU_FLOAT(norm4d, (float a, float b, float c, float d), (a, b, c, d))
TUTORIAL_CPU_FLOAT(rhypot, (float x, float y), (x, y))
TUTORIAL_CPU_FLOAT(rnorm3d, (float a, float b, float c), (a, b, c))
TUTORIAL_CPU_FLOAT(rnorm4d, (float a, float b, float c, float d), (a, b, c, d))
#undef TUTORIAL_CPU_FLOAT
inline float rnormf(int count, const float* values) noexcept { return 1.0F / normf(count, values); }

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

// ---- One rounding, and no contraction into an FMA: to nearest even, to zero, up, down -----------

#define TUTORIAL_CPU_ROUNDED(T, name, parameters) \
  T name##_rz parameters;                         \
  T name##_ru parameters;                         \
  T name##_rd parameters;
#define TUTORIAL_CPU_ARITHMETIC(T, letter, fma_name)         \
  TUTORIAL_CPU_ROUNDED(T, __##letter##add, (T x, T y))       \
  TUTORIAL_CPU_ROUNDED(T, __##letter##sub, (T x, T y))       \
  TUTORIAL_CPU_ROUNDED(T, __##letter##mul, (T x, T y))       \
  TUTORIAL_CPU_ROUNDED(T, __##letter##div, (T x, T y))       \
  TUTORIAL_CPU_ROUNDED(T, __##letter##rcp, (T x))            \
  TUTORIAL_CPU_ROUNDED(T, __##letter##sqrt, (T x))           \
  TUTORIAL_CPU_ROUNDED(T, fma_name, (T x, T y, T z))         \
  inline T __##letter##add_rn(T x, T y) { return x + y; }    \
  inline T __##letter##sub_rn(T x, T y) { return x - y; }    \
  inline T __##letter##mul_rn(T x, T y) { return x * y; }    \
  inline T __##letter##div_rn(T x, T y) { return x / y; }    \
  inline T __##letter##rcp_rn(T x) { return T{1} / x; }      \
  inline T __##letter##sqrt_rn(T x) { return std::sqrt(x); } \
  inline T fma_name##_rn(T x, T y, T z) { return std::fma(x, y, z); }
TUTORIAL_CPU_ARITHMETIC(float, f, __fmaf)
TUTORIAL_CPU_ARITHMETIC(double, d, __fma)
#undef TUTORIAL_CPU_ARITHMETIC
inline float __frsqrt_rn(float x) { return rsqrtf(x); }

// ---- Conversions to integers: saturating --------------------------------------------------------

#define TUTORIAL_CPU_CONVERSIONS(Float, prefix, Integer)           \
  inline Integer prefix##_rn(Float x) {                            \
    return tutorial::cpu::saturate_to<Integer>(std::nearbyint(x)); \
  }                                                                \
  inline Integer prefix##_rz(Float x) {                            \
    return tutorial::cpu::saturate_to<Integer>(std::trunc(x));     \
  }                                                                \
  inline Integer prefix##_ru(Float x) {                            \
    return tutorial::cpu::saturate_to<Integer>(std::ceil(x));      \
  }                                                                \
  inline Integer prefix##_rd(Float x) { return tutorial::cpu::saturate_to<Integer>(std::floor(x)); }
TUTORIAL_CPU_CONVERSIONS(float, __float2int, int)
TUTORIAL_CPU_CONVERSIONS(float, __float2uint, unsigned)
TUTORIAL_CPU_CONVERSIONS(float, __float2ll, long long)
TUTORIAL_CPU_CONVERSIONS(float, __float2ull, unsigned long long)
TUTORIAL_CPU_CONVERSIONS(double, __double2int, int)
TUTORIAL_CPU_CONVERSIONS(double, __double2uint, unsigned)
TUTORIAL_CPU_CONVERSIONS(double, __double2ll, long long)
TUTORIAL_CPU_CONVERSIONS(double, __double2ull, unsigned long long)
#undef TUTORIAL_CPU_CONVERSIONS

// ---- Conversions that round ---------------------------------------------------------------------

#define TUTORIAL_CPU_CONVERSION(From, name, To) \
  TUTORIAL_CPU_ROUNDED(To, name, (From x))      \
  inline To name##_rn(From x) { return static_cast<To>(x); }
TUTORIAL_CPU_CONVERSION(int, __int2float, float)
TUTORIAL_CPU_CONVERSION(unsigned, __uint2float, float)
TUTORIAL_CPU_CONVERSION(long long, __ll2float, float)
TUTORIAL_CPU_CONVERSION(unsigned long long, __ull2float, float)
TUTORIAL_CPU_CONVERSION(long long, __ll2double, double)
TUTORIAL_CPU_CONVERSION(unsigned long long, __ull2double, double)
TUTORIAL_CPU_CONVERSION(double, __double2float, float)
#undef TUTORIAL_CPU_CONVERSION
#undef TUTORIAL_CPU_ROUNDED
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
