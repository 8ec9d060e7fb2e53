// Random calls of ELU, and of its block-size sweep. (A rung has nothing but a size and two pointers to
// choose, and its promises try those.)
#include <cmath>
#include <limits>
#include <string>

#include "01_elu/backward/elu_backward.h"
#include "01_elu/elu.h"
#include "01_elu/proof/elu_reference.h"
#include "common/proof/fuzz/rungs.h"

namespace tutorial::fuzz {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kAlphas[] = {1.0f,  0.0f,   -0.0f,    1.6732632f, -0.3f, 30.0f,
                             1e-3f, 1e-40f, INFINITY, -INFINITY,  kNaN};

/// The operator. Its error is stated for alpha = 1; elsewhere the product with alpha may add one
/// ULP.
template <class T>
void try_operator(FuzzInput& input) {
  Trial trial(input, "elu");
  const float alpha = input.pick(kAlphas);
  trial.describe("alpha = " + std::to_string(alpha));
  if (!std::isfinite(alpha)) trial.mistake(cudaErrorInvalidValue);
  UnaryRung<T> rung = elu_operator_rung<T>(alpha);
  if (alpha != 1.0f) rung.max_ulp += 1.0;
  try_unary<T>(trial, rung,
               [alpha](double x) { return elu_reference(x, static_cast<double>(alpha)); });
}

/// Where alpha dy has all its digits and stays below 2^90, or does not matter.
bool is_bounded(double x, double alpha, double dy) {
  const double size = std::fabs(alpha * dy);
  return x > 0.0 || size == 0.0 || std::isnan(x + size) || (size >= 0x1p-100 && size <= 0x1p90);
}

template <class T>
void try_backward(FuzzInput& input) {
  Trial trial(input, "elu_backward");
  const float alpha = input.pick(kAlphas);
  trial.describe("alpha = " + std::to_string(alpha));
  if (!std::isfinite(alpha)) trial.mistake(cudaErrorInvalidValue);
  BinaryRung<T> rung = elu_backward_operator_rung<T>(alpha);
  if (alpha != 1.0f) rung.max_ulp += 1.0;
  try_binary<T>(
      trial, rung,
      [alpha](double x, double dy) { return elu_backward_reference(x, dy, double{alpha}); },
      [alpha](double x, double dy) { return is_bounded(x, double{alpha}, dy); });
}

/// The launchers with a block size to choose.
void try_blocks(FuzzInput& input) {
  Trial trial(input, "block sizes of elu");
  constexpr int kThreads[] = {128,  1,    32, 33, 256,         1000,
                              1024, 1025, 0,  -1, -2147483647, 2147483647};
  const int threads = input.pick(kThreads);
  trial.describe("threads = " + std::to_string(threads));
  const auto launch = [threads](const half* x, half* y, std::int64_t n, cudaStream_t stream) {
    return elu_f16x8_pack_pdl_block(x, y, n, threads, stream);
  };
  const Count n = trial.count(8);
  if (n.any() && (threads < 1 || threads > 1024)) trial.mistake(cudaErrorInvalidConfiguration);
  const auto x = trial.in<half>("x", n.held, 16, n.any());
  const auto y = trial.out<half>("y", n.held, 16, n.any(), {&x});
  if (!trial.call([&] { return launch(x.pointer, y.pointer, n.n, nullptr); })) return;
  trial.check(y, [&](std::size_t i, half actual) {
    return test::ulp_error(actual, elu_reference(test::to_double(x.values[i]))) <= 0.51;
  });
}

}  // namespace

void try_input(FuzzInput& input) {
  const std::size_t operation = input.below(7);
  if (operation == 0) return try_blocks(input);
  for_one_type(input, Floats{}, [&](auto type) {
    using T = decltype(type);
    operation % 2 == 0 ? try_backward<T>(input) : try_operator<T>(input);
  });
}

}  // namespace tutorial::fuzz
