// The exercise of notes/fusion.md: GEGLU with the sigmoid form of GELU, fused.
#include <cmath>
#include <cstdint>
#include <vector>

#include "03_swish/swish_math.cuh"
#include "common/elementwise_binary.cuh"
#include "common/proof/answer.h"
#include "common/proof/worse.h"

namespace tutorial {

//! [fuse]
/// y[i] = a sigmoid(1.702 a) b, in half; the promises are those of swiglu().
cudaError_t geglu(const half* a, const half* b, half* y, std::int64_t n, cudaStream_t stream) {
  return launch_elementwise(a, b, y, n, SwiGlu{beta_constants(1.702f)}, stream);
}

inline double geglu_reference(double a, double b) {
  const double e = std::exp(-std::fabs(1.702f * a));
  return (a < 0.0 ? a * e : a) / (1.0 + e) * b;
}
//! [fuse]

}  // namespace tutorial

int main() {
  using namespace tutorial;
  const std::int64_t n = 16 * test::sizes().draw(2000, 6000) + 3;
  std::vector<half> a, b;
  for (std::int64_t i = 0; i < n; ++i) {
    a.push_back(half(static_cast<float>(i % 1001) / 64.0f - 8.0f));
    b.push_back(half(static_cast<float>(i % 37) / 8.0f + 0.5f));
  }
  const test::DeviceArray<half> left(a), right(b), result(static_cast<std::size_t>(n));
  const cudaError_t error = geglu(left.data(), right.data(), result.data(), n, nullptr);
  const std::vector<half> y = result.download();
  double worst = 0.0;  // in units of 2^-11 of the result, or of the smallest halves
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double exact = geglu_reference(__half2float(a[i]), __half2float(b[i]));
    const double unit = std::fmax(std::fabs(exact) * 0x1p-10, 0x1p-24);
    worst = test::worse(worst, std::fabs(__half2float(y[i]) - exact) / unit);
  }
  return test::verdict(error == cudaSuccess && worst <= 0.51,
                       "largest error " + std::to_string(worst) + " units in the last place");
}
