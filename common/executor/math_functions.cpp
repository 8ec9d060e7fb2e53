// The CUDA math library's functions that take more than a line, and arithmetic that rounds to zero,
// up or down.

#include "common/executor/math_functions.h"

#include <cfenv>
#include <cmath>
#include <limits>

namespace tutorial::cpu {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kRootOfTwo = 1.41421356237309504880;
constexpr double kTwoOverRootOfPi = 1.12837916709551257390;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// x - 2 n, from -1 to 1: exact.
double to_one_turn(double x) { return std::remainder(x, 2.0); }

/// The y > 0 with erfc(y) = x, for 0 < x <= 1. First a guess that is good to some digits
/// (S. Winitzki's formula), then Newton's steps on log(erfc), which is nearly a parabola.
double inverse_erfc_of_small(double x) {
  constexpr double kA = 0.147;
  const double log_term = std::log(x * (2.0 - x));
  const double half = 2.0 / (kPi * kA) + log_term / 2.0;
  double y = std::sqrt(std::fmax(0.0, std::sqrt(half * half - log_term / kA) - half));
  for (int step = 0; step < 4; ++step) {
    const double value = std::erfc(y);
    const double slope = -kTwoOverRootOfPi * std::exp(-y * y);
    if (value == 0.0 || slope == 0.0) break;
    y -= value * std::log(value / x) / slope;
  }
  return y;
}

/// `function()` where the machine rounds in `mode`. Its operands and its result are volatile, so that
/// no compiler computes it elsewhere.
template <class Function>
auto rounded_in(int mode, const Function& function) {
  const int before = std::fegetround();
  std::fesetround(mode);
  const auto result = function();
  std::fesetround(before);
  return result;
}

}  // namespace
}  // namespace tutorial::cpu

namespace cpu = tutorial::cpu;

double rcbrt(double x) noexcept { return 1.0 / std::cbrt(x); }

/// Reduced to a quarter of a turn around a multiple of 1/2, where sine and cosine are exact to their
/// last bits, and exactly 0 and 1 where they should be.
double sinpi(double x) noexcept {
  const double turn = cpu::to_one_turn(x);
  const double away = std::fabs(turn);
  if (away == 0.0 || away == 1.0) return std::copysign(0.0, x);
  if (away > 0.25 && away < 0.75) return std::copysign(std::cos((away - 0.5) * cpu::kPi), turn);
  return std::copysign(std::sin((away > 0.5 ? 1.0 - away : away) * cpu::kPi), turn);
}

double cospi(double x) noexcept {
  const double away = std::fabs(cpu::to_one_turn(x));
  if (away == 0.5) return 0.0;
  if (away > 0.25 && away < 0.75) return std::sin((0.5 - away) * cpu::kPi);
  return away < 0.5 ? std::cos(away * cpu::kPi) : -std::cos((1.0 - away) * cpu::kPi);
}

void sincospi(double x, double* sine, double* cosine) noexcept {
  *sine = sinpi(x);
  *cosine = cospi(x);
}

double normcdf(double x) noexcept { return 0.5 * std::erfc(-x * 0.70710678118654752440); }
double normcdfinv(double x) noexcept { return -cpu::kRootOfTwo * erfcinv(2.0 * x); }

double erfcinv(double x) noexcept {
  if (!(x >= 0.0 && x <= 2.0)) return cpu::kNaN;
  if (x == 0.0) return cpu::kInfinity;
  if (x == 2.0) return -cpu::kInfinity;
  return x <= 1.0 ? cpu::inverse_erfc_of_small(x) : -cpu::inverse_erfc_of_small(2.0 - x);
}

/// Near 0, where 1 - x loses x's last digits: Newton's steps on erf itself.
double erfinv(double x) noexcept {
  if (std::fabs(x) >= 0.5) return x > 0.0 ? erfcinv(1.0 - x) : -erfcinv(1.0 + x);
  double y = x / cpu::kTwoOverRootOfPi;
  for (int step = 0; step < 6; ++step) {
    y -= (std::erf(y) - x) / (cpu::kTwoOverRootOfPi * std::exp(-y * y));
  }
  return y;
}

