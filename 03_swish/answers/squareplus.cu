// "Your turn": squareplus, (x + sqrt(x^2 + 4)) / 2, in bf16.
#include <cmath>

#include "common/elementwise.cuh"
#include "common/proof/every_value.h"
#include "common/ptx.cuh"

namespace tutorial {

struct Squareplus {
  //! [squareplus]
  __device__ __forceinline__ float operator()(float x) const {
    const float a = fabsf(x);
    const float root = a < 0x1p60f ? sqrtf(fmaf(a, a, 4.0f)) : a;  // a * a stays a float
    const float large = fmaf(0.5f, a, 0.5f * root);                // at least 1; finite if x is
    const float small = rcp_approx(large * 0x1p-24f) * 0x1p-24f;   // 1 / large, never flushed
    return x < 0.0f ? small : large;
  }
  //! [squareplus]
};

double squareplus(double x) {
  if (std::isinf(x)) return x > 0 ? x : 0.0;
  const double large = 0.5 * (std::fabs(x) + std::sqrt(x * x + 4.0));
  return x < 0.0 ? 1.0 / large : large;
}

}  // namespace tutorial

int main() {
  return tutorial::test::check_every_value<__nv_bfloat16>(
      tutorial::FloatInside<tutorial::Squareplus>{}, tutorial::squareplus, 0.51);
}
