// Random calls of Swish and of SwiGLU.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "03_swish/proof/swish_reference.h"
#include "03_swish/swish.h"
#include "common/proof/fuzz/rungs.h"

namespace tutorial::fuzz {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kBetas[] = {1.0f,         1.702f,    0.0f,      -0.0f,    -1.0f,     0.25f,
                            0x1p-96f,     0x1p-100f, 0x1p100f,  -0x1p90f, 0x1p-101f, 1e-45f,
                            -0x1.fp-101f, INFINITY,  -INFINITY, kNaN};

/// The operator, where its error is bounded: beta = 0 and |beta| from 2^-96 to 2^100. In float,
/// below 2^-96, what is smaller than 2^-144 may come out as 0: 32 of the spacings there.
template <class T>
void try_swish(FuzzInput& input) {
  Trial trial(input, "swish");
  const float beta = input.pick(kBetas);
  trial.describe("beta = " + std::to_string(beta));
  if (!std::isfinite(beta) || (beta != 0.0f && std::fabs(beta) < 0x1p-100f)) {
    trial.mistake(cudaErrorInvalidValue);
  }
  const auto launch = [beta](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
    return swish(x, y, n, beta, stream);
  };
  double max_ulp = kSwishUlp<T>;
  if (std::is_same_v<T, float> && std::fabs(beta) < 0x1p-96f && beta != 0.0f) max_ulp += 32.0;
  try_unary<T>(trial,
               {dtype_name<T>(), launch, 16 / static_cast<int>(sizeof(T)), sizeof(T), max_ulp},
               [beta](double x) { return swish_reference(x, static_cast<double>(beta)); });
}

/// Whether the error of swiglu() is bounded there. Where it is not, NaN is as good as a number.
template <class T>
bool is_bounded(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return true;
  if (std::is_same_v<T, float> && a != 0.0 && std::fabs(a) < 0x1p-125) return false;
  return std::fabs(b) <= 0x1p90 || std::fabs(swish_reference(a)) >= 0x1p-100;
}

template <class T>
void try_swiglu(FuzzInput& input) {
  Trial trial(input, "swiglu");
  try_binary(trial, swiglu_rung<T>(), swiglu_reference, is_bounded<T>);
}

/// In two kernels: y may not be b. Its error is bounded where swish(a) is a normal number of T and
/// |b| <= 1; elsewhere only what lies around the result is looked at.
template <class T>
void try_separate(FuzzInput& input) {
  Trial trial(input, "swiglu_separate");
  const BinaryRung<T> rung = swiglu_separate_rung<T>();
  const Count n = trial.count(rung.width);
  const auto a = trial.in<T>("a", n.held, sizeof(T), n.any());
  const auto b = trial.in<T>("b", n.held, sizeof(T), n.any());
  const auto y = trial.out<T>("y", n.held, sizeof(T), n.any(), {&a, &b});
  if (n.any() && y.pointer == b.pointer) trial.mistake(cudaErrorInvalidValue);
  if (!trial.call([&] { return rung.launch(a.pointer, b.pointer, y.pointer, n.n, nullptr); }))
    return;
  const double normal = std::ldexp(1.0, test::Format<T>::min_exponent);
  trial.check(y, [&](std::size_t i, T actual) {
    const double left = swish_reference(test::to_double(a.values[i])),
                 right = test::to_double(b.values[i]);
    if (std::isfinite(left) && !(std::fabs(left) >= normal && std::fabs(right) <= 1.0)) return true;
    return test::ulp_error(actual, left * right) <= rung.max_ulp;
  });
}

template <class T>
void try_type(FuzzInput& input) {
  switch (input.below(3)) {
    case 0:
      return try_swish<T>(input);
    case 1:
      return try_swiglu<T>(input);
    default:
      return try_separate<T>(input);
  }
}

}  // namespace

void try_input(FuzzInput& input) {
  std::size_t skip = input.below(3);
  for_each_type(Floats{}, [&](auto type) {
    if (skip-- == 0) try_type<decltype(type)>(input);
  });
}

}  // namespace tutorial::fuzz
