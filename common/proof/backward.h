// What the backward ladders of all chapters are held to.
#pragma once

#include "common/proof/binary.h"
#include "common/proof/catch.h"
#include "common/proof/inputs.h"
#include "common/proof/promises.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

namespace tutorial::test {

/// Gradients as training has them: of all sizes from the smallest number of T to 2^90 (where a sum
/// of losses is scaled up, or a mean is small), with few digits and with all of them, of both signs.
template <class T>
std::vector<T> gradients() {
  const double least = std::ldexp(1.0, Format<T>::min_exponent - Format<T>::digits + 1);
  const double most = std::min(0x1p90, std::ldexp(1.9, Format<T>::max_exponent));
  std::vector<T> values;
  for (const double size : {least, 3 * least, 0x1p-10, 1.0, 1.0 / 3, 2.718281828, 1000.7, most}) {
    values.push_back(from_double<T>(size));
    values.push_back(from_double<T>(-size));
  }
  values.push_back(T(0.0f));
  values.push_back(T(-0.0f));
  return values;
}

/// The first size at which three arrays are taken to be larger than the L2.
template <class T>
inline constexpr std::int64_t past_l2 = (std::int64_t{64} << 20) / (3 * sizeof(T)) + 1;

/// Every x that counts: all of a 16-bit type, or a dense sample of the floats.
template <class T>
std::vector<T> arguments_of_derivative() {
  if constexpr (sizeof(T) == 2) {
    return all_values<T>();
  } else {
    return dense_floats(on_gpu ? 4096 : 256);
  }
}

/// Those of them for which the textbook's rungs claim something: a derivative of 2^-12 or more, of which
/// a half has all digits and a difference near 1 leaves some, and no x that overflows inside.
template <class T>
std::vector<T> for_the_textbook(const std::vector<T>& x, BinaryReference reference) {
  std::vector<T> kept;
  std::copy_if(x.begin(), x.end(), std::back_inserter(kept), [&](T value) {
    const double at = to_double(value);
    return std::fabs(at) <= 100.0 && std::fabs(reference(at, 1.0)) >= 0x1p-12;
  });
  return kept;
}

/// Fails the running test case unless the rung is within its bound for every x and every gradient.
template <class T>
void check_gradients(BinaryRung<T> rung, BinaryReference reference, const std::vector<T>& x,
                     const std::string& chapter) {
  rung.name = "backward_" + rung.name;
  check_accuracy(rung, reference, x, gradients<T>(), chapter);
}

/// The promises of every rung of a backward ladder.
template <class T>
void check_backward_promises(const std::vector<BinaryRung<T>>& ladder, BinaryReference reference) {
  for (const BinaryRung<T>& rung : ladder) {
    check_width_in_name(rung.name, rung.width);
    check_launcher_promises(rung, reference);
  }
}

/// The largest error of every rung: of the last for every x, of the others for_the_textbook().
template <class T>
void check_backward_accuracy(const std::vector<BinaryRung<T>>& ladder, BinaryReference reference,
                             const std::string& chapter) {
  const std::vector<T> all = arguments_of_derivative<T>();
  for (const BinaryRung<T>& rung : ladder) {
    const bool has_digits = &rung == &ladder.back();
    check_gradients(rung, reference, has_digits ? all : for_the_textbook(all, reference), chapter);
  }
}

/// Fails the running test case unless zeros, infinities and NaN of x and of dy give what the reference
/// says, the sign of a zero included, in packs and in the tail.
template <class T>
void check_backward_special_values(const BinaryRung<T>& rung, BinaryReference reference) {
  constexpr float infinity = HUGE_VALF, nan = NAN;
  // Where a derivative of 2^-115 times it is no zero, but no intermediate result may be larger.
  constexpr float large = Format<T>::max_exponent > 16 ? 0x1p120f : 2.0f;
  const float values[][2] = {{infinity, 2.0f},  {-infinity, 2.0f}, {-infinity, -2.0f},
                             {nan, 1.0f},       {0.0f, 3.0f},      {-0.0f, 3.0f},
                             {1.0f, nan},       {nan, 0.0f},       {1.0f, infinity},
                             {-2.0f, infinity}, {-1.0f, 0.0f},     {-3e38f, 1.0f},
                             {3e38f, -1.0f},    {-infinity, 0.0f}, {-5.0f, -infinity},
                             {-9.25f, -large},  {-80.0f, large}};
  constexpr std::size_t count = sizeof values / sizeof values[0];
  std::vector<T> x, dy;
  for (std::size_t i = 0; i < 13 * count - 3; ++i) {
    x.push_back(T(values[i % count][0]));
    dy.push_back(T(values[i % count][1]));
  }
  const std::vector<T> dx = run_binary<T>(rung.launch, x, dy);
  for (std::size_t i = 0; i < dx.size(); ++i) {
    const double expected = reference(to_double(x[i]), to_double(dy[i]));
    INFO(rung.name << ": x = " << to_double(x[i]) << ", dy = " << to_double(dy[i]) << " gives "
                   << to_double(dx[i]) << ", not " << expected);
    CHECK(signed_ulp_error(dx[i], expected) <= rung.max_ulp);
  }
}

}  // namespace tutorial::test
