// Every one-input function of half and bf16 that common/executor/half_functions.h defines for the
// host, as a list, and launchers that run each on the device.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

// Functions of a half or bf16, each with its counterpart for pairs. CUDA has the hyperbolic tangent
// since 12.8 or 13.0, depending on the function.
#if CUDART_VERSION >= 13000
#define TUTORIAL_TANH_FUNCTIONS(X) \
  X(htanh, h2tanh)                 \
  X(htanh_approx, h2tanh_approx)
#else
#define TUTORIAL_TANH_FUNCTIONS(X)
#endif
#define TUTORIAL_HALF_FUNCTIONS(X) \
  X(hexp, h2exp)                   \
  X(hexp2, h2exp2)                 \
  X(hexp10, h2exp10)               \
  X(hlog, h2log)                   \
  X(hlog2, h2log2)                 \
  X(hlog10, h2log10)               \
  X(hsin, h2sin)                   \
  X(hcos, h2cos)                   \
  TUTORIAL_TANH_FUNCTIONS(X)       \
  X(hsqrt, h2sqrt)                 \
  X(hrsqrt, h2rsqrt)               \
  X(hrcp, h2rcp)                   \
  X(hceil, h2ceil)                 \
  X(hfloor, h2floor)               \
  X(htrunc, h2trunc)               \
  X(hrint, h2rint)

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
