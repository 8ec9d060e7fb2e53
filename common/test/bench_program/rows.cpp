// A benchmark of two copies and of a rung that is wrong, for test_program.py.

#include "common/bench/bench.h"
#include "common/bench/yardsticks.h"

namespace {

double one_more(double x) { return x + 1; }

cudaError_t copy(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return tutorial::bench::copy_128bit(x, y, static_cast<std::size_t>(n) * sizeof(float), stream);
}

}  // namespace

void tutorial::bench::register_benchmarks() {
  add_copy_peers<float>("one");
  add_unary<float>("one", "wrong", Kind::rung, copy, one_more, 0.5);
}
