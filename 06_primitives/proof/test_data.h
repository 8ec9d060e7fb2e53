// What the tests of the primitives share: buffers that end where their data ends, the places of a
// layout, and arithmetic on the host.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "06_primitives/proof/test_kernels.h"
#include "common/proof/catch.h"
#include "common/proof/support.h"

namespace tutorial::test {

/// Device memory of exactly these values: AddressSanitizer sees the first byte past the end. The
/// data begin `offset` elements past a 256-byte boundary.
template <class T>
class ExactBuffer {
 public:
  explicit ExactBuffer(const std::vector<T>& values, std::size_t offset = 0)
      : offset_(offset), memory_((offset + std::max<std::size_t>(values.size(), 1)) * sizeof(T)) {
    if (values.empty()) return;
    require_success(
        cudaMemcpy(data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
        "cudaMemcpy");
  }

  T* data() const { return reinterpret_cast<T*>(memory_.data()) + offset_; }

 private:
  std::size_t offset_;
  DeviceBytes memory_;
};

/// W of a layout, for a thread with `vec` elements of a type of `bytes` bytes.
inline int width_of(TileLayout layout, int vec, std::size_t bytes) {
  if (layout == TileLayout::striped) return 1;
  const int fits = bytes >= 16 ? 1 : 16 / static_cast<int>(bytes);
  return layout == TileLayout::adjacent || fits > vec ? vec : fits;
}

/// The element of the tile in register k of a thread: said in the words of layout.cuh's table.
inline std::int64_t element_of(int width, unsigned threads, int k, unsigned thread) {
  const int vector = k / width;
  return (std::int64_t{threads} * vector + thread) * width + k % width;
}

/// Any number as a T.
template <class T>
T make(double value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(value);
  } else {
    return from_double<T>(value);
  }
}

/// n numbers fixed by the seed: of both signs, floats below 2^exponents in magnitude, or all the bits
/// of an integer, so that sums wrap.
template <class T>
std::vector<T> random_values(int exponents, std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(n);
  for (T& value : values) {
    if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(random());
    } else {
      const double mantissa = static_cast<double>(random() % 2000001) / 1000000.0 - 1.0;
      value = make<T>(
          std::ldexp(mantissa, static_cast<int>(random() % static_cast<unsigned>(exponents))));
    }
  }
  return values;
}

template <class T>
double number(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<double>(value);
  } else {
    return to_double(value);
  }
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Whether the value still is the 0xFF bytes of a fresh GuardedBuffer.
template <class T>
bool never_written(const T& value) {
  unsigned char fresh[sizeof(T)];
  std::memset(fresh, 0xFF, sizeof(T));
  return std::memcmp(&value, fresh, sizeof(T)) == 0;
}

/// The sum of values, to about twice the precision of a double (Neumaier), and of their magnitudes.
struct ExactSum {
  double sum = 0, correction = 0, magnitudes = 0;
  void add(double x) {
    const double next = sum + x;
    correction += std::fabs(sum) >= std::fabs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
    magnitudes += std::fabs(x);
  }
  double value() const { return sum + correction; }
};

/// The bound on a float sum that adds along a tree of `depth` levels. Each addition multiplies what
/// lies below it by 1 + d with |d| <= u = 2^-24, and no element has more than `depth` additions
/// above it, so an element x enters the result as x (1 + e) with |e| <= (1 + u)^depth - 1 <= depth
/// u / (1 - depth u). The error is at most that times the sum of magnitudes.
inline double sum_bound(int depth, double magnitudes) {
  const double du = depth * std::ldexp(1.0, -24);
  return du / (1 - du) * magnitudes;
}

template <class T>
T ceil_div(T a, T b) {
  return (a + b - 1) / b;
}

inline int ceil_log2(std::int64_t n) {
  int levels = 0;
  while ((std::int64_t{1} << levels) < n) ++levels;
  return levels;
}

}  // namespace tutorial::test
