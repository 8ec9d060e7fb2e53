// What the test files of this chapter share: launchers over vectors, and the promises of launchers of
// integers.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "04_arithmetic/launchers/contiguous.h"
#include "04_arithmetic/proof/arithmetic_reference.h"
#include "common/proof/catch.h"
#include "common/proof/support.h"

namespace tutorial::test {

/// Uploads, launches on the default stream, waits, and returns the outputs. The buffers begin
/// `offset` elements past a 256-byte boundary.
template <class T>
std::vector<T> run_pairs(const BinaryLauncher<T>& launch, const std::vector<T>& a,
                         const std::vector<T>& b, std::size_t offset = 0) {
  const GuardedBuffer<T> device_a(a, offset), device_b(b, offset), y(a.size(), offset);
  require_success(launch(device_a.data(), device_b.data(), y.data(),
                         static_cast<std::int64_t>(a.size()), nullptr),
                  "launch");
  require_success(cudaDeviceSynchronize(), "kernel");
  if (!y.intact()) throw std::runtime_error("written outside the output: " + y.damage());
  return y.download();
}

/// One operation of a rung.
template <class T>
BinaryLauncher<T> operation_of(const ArithmeticRung<T>& rung, ArithmeticOp op,
                               Int8Scales scales = {}) {
  return binary_rung(rung, op, scales).launch;
}

/// Every pair of an a and a b, the a's fastest.
template <class T>
std::pair<std::vector<T>, std::vector<T>> all_pairs(const std::vector<T>& a,
                                                    const std::vector<T>& b) {
  std::pair<std::vector<T>, std::vector<T>> pairs;
  for (const T& right : b) {
    pairs.first.insert(pairs.first.end(), a.begin(), a.end());
    pairs.second.insert(pairs.second.end(), a.size(), right);
  }
  return pairs;
}

/// Integers over the whole range, the ends and zero among them, without a period of 2^k.
template <class T>
std::vector<T> random_integers(std::int64_t n, std::uint64_t state) {
  const T special[] = {0, -1, 1, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  std::vector<T> result(static_cast<std::size_t>(n));
  for (T& value : result) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = state >> 60 == 0 ? special[(state >> 40) % 5] : static_cast<T>(state >> 8);
  }
  return result;
}

/// What a launcher of integers promises, judged by reference(a, b).
template <class T>
Promises integer_promises(const BinaryLauncher<T>& launch, int width, std::size_t alignment,
                          T (*reference)(T, T)) {
  Promises promises;
  promises.sizes = n_ladder(width);
  const std::vector<T> a = random_integers<T>(promises.sizes.back(), 1);
  const std::vector<T> b = random_integers<T>(promises.sizes.back(), 2);
  promises.inputs = {input_array("a", a, alignment, true), input_array("b", b, alignment, true)};
  promises.out_element_bytes = sizeof(T);
  promises.out_alignment = alignment;
  promises.out_bytes = [](std::int64_t n) { return static_cast<std::size_t>(n) * sizeof(T); };
  promises.launch = [launch](const std::vector<const void*>& inputs, void* output, std::int64_t n,
                             cudaStream_t stream) {
    return launch(static_cast<const T*>(inputs[0]), static_cast<const T*>(inputs[1]),
                  static_cast<T*>(output), n, stream);
  };
  const auto judge = [reference](const std::vector<T>& left, const std::vector<T>& right) {
    std::vector<T> expected(left.size());
    std::transform(left.begin(), left.end(), right.begin(), expected.begin(), reference);
    return exactly<T>(
        [expected](std::int64_t n) {
          return std::vector<T>(expected.begin(), expected.begin() + n);
        },
        "element");
  };
  promises.judge = judge(a, b);
  promises.judge_same_inputs = judge(a, a);
  return promises;
}

}  // namespace tutorial::test
