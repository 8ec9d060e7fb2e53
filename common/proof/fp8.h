// Eight-bit floats: few enough inputs to hold every bit of every result against the reference.
#pragma once

#include "common/proof/catch.h"
#include "common/proof/support.h"
#include "common/types.h"

#include <cstdint>
#include <vector>

namespace tutorial::test {

/// Fails the running test case unless every rung answers each of the 256 codes with the reference
/// rounded once: the sign of a zero counts, and a NaN is 0x7F. Every code stands in each of the
/// sixteen places of a pack; fifteen stand in the tail.
///
/// It also shows that no result lies too close to the middle of two values for a float to decide: a
/// reference that is wrong by 2^-18 would be rounded alike. T: E4m3 or E5m2.
template <class T>
void check_every_bit(const std::vector<UnaryRung<T>>& rungs, Reference reference) {
  std::vector<T> inputs;
  std::vector<std::uint8_t> expected;
  for (int i = 0; i < 16 * 256 + 15; ++i) {
    const T input = from_bits<T>(static_cast<std::uint8_t>(i + i / 256));
    const double exact = reference(to_double(input));
    inputs.push_back(input);
    expected.push_back(to_bits(from_double<T>(exact)));
    CHECK(to_bits(from_double<T>(exact * (1 - 0x1p-18))) == expected.back());
    CHECK(to_bits(from_double<T>(exact * (1 + 0x1p-18))) == expected.back());
  }
  for (const UnaryRung<T>& rung : rungs) {
    const std::vector<T> outputs = run_unary<T>(rung.launch, inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (to_bits(outputs[i]) == expected[i]) continue;
      INFO(rung.name << ": y[" << i << "] of x = " << to_double(inputs[i]));
      CHECK(int{to_bits(outputs[i])} == int{expected[i]});
    }
  }
}

}  // namespace tutorial::test
