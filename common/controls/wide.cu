// 256-bit accesses, which compute capability 10.0 and 12.0 have: compiled, and read from the
// machine code by a test. No such GPU has run them here, so nothing is claimed of their speed.

#include <cuda_runtime.h>

#include <cstdint>

namespace tutorial::controls {

/// Eight floats a thread: one load and one store where there are accesses so wide, two of each
/// elsewhere. x and y: aligned to 32 bytes, n a multiple of 8.
__global__ void control_copy_256bit_kernel(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i >= n) return;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
  float v[8];
  asm("ld.global.v8.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
      : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]), "=f"(v[4]), "=f"(v[5]), "=f"(v[6]),
        "=f"(v[7])
      : "l"(x + i));
  asm volatile("st.global.v8.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" ::"l"(y + i), "f"(v[0]),
               "f"(v[1]), "f"(v[2]), "f"(v[3]), "f"(v[4]), "f"(v[5]), "f"(v[6]), "f"(v[7])
               : "memory");
#else
  const float4 low = *reinterpret_cast<const float4*>(x + i);
  const float4 high = *reinterpret_cast<const float4*>(x + i + 4);
  *reinterpret_cast<float4*>(y + i) = low;
  *reinterpret_cast<float4*>(y + i + 4) = high;
#endif
}

}  // namespace tutorial::controls
