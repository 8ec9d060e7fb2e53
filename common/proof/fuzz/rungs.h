// The trials of launchers on n elements that the test support describes: UnaryRung, BinaryRung.
#pragma once

#include "common/proof/binary.h"
#include "common/proof/fuzz/trial.h"
#include "common/proof/unary.h"

namespace tutorial::fuzz {

/// Calls f with a value of one of the types.
template <class... T, class F>
void for_one_type(FuzzInput& input, Types<T...> types, const F& f) {
  std::size_t skip = input.below(sizeof...(T));
  for_each_type(types, [&](auto type) {
    if (skip-- == 0) f(type);
  });
}

/// y[i] = reference(x[i]) for one number of elements. What is special about the call beyond that
/// (an alpha) is in the rung's launcher, and in the trial if it is a mistake. Where is_bounded(x)
/// is false, the rung claims nothing.
template <class T, class Reference, class Bounded>
void try_unary(Trial& trial, const UnaryRung<T>& rung, const Reference& reference,
               const Bounded& is_bounded) {
  trial.describe(rung.name);
  const Count n = trial.count(rung.width);
  const auto x = trial.in<T>("x", n.held, rung.alignment, n.any());
  const auto y = trial.out<T>("y", n.held, rung.alignment, n.any(), {&x});
  if (!trial.call([&] { return rung.launch(x.pointer, y.pointer, n.n, nullptr); })) return;
  const auto expected = [&](std::size_t i) { return reference(test::to_double(x.values[i])); };
  trial.check(
      y,
      [&](std::size_t i, T actual) {
        return test::ulp_error(actual, expected(i)) <= rung.max_ulp ||
               !is_bounded(test::to_double(x.values[i]));
      },
      [&](std::size_t i) {
        return " of " + text_of(x.values[i]) + ", not " + text_of(expected(i));
      });
}

template <class T, class Reference>
void try_unary(Trial& trial, const UnaryRung<T>& rung, const Reference& reference) {
  try_unary(trial, rung, reference, [](double) { return true; });
}

/// y[i] = reference(a[i], b[i]). Where is_bounded(a, b) is false, the rung claims nothing.
/// `has_too_large`: see Trial::count().
template <class T, class Reference, class Bounded>
void try_binary(Trial& trial, const BinaryRung<T>& rung, const Reference& reference,
                const Bounded& is_bounded, bool has_too_large = true) {
  trial.describe(rung.name);
  const Count n = trial.count(rung.width, has_too_large);
  const auto a = trial.in<T>("a", n.held, rung.alignment, n.any());
  const auto b = trial.in<T>("b", n.held, rung.alignment, n.any());
  const auto y = trial.out<T>("y", n.held, rung.alignment, n.any(), {&a, &b});
  if (!trial.call([&] { return rung.launch(a.pointer, b.pointer, y.pointer, n.n, nullptr); })) {
    return;
  }
  const auto expected = [&](std::size_t i) {
    return reference(test::to_double(a.values[i]), test::to_double(b.values[i]));
  };
  trial.check(
      y,
      [&](std::size_t i, T actual) {
        return test::ulp_error(actual, expected(i)) <= rung.max_ulp ||
               !is_bounded(test::to_double(a.values[i]), test::to_double(b.values[i]));
      },
      [&](std::size_t i) {
        return " of " + text_of(a.values[i]) + " and " + text_of(b.values[i]) + ", not " +
               text_of(expected(i));
      });
}

template <class T, class Reference>
void try_binary(Trial& trial, const BinaryRung<T>& rung, const Reference& reference,
                bool has_too_large = true) {
  try_binary(
      trial, rung, reference, [](double, double) { return true; }, has_too_large);
}

}  // namespace tutorial::fuzz