/// exp(x^2) erfc(x): further out, where the product would be infinity times 0, by a continued fraction.
double erfcx(double x) noexcept {
  if (x < 10.0) {
    const double square = x * x, error = std::fma(x, x, -square);
    return std::exp(square) * (1.0 + error) * std::erfc(x);
  }
  double fraction = x;
  for (int k = 50; k > 0; --k) fraction = x + k / (2.0 * fraction);
  return cpu::kTwoOverRootOfPi / 2.0 / fraction;
}

double cyl_bessel_i0(double x) noexcept { return std::cyl_bessel_i(0.0, std::fabs(x)); }
double cyl_bessel_i1(double x) noexcept {
  return std::copysign(std::cyl_bessel_i(1.0, std::fabs(x)), x);
}

double norm(int count, const double* values) noexcept {
  double length = 0.0;
  for (int i = 0; i < count; ++i) length = std::hypot(length, values[i]);
  return length;
}
float normf(int count, const float* values) noexcept {
  double squares = 0.0;
  for (int i = 0; i < count; ++i)
    squares += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  return static_cast<float>(std::sqrt(squares));
}

// ---- Rounding -----------------------------------------------------------------------------------

#define TUTORIAL_CPU_ROUND(To, name, parameters, operands, expression)          \
  To name##_rz parameters {                                                     \
    operands return cpu::rounded_in(FE_TOWARDZERO, [&] { return expression; }); \
  }                                                                             \
  To name##_ru parameters {                                                     \
    operands return cpu::rounded_in(FE_UPWARD, [&] { return expression; });     \
  }                                                                             \
  To name##_rd parameters {                                                     \
    operands return cpu::rounded_in(FE_DOWNWARD, [&] { return expression; });   \
  }
#define TUTORIAL_CPU_RESULT(T, expression) \
  ([&] {                                   \
    volatile T result = expression;        \
    return T{result};                      \
  }())
#define TUTORIAL_CPU_BINARY(T, name, sign)                                    \
  TUTORIAL_CPU_ROUND(T, name, (T x, T y), volatile T a = x; volatile T b = y; \
                     , TUTORIAL_CPU_RESULT(T, a sign b))
#define TUTORIAL_CPU_ARITHMETIC(T, letter, fma_name)                                   \
  TUTORIAL_CPU_BINARY(T, __##letter##add, +)                                           \
  TUTORIAL_CPU_BINARY(T, __##letter##sub, -)                                           \
  TUTORIAL_CPU_BINARY(T, __##letter##mul, *)                                           \
  TUTORIAL_CPU_BINARY(T, __##letter##div, /)                                           \
  TUTORIAL_CPU_ROUND(T, __##letter##rcp, (T x), volatile T a = x;                      \
                     , TUTORIAL_CPU_RESULT(T, T{1} / a))                               \
  TUTORIAL_CPU_ROUND(T, __##letter##sqrt, (T x), volatile T a = x;                     \
                     , TUTORIAL_CPU_RESULT(T, std::sqrt(a)))                           \
  TUTORIAL_CPU_ROUND(T, fma_name, (T x, T y, T z), volatile T a = x; volatile T b = y; \
                     volatile T c = z;, TUTORIAL_CPU_RESULT(T, std::fma(a, b, c)))
TUTORIAL_CPU_ARITHMETIC(float, f, __fmaf)
TUTORIAL_CPU_ARITHMETIC(double, d, __fma)

#define TUTORIAL_CPU_CONVERSION(From, name, To)               \
  TUTORIAL_CPU_ROUND(To, name, (From x), volatile From a = x; \
                     , TUTORIAL_CPU_RESULT(To, static_cast<To>(a)))
TUTORIAL_CPU_CONVERSION(int, __int2float, float)
TUTORIAL_CPU_CONVERSION(unsigned, __uint2float, float)
TUTORIAL_CPU_CONVERSION(long long, __ll2float, float)
TUTORIAL_CPU_CONVERSION(unsigned long long, __ull2float, float)
TUTORIAL_CPU_CONVERSION(long long, __ll2double, double)
TUTORIAL_CPU_CONVERSION(unsigned long long, __ull2double, double)
TUTORIAL_CPU_CONVERSION(double, __double2float, float)
