// Every one-input function of half and bf16, run on the device.

#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/test/half_functions_kernels.h"

namespace tutorial::test {
namespace {

constexpr int kThreadsPerBlock = 128;

/// Applies a function to two values, one at a time.
template <class Function, class T>
__global__ void scalar_kernel(const T* in, T* out, int pairs) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= pairs) return;
  out[2 * i] = Function::apply(in[2 * i]);
  out[2 * i + 1] = Function::apply(in[2 * i + 1]);
}

/// Applies it to the two as a pair.
template <class Function, class T2>
__global__ void pair_kernel(const T2* in, T2* out, int pairs) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < pairs) out[i] = Function::apply(in[i]);
}

LaunchShape shape_of(int pairs) { return {grid_1d(pairs, kThreadsPerBlock), kThreadsPerBlock}; }

template <class Function, class T>
cudaError_t launch_scalar(const std::uint16_t* in, std::uint16_t* out, int pairs) {
  return launch(scalar_kernel<Function, T>, shape_of(pairs), nullptr,
                reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out), pairs);
}

template <class Function, class T2>
cudaError_t launch_pair(const std::uint16_t* in, std::uint16_t* out, int pairs) {
  return launch(pair_kernel<Function, T2>, shape_of(pairs), nullptr,
                reinterpret_cast<const T2*>(in), reinterpret_cast<T2*>(out), pairs);
}

#define TUTORIAL_FUNCTION(name, pair_name, exact)                                     \
  struct name##_function {                                                            \
    static __device__ half apply(half x) { return name(x); }                          \
    static __device__ half2 apply(half2 x) { return pair_name(x); }                   \
    static __device__ __nv_bfloat16 apply(__nv_bfloat16 x) { return name(x); }        \
    static __device__ __nv_bfloat162 apply(__nv_bfloat162 x) { return pair_name(x); } \
  };
TUTORIAL_HALF_FUNCTIONS(TUTORIAL_FUNCTION)
#undef TUTORIAL_FUNCTION

}  // namespace

#define TUTORIAL_ENTRY(name, pair_name, exact)    \
  {#name,                                         \
   #pair_name,                                    \
   launch_scalar<name##_function, half>,          \
   launch_pair<name##_function, half2>,           \
   launch_scalar<name##_function, __nv_bfloat16>, \
   launch_pair<name##_function, __nv_bfloat162>},
const DeviceFunction device_functions[kHalfFunctions] = {TUTORIAL_HALF_FUNCTIONS(TUTORIAL_ENTRY)};
#undef TUTORIAL_ENTRY

}  // namespace tutorial::test
