#include "common/proof/fp8.h"

#include "common/test/fp8_kernels.h"

using namespace tutorial;        // NOLINT(google-build-using-namespace)
using namespace tutorial::test;  // NOLINT(google-build-using-namespace)

TEST_CASE("elementwise_table_kernel: blocks smaller and larger than half the table") {
  require_device();
  for (const int threads : {32, 100, 128, 1024}) {
    const auto launch = [=](const E4m3* x, E4m3* y, std::int64_t n, cudaStream_t stream) {
      return negate_by_table(x, y, n, threads, stream);
    };
    INFO(threads << " threads a block");
    check_every_bit<E4m3>({{"negate", launch, 16, 16, 0.5}}, [](double x) { return -x; });
  }
}
