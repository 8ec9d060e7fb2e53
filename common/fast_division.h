// Division by a number that is known before the kernel starts: one multiplication and a shift.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace tutorial {

/// A quotient and its remainder.
struct DivMod {
  std::uint32_t quotient;
  std::uint32_t remainder;
};

/// n / d and n % d for a divisor that is the same for a whole launch, exact for every n and d with
/// 0 <= n < 2^32 and 1 <= d < 2^32.
///
/// A GPU has no instruction for integer division; 32 bits take about twenty, 64 bits about a
/// hundred. With L = ceil(log2 d) and
///
///     m = floor(2^32 (2^L - d) / d) + 1,    so that    2^32 + m = floor(2^(32 + L) / d) + 1
///
/// the quotient is floor(n (2^32 + m) / 2^(32 + L)) = (high half of n * m, plus n) >> L. Why it is
/// exact: 2^32 + m exceeds 2^(32 + L) / d by e with 0 < e <= 1, so the product exceeds the true
/// quotient by n e / 2^(32 + L) < 1 / 2^L <= 1 / d, too little to reach the next integer. The sum
/// has 33 bits: where it is formed in 32, the quotient is wrong from n = 2^31 on.
///
/// Source: T. Granlund, P. L. Montgomery, "Division by Invariant Integers using Multiplication",
/// PLDI 1994, figure 4.1.
class FastDivisor {
 public:
  FastDivisor() = default;

  /// 1 <= divisor < 2^32.
  explicit FastDivisor(std::uint32_t divisor) : divisor_(divisor) {
    while ((std::uint64_t{1} << shift_) < divisor) ++shift_;
    const std::uint64_t excess = (std::uint64_t{1} << shift_) - divisor;
    multiplier_ = static_cast<std::uint32_t>((excess << 32) / divisor + 1);
  }

  __host__ __device__ std::uint32_t divisor() const { return divisor_; }

  /// n / divisor()
  __host__ __device__ std::uint32_t divide(std::uint32_t n) const {
    const std::uint64_t product = std::uint64_t{n} * multiplier_;
    return static_cast<std::uint32_t>(((product >> 32) + n) >> shift_);
  }

  __host__ __device__ DivMod divmod(std::uint32_t n) const {
    const std::uint32_t quotient = divide(n);
    return {quotient, n - quotient * divisor_};
  }

 private:
  std::uint32_t divisor_ = 1;
  std::uint32_t multiplier_ = 1;
  std::uint32_t shift_ = 0;
};

}  // namespace tutorial
