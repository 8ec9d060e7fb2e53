// Arithmetic and conversions that round to nearest, to zero, up and down.
// executor: a GPU's long double is a double
// prints: 1/3 between 0\.33333331 and 0\.33333334
#include <cmath>

#include "expect.h"

__device__ int wrong_on_device;

/// Whether the four roundings of what is `exact` are right: neighbours that have it between them.
template <class T, class Exact>
__device__ bool are_roundings(Exact exact, T rn, T rz, T ru, T rd) {
  const bool is_exact = (Exact)rd == exact;
  const bool around = (Exact)rd <= exact && (Exact)ru >= exact;
  const bool neighbours = is_exact ? ru == rd : nextafter(rd, (T)INFINITY) == ru;
  const Exact below = exact - (Exact)rd, above = (Exact)ru - exact;
  return around && neighbours && rz == (exact < 0 ? ru : rd) &&
         rn == (below < above   ? rd
                : below > above ? ru
                                : rn);
}

#define ROUNDINGS(exact, name, ...)                                           \
  EXPECT(are_roundings(exact, name##_rn(__VA_ARGS__), name##_rz(__VA_ARGS__), \
                       name##_ru(__VA_ARGS__), name##_rd(__VA_ARGS__)))

__global__ void try_out(float* shown) {
  int wrong_count = 0;
  const float values[] = {1.0f, -3.0f, 0.1f, 7.3e5f, -1.17e-6f, 3.0000002f};
  for (float x : values) {
    for (float y : values) {
      ROUNDINGS((double)x + y, __fadd, x, y);
      ROUNDINGS((double)x - y, __fsub, x, y);
      ROUNDINGS((double)x * y, __fmul, x, y);
      ROUNDINGS((double)x / y, __fdiv, x, y);
      ROUNDINGS((double)x * y + 1, __fmaf, x, y, 1.0f);
      ROUNDINGS((long double)x + copysign(0x1p-38, y), __dadd, (double)x, copysign(0x1p-38, y));
      ROUNDINGS((long double)(double)x * 3.0, __dmul, (double)x, 3.0);
    }
    ROUNDINGS(1.0 / x, __frcp, x);
    ROUNDINGS(sqrt((double)fabsf(x)), __fsqrt, fabsf(x));
    ROUNDINGS((double)x * 1.1, __double2float, x * 1.1);
  }
  EXPECT(__dadd_ru(1.0, 1e-30) == nextafter(1.0, 2.0) && __dadd_rd(1.0, 1e-30) == 1.0);
  EXPECT(__dsub_rd(1.0, 1e-30) == nextafter(1.0, 0.0) && __dsub_ru(1.0, 1e-30) == 1.0);
  EXPECT(__ddiv_ru(1.0, 3.0) == nextafter(__ddiv_rd(1.0, 3.0), 1.0));
  EXPECT(__fma_rz(1.0 + 0x1p-52, 1.0 + 0x1p-52, 0.0) == 1.0 + 0x1p-51);
  EXPECT(__fma_ru(1.0 + 0x1p-52, 1.0 + 0x1p-52, 0.0) == 1.0 + 0x1p-51 + 0x1p-52);
  for (int x : {16777217, -16777217, 2147483647, 5}) {
    ROUNDINGS((double)x, __int2float, x);
    ROUNDINGS((long double)(x * 4294967297ll), __ll2double, x * 4294967297ll);
    ROUNDINGS((long double)(x * 4294967297ull), __ull2float, x * 4294967297ull);
  }
  EXPECT(__float2int_rn(2.5f) == 2 && __float2int_rz(-2.5f) == -2 && __float2int_ru(2.1f) == 3);
  EXPECT(__double2int_rd(-2.1) == -3 && __double2uint_rz(3.9e9) == 3900000000u);
  EXPECT(__float2int_rz(3e9f) == 2147483647 && __double2ll_rn(1e15 + 0.5) == 1000000000000000);
  EXPECT(__float2uint_rz(-1.0f) == 0 && __float2int_rn(NAN) == 0);
  wrong_on_device = wrong_count;
  shown[0] = __fdiv_rd(1, 3);
  shown[1] = __fdiv_ru(1, 3);
}

int main() {
  float* shown;
  int wrong = -1;
  EXPECT(cudaMallocManaged(&shown, 8) == cudaSuccess);
  try_out<<<1, 1>>>(shown);
  EXPECT(cudaMemcpyFromSymbol(&wrong, wrong_on_device, sizeof wrong) == cudaSuccess);
  std::printf("1/3 between %.8f and %.8f\n", shown[0], shown[1]);
  return wrong_count + wrong;
}
