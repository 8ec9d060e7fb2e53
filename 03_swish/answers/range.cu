// The exercise of section 9: Swish in bf16, whose results go down to 10^-40.
#include <cmath>

#include "common/elementwise.cuh"
#include "common/proof/every_value.h"
#include "common/ptx.cuh"

namespace tutorial {

struct SwishBf16 {
  //! [range]
  __device__ __forceinline__ float operator()(float x) const {
    const float q = exp2_approx(fabsf(x) * -0.721347520f);  // e^(-|x|/2)
    const float root = x < 0.0f ? q : 1.0f;
    const float r = rcp_approx(fmaf(q, q, 1.0f));
    return fmaxf(x, -128.0f) * root * (root * r);  // -infinity times 0 would be NaN
  }
  //! [range]
};

double swish(double x) {
  if (std::isinf(x)) return x > 0 ? x : -0.0;
  const double e = std::exp(-std::fabs(x));
  return (x < 0.0 ? x * e : x) / (1.0 + e);
}

}  // namespace tutorial

int main() {
  return tutorial::test::check_every_value<__nv_bfloat16>(
      tutorial::FloatInside<tutorial::SwishBf16>{}, tutorial::swish, 0.51);
}
