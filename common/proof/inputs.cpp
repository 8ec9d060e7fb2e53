// A dense sample of the floats, the ladder of sizes.

#include "common/proof/inputs.h"

#include <algorithm>

namespace tutorial::test {

std::vector<float> dense_floats(int per_exponent) {
  constexpr std::uint32_t mantissas = 1u << 23, exponents = 256;
  constexpr std::uint32_t sign = 1u << 31;
  // Both ends of a binade, so that every power of two comes with both of its neighbours.
  std::vector<std::uint32_t> mantissa{0, 1, mantissas - 1};
  for (int i = 1; i + 2 < per_exponent; ++i) {
    mantissa.push_back(
        static_cast<std::uint32_t>(std::uint64_t{mantissas} * static_cast<std::uint64_t>(i) /
                                   static_cast<std::uint64_t>(per_exponent)));
  }
  std::vector<float> values;
  for (std::uint32_t exponent = 0; exponent + 1 < exponents; ++exponent) {
    for (const std::uint32_t low_bits : mantissa) {
      const std::uint32_t bits = exponent * mantissas + low_bits;
      values.push_back(from_bits<float>(bits));
      values.push_back(from_bits<float>(bits | sign));
    }
  }
  constexpr std::uint32_t infinity = (exponents - 1) * mantissas;
  for (const std::uint32_t bits : {infinity, infinity | 1u, infinity | mantissas / 2}) {
    values.push_back(from_bits<float>(bits));
    values.push_back(from_bits<float>(bits | sign));
  }
  return values;
}

std::vector<std::int64_t> n_ladder(int width) {
  const std::int64_t v = width;
  std::vector<std::int64_t> sizes{0,   1,   v - 1, v,    v + 1, 2 * v - 1,
                                  255, 256, 257,   1023, 1027,  (1 << 20) + 3};
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace tutorial::test
