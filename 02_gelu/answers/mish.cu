// The transfer exercise of the lesson: Mish, x tanh(ln(1 + e^x)).
#include <cmath>
#include <cstdint>

#include "common/elementwise.cuh"
#include "common/proof/every_value.h"
#include "common/ptx.cuh"

namespace tutorial {

struct Mish {
  //! [mish]
  __device__ __forceinline__ float operator()(float x) const {
    const float e = exp2_approx(fminf(x, 20.0f) * 1.44269504f);  // beyond 20 the quotient is 1
    const float w = e * (e + 2.0f);
    const float bounded = x < -40.0f ? -40.0f : x;  // -infinity times 0 is NaN; a NaN stays
    return bounded * w * rcp_approx(w + 2.0f);
  }
  //! [mish]
};

double mish(double x) {
  return std::isinf(x) ? (x > 0 ? x : -0.0) : x * std::tanh(std::log1p(std::exp(x)));
}

}  // namespace tutorial

int main() {
  return tutorial::test::check_every_value<half>(tutorial::FloatInside<tutorial::Mish>{},
                                                 tutorial::mish, 0.51);
}
