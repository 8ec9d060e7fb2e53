// Tests of the division by an invariant: it has to be exact, not nearly so.

#include "common/fast_division.h"
#include "common/proof/catch.h"

#include <cstdint>
#include <initializer_list>
#include <random>

using tutorial::DivMod;
using tutorial::FastDivisor;

namespace {

constexpr std::uint32_t kMost = 0xffffffffu;

bool is_exact(const FastDivisor& divisor, std::uint32_t n) {
  const DivMod both = divisor.divmod(n);
  return divisor.divide(n) == n / divisor.divisor() && both.quotient == n / divisor.divisor() &&
         both.remainder == n % divisor.divisor();
}

/// The dividends at which a quotient changes: k d - 1 and k d, near both ends, in the middle, where
/// the sum of n and a high half first needs a 33rd bit, and the last quotient there is.
bool is_exact_at_its_edges(std::uint32_t d) {
  const FastDivisor divisor(d);
  const std::uint32_t last = kMost / d;
  for (const std::uint32_t k :
       {1u, 2u, 3u, last / 3, last / 2, last / 2 + 1, 0x80000000u / d, last - 1, last}) {
    if (k == 0) continue;
    const auto multiple = static_cast<std::uint32_t>(std::uint64_t{k} * d);
    if (k <= last && (!is_exact(divisor, multiple - 1) || !is_exact(divisor, multiple))) {
      return false;
    }
  }
  for (const std::uint32_t n : {0u, 1u, 0x7fffffffu, 0x80000000u, 0x80000001u, kMost - 1, kMost}) {
    if (!is_exact(divisor, n)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("fast division: every divisor up to 2^16 at its edges") {
  std::uint32_t wrong = 0;
  for (std::uint32_t d = 1; d <= 1u << 16 && wrong == 0; ++d) {
    if (!is_exact_at_its_edges(d)) wrong = d;
  }
  CHECK(wrong == 0);
}

TEST_CASE("fast division: the largest divisors, and the powers of two with their neighbours") {
  std::uint32_t wrong = 0;
  for (std::uint32_t i = 0; i < 1u << 12; ++i) {
    if (!is_exact_at_its_edges(kMost - i)) wrong = kMost - i;
  }
  for (int bit = 2; bit < 32; ++bit) {
    for (const std::uint32_t d : {(1u << bit) - 1, 1u << bit, (1u << bit) + 1}) {
      if (!is_exact_at_its_edges(d)) wrong = d;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("fast division: a sample of all pairs") {
  std::mt19937_64 engine(7);
  std::uint32_t wrong = 0;
  for (int i = 0; i < 1 << 20; ++i) {
    // Divisors of every magnitude: as they are drawn, half of them would exceed 2^31.
    const auto random = static_cast<std::uint32_t>(engine());
    const std::uint32_t d = (random >> (engine() % 32)) | 1u;
    const FastDivisor divisor(d + static_cast<std::uint32_t>(d < kMost && random % 2 == 0));
    for (int k = 0; k < 8; ++k) {
      if (!is_exact(divisor, static_cast<std::uint32_t>(engine()))) wrong = divisor.divisor();
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("fast division: a divisor that was not given is 1") {
  const FastDivisor one;
  CHECK(one.divisor() == 1);
  CHECK(is_exact(one, 0));
  CHECK(is_exact(one, kMost));
}
