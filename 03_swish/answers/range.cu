// The second sitting's exercise: Swish in bf16, whose results go down to 10^-40.
#include <cmath>

#include "common/elementwise.cuh"
#include "common/proof/every_value.h"
#include "common/ptx.cuh"

namespace tutorial {

struct SwishBf16 {
  //! [range]
  __device__ __forceinline__ float operator()(float x) const {
    const float h = x * -0.721347520f;  // half of the exponent: -x log2(e) / 2
    const float q = exp2_approx(-fminf(fabsf(h), 150.0f));
    const float root = h > 0.0f ? q : 1.0f;
    const float r = rcp_approx(fmaf(q, q, 1.0f));
    return root == 0.0f ? -0.0f : x * root * (root * r);
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
