// Every one-input function of half and bf16 that common/executor/half_functions.h defines for the
// host, as a list, and launchers that run each on the device.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

// Functions of a half or bf16, each with its counterpart for pairs and its exact result. CUDA has the
// hyperbolic tangent since 12.8 or 13.0, depending on the function.
#if CUDART_VERSION >= 13000
#define TUTORIAL_TANH_FUNCTIONS(X) \
  X(htanh, h2tanh, std::tanh(x))   \
  X(htanh_approx, h2tanh_approx, std::tanh(x))
#else
#define TUTORIAL_TANH_FUNCTIONS(X)
#endif
#define TUTORIAL_HALF_FUNCTIONS(X)        \
  X(hexp, h2exp, std::exp(x))             \
  X(hexp2, h2exp2, std::exp2(x))          \
  X(hexp10, h2exp10, std::pow(10.0L, x))  \
  X(hlog, h2log, std::log(x))             \
  X(hlog2, h2log2, std::log2(x))          \
  X(hlog10, h2log10, std::log10(x))       \
  X(hsin, h2sin, std::sin(x))             \
  X(hcos, h2cos, std::cos(x))             \
  TUTORIAL_TANH_FUNCTIONS(X)              \
  X(hsqrt, h2sqrt, std::sqrt(x))          \
  X(hrsqrt, h2rsqrt, 1.0L / std::sqrt(x)) \
  X(hrcp, h2rcp, 1.0L / x)                \
  X(hceil, h2ceil, std::ceil(x))          \
  X(hfloor, h2floor, std::floor(x))       \
  X(htrunc, h2trunc, std::trunc(x))       \
  X(hrint, h2rint, std::nearbyint(x))

namespace tutorial::test {

/// A launcher on the default stream: out[i] = function(in[i]) for `pairs` pairs of values, that is
/// 2 * pairs values of 16 bits; `in` and `out` are device memory, 4-byte aligned.
using HalfLauncher = cudaError_t (*)(const std::uint16_t* in, std::uint16_t* out, int pairs);

/// A function's name and its launchers, for one value at a time and for pairs.
struct DeviceFunction {
  const char* name;
  const char* pair_name;
  HalfLauncher f16, f16_pair, bf16, bf16_pair;
};

#define TUTORIAL_COUNT(...) +1
inline constexpr int kHalfFunctions = 0 TUTORIAL_HALF_FUNCTIONS(TUTORIAL_COUNT);
#undef TUTORIAL_COUNT

/// In the order of the list above.
extern const DeviceFunction device_functions[kHalfFunctions];

}  // namespace tutorial::test
