// Random calls of Swish and of SwiGLU.
#include <cmath>
#include <limits>
#include <string>

#include "03_swish/backward/swish_backward.h"
#include "03_swish/proof/swish_reference.h"
#include "03_swish/swish.h"
#include "common/proof/fuzz/rungs.h"

namespace tutorial::fuzz {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kBetas[] = {1.0f,         1.702f,    0.0f,      -0.0f,    -1.0f,     0.25f,
                            0x1p-96f,     0x1p-100f, 0x1p100f,  -0x1p90f, 0x1p-101f, 1e-45f,
                            -0x1.fp-101f, INFINITY,  -INFINITY, kNaN};

/// A beta; one that the operators refuse is a mistake.
float some_beta(Trial& trial) {
  const float beta = trial.input.pick(kBetas);
  trial.describe("beta = " + std::to_string(beta));
  if (!std::isfinite(beta) || (beta != 0.0f && std::fabs(beta) < 0x1p-100f)) {
    trial.mistake(cudaErrorInvalidValue);
  }
  return beta;
}

/// The operator, where its error is bounded: beta = 0 and |beta| from 2^-96 to 2^100. In float,
/// below 2^-96, what is smaller than 2^-144 may come out as 0: 32 of the spacings there.
template <class T>
void try_swish(FuzzInput& input) {
  Trial trial(input, "swish");
  const float beta = some_beta(trial);
  UnaryRung<T> rung = swish_operator_rung<T>(beta);
  if (std::is_same_v<T, float> && std::fabs(beta) < 0x1p-96f && beta != 0.0f) rung.max_ulp += 32.0;
  try_unary<T>(trial, rung,
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
void try_backward(FuzzInput& input) {
  Trial trial(input, "swish_backward");
  const float beta = some_beta(trial);
  try_binary<T>(
      trial, swish_backward_operator_rung<T>(beta),
      [beta](double x, double dy) { return swish_backward_reference(x, dy, double{beta}); },
      [](double x, double dy) { return std::isnan(x) || !(std::fabs(dy) > 0x1p90); });
}

/// Both gradients, either of them in the place of an input now and then.
template <class T>
void try_swiglu_backward(FuzzInput& input) {
  Trial trial(input, "swiglu_backward");
  const Count n = trial.count(16 / static_cast<int>(sizeof(T)));
  const auto in = [&](const char* name) { return trial.in<T>(name, n.held, sizeof(T), n.any()); };
  const auto a = in("a"), b = in("b"), dy = in("dy");
  const auto da = trial.out<T>("da", n.held, sizeof(T), n.any(), {&a, &b});
  const auto db = trial.out<T>("db", n.held, sizeof(T), n.any(), {&dy});
  if (n.any() && da.pointer == db.pointer) trial.mistake(cudaErrorInvalidValue);
  if (!trial.call([&] {
        return swiglu_backward(a.pointer, b.pointer, dy.pointer, da.pointer, db.pointer, n.n,
                               nullptr);
      })) {
    return;
  }
  const auto is_tame = [](double v) {
    return v == 0.0 || (std::fabs(v) >= 0x1p-40 && std::fabs(v) <= 0x1p40);
  };
  const auto check = [&](const auto& output, bool is_a) {
    trial.check(output, [&](std::size_t i, T actual) {
      const double at = test::to_double(a.values[i]), v = test::to_double(b.values[i]),
                   w = test::to_double(dy.values[i]);
      if (!std::isnan(at) && !(is_tame(v) && is_tame(w))) return true;
      const double expected =
          is_a ? swiglu_backward_a_reference(at, v, w) : swiglu_backward_b_reference(at, w);
      return test::ulp_error(actual, expected) <= kSwishBackwardUlp<T>;
    });
  };
  check(da, true);
  check(db, false);
}

template <class T>
void try_type(FuzzInput& input) {
  switch (input.below(5)) {
    case 0:
      return try_swish<T>(input);
    case 1:
      return try_swiglu<T>(input);
    case 2:
      return try_backward<T>(input);
    case 3:
      return try_swiglu_backward<T>(input);
    default:
      return try_separate<T>(input);
  }
}

}  // namespace

void try_input(FuzzInput& input) {
  for_one_type(input, Floats{}, [&](auto type) { try_type<decltype(type)>(input); });
}

}  // namespace tutorial::fuzz
