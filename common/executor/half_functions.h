// The functions of half and bf16 that NVIDIA's headers define for devices alone, for a host
// compiler: mathematics and fused multiply-add.
#pragma once

#if defined(__CUDACC__)
#error "half_functions.h is for host compilers; nvcc has these functions"
#endif

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstring>

// Mathematical functions compute in double and round once, to nearest even, which gives the
// correctly rounded result. A GPU does not always: common/notes/executor.md has the table of differences,
// over all 65,536 inputs.
//
// This header needs no other part of the executor: ordinary host files may include it in either
// backend, to compare a GPU's answers with these.

namespace tutorial::cpu {

/// What the two 16-bit types have in common, under one name each.
inline double widen(__half x) { return static_cast<double>(__half2float(x)); }
inline double widen(__nv_bfloat16 x) { return static_cast<double>(__bfloat162float(x)); }
inline __half2 pair(__half low, __half high) { return __halves2half2(low, high); }
inline __nv_bfloat162 pair(__nv_bfloat16 low, __nv_bfloat16 high) {
  return __halves2bfloat162(low, high);
}

template <class T>
T round_to(double x);
template <>
inline __half round_to<__half>(double x) {
  return __double2half(x);
}
template <>
inline __nv_bfloat16 round_to<__nv_bfloat16>(double x) {
  return __double2bfloat16(x);
}

/// a + b rounded to odd: to the double with an odd last bit unless the sum is exact. Rounding that
/// to a 16-bit type is as good as one single rounding of a + b, which through a sum rounded to
/// nearest it is not: bf16 1.00390625 + 2^-100 lies above a tie and would become one.
inline double add_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double b_part = sum - a;
  const double error = (a - (sum - b_part)) + (b - b_part);
  std::int64_t bits;
  std::memcpy(&bits, &sum, sizeof(bits));
  if (error == 0.0 || (bits & 1) != 0) return sum;
  bits += (error > 0.0) == (sum > 0.0) ? 1 : -1;
  double odd;
  std::memcpy(&odd, &bits, sizeof(odd));
  return odd;
}

/// a * b + c with one rounding. The product of two 16-bit values is exact in double.
template <class T>
T fused_multiply_add(T a, T b, T c) {
  return round_to<T>(add_to_odd(widen(a) * widen(b), widen(c)));
}

/// function(x), rounded once.
template <class T, class Function>
T rounded(T x, Function function) {
  return round_to<T>(function(widen(x)));
}

}  // namespace tutorial::cpu

// ---- Mathematics: h*(x) of a half or bf16, h2*(x) of a pair -------------------------------------

#define TUTORIAL_CPU_H_FUNCTION(T, T2, name, name2, expression)            \
  inline T name(T a) {                                                     \
    return tutorial::cpu::rounded(a, [](double x) { return expression; }); \
  }                                                                        \
  inline T2 name2(T2 a) { return tutorial::cpu::pair(name(a.x), name(a.y)); }
#define TUTORIAL_CPU_H_FUNCTIONS(T, T2)                                     \
  TUTORIAL_CPU_H_FUNCTION(T, T2, hexp, h2exp, std::exp(x))                  \
  TUTORIAL_CPU_H_FUNCTION(T, T2, hexp2, h2exp2, std::exp2(x))               \
  TUTORIAL_CPU_H_FUNCTION(T, T2, hexp10, h2exp10, std::pow(10.0, x))        \
  TUTORIAL_CPU_H_FUNCTION(T, T2, hlog, h2log, std::log(x))                  \
  TUTORIAL_CPU_H_FUNCTION(T, T2, hlog2, h2log2, std::log2(x))               \
  TUTORIAL_CPU_H_FUNCTION(T, T2, hlog10, h2log10, std::log10(x))            \
  TUTORIAL_CPU_H_FUNCTION(T, T2, hsin, h2sin, std::sin(x))                  \
  TUTORIAL_CPU_H_FUNCTION(T, T2, hcos, h2cos, std::cos(x))                  \
  TUTORIAL_CPU_H_FUNCTION(T, T2, htanh, h2tanh, std::tanh(x))               \
  TUTORIAL_CPU_H_FUNCTION(T, T2, htanh_approx, h2tanh_approx, std::tanh(x)) \
  TUTORIAL_CPU_H_FUNCTION(T, T2, hsqrt, h2sqrt, std::sqrt(x))               \
  TUTORIAL_CPU_H_FUNCTION(T, T2, hrsqrt, h2rsqrt, 1.0 / std::sqrt(x))       \
  TUTORIAL_CPU_H_FUNCTION(T, T2, hrcp, h2rcp, 1.0 / x)                      \
  TUTORIAL_CPU_H_FUNCTION(T, T2, hceil, h2ceil, std::ceil(x))               \
  TUTORIAL_CPU_H_FUNCTION(T, T2, hfloor, h2floor, std::floor(x))            \
  TUTORIAL_CPU_H_FUNCTION(T, T2, htrunc, h2trunc, std::trunc(x))            \
  TUTORIAL_CPU_H_FUNCTION(T, T2, hrint, h2rint, std::nearbyint(x))
TUTORIAL_CPU_H_FUNCTIONS(__half, __half2)
TUTORIAL_CPU_H_FUNCTIONS(__nv_bfloat16, __nv_bfloat162)
#undef TUTORIAL_CPU_H_FUNCTIONS
#undef TUTORIAL_CPU_H_FUNCTION

// ---- Fused multiply-add -------------------------------------------------------------------------

#define TUTORIAL_CPU_FUSED_MULTIPLY_ADD(T, T2)                                          \
  inline T __hfma(T a, T b, T c) { return tutorial::cpu::fused_multiply_add(a, b, c); } \
  inline T2 __hfma2(T2 a, T2 b, T2 c) {                                                 \
    return tutorial::cpu::pair(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));           \
  }
TUTORIAL_CPU_FUSED_MULTIPLY_ADD(__half, __half2)
TUTORIAL_CPU_FUSED_MULTIPLY_ADD(__nv_bfloat16, __nv_bfloat162)
#undef TUTORIAL_CPU_FUSED_MULTIPLY_ADD
