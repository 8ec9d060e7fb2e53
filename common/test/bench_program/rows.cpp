// A benchmark of two copies, of a rung that is wrong, and of a copy whose output may be compared only
// once, for test_program.py.

#include "common/bench/bench.h"
#include "common/bench/measure.h"
#include "common/bench/yardsticks.h"

#include <atomic>

using namespace tutorial::bench;

namespace {

double one_more(double x) { return x + 1; }

cudaError_t copy(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  return copy_128bit(x, y, static_cast<std::size_t>(n) * sizeof(float), stream);
}

Case compared_once() {
  Case operation = copy_case(sizeof(float), normal_tile<float>());
  operation.ladder = "one";
  operation.rung = "once";
  operation.dtype = "f32";
  operation.kind = Kind::rung;
  operation.verify = [](const Shape&, const void*, std::size_t begin, std::size_t) {
    static std::atomic<int> times{0};
    return begin == 0 && ++times > 1 ? "compared again" : "";
  };
  return operation;
}

}  // namespace

void tutorial::bench::register_benchmarks() {
  add_copy_peers<float>("one");
  add_unary<float>("one", "wrong", Kind::rung, copy, one_more, 0.5);
  add(compared_once());
}
