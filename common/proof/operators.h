// What the operators and rungs of several chapters are held to in the same way.
#pragma once

#include "common/proof/buffers.h"
#include "common/proof/catch.h"
#include "common/proof/ulp.h"
#include "common/proof/unary.h"

#include <cmath>
#include <cstring>
#include <vector>

namespace tutorial::test {

/// Fails the running test case unless zeros, infinities, NaN and large numbers give what the reference
/// says, rounded once, the sign of a zero included: in packs, and alone, as a tail.
template <class T>
void check_special_values(const std::vector<UnaryRung<T>>& rungs, Reference reference) {
  const std::vector<T> values = {T(0.0f),   T(-0.0f),   T(HUGE_VALF), T(-HUGE_VALF), T(NAN),
                                 T(100.0f), T(-300.0f), T(65504.0f),  T(-6e4f)};
  std::vector<T> packs;
  for (int i = 0; i < 16; ++i) packs.insert(packs.end(), values.begin(), values.end());
  const auto check = [&](const UnaryRung<T>& rung, const std::vector<T>& x) {
    const std::vector<T> y = run_unary<T>(rung.launch, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      INFO(rung.name << ": " << to_double(x[i]) << " gives " << to_double(y[i]));
      CHECK(signed_ulp_error(y[i], reference(to_double(x[i]))) <= 0.5);
    }
  };
  for (const UnaryRung<T>& rung : rungs) {
    check(rung, packs);
    for (const T value : values) check(rung, {value});
  }
}

/// Fails the running test case unless call(x, y, n) answers cudaErrorInvalidValue for the sake of its
/// other arguments, and writes nothing.
template <class T, class Call>
void check_refused(const Call& call) {
  const GuardedBuffer<T> x(std::vector<T>(64, T(-1.0f))), y(64);
  CHECK(call(x.data(), y.data(), 64) == cudaErrorInvalidValue);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(y.untouched());
}

/// Fails the running test case unless the two launchers give n elements the same bits.
template <class T>
void check_same_bits(const UnaryLauncher<T>& one, const UnaryLauncher<T>& other, std::int64_t n) {
  INFO(n << " elements");
  std::vector<T> x(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = T(static_cast<float>(static_cast<int>(i % 4001) - 2000) * 0.01f);
  }
  const std::vector<T> a = run_unary<T>(one, x), b = run_unary<T>(other, x);
  CHECK(std::memcmp(a.data(), b.data(), x.size() * sizeof(T)) == 0);
}

/// The numbers of packs around those at which an operator goes from one pack a thread to two, and back.
inline std::vector<std::int64_t> sizes_around_waves(std::int64_t threads, std::int64_t pack) {
  return {pack * threads,         pack * threads + 1, 3 * pack * threads / 2 + 3,
          2 * pack * threads - 3, 2 * pack * threads, 2 * pack * threads + 1};
}

}  // namespace tutorial::test
